//! Writes histories that a host can play, with the amounts that a contract asks for.

use std::collections::{BTreeMap, BTreeSet};

use super::own::{count, measures};
use crate::contract::{Capability, Contract, Drive, FailureKind, Feature, Pending};
use crate::history::{Answer, Command, Draft, History, Name, Pressure, Size, StepCommand, StepKind};
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
    /// Per conversation: keys that a rewind can go to.
    /// Conversations in which somebody has spoken.
    begun: BTreeSet<Name>,
    anchors: BTreeMap<Name, Vec<u32>>,
    open: BTreeMap<Name, Vec<u32>>,
    /// Per conversation: the least and the most that its messages measure.
    sizes: BTreeMap<Name, (usize, usize)>,
    /// Seconds that pass before the next step, where nothing but time was to pass.
    late_s: f64,
}

/// Seconds before a step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum After {
    Seconds(f64),
    /// The cooldown, and so many more.
    Cooldown(f64),
}

/// The cooldown.
pub(crate) const COOL: After = After::Cooldown(0.0);

impl From<f64> for After {
    fn from(seconds: f64) -> Self {
        Self::Seconds(seconds)
    }
}

/// What the summariser does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pick {
    Is(Answer),
    /// It fails in a way that counts as a strike.
    Fail,
}

/// A failure that counts as a strike.
pub(crate) const FAIL: Pick = Pick::Fail;

impl From<Answer> for Pick {
    fn from(answer: Answer) -> Self {
        Self::Is(answer)
    }
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

    fn tail(&self) -> usize {
        self.contract.attempt.keep_last.max(1)
    }

    /// Small messages that make up enough to summarise, whatever tail is declared; and whether they are large ones.
    fn enough(&self) -> (usize, Size) {
        let rules = &self.contract.attempt;
        let count = |size: usize| {
            let needed = rules.eligible_min.max(1).max(rules.eligible_min_size.div_ceil(size));
            let kept = if rules.keep_size < 1.0 { 0 } else { (rules.keep_size as usize).div_ceil(size) };
            let all = needed + self.tail().max(kept) + 2;
            if rules.keep_size < 1.0 { ((all as f64) / (1.0 - rules.keep_size)).ceil() as usize } else { all }
        };
        let small = count(self.contract.sizes.small);
        if small <= 40 { (small, Size::Small) } else { (count(self.contract.sizes.large), Size::Large) }
    }

    /// Enough to summarise, and too large: a person and an assistant in turn, the assistant last.
    pub(crate) fn matter(&mut self, name: Name) -> &mut Self {
        let mut drafts = self.too_much();
        if !drafts.is_empty() {
            drafts.insert(0, self.draft(Role::User));
        }
        self.append(name, drafts).talk(name)
    }

    /// Enough to summarise, were it too large.
    pub(crate) fn talk(&mut self, name: Name) -> &mut Self {
        let (count, size) = self.enough();
        let mut drafts = Vec::with_capacity(count + 2);
        for _ in 0..count.div_ceil(2) + 1 {
            drafts.push(Draft { size, ..self.draft(Role::User) });
            drafts.push(Draft { size, ..self.draft(Role::Assistant) });
        }
        self.append(name, drafts).turn(name)
    }

    /// One message less than enough to summarise, with one more for the tail.
    pub(crate) fn nearly(&mut self, name: Name) -> &mut Self {
        let rules = &self.contract.attempt;
        let count = rules.eligible_min.max(1) - 1 + rules.keep_last.max(1);
        let drafts = (0..count).map(|_| self.draft(Role::Assistant)).collect();
        self.append(name, drafts).turn(name)
    }

    /// Enough to summarise in one running turn: a task, and tool steps for it.
    pub(crate) fn task(&mut self, name: Name) -> &mut Self {
        let (count, size) = self.enough();
        let mut drafts = vec![self.draft(Role::User)];
        drafts.extend(self.too_much());
        while drafts.len() < count + 3 {
            drafts.extend(self.result(size));
        }
        self.append(name, drafts).turn(name)
    }

    /// Enough to summarise, all of it the assistant's.
    pub(crate) fn monologue(&mut self, name: Name) -> &mut Self {
        let (count, size) = self.enough();
        let filler = self.too_much().into_iter().map(|draft| Draft { role: Role::Assistant, ..draft }).collect();
        let drafts = (0..count + 2).map(|_| Draft { size, ..self.draft(Role::Assistant) }).collect();
        self.append(name, filler).append(name, drafts)
    }

    /// `count` small tool results, and enough of them to summarise.
    pub(crate) fn results(&mut self, name: Name, count: usize) -> &mut Self {
        let (least, size) = self.enough();
        let mut drafts = self.too_much();
        for _ in 0..count.max(least.div_ceil(2)) {
            drafts.extend(self.result(size));
        }
        self.append(name, drafts).turn(name)
    }

    /// A user message at the end where the candidate is stepped only after one.
    pub(crate) fn turn(&mut self, name: Name) -> &mut Self {
        if self.contract.drive == Drive::Turn {
            let user = self.draft(Role::User);
            self.append(name, vec![user]);
        }
        self
    }

    /// `count` visible messages, a person and an assistant in turn; where the candidate is stepped only after a person's,
    /// the last is one.
    pub(crate) fn grow(&mut self, name: Name, count: u64) -> &mut Self {
        let odd = u64::from(self.contract.drive == Drive::Turn && count.is_multiple_of(2));
        let roles = |at: u64| if (at + odd).is_multiple_of(2) { Role::User } else { Role::Assistant };
        let drafts = (0..count).map(|at| self.draft(roles(at))).collect();
        self.append(name, drafts)
    }

    /// `count` messages for the person only.
    pub(crate) fn ui_only(&mut self, name: Name, count: u64, size: Size) -> &mut Self {
        if !self.contract.has(Feature::UiOnly) {
            return self;
        }
        // What only the person sees may be said by anyone.
        let roles = [Role::System, Role::User, Role::Assistant];
        let drafts = (0..count).map(|_| {
            let draft = self.draft(Role::System);
            // Whatever else is said of it, the model does not see it.
            let also = |feature, every| self.contract.has(feature) && draft.key.is_multiple_of(every);
            let (hidden, pinned) = (also(Feature::Hidden, 5), also(Feature::Pinned, 7));
            Draft { ui_only: true, hidden, pinned, size, role: roles[draft.key as usize % roles.len()], ..draft }
        });
        let drafts = drafts.collect();
        self.append(name, drafts)
    }

    /// A tool result, after its call where there are calls.
    pub(crate) fn result(&mut self, size: Size) -> Vec<Draft> {
        if !self.contract.has(Feature::Calls) {
            return vec![Draft { size, ..self.draft(Role::Tool) }];
        }
        self.call += 1;
        let call = self.call;
        let made = Draft { calls: vec![call], ..self.draft(Role::Assistant) };
        vec![made, Draft { size, answers: Some(call), ..self.draft(Role::Tool) }]
    }

    /// A call that stays open; its number.
    pub(crate) fn open(&mut self, name: Name) -> u32 {
        self.call += 1;
        let draft = Draft { calls: vec![self.call], ..self.draft(Role::Assistant) };
        self.append(name, vec![draft]);
        self.call
    }

    /// Two calls in one message, both open.
    pub(crate) fn open_two(&mut self, name: Name) -> [u32; 2] {
        let calls = [self.call + 1, self.call + 2];
        self.call += 2;
        let draft = Draft { calls: calls.to_vec(), ..self.draft(Role::Assistant) };
        self.append(name, vec![draft]);
        calls
    }

    /// A result that a final one will follow.
    pub(crate) fn interim(&mut self, name: Name, call: u32) -> &mut Self {
        let draft = Draft { answers: Some(call), interim: true, ..self.draft(Role::Tool) };
        self.append(name, vec![draft])
    }

    /// The result of an open call.
    pub(crate) fn close(&mut self, name: Name, call: u32) -> &mut Self {
        let draft = Draft { answers: Some(call), ..self.draft(Role::Tool) };
        self.append(name, vec![draft])
    }

    /// The length of a result that is surely long enough to be trimmed.
    pub(crate) fn trimmable_size(&self) -> Size {
        let least = self.contract.trim.min_chars;
        if self.contract.sizes.large > least { Size::Large } else { Size::Chars(least + 200) }
    }

    /// The length of each of two results that together save enough for a trim, beside `rest` characters.
    fn saving_size(&self, rest: usize) -> Size {
        let rules = &self.contract.trim;
        let each = if rules.min_saving < 1.0 {
            (rules.min_chars as f64 + rules.min_saving * rest as f64) / (1.0 - rules.min_saving)
        } else {
            rules.min_chars as f64 + rules.min_saving / 2.0
        };
        match self.trimmable_size() {
            Size::Large if each < self.contract.sizes.large as f64 => Size::Large,
            Size::Chars(chars) if each < chars as f64 => Size::Chars(chars),
            _ => Size::Chars(each as usize + 1),
        }
    }

    /// Results that are surely trimmable, and what a declared tail protects.
    pub(crate) fn trimmable(&mut self, name: Name) -> &mut Self {
        self.trimmables(name, false)
    }

    /// The same; where the candidate measures for itself, results whose trimming alone is enough, fine ones or a few.
    pub(crate) fn trimmables(&mut self, name: Name, fine: bool) -> &mut Self {
        let rules = &self.contract.trim;
        let (keep_last, keep_size) = (rules.keep_last, rules.keep_size);
        let kept = keep_size.div_ceil(self.contract.sizes.large);
        let (count, size) = self.enough();
        let pairs = keep_last.max(count).div_ceil(2);
        // What else stands in the view, in characters.
        let small = if size == Size::Large { self.contract.sizes.large } else { self.contract.sizes.small };
        let rest = kept * self.contract.sizes.large + (2 * pairs + 3) * small;
        let calls = 2 * self.contract.sizes.small;
        let (result, count) = match self.enough_to_trim(fine, rest + calls) {
            Some((chars, count)) => (Size::Chars(chars.min(4_000_000)), count),
            None => (self.saving_size(rest), 2),
        };
        let mut drafts = vec![self.draft(Role::User)];
        for _ in 0..count {
            drafts.extend(self.result(result));
        }
        for _ in 0..kept {
            drafts.extend(self.result(Size::Large));
        }
        for _ in 0..pairs {
            drafts.push(Draft { size, ..self.draft(Role::Assistant) });
            drafts.push(Draft { size, ..self.draft(Role::User) });
        }
        drafts.push(self.draft(Role::Assistant));
        self.append(name, drafts).turn(name)
    }

    /// A result that is surely trimmable and came late: no more growth than it takes.
    pub(crate) fn late_result(&mut self, name: Name) -> &mut Self {
        let size = self.trimmable_size();
        let mut drafts = self.result(size);
        for at in 0..self.contract.trim.keep_last {
            drafts.push(self.draft(if at % 2 == 0 { Role::Assistant } else { Role::User }));
        }
        self.append(name, drafts).turn(name)
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
            if let Some(keys) = self.anchors.get_mut(&name) {
                keys.retain(|key| *key <= to);
            }
            // How much of it is left is not counted.
            self.sizes.remove(&name);
            self.open.remove(&name);
            self.begun.remove(&name);
            self.commands.push(Command::Rewind { conversation: name, to });
        }
        self
    }

    pub(crate) fn restart(&mut self) -> &mut Self {
        if self.contract.claims(Capability::Restart) {
            self.commands.push(Command::Restart { without: Vec::new() });
        }
        self
    }

    fn answers(&self, pick: Pick) -> Vec<Answer> {
        match pick {
            Pick::Is(Answer::Ok) => Vec::new(),
            Pick::Is(answer) => vec![answer],
            Pick::Fail => vec![self.failure()],
        }
    }

    fn seconds(&self, after: After) -> f64 {
        match after {
            After::Seconds(seconds) => seconds,
            After::Cooldown(more) => (self.cooldown() + more).max(0.0),
        }
    }

    pub(crate) fn step(&mut self, name: Name, after: impl Into<After>, pick: impl Into<Pick>) -> &mut Self {
        let (after_s, answers) = (self.seconds(after.into()), self.answers(pick.into()));
        self.push(Command::Step(StepCommand { after_s, answers, ..StepCommand::new(name) }))
    }

    /// A step during whose first summariser call `roles` arrive.
    pub(crate) fn arriving(
        &mut self,
        name: Name,
        after: impl Into<After>,
        pick: impl Into<Pick>,
        roles: &[Role],
    ) -> &mut Self {
        let (after_s, answers) = (self.seconds(after.into()), self.answers(pick.into()));
        let claimed = self.contract.claims(Capability::Arrivals);
        let arrived = roles.iter().filter(|_| claimed).map(|role| self.draft(*role)).collect();
        self.push(Command::Step(StepCommand { after_s, answers, arrived, ..StepCommand::new(name) }))
    }

    /// An attempt during which the process ends and starts again.
    pub(crate) fn cut_off(&mut self, name: Name, kind: StepKind) -> &mut Self {
        if self.contract.claims(Capability::Restart) {
            let before = self.commands.len();
            self.kind(name, kind, Answer::CutOff);
            if self.commands.len() > before {
                self.restart();
            }
        }
        self
    }

    pub(crate) fn pressed(&mut self, name: Name, after: impl Into<After>, pressure: Pressure) -> &mut Self {
        let after_s = self.seconds(after.into());
        if pressure == Pressure::None && measures(self.contract) {
            // Nobody can tell it that there is no pressure: no step, but the time.
            self.late_s += after_s;
            return self;
        }
        self.push(Command::Step(StepCommand { after_s, pressure, ..StepCommand::new(name) }))
    }

    pub(crate) fn kind(&mut self, name: Name, kind: StepKind, pick: impl Into<Pick>) -> &mut Self {
        self.kind_under(name, kind, Pressure::Summarize, pick)
    }

    /// The same, with a verdict of the host that does not matter to it.
    pub(crate) fn kind_under(
        &mut self,
        name: Name,
        kind: StepKind,
        pressure: Pressure,
        pick: impl Into<Pick>,
    ) -> &mut Self {
        let claimed = match kind {
            StepKind::Force => self.contract.claims(Capability::Force),
            StepKind::Overflow => self.contract.claims(Capability::Overflow),
            StepKind::Step => true,
        };
        let answers = self.answers(pick.into());
        if claimed {
            self.push(Command::Step(StepCommand { kind, pressure, answers, ..StepCommand::new(name) }));
        }
        self
    }

    /// Seconds of the longest cooldown.
    pub(crate) fn cooldown(&self) -> f64 {
        self.contract.cooldown().map_or(0.0, |cooldown| cooldown.longest())
    }

    pub(crate) fn strikes(&self) -> u32 {
        self.contract.latch().map_or(1, |latch| latch.strikes)
    }

    /// A way to fail that counts as a strike.
    pub(crate) fn failure(&self) -> Answer {
        failures(self.contract).into_iter().find(|answer| is_strike(self.contract, *answer)).unwrap_or(Answer::Rejected)
    }

    /// So many failures, a cooldown apart, as latch.
    pub(crate) fn latch(&mut self, name: Name) -> &mut Self {
        let (failure, wait) = (self.failure(), self.cooldown());
        for at in 0..self.strikes() {
            self.step(name, if at == 0 { 0.0 } else { wait }, failure);
        }
        self
    }
}

/// The ways in which the candidate's summariser can be made to fail.
pub(crate) fn failures(contract: &Contract) -> Vec<Answer> {
    let all = [
        (Answer::Rejected, FailureKind::Rejected),
        (Answer::Timeout, FailureKind::Timeout),
        (Answer::Transport, FailureKind::Transport),
        (Answer::Overflow, FailureKind::Overflow),
        (Answer::Empty, FailureKind::Empty),
        (Answer::Blank, FailureKind::Blank),
        (Answer::Length, FailureKind::Length),
        (Answer::Refusal, FailureKind::Refusal),
        (Answer::Inflated, FailureKind::Inflated),
        (Answer::Equal, FailureKind::Equal),
        (Answer::Ineffective, FailureKind::Ineffective),
    ];
    let effect = contract.attempt.min_effect > 0.0;
    let can = |(answer, kind): &(Answer, FailureKind)| {
        contract.attempt.outcomes.contains(kind) && (*answer != Answer::Ineffective || effect)
    };
    all.into_iter().filter(can).map(|(answer, _)| answer).collect()
}

/// Whether the latch counts this failure.
fn is_strike(contract: &Contract, answer: Answer) -> bool {
    let exempt = |kind: &FailureKind| kind.name() == answer.name();
    contract.latch().is_none_or(|latch| !latch.exempt.iter().any(exempt))
}
