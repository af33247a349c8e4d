//! Makes a history shorter for as long as something holds of it.
//!
//! Whole commands go first, then messages, then everything that is not at its plainest: kinds, pressures, answers, flags,
//! sizes, seconds. What is kept is always a history that a host can play.

use std::collections::HashSet;

use crate::contract::{Contract, Feature};
use crate::generate::cost;
use crate::history::{Answer, Command, Draft, History, Name, Pressure, Size, StepCommand, StepKind};
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

    /// Shrinks a crowd of conversations: as few as it takes, and all of them alike.
    fn crowd(&mut self) {
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

    /// Moves everything into fewer conversations, and numbers them from the first.
    fn conversations(&mut self) {
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
    fn merge(&mut self) {
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

    /// Tries the first seeds: what depends on none reads best with the first.
    fn seed(&mut self) {
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
    fn plainer(&mut self) {
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
    fn seconds(&mut self) {
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
    fn renumber(&mut self) {
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
const PLAINER: [fn(&mut Draft); 8] = [
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

fn each_append(commands: &mut [Command], mut edit: impl FnMut(&mut Vec<Draft>)) {
    for command in commands {
        if let Command::Append { messages, .. } = command {
            edit(messages);
        }
    }
}

/// The seconds that pass before a step.
fn seconds(command: &Command) -> Option<f64> {
    match command {
        Command::Step(step) => Some(step.after_s),
        _ => None,
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
