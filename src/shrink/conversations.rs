//! Fewer conversations: crowds as one, others one by one.

use std::collections::HashSet;

use super::plainer::PLAINER;
use super::{CROWD, Shrinker, each_append};
use crate::history::{Answer, Command, Name, StepCommand};

impl Shrinker<'_> {
    /// Shrinks a crowd of conversations: as few as it takes, and all of them alike.
    pub(super) fn crowd(&mut self) {
        if self.names().len() <= CROWD {
            return;
        }
        let last = self.best.commands.iter().rev().find_map(Command::conversation);
        for from_the_front in [true, false] {
            let others: Vec<Name> = self.names().into_iter().filter(|name| Some(*name) != last).collect();
            self.least(others.len(), |commands, count| {
                let kept = if from_the_front { &others[others.len() - count..] } else { &others[..count] };
                let kept: HashSet<Name> = kept.iter().copied().chain(last).collect();
                commands.retain(|command| command.conversation().is_none_or(|name| kept.contains(&name)));
            });
        }
        if self.names().len() > CROWD {
            self.alike(last);
        }
        self.conversations_in_order();
    }

    /// Makes the conversations plainer, all of them at once.
    fn alike(&mut self, last: Option<Name>) {
        // One step each, and one more for the last.
        let mut stepped = HashSet::new();
        let end = self.best.commands.len() - 1;
        let mut commands = Vec::new();
        for (at, command) in self.best.commands.iter().enumerate() {
            let again = |name: Name| !stepped.insert(name);
            if at == end || !matches!(command, Command::Step(_)) || !command.conversation().is_some_and(again) {
                commands.push(command.clone());
            }
        }
        self.takes(commands);
        let none = self.best.commands.iter().enumerate().filter(|(at, command)| {
            *at == end || !matches!(command, Command::Step(_)) || command.conversation() == last
        });
        let none = none.map(|(_, command)| command.clone()).collect();
        self.takes(none);
        let longest = self.best.commands.iter().map(|command| match command {
            Command::Append { messages, .. } => messages.len(),
            _ => 0,
        });
        let longest = longest.max().unwrap_or(0);
        for from_the_front in [true, false] {
            self.least(longest, |commands, count| {
                each_append(commands, |messages| {
                    let count = count.min(messages.len());
                    let gone = messages.len() - count;
                    if from_the_front {
                        messages.drain(..gone);
                    } else {
                        messages.truncate(count);
                    }
                });
            });
        }
        for edit in PLAINER {
            let mut commands = self.best.commands.clone();
            each_append(&mut commands, |messages| messages.iter_mut().for_each(edit));
            self.takes(commands);
        }
        for edit in [
            |step: &mut StepCommand| step.after_s = 0.0,
            |step: &mut StepCommand| {
                if !step.answers.is_empty() {
                    step.answers = vec![Answer::Rejected];
                }
            },
        ] {
            let mut commands = self.best.commands.clone();
            for command in &mut commands {
                if let Command::Step(step) = command {
                    edit(step);
                }
            }
            self.takes(commands);
        }
    }

    /// Moves everything into fewer conversations, and numbers them from the first.
    pub(super) fn conversations(&mut self) {
        let mut names: Vec<Name> = self.best.commands.iter().filter_map(Command::conversation).collect();
        names.sort_unstable();
        names.dedup();
        for pair in (1..names.len()).rev() {
            let commands = self.best.commands.iter().cloned().map(|c| renamed(c, names[pair], names[0])).collect();
            self.takes(commands);
        }
        self.conversations_in_order();
    }

    fn conversations_in_order(&mut self) {
        let mut names = self.names();
        names.sort_unstable();
        let map = |name: Name| Name(names.binary_search(&name).unwrap_or(0) as u32);
        let commands = self.best.commands.iter().map(|command| {
            let to = command.conversation().map(map);
            to.map_or_else(|| command.clone(), |to| set_name(command.clone(), to))
        });
        let commands = commands.collect();
        self.takes(commands);
    }

    /// Puts appends together: with a later one of the same conversation, else with an earlier one.
    pub(super) fn merge(&mut self) {
        let mut at = 0;
        while at < self.best.commands.len() {
            if let Command::Append { conversation, messages } = self.best.commands[at].clone() {
                let same = |command: &Command| matches!(command, Command::Append { conversation: other, .. } if *other == conversation);
                let earlier = self.best.commands[..at].iter().position(same);
                let mut commands = self.best.commands.clone();
                commands.remove(at);
                if let Some(Command::Append { messages: first, .. }) =
                    earlier.and_then(|earlier| commands.get_mut(earlier))
                {
                    first.extend(messages);
                    if self.takes(commands) {
                        continue;
                    }
                }
            }
            at += 1;
        }
    }
}

fn set_name(mut command: Command, to: Name) -> Command {
    match &mut command {
        Command::Append { conversation, .. }
        | Command::Rewind { conversation, .. }
        | Command::Usage { conversation, .. } => {
            *conversation = to;
        }
        Command::Step(step) => step.conversation = to,
        Command::Clock { .. } | Command::Restart { .. } | Command::Auto { .. } => {}
    }
    command
}

fn renamed(command: Command, from: Name, to: Name) -> Command {
    if command.conversation() == Some(from) { set_name(command, to) } else { command }
}
