//! Writes histories that a host can play, with the amounts that a contract asks for.

mod messages;
mod steps;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use steps::{After, COOL, FAIL, failures};

use super::own::{count, measures};
use crate::contract::{Capability, Contract, Feature, Pending};
use crate::history::{Command, Draft, History, Name, Pressure};
use crate::message::Role;

/// A history in the making.
#[derive(Clone, Debug)]
pub(crate) struct Pen<'a> {
    pub(crate) contract: &'a Contract,
    /// Conversations that are live at once where that is what the history is about.
    pub(crate) crowd: u32,
    commands: Vec<Command>,
    key: u32,
    call: u32,
    /// Conversations in which somebody has spoken.
    begun: BTreeSet<Name>,
    /// Per conversation: keys that a rewind can go to.
    anchors: BTreeMap<Name, Vec<u32>>,
    open: BTreeMap<Name, Vec<u32>>,
    /// Per conversation: the least and the most that its messages measure.
    sizes: BTreeMap<Name, (usize, usize)>,
    /// Seconds that pass before the next step, where nothing but time was to pass.
    late_s: f64,
}

pub(crate) const A: Name = Name(0);
pub(crate) const B: Name = Name(1);

impl<'a> Pen<'a> {
    pub(crate) fn new(contract: &'a Contract) -> Self {
        Self {
            contract,
            crowd: 3,
            commands: Vec::new(),
            key: 0,
            call: 0,
            begun: BTreeSet::new(),
            anchors: BTreeMap::new(),
            open: BTreeMap::new(),
            sizes: BTreeMap::new(),
            late_s: 0.0,
        }
    }

    pub(crate) fn history(self, seed: u64) -> History {
        History::new(seed, self.commands)
    }

    pub(crate) fn push(&mut self, mut command: Command) -> &mut Self {
        if let Command::Step(step) = &command
            && self.contract.attempt.pending == Pending::Host
            && self.open.get(&step.conversation).is_some_and(|open| !open.is_empty())
        {
            // The host has promised never to step under an open call.
            return self;
        }
        if let Command::Step(step) = &mut command {
            step.after_s += std::mem::take(&mut self.late_s);
            if measures(self.contract) {
                step.pressure = Pressure::Summarize;
            }
        }
        self.commands.push(command);
        self
    }

    /// The least and the most that the messages of a conversation measure.
    pub(super) fn measured(&self, name: Name) -> (usize, usize) {
        self.sizes.get(&name).copied().unwrap_or_default()
    }

    /// The last message that a rewind can go to.
    pub(super) fn last(&self, name: Name) -> Option<u32> {
        self.anchors.get(&name)?.last().copied()
    }

    pub(crate) fn draft(&mut self, role: Role) -> Draft {
        self.key += 1;
        Draft::new(self.key, role)
    }

    /// Appends `drafts`, to the append before it if that is the last command.
    pub(crate) fn append(&mut self, name: Name, mut drafts: Vec<Draft>) -> &mut Self {
        if drafts.is_empty() {
            return self;
        }
        // Without a role of its own a result in front would be the system message that a conversation begins with.
        let speaks = |draft: &&Draft| draft.is_visible() && draft.role != Role::System;
        if !self.contract.has(Feature::ToolRole)
            && !self.begun.contains(&name)
            && drafts.iter().find(speaks).is_some_and(|draft| draft.role == Role::Tool)
        {
            let at = drafts.iter().position(|draft| speaks(&draft)).unwrap_or(0);
            drafts.insert(at, self.draft(Role::User));
        }
        if drafts.iter().any(|draft| speaks(&draft)) {
            self.begun.insert(name);
        }
        // Keys in the order of the log.
        let mut keys: Vec<u32> = drafts.iter().map(|draft| draft.key).collect();
        keys.sort_unstable();
        drafts.iter_mut().zip(keys).for_each(|(draft, key)| draft.key = key);
        for draft in &drafts {
            let (least, most) = count(self.contract, draft);
            let size = self.sizes.entry(name).or_default();
            *size = (size.0 + least, size.1 + most);
            let open = self.open.entry(name).or_default();
            open.extend(&draft.calls);
            if let Some(call) = draft.answers.filter(|_| !draft.interim) {
                open.retain(|other| *other != call);
            }
            if open.is_empty() && draft.is_visible() {
                self.anchors.entry(name).or_default().push(draft.key);
            }
        }
        match self.commands.last_mut() {
            Some(Command::Append { conversation, messages }) if *conversation == name => messages.extend(drafts),
            _ => self.commands.push(Command::Append { conversation: name, messages: drafts }),
        }
        self
    }

    /// A key in the middle of the conversation that a rewind can go to.
    pub(crate) fn anchor(&self, name: Name, part: f64) -> Option<u32> {
        let keys = self.anchors.get(&name)?;
        let at = ((keys.len().saturating_sub(1)) as f64 * part) as usize;
        keys.get(at).copied()
    }

    /// A rewind to the anchor at `part` of the conversation, if there is one and it is claimed.
    pub(crate) fn rewind(&mut self, name: Name, part: f64) -> &mut Self {
        if let Some(to) = self.anchor(name, part).filter(|_| self.contract.claims(Capability::Rewind)) {
            if let Some(keys) = self.anchors.get_mut(&name)
                && let Some(at) = keys.iter().position(|key| *key == to)
            {
                keys.truncate(at + 1);
            }
            // How much of it is left is not counted.
            self.sizes.remove(&name);
            self.open.remove(&name);
            self.begun.remove(&name);
            self.commands.push(Command::Rewind { conversation: name, to });
        }
        self
    }

    /// A rewind to the anchor at `part`, taken back at once.
    pub(crate) fn undo_and_redo(&mut self, name: Name, part: f64) -> &mut Self {
        let Some(last) = self.last(name).filter(|_| self.contract.claims(Capability::Rewind)) else { return self };
        let before = self.clone();
        self.rewind(name, part);
        let mut commands = std::mem::take(&mut self.commands);
        commands.push(Command::Rewind { conversation: name, to: last });
        *self = Self { commands, ..before };
        self
    }

    pub(crate) fn restart(&mut self) -> &mut Self {
        if self.contract.claims(Capability::Restart) {
            self.commands.push(Command::Restart { without: Vec::new() });
        }
        self
    }
}
