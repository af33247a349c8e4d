//! Makes a history shorter for as long as something holds of it.
//!
//! Whole commands go first, then messages, then everything that is not at its plainest: kinds, pressures, answers, flags,
//! sizes, seconds. What is kept is always a history that a host can play.

mod conversations;
mod plainer;

use std::collections::HashSet;

use plainer::seconds;

use crate::contract::{Contract, Feature};
use crate::generate::cost;
use crate::history::{Command, Draft, History, Name};
use crate::message::Role;

/// The shortest history found, and the number of histories that were tried.
pub(crate) struct Shrunk {
    pub(crate) history: History,
    pub(crate) executions: usize,
}

/// Shrinks `history` while `holds`. `budget` counts the steps that may still be spent, over many shrinks; `better` is told
/// of each shorter history.
pub(crate) fn shrink(
    history: History,
    contract: &Contract,
    budget: &mut usize,
    holds: &mut dyn FnMut(&History) -> bool,
    better: &mut dyn FnMut(&History),
) -> Shrunk {
    let mut shrinker =
        Shrinker { best: history, contract, budget, holds, better, executions: 0, tried: HashSet::new() };
    shrinker.crowd();
    // A crowd is shrunk as one, and that is all.
    let rounds = if shrinker.names().len() > CROWD { 0 } else { usize::MAX };
    for _ in 0..rounds {
        let before = shrinker.executions;
        let start = shrinker.best.clone();
        shrinker.commands();
        shrinker.conversations();
        shrinker.merge();
        shrinker.messages();
        shrinker.groups();
        shrinker.plainer();
        shrinker.seconds();
        if shrinker.best == start || shrinker.executions == before || *shrinker.budget == 0 {
            break;
        }
    }
    shrinker.renumber();
    shrinker.seed();
    Shrunk { history: shrinker.best, executions: shrinker.executions }
}

/// All histories that are one edit plainer than `history`, whole commands first.
#[cfg(any(feature = "proptest", feature = "quickcheck"))]
pub(crate) fn plainer(history: &History, contract: &Contract) -> Vec<History> {
    let mut found = Vec::new();
    let (mut budget, mut holds) = (usize::MAX, |history: &History| {
        found.push(history.clone());
        false
    });
    shrink(history.clone(), contract, &mut budget, &mut holds, &mut |_| {});
    found
}

/// With more conversations than this, all but one are shrunk alike: one by one they would take too long.
const CROWD: usize = 50;

struct Shrinker<'a> {
    best: History,
    contract: &'a Contract,
    budget: &'a mut usize,
    holds: &'a mut dyn FnMut(&History) -> bool,
    better: &'a mut dyn FnMut(&History),
    executions: usize,
    tried: HashSet<String>,
}

impl Shrinker<'_> {
    /// Whether `commands` hold, too; if so they are the best.
    fn takes(&mut self, commands: Vec<Command>) -> bool {
        let commands = repaired(commands, self.contract);
        if commands == self.best.commands {
            return false;
        }
        let history = History::new(self.best.seed, commands);
        let (steps, _) = cost(&history, self.contract);
        if *self.budget < steps || history.check().is_err() || !self.tried.insert(format!("{:?}", history.commands)) {
            return false;
        }
        *self.budget -= steps;
        self.executions += 1;
        if (self.holds)(&history) {
            (self.better)(&history);
            self.best = history;
            return true;
        }
        false
    }

    /// The conversations, in the order in which they appear.
    fn names(&self) -> Vec<Name> {
        let mut seen = HashSet::new();
        self.best.commands.iter().filter_map(Command::conversation).filter(|name| seen.insert(*name)).collect()
    }

    /// The least `count` up to `most` for which the commands, edited by it, hold; what holds for one holds for more.
    fn least(&mut self, most: usize, edit: impl Fn(&mut Vec<Command>, usize)) {
        let start = self.best.commands.clone();
        let (mut low, mut high) = (0, most);
        while low < high {
            let middle = low.midpoint(high);
            let mut commands = start.clone();
            edit(&mut commands, middle);
            if self.takes(commands) { high = middle } else { low = middle + 1 }
        }
    }

    /// Drops runs of commands, long ones first, the last command excepted.
    fn commands(&mut self) {
        let mut size = self.best.commands.len() / 2;
        while size > 0 {
            let mut at = self.best.commands.len().saturating_sub(1);
            while at > 0 {
                let from = at.saturating_sub(size);
                let mut commands = self.best.commands.clone();
                let gone: Vec<Command> = commands.drain(from..at.min(commands.len())).collect();
                let waited: f64 = gone.iter().filter_map(seconds).sum();
                // The time that went with them may be all that mattered.
                let next = commands[from..].iter_mut().find_map(|command| match command {
                    Command::Step(step) => Some(step),
                    _ => None,
                });
                if waited > 0.0
                    && let Some(step) = next
                {
                    let kept = step.after_s;
                    step.after_s += waited;
                    let later = commands.clone();
                    if let Some(Command::Step(step)) =
                        commands[from..].iter_mut().find(|command| matches!(command, Command::Step(_)))
                    {
                        step.after_s = kept;
                    }
                    if !self.takes(commands) {
                        self.takes(later);
                    }
                } else {
                    self.takes(commands);
                }
                at = from.min(self.best.commands.len().saturating_sub(1));
            }
            size /= 2;
        }
    }

    /// Drops runs of messages, long ones first.
    fn messages(&mut self) {
        for at in 0..self.best.commands.len() {
            let length = |history: &History| match history.commands.get(at) {
                Some(Command::Append { messages, .. }) => messages.len(),
                Some(Command::Step(step)) => step.arrived.len(),
                _ => 0,
            };
            let mut size = length(&self.best);
            while size > 0 {
                let mut end = length(&self.best);
                while end > 0 {
                    let from = end.saturating_sub(size);
                    let mut commands = self.best.commands.clone();
                    let drafts = match commands.get_mut(at) {
                        Some(Command::Append { messages, .. }) => messages,
                        Some(Command::Step(step)) => &mut step.arrived,
                        _ => return,
                    };
                    drafts.drain(from.min(drafts.len())..end.min(drafts.len()));
                    self.takes(commands);
                    end = from.min(length(&self.best));
                }
                size /= 2;
            }
        }
    }

    /// Makes plain messages of call groups, one group at a time.
    fn groups(&mut self) {
        let calls: Vec<u32> = self.best.drafts().flat_map(|(_, draft)| draft.calls.clone()).collect();
        for call in calls {
            let mut commands = self.best.commands.clone();
            for command in &mut commands {
                let Command::Append { messages, .. } = command else { continue };
                for draft in messages {
                    draft.calls.retain(|other| *other != call);
                    if draft.answers == Some(call) {
                        (draft.answers, draft.interim, draft.role) = (None, false, Role::Assistant);
                    }
                }
            }
            self.takes(commands);
        }
    }
}

fn each_append(commands: &mut [Command], mut edit: impl FnMut(&mut Vec<Draft>)) {
    for command in commands {
        if let Command::Append { messages, .. } = command {
            edit(messages);
        }
    }
}

/// Drops what has lost its sense: results without their call, rewinds to nothing, empty appends.
fn repaired(commands: Vec<Command>, contract: &Contract) -> Vec<Command> {
    let mut keys: HashSet<u32> = HashSet::new();
    let mut calls: HashSet<u32> = HashSet::new();
    let mut kept = Vec::with_capacity(commands.len());
    for mut command in commands {
        match &mut command {
            Command::Append { messages, .. } => {
                calls.extend(messages.iter().flat_map(|draft| &draft.calls));
                messages.retain(|draft| draft.answers.is_none_or(|call| calls.contains(&call)));
                if contract.has(Feature::Calls) {
                    messages.retain(|draft| draft.role != Role::Tool || draft.answers.is_some());
                }
                keys.extend(messages.iter().map(|draft| draft.key));
                if messages.is_empty() {
                    continue;
                }
            }
            Command::Rewind { to, .. } if !keys.contains(to) => continue,
            Command::Usage { upto, .. } if !keys.contains(upto) => continue,
            _ => {}
        }
        kept.push(command);
    }
    kept
}
