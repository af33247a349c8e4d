//! What is not at its plainest: kinds, pressures, answers, flags, sizes, seconds, numbers.

use super::Shrinker;
use crate::generate::cost;
use crate::history::{Answer, Command, Draft, History, Pressure, Size, StepCommand, StepKind};
use crate::message::Role;

impl Shrinker<'_> {
    /// Tries the first seeds: what depends on none reads best with the first.
    pub(super) fn seed(&mut self) {
        for seed in (0..3).take_while(|seed| *seed < self.best.seed) {
            let history = History::new(seed, self.best.commands.clone());
            let (steps, _) = cost(&history, self.contract);
            if *self.budget < steps {
                return;
            }
            *self.budget -= steps;
            self.executions += 1;
            if (self.holds)(&history) {
                (self.better)(&history);
                self.best = history;
                return;
            }
        }
    }

    fn edit_step(&mut self, at: usize, edit: impl FnOnce(&mut StepCommand)) -> bool {
        let mut commands = self.best.commands.clone();
        let Some(Command::Step(step)) = commands.get_mut(at) else { return false };
        edit(step);
        self.takes(commands)
    }

    /// Makes steps and messages plainer, one property at a time.
    pub(super) fn plainer(&mut self) {
        for at in 0..self.best.commands.len() {
            let Some(command) = self.best.commands.get(at).cloned() else { break };
            match command {
                Command::Step(step) => {
                    if step.kind != StepKind::Step {
                        self.edit_step(at, |step| step.kind = StepKind::Step);
                    }
                    if step.pressure != Pressure::Summarize {
                        self.edit_step(at, |step| step.pressure = Pressure::Summarize);
                    }
                    if !step.answers.is_empty() && !self.edit_step(at, |step| step.answers.clear()) {
                        if step.answers.len() > 1 {
                            self.edit_step(at, |step| step.answers.truncate(1));
                        }
                        if step.answers != [Answer::Rejected] {
                            self.edit_step(at, |step| step.answers = vec![Answer::Rejected]);
                        }
                    }
                }
                Command::Append { messages, .. } => self.plainer_messages(at, &messages),
                Command::Clock { wall_by_s } => {
                    for seconds in [1.0, 60.0, 3_600.0] {
                        let mut commands = self.best.commands.clone();
                        commands[at] = Command::Clock { wall_by_s: seconds * wall_by_s.signum() };
                        if wall_by_s.abs() > seconds && self.takes(commands) {
                            break;
                        }
                    }
                }
                Command::Restart { without } if !without.is_empty() => {
                    let mut commands = self.best.commands.clone();
                    commands[at] = Command::Restart { without: Vec::new() };
                    self.takes(commands);
                }
                _ => {}
            }
        }
    }

    fn plainer_messages(&mut self, at: usize, messages: &[Draft]) {
        for edit in PLAINER {
            let mut all = messages.to_vec();
            all.iter_mut().for_each(edit);
            if all == messages {
                continue;
            }
            let mut commands = self.best.commands.clone();
            if let Some(Command::Append { messages, .. }) = commands.get_mut(at) {
                messages.iter_mut().for_each(edit);
            }
            if self.takes(commands) {
                continue;
            }
            for message in 0..messages.len() {
                let mut commands = self.best.commands.clone();
                if let Some(Command::Append { messages, .. }) = commands.get_mut(at) {
                    messages.get_mut(message).into_iter().for_each(edit);
                }
                self.takes(commands);
            }
        }
    }

    /// Makes waits as short as they can be: none, else the least whole number of seconds.
    pub(super) fn seconds(&mut self) {
        for at in 0..self.best.commands.len() {
            let Some(Command::Step(step)) = self.best.commands.get(at) else { continue };
            let mut least = step.after_s;
            if least == 0.0 || self.edit_step(at, |step| step.after_s = 0.0) {
                continue;
            }
            let mut too_short = 0.0;
            while least - too_short > 1.0 {
                let middle = ((least + too_short) / 2.0).floor();
                if middle <= too_short || middle >= least {
                    break;
                }
                if self.edit_step(at, |step| step.after_s = middle) { least = middle } else { too_short = middle }
            }
        }
    }

    /// Numbers keys and calls from 1.
    pub(super) fn renumber(&mut self) {
        let mut keys: Vec<u32> = self.best.drafts().map(|(_, draft)| draft.key).collect();
        keys.sort_unstable();
        let mut calls: Vec<u32> = self.best.drafts().flat_map(|(_, draft)| draft.calls.clone()).collect();
        calls.sort_unstable();
        let new = |list: &[u32], old: u32| list.binary_search(&old).map_or(old, |at| at as u32 + 1);
        let mut commands = self.best.commands.clone();
        for command in &mut commands {
            let drafts = match command {
                Command::Append { messages, .. } => messages,
                Command::Step(step) => &mut step.arrived,
                Command::Rewind { to, .. } => {
                    *to = new(&keys, *to);
                    continue;
                }
                Command::Usage { upto, .. } => {
                    *upto = new(&keys, *upto);
                    continue;
                }
                _ => continue,
            };
            for draft in drafts {
                draft.key = new(&keys, draft.key);
                draft.calls.iter_mut().for_each(|call| *call = new(&calls, *call));
                draft.answers = draft.answers.map(|call| new(&calls, call));
            }
        }
        self.takes(commands);
    }
}

/// What makes a message plainer.
pub(super) const PLAINER: [fn(&mut Draft); 8] = [
    |draft| {
        draft.calls.clear();
        draft.answers = None;
        draft.interim = false;
        draft.role = if draft.role == Role::Tool { Role::Assistant } else { draft.role };
    },
    |draft| draft.size = Size::Small,
    |draft| draft.hidden = false,
    |draft| draft.pinned = false,
    |draft| draft.reasoning = false,
    |draft| draft.wide = false,
    |draft| draft.ui_only = false,
    |draft| draft.role = if matches!(draft.role, Role::System | Role::User) { Role::Assistant } else { draft.role },
];

/// The seconds that pass before a step.
pub(super) fn seconds(command: &Command) -> Option<f64> {
    match command {
        Command::Step(step) => Some(step.after_s),
        _ => None,
    }
}
