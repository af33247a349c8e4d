//! Which histories a host can play.

use std::collections::{HashMap, HashSet};

use super::{Answer, Command, Draft, History, Name, Size};
use crate::message::Role;

/// Characters that the messages of a history may have in all, those of a declared size left aside.
const CHARACTERS: usize = 256_000_000;

/// Conversations that a history may have.
const CONVERSATIONS: u32 = 100_000;

#[derive(Default)]
struct Seen {
    /// Keys in log order, less what a rewind has undone before something else happened.
    reachable: Vec<u32>,
    /// How many of them stand in the view.
    standing: usize,
    /// Call number: position of the call message in `reachable`, and of its final result.
    calls: HashMap<u32, (usize, Option<usize>)>,
}

impl Seen {
    /// What a rewind has undone is gone: no redo brings it back.
    fn settle(&mut self) {
        if self.standing < self.reachable.len() {
            self.reachable.truncate(self.standing);
            let standing = self.standing;
            self.calls.retain(|_, (call, _)| *call < standing);
        }
    }
}

/// See [`History::check`].
pub(crate) fn check(history: &History) -> Result<(), String> {
    let sized = |draft: &Draft| if let Size::Chars(chars) = draft.size { chars } else { 0 };
    let sizes: usize = history.drafts().map(|(_, draft)| sized(draft)).sum();
    if sizes > CHARACTERS {
        return Err(format!("its messages have {sizes} characters in all, and {CHARACTERS} are the most"));
    }
    let mut keys = HashSet::new();
    let mut calls = HashSet::new();
    let mut seen: HashMap<Name, Seen> = HashMap::new();
    for (at, command) in history.commands.iter().enumerate() {
        let at = at + 1;
        if command.conversation().is_some_and(|name| name.0 >= CONVERSATIONS) {
            return Err(format!("command {at}: at most {CONVERSATIONS} conversations"));
        }
        let mut take = |name: Name, drafts: &[Draft]| {
            let seen = seen.entry(name).or_default();
            drafts.iter().try_for_each(|draft| take(seen, draft, &mut keys, &mut calls))
        };
        match command {
            Command::Append { messages, .. } if messages.is_empty() => {
                return Err(format!("command {at} appends nothing"));
            }
            Command::Append { conversation, messages } => {
                take(*conversation, messages).map_err(|why| format!("command {at}: {why}"))?;
            }
            Command::Step(step) => {
                if !(0.0..=1e9).contains(&step.after_s) {
                    return Err(format!("command {at}: after_s must be from 0 to 1e9"));
                }
                take(step.conversation, &step.arrived).map_err(|why| format!("command {at}: {why}"))?;
                // A step may append messages of its own, and an append ends what can be redone.
                seen.entry(step.conversation).or_default().settle();
                let restarts =
                    matches!(history.commands.get(at), Some(Command::Restart { without }) if without.is_empty());
                if step.answers.contains(&Answer::CutOff) && !restarts {
                    return Err(format!("command {at} is cut off, and no restart follows"));
                }
            }
            Command::Rewind { conversation, to } => {
                let seen = seen.get_mut(conversation).ok_or(format!("command {at} rewinds an unknown conversation"))?;
                let to = seen.reachable.iter().position(|key| key == to);
                let to = to.ok_or(format!("command {at} rewinds to a message that is not there"))?;
                let inside =
                    |(call, result): &(usize, Option<usize>)| *call <= to && result.is_none_or(|result| result > to);
                if seen.calls.values().any(inside) {
                    return Err(format!("command {at} rewinds to between a call and its results"));
                }
                seen.standing = to + 1;
            }
            Command::Clock { wall_by_s } if !wall_by_s.is_finite() || wall_by_s.abs() > 1e9 => {
                return Err(format!("command {at}: wall_by_s must be from -1e9 to 1e9"));
            }
            Command::Usage { conversation, upto, .. } => {
                if !seen.get(conversation).is_some_and(|seen| seen.reachable.contains(upto)) {
                    return Err(format!("command {at} reports a usage up to a message that is not there"));
                }
            }
            Command::Restart { .. } => seen.values_mut().for_each(Seen::settle),
            Command::Clock { .. } | Command::Auto { .. } => {}
        }
    }
    Ok(())
}

fn take(seen: &mut Seen, draft: &Draft, keys: &mut HashSet<u32>, calls: &mut HashSet<u32>) -> Result<(), String> {
    if !keys.insert(draft.key) {
        return Err(format!("key {} is used twice", draft.key));
    }
    if draft.key >= 1_000_000_000 {
        return Err(format!("key {} is above 999999999", draft.key));
    }
    seen.settle();
    let here = seen.reachable.len();
    for call in &draft.calls {
        if *call >= 1_000_000_000 {
            return Err(format!("call {call} is above 999999999"));
        }
        if draft.role != Role::Assistant || !calls.insert(*call) {
            return Err(format!("call {call} is made twice, or not by an assistant message"));
        }
        seen.calls.insert(*call, (here, None));
    }
    if let Some(call) = draft.answers {
        let made = seen.calls.get_mut(&call).filter(|(_, result)| result.is_none());
        let made = made.ok_or(format!("call {call} is answered, but not open"))?;
        if draft.role != Role::Tool {
            return Err(format!("call {call} is answered by a message that is not a tool result"));
        }
        if !draft.interim {
            made.1 = Some(here);
        }
    }
    seen.reachable.push(draft.key);
    seen.standing = seen.reachable.len();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::StepCommand;

    fn append(messages: Vec<Draft>) -> Command {
        Command::Append { conversation: Name(0), messages }
    }

    fn call(key: u32, call: u32) -> Draft {
        Draft { calls: vec![call], ..Draft::new(key, Role::Assistant) }
    }

    fn result(key: u32, call: u32) -> Draft {
        Draft { answers: Some(call), ..Draft::new(key, Role::Tool) }
    }

    #[test]
    fn what_a_host_cannot_do_is_refused() {
        let rewind = |to| Command::Rewind { conversation: Name(0), to };
        let user = |key| Draft::new(key, Role::User);
        let step = || Command::Step(StepCommand::new(Name(0)));
        let restart = || Command::Restart { without: Vec::new() };
        let bad: [(Vec<Command>, &str); 9] = [
            (vec![append(vec![user(1), user(1)])], "used twice"),
            (vec![append(vec![result(1, 9)])], "not open"),
            (vec![append(vec![call(1, 9), result(2, 9), result(3, 9)])], "not open"),
            (vec![append(vec![user(1)]), rewind(2)], "not there"),
            (vec![append(vec![call(1, 9), result(2, 9)]), rewind(1)], "between"),
            (vec![append(vec![user(1), user(2)]), rewind(1), append(vec![user(3)]), rewind(2)], "not there"),
            (vec![append(vec![user(1), user(2)]), rewind(1), step(), rewind(2)], "not there"),
            (vec![append(vec![user(1), user(2)]), rewind(1), restart(), rewind(2)], "not there"),
            (vec![Command::Step(StepCommand { after_s: -1.0, ..StepCommand::new(Name(0)) })], "after_s"),
        ];
        for (commands, why) in bad {
            let error = History::new(0, commands).check().unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_restart_follows_what_is_cut_off() {
        let cut = Command::Step(StepCommand { answers: vec![Answer::CutOff], ..StepCommand::new(Name(0)) });
        let restart = Command::Restart { without: Vec::new() };
        History::new(0, vec![cut.clone(), restart]).check().unwrap();
        assert!(History::new(0, vec![cut]).check().unwrap_err().contains("cut off"));
    }

    #[test]
    fn a_redo_is_a_rewind_forward() {
        let rewind = |to| Command::Rewind { conversation: Name(0), to };
        let commands = vec![append(vec![Draft::new(1, Role::User), Draft::new(2, Role::User)]), rewind(1), rewind(2)];
        History::new(0, commands).check().unwrap();
    }
}
