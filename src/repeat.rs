//! Runs of commands that differ in nothing but the conversation and the numbers of messages and calls, as one line.
//!
//! A witness of five hundred conversations is read by a person: `{"repeat":{"times":513,...}}` stands for 513 rounds of its
//! commands, each round with the next conversation, and with keys and call numbers that go on counting.

use serde::{Deserialize, Serialize};

use crate::history::{Command, Draft, Name};

/// Rounds of commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repeat {
    /// How many rounds.
    pub(crate) times: usize,
    /// What each round adds to the numbers of conversations, messages and calls.
    #[serde(default)]
    conversations: u32,
    #[serde(default)]
    keys: u32,
    #[serde(default)]
    calls: u32,
    /// The first round.
    pub(crate) commands: Vec<Command>,
}

/// One line of a history on disk.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Line {
    One(Command),
    Many(Repeat),
}

/// The longest round.
const PERIOD: usize = 6;
/// Fewer rounds are written out.
const ROUNDS: usize = 8;
/// A file stands for so many commands at most.
const COMMANDS: usize = 100_000;

/// The commands as lines.
pub(crate) fn fold(commands: &[Command]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut at = 0;
    while at < commands.len() {
        let best = (1..=PERIOD).filter_map(|period| rounds(&commands[at..], period));
        match best.max_by_key(|repeat| (repeat.times * repeat.commands.len(), PERIOD - repeat.commands.len())) {
            Some(repeat) => {
                at += repeat.times * repeat.commands.len();
                lines.push(Line::Many(repeat));
            }
            None => {
                lines.push(Line::One(commands[at].clone()));
                at += 1;
            }
        }
    }
    lines
}

impl Repeat {
    /// All the commands that it stands for, which come after `before` others.
    ///
    /// # Errors
    ///
    /// If they are too many, or a number leaves its range.
    pub(crate) fn unfold(&self, before: usize) -> Result<Vec<Command>, String> {
        let all = self.times.saturating_mul(self.commands.len()).saturating_add(before);
        if all > COMMANDS {
            return Err(format!("a history has at most {COMMANDS} commands"));
        }
        let mut commands = Vec::with_capacity(all - before);
        for round in 0..self.times as u64 {
            let by =
                |step: u32| u32::try_from(round * u64::from(step)).map_err(|_| "a repeat counts too far".to_owned());
            let shift = Shift { conversations: by(self.conversations)?, keys: by(self.keys)?, calls: by(self.calls)? };
            for command in &self.commands {
                commands.push(shift.of(command).ok_or("a repeat counts too far")?);
            }
        }
        Ok(commands)
    }
}

/// The rounds of `period` commands that `commands` begin with, if they are worth a line.
fn rounds(commands: &[Command], period: usize) -> Option<Repeat> {
    let (first, second) = (commands.get(..period)?, commands.get(period..2 * period)?);
    let step = Shift::between(first, second)?;
    let follows = |pair: &[&[Command]]| {
        pair[1].len() == period && pair[0].iter().zip(pair[1]).all(|(a, b)| step.of(a).as_ref() == Some(b))
    };
    let blocks: Vec<&[Command]> = commands.chunks(period).collect();
    let times = 1 + blocks.windows(2).take_while(|pair| follows(pair)).count();
    let Shift { conversations, keys, calls } = step;
    (times >= ROUNDS).then(|| Repeat { times, conversations, keys, calls, commands: first.to_vec() })
}

/// What is added to the numbers of a command.
#[derive(Clone, Copy)]
struct Shift {
    conversations: u32,
    keys: u32,
    calls: u32,
}

impl Shift {
    /// What leads from the first numbers of one round to those of the next.
    fn between(one: &[Command], next: &[Command]) -> Option<Self> {
        let names = |round: &[Command]| round.iter().find_map(Command::conversation).map_or(0, |name| name.0);
        let keys = |round: &[Command]| round.iter().flat_map(drafts).map(|draft| draft.key).next().unwrap_or(0);
        let calls = |round: &[Command]| {
            let numbers =
                round.iter().flat_map(drafts).flat_map(|draft| draft.calls.iter().copied().chain(draft.answers));
            numbers.min().unwrap_or(0)
        };
        Some(Self {
            conversations: names(next).checked_sub(names(one))?,
            keys: keys(next).checked_sub(keys(one))?,
            calls: calls(next).checked_sub(calls(one))?,
        })
    }

    fn of(self, command: &Command) -> Option<Command> {
        let name = |name: &mut Name| {
            name.0 = name.0.checked_add(self.conversations)?;
            Some(())
        };
        let mut command = command.clone();
        match &mut command {
            Command::Append { conversation, messages } => {
                name(conversation)?;
                messages.iter_mut().try_for_each(|draft| self.shift(draft))?;
            }
            Command::Step(step) => {
                name(&mut step.conversation)?;
                step.arrived.iter_mut().try_for_each(|draft| self.shift(draft))?;
            }
            Command::Rewind { conversation, to: key } | Command::Usage { conversation, upto: key, .. } => {
                name(conversation)?;
                *key = key.checked_add(self.keys)?;
            }
            Command::Clock { .. } | Command::Restart { .. } | Command::Auto { .. } => {}
        }
        Some(command)
    }

    fn shift(self, draft: &mut Draft) -> Option<()> {
        draft.key = draft.key.checked_add(self.keys)?;
        for call in draft.calls.iter_mut().chain(&mut draft.answers) {
            *call = call.checked_add(self.calls)?;
        }
        Some(())
    }
}

fn drafts(command: &Command) -> &[Draft] {
    match command {
        Command::Append { messages, .. } => messages,
        Command::Step(step) => &step.arrived,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::StepCommand;
    use crate::message::Role;

    fn unfolded(lines: &[Line]) -> Vec<Command> {
        let mut commands = Vec::new();
        for line in lines {
            match line {
                Line::One(command) => commands.push(command.clone()),
                Line::Many(repeat) => commands.extend(repeat.unfold(commands.len()).unwrap()),
            }
        }
        commands
    }

    #[test]
    fn what_is_folded_is_the_same_again() {
        let mut commands = vec![Command::Auto { on: true }];
        for number in 0..513 {
            let drafts = vec![
                Draft { calls: vec![number + 5], ..Draft::new(2 * number, Role::Assistant) },
                Draft { answers: Some(number + 5), ..Draft::new(2 * number + 1, Role::Tool) },
            ];
            commands.push(Command::Append { conversation: Name(number), messages: drafts });
            commands.push(Command::Step(StepCommand::new(Name(number))));
        }
        commands.push(Command::Step(StepCommand::new(Name(0))));
        let lines = fold(&commands);
        assert_eq!(lines.len(), 3);
        assert!(matches!(&lines[1], Line::Many(repeat) if repeat.times == 513 && repeat.commands.len() == 2));
        assert_eq!(unfolded(&lines), commands);
        let few = &commands[..9];
        assert_eq!(unfolded(&fold(few)), few);
        assert_eq!(fold(few).len(), 9, "a few are written out");
    }

    #[test]
    fn a_repeat_that_counts_too_far_is_refused() {
        let repeat = |times, keys| Repeat {
            times,
            conversations: 0,
            keys,
            calls: 0,
            commands: vec![Command::Rewind { conversation: Name(0), to: 1 }],
        };
        assert!(repeat(2_000_000, 0).unfold(0).is_err());
        assert!(repeat(9, u32::MAX / 2).unfold(0).is_err());
    }
}
