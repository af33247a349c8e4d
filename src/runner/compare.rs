//! Two runs that should agree: the same history twice, and with and without what must not matter.

use crate::contract::{Clock, Contract, Durability, PressureSource};
use crate::history::{Answer, Command, History, Name, Pressure, StepCommand, StepKind};
use crate::oracle::view::{Item, View};
use crate::oracle::{Judged, Judgement, Origin, judge};
use crate::text::counted;
use crate::trace::Trace;

/// What a requirement compares a history with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Twin {
    /// ISO-4: the same once more.
    Repeat,
    /// THR-8: the same without messages for the person only.
    WithoutUiOnly,
    /// ISO-1: the same without attempts in the other conversations.
    Alone,
    /// ISO-3: the same without its restarts, or with each made twice where a restart clears the state.
    Restarts,
}

impl Twin {
    /// The twin that the requirement `id` asks for, if any.
    pub(super) fn of(id: &str) -> Option<Self> {
        match id {
            "ISO-4" => Some(Self::Repeat),
            "THR-8" => Some(Self::WithoutUiOnly),
            "ISO-1" => Some(Self::Alone),
            "ISO-3" => Some(Self::Restarts),
            _ => None,
        }
    }

    /// Whether `history` has what the twin leaves out.
    pub(super) fn tells(self, contract: &Contract, history: &History) -> bool {
        match self {
            Self::Repeat => true,
            Self::WithoutUiOnly => has_ui_only(history),
            Self::Alone => stepped(history).into_iter().any(|name| alone(contract, history, name).is_some()),
            Self::Restarts => restarts(contract, history).is_some(),
        }
    }
}

/// The conversations that are stepped.
pub(super) fn stepped(history: &History) -> Vec<Name> {
    let step = |command: &Command| if let Command::Step(step) = command { Some(step.conversation) } else { None };
    let mut names: Vec<Name> = history.commands.iter().filter_map(step).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The history without attempts in any conversation but `name`: their steps are still made, at no pressure. None where
/// nothing would change, or where the candidate itself measures the pressure.
pub(super) fn alone(contract: &Contract, history: &History, name: Name) -> Option<History> {
    if contract.pressure == PressureSource::Own {
        return None;
    }
    let mut commands = history.commands.clone();
    let mut changed = false;
    for command in &mut commands {
        let Command::Step(step) = command else { continue };
        let quiet = step.kind == StepKind::Step && step.pressure == Pressure::None;
        if step.conversation != name && !quiet {
            changed = true;
            *step =
                StepCommand { after_s: step.after_s, pressure: Pressure::None, ..StepCommand::new(step.conversation) };
        }
    }
    let twin = History::new(history.seed, commands);
    (changed && twin.check().is_ok()).then_some(twin)
}

/// The history as it would be if a restart did what is declared: left out where the state is kept, made twice where it is
/// cleared. None where nothing would change, or where the contract leaves open what a restart does to the time that is left.
pub(super) fn restarts(contract: &Contract, history: &History) -> Option<History> {
    let kept = contract.restart.throttle == Durability::Persistent;
    let mixed = contract.restart.throttle != contract.restart.latch;
    let open = mixed || (kept && contract.throttle.clock == Clock::Monotonic);
    if open || contract.pressure == PressureSource::Own {
        return None;
    }
    let mut commands: Vec<Command> = Vec::with_capacity(history.commands.len());
    for command in &history.commands {
        let Command::Restart { without } = command else {
            commands.push(command.clone());
            continue;
        };
        if !without.is_empty() {
            return None;
        }
        // What an answer that never came needs is a restart.
        let cut_off = matches!(commands.last(), Some(Command::Step(step)) if step.answers.contains(&Answer::CutOff));
        if !kept || cut_off {
            commands.push(command.clone());
        }
        if !kept {
            commands.push(command.clone());
        }
    }
    let twin = History::new(history.seed, commands);
    (twin.commands.len() != history.commands.len() && twin.check().is_ok()).then_some(twin)
}

/// The first ordinary step, of `name` or of any conversation, at which one run attempts and the other does not: its command in
/// the first run, and a sentence. What the oracle has an opinion of is left to it, and a clock that has stepped explains
/// anything; after views that differ nothing is compared.
pub(super) fn other_decision(
    contract: &Contract,
    one: &Trace,
    other: &Trace,
    name: Option<Name>,
    without: &str,
) -> Option<(usize, String)> {
    if one.broken.is_some() || other.broken.is_some() {
        return None;
    }
    let (left, right) = (judge(contract, one), judge(contract, other));
    for (a, b) in left.steps.iter().zip(&right.steps) {
        if a.wrong().is_some() || b.wrong().is_some() {
            return None;
        }
        if name.is_some_and(|name| name != a.name) {
            continue;
        }
        if shown(&left, &a.before, false) != shown(&right, &b.before, false) {
            return None;
        }
        let (x, y) = (!a.event.calls.is_empty(), !b.event.calls.is_empty());
        if x == y || a.step.kind != StepKind::Step || a.fog || b.fog {
            continue;
        }
        let (x, y) = if x { ("an attempt", "none") } else { ("no attempt", "one") };
        return Some((a.command, format!("the decision differs: {x} here, and {y} {without}")));
    }
    None
}

/// The visible messages of a view: the host's by their keys and texts, the others by their texts where these count.
fn shown(judgement: &Judgement<'_>, view: &View<'_>, own_words: bool) -> Vec<(Option<u32>, String)> {
    let key = |item: &Item<'_>| match item.origin {
        Origin::External(at) => Some(judgement.externals.draft(at).key),
        Origin::Extra | Origin::Own => None,
    };
    let counts = |item: &Item<'_>| own_words || item.external().is_some();
    let text = |item: &Item<'_>| if counts(item) { item.message.content.clone() } else { String::new() };
    view.iter().filter(|item| item.visible).map(|item| (key(item), text(item))).collect()
}

/// What stands in a view where it begins to differ from another one.
fn at_the_first_difference(view: &[(Option<u32>, String)], other: &[(Option<u32>, String)]) -> String {
    let at = view.iter().zip(other).take_while(|(one, other)| one == other).count();
    let same = |key: Option<u32>| other.get(at).is_some_and(|(other, _)| *other == key);
    match view.get(at) {
        None => format!("it ends after {}", counted(at, "message")),
        Some((None, words)) if !words.is_empty() && same(None) => {
            format!("place {} has an own message in other words", at + 1)
        }
        Some((None, _)) => format!("place {} has an own message", at + 1),
        Some((Some(key), _)) if same(Some(*key)) => format!("place {} has message {key} in other words", at + 1),
        Some((Some(key), _)) => format!("place {} has message {key}", at + 1),
    }
}

/// Whether leaving out `ui_only` messages changes the history and nothing that it means.
fn has_ui_only(history: &History) -> bool {
    let old_format = |command: &Command| matches!(command, Command::Restart { without } if !without.is_empty());
    history.drafts().any(|(_, draft)| draft.ui_only) && !history.commands.iter().any(old_format)
}

/// The history without its `ui_only` messages.
pub(super) fn without_ui_only(history: &History) -> History {
    let mut commands = history.commands.clone();
    for command in &mut commands {
        match command {
            Command::Append { messages, .. } => messages.retain(|draft| !draft.ui_only),
            Command::Step(step) => step.arrived.retain(|draft| !draft.ui_only),
            _ => {}
        }
    }
    commands.retain(|command| !matches!(command, Command::Append { messages, .. } if messages.is_empty()));
    History::new(history.seed, commands)
}

/// What is compared of two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// The same history twice. Own words may differ: they may hold an id or a time.
    Repeat,
    /// With and without messages for the person only.
    Without,
    /// The same, own words included.
    WithoutToTheWord,
}

/// The first step at which two runs differ in decision or provider view: its command in the first run, and a sentence.
pub(super) fn difference(
    contract: &Contract,
    one: &Trace,
    other: &Trace,
    compared: Compared,
) -> Option<(usize, String)> {
    if one.broken.is_some() || other.broken.is_some() {
        return None;
    }
    let (left, right) = (judge(contract, one), judge(contract, other));
    for (a, b) in left.steps.iter().zip(&right.steps) {
        let decision =
            |judged: &Judged<'_>| (judged.event.calls.len(), judged.event.action, judged.event.raised.is_some());
        let (x, y) = (decision(a), decision(b));
        if x != y {
            let words = |(calls, action, raised): (usize, Option<crate::trace::Action>, bool)| {
                let action = action.map_or("nothing", |action| action.name());
                format!("{}, {}", counted(calls, "call"), if raised { "an error" } else { action })
            };
            let (x, y) = (words(x), words(y));
            return Some((
                a.command,
                match compared {
                    Compared::Repeat => format!("the decision differs: {x} the first time, {y} the second"),
                    _ => format!("the decision differs: with the messages for the person {x}, without them {y}"),
                },
            ));
        }
        let own_words = compared == Compared::WithoutToTheWord;
        let (x, y) = (shown(&left, &a.after, own_words), shown(&right, &b.after, own_words));
        if x != y {
            let (first, second) = match compared {
                Compared::Repeat => ("the first time", "the second"),
                _ => ("with the messages for the person", "without them"),
            };
            let (x, y) = (at_the_first_difference(&x, &y), at_the_first_difference(&y, &x));
            let what = "the view that the provider gets differs";
            return Some((a.command, format!("{what}: {first} {x}, {second} {y}")));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::RestartRules;

    fn step(name: u32, answer: Answer) -> Command {
        let step = StepCommand::new(Name(name));
        Command::Step(StepCommand { pressure: Pressure::Summarize, after_s: 5.0, answers: vec![answer], ..step })
    }

    fn quiet(name: u32) -> Command {
        Command::Step(StepCommand { pressure: Pressure::None, after_s: 5.0, ..StepCommand::new(Name(name)) })
    }

    fn restart() -> Command {
        Command::Restart { without: Vec::new() }
    }

    #[test]
    fn the_others_make_their_steps_and_no_attempt() {
        let contract = Contract::default();
        let history = History::new(0, vec![step(0, Answer::Ok), step(1, Answer::Rejected), quiet(2)]);
        assert_eq!(stepped(&history), [Name(0), Name(1), Name(2)]);
        let twin = alone(&contract, &history, Name(0)).unwrap();
        assert_eq!(twin.commands, [step(0, Answer::Ok), quiet(1), quiet(2)]);
        assert_eq!(alone(&contract, &History::new(0, vec![step(0, Answer::Ok), quiet(1)]), Name(0)), None);
        let own = Contract { pressure: PressureSource::Own, ..contract };
        assert_eq!(alone(&own, &history, Name(0)), None, "its pressure is nobody's to choose");
    }

    #[test]
    fn a_restart_goes_or_doubles_as_is_declared() {
        let mut contract = Contract::default();
        let history = History::new(0, vec![step(0, Answer::Ok), restart(), step(0, Answer::CutOff), restart()]);
        let left = restarts(&contract, &history).unwrap();
        assert_eq!(left.commands, [step(0, Answer::Ok), step(0, Answer::CutOff), restart()]);
        contract.restart = RestartRules { throttle: Durability::Volatile, latch: Durability::Volatile };
        let doubled = restarts(&contract, &history).unwrap();
        assert_eq!(doubled.commands.len(), 6);
        contract.restart.latch = Durability::Persistent;
        assert_eq!(restarts(&contract, &history), None, "one is kept and one is not");
        contract.restart.throttle = Durability::Persistent;
        contract.throttle.clock = Clock::Monotonic;
        assert_eq!(restarts(&contract, &history), None, "how much time is left is open");
    }
}
