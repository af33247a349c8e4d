//! The order in which a step takes its decisions.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::alternate::{alternating, fit_in};
use super::behaviour::{Behaviour, Gates, Outcome};
use super::change::ReferenceGuard;
use super::field::ReferenceReducer;
use super::fit::ReferenceTrimmer;
use super::gauge::ReferenceGauge;
use super::latch::LatchState;
use super::own::{Chance, Gauged, measures};
use super::request::ReferenceAssembler;
use super::select;
use super::throttle::{Now, Point, ThrottleState};
use crate::candidate::{
    Assembler, ChangeGuard, Compactor, Conversation, Error, Gauge, Host, Reducer, Restart, Trimmer,
};
use crate::contract::{Calls, Capability, Contract, FailureKind, TrimHow};
use crate::history::{Pressure, StepKind};
use crate::message::{Message, from_json_lines, to_json_lines};
use crate::trace::{Action, RejectionKind};

/// What is remembered of a conversation besides its messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) throttle: ThrottleState,
    pub(crate) latch: LatchState,
    /// Recoveries since the last progress after a proven overflow, and where the last one was made.
    pub(crate) recoveries: u32,
    pub(crate) recovered: Option<Point>,
    /// Where an unforced attempt began that has not ended.
    pub(crate) begun: Option<Point>,
    pub(crate) gauged: Gauged,
}

impl Memory {
    /// An unforced attempt that began at `here` has ended.
    pub(crate) fn end<B: Behaviour + ?Sized>(
        &mut self,
        behaviour: &B,
        contract: &Contract,
        outcome: Outcome,
        here: Point,
    ) {
        if behaviour.starts_cooldown(contract, outcome) {
            self.throttle.last = Some(here);
            match outcome {
                Outcome::Success => self.throttle.failures = 0,
                _ => self.throttle.failures += u32::from(behaviour.climbs(outcome)),
            }
        }
        behaviour.record(contract, &mut self.latch, outcome, here);
    }
}

/// A compactor: a contract, a behaviour, and a memory for each conversation.
pub(crate) struct Machine {
    name: String,
    pub(super) contract: Contract,
    pub(super) behaviour: Box<dyn Behaviour>,
    parts: Parts,
    auto: bool,
    memories: BTreeMap<String, Memory>,
}

/// What else it has, each from when it is first asked for.
#[derive(Default)]
struct Parts {
    reducer: Option<ReferenceReducer>,
    trimmer: Option<ReferenceTrimmer>,
    assembler: Option<ReferenceAssembler>,
    gauge: Option<ReferenceGauge>,
    guard: Option<ReferenceGuard>,
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machine").field("name", &self.name).field("memories", &self.memories).finish_non_exhaustive()
    }
}

impl Machine {
    pub(crate) fn new(name: impl Into<String>, contract: Contract, behaviour: impl Behaviour) -> Self {
        let behaviour = Box::new(behaviour);
        Self { name: name.into(), contract, behaviour, parts: Parts::default(), auto: true, memories: BTreeMap::new() }
    }

    pub(super) fn memory(&mut self, conversation: &Conversation) -> &mut Memory {
        let key = self.behaviour.state_key(conversation.id());
        self.behaviour.forgets(&mut self.memories, key);
        self.memories.entry(key.to_owned()).or_default()
    }

    /// Whether the cooldown forbids an attempt.
    fn cooling(&mut self, conversation: &Conversation, now_s: f64) -> bool {
        let mut memory = *self.memory(conversation);
        let (Some(cooldown), Some(last)) = (self.contract.cooldown(), memory.throttle.last.as_mut()) else {
            return false;
        };
        let elapsed = self.behaviour.elapsed(last, now_s);
        let growth = self.behaviour.growth(conversation, last, &|message| self.behaviour.counts(message));
        let cools = self.behaviour.is_cooling(elapsed, cooldown.after(memory.throttle.failures))
            && !self.behaviour.growth_lifts(&self.contract, growth);
        *self.memory(conversation) = memory;
        cools
    }

    /// Whether the latch forbids an attempt.
    fn latched(&mut self, conversation: &Conversation, now_s: f64) -> bool {
        let mut memory = *self.memory(conversation);
        let Some(point) = memory.latch.latched.as_mut().filter(|_| self.contract.latch().is_some()) else {
            return false;
        };
        let elapsed = self.behaviour.elapsed(point, now_s);
        let growth = self.behaviour.growth(conversation, point, &|message| self.behaviour.counts_for_latch(message));
        let latched = !self.behaviour.reopened(&self.contract, growth, elapsed);
        *self.memory(conversation) = memory;
        latched
    }

    /// Whether another recovery from a proven overflow is allowed.
    fn may_recover(&mut self, conversation: &Conversation, gates: Gates) -> bool {
        let key = self.behaviour.recovery_key(conversation.id()).to_owned();
        let mut memory = *self.memories.entry(key.clone()).or_default();
        let counts = |message: &Message| self.behaviour.counts(message);
        let growth = memory.recovered.as_mut().map_or(0, |point| self.behaviour.growth(conversation, point, &counts));
        let may = self.behaviour.may_recover(&self.contract, &mut memory, growth, gates);
        self.memories.insert(key, memory);
        may
    }

    /// Notes a recovery. One that made the view smaller is progress, and renews them.
    fn recovered(&mut self, conversation: &Conversation, here: Point, smaller: bool) {
        let key = self.behaviour.recovery_key(conversation.id()).to_owned();
        let memory = self.memories.entry(key).or_default();
        memory.recoveries = if smaller { 0 } else { memory.recoveries + 1 };
        memory.recovered = Some(here);
    }

    /// Results that trimming shortens, where it is claimed.
    pub(super) fn trimmable(&self, view: &[Message]) -> Vec<usize> {
        if self.contract.claims(Capability::Trim) { self.behaviour.trimmable(&self.contract, view) } else { Vec::new() }
    }

    /// The view in which the results at `at` are trimmed.
    pub(super) fn shortened(&self, old: &[Message], at: &[usize]) -> Vec<Message> {
        let mut view = old.to_vec();
        for &at in at {
            view[at].content = self.behaviour.shorten(&view[at].content);
            view[at].trimmed = true;
        }
        if self.contract.trim.how == TrimHow::Drop {
            let mut gone = select::marks(old.len(), at.iter().copied());
            select::close_groups(&view, &mut gone);
            let kept = old.iter().enumerate().filter(|(at, _)| !gone[*at]);
            view = kept.map(|(_, message)| message.clone()).collect();
        }
        view
    }

    /// Shortens what can be shortened. Whether it did.
    pub(super) fn trim_all(&mut self, conversation: &mut Conversation, here: Point) -> bool {
        let at = self.trimmable(conversation.view());
        self.trim(conversation, here, at)
    }

    /// Shortens the results at `at`. Whether it did.
    pub(super) fn trim(&mut self, conversation: &mut Conversation, here: Point, at: Vec<usize>) -> bool {
        if at.is_empty() {
            return false;
        }
        let view = self.shortened(conversation.view(), &at);
        if !self.behaviour.is_worth_it(&self.contract, conversation.view(), &view) {
            return false;
        }
        conversation.install(view);
        let behaviour = &self.behaviour;
        let memory = self.memories.entry(behaviour.state_key(conversation.id()).to_owned()).or_default();
        behaviour.trimmed(conversation, memory, here);
        true
    }

    /// One attempt, and what it came to.
    fn attempt(&self, conversation: &mut Conversation, host: &Host, eligible: &[usize]) -> Outcome {
        self.behaviour.asks(&self.contract, conversation);
        let (replaced, inputs) = self.matter(conversation.view(), eligible);
        let mut arrived = Vec::new();
        let mut outcome = Outcome::Failure(FailureKind::NoView);
        for _ in 0..self.behaviour.tries() {
            let text = match self.summarized(host, &inputs, &mut arrived) {
                Ok(text) => text,
                Err(failed) => {
                    outcome = failed;
                    continue;
                }
            };
            let new = self.compacted(conversation.view(), &replaced, &text);
            if let Some(kind) = self.behaviour.fruitless(&self.contract, conversation.view(), &new) {
                outcome = Outcome::Failure(kind);
                continue;
            }
            conversation.install(new);
            self.behaviour.installed(conversation);
            outcome = Outcome::Success;
            break;
        }
        let text = match outcome {
            Outcome::Success => "compacted the conversation".to_owned(),
            Outcome::Failure(kind) => format!("compaction failed: {}", kind.name()),
            Outcome::Abort => "compaction interrupted".to_owned(),
        };
        if outcome != Outcome::Success {
            self.behaviour.failed(conversation, outcome);
        }
        // It was not in the input, and so it stands after the summary.
        self.behaviour.arrived(conversation, arrived);
        if let Some(status) = self.behaviour.status(&text) {
            conversation.append(status);
        }
        outcome
    }

    /// What a summary will stand for, and the inputs of the calls that make it.
    fn matter(&self, view: &[Message], eligible: &[usize]) -> (Vec<usize>, Vec<Vec<Message>>) {
        let own = |at: usize| view[at].is_own() && view[at].is_visible();
        let is_eligible = select::marks(view.len(), eligible.iter().copied());
        let folds = |at: &usize| is_eligible[*at] || (own(*at) && self.behaviour.folds(&self.contract, view, *at));
        let mut replaced: Vec<usize> = (0..view.len()).filter(folds).collect();
        let shown = self.behaviour.shown(view, &replaced);
        let mut chunks = self.behaviour.chunks(&self.contract, view, &shown);
        if let Calls::AtMost(calls) = self.contract.attempt.calls
            && chunks.len() > calls as usize
        {
            // What no call is left for stays.
            chunks.truncate(calls as usize);
            replaced.retain(|at| chunks.iter().flatten().any(|sent| sent == at));
            select::whole_groups(view, &mut replaced);
        }
        if self.contract.view.alternation {
            replaced = alternating(view, replaced);
        }
        let clip = |at: &usize| select::clipped(&self.contract, &view[*at]);
        (replaced, chunks.iter().map(|chunk| chunk.iter().map(clip).collect()).collect())
    }

    /// The summary of all inputs. What arrives meanwhile is kept in `arrived`.
    fn summarized(&self, host: &Host, inputs: &[Vec<Message>], arrived: &mut Vec<Message>) -> Result<String, Outcome> {
        let behaviour = &self.behaviour;
        let mut texts = Vec::with_capacity(inputs.len());
        for input in inputs {
            let mut answer = host.summarize(input);
            if let Err(rejection) = &answer
                && rejection.kind == RejectionKind::Overflow
                && let Some(other) = behaviour.after_overflow(input)
            {
                answer = host.summarize(&other);
            }
            let mut summary = match answer.map_err(|rejection| behaviour.outcome_of(rejection)) {
                Err(outcome) if behaviour.goes_on(outcome) && !texts.is_empty() => continue,
                answer => answer?,
            };
            arrived.append(&mut summary.arrived);
            let summary = behaviour.refine(host, summary).map_err(|rejection| behaviour.outcome_of(rejection))?;
            if let Some(kind) = behaviour.unusable(&summary) {
                if behaviour.goes_on(Outcome::Failure(kind)) && !texts.is_empty() {
                    continue;
                }
                return Err(Outcome::Failure(kind));
            }
            texts.push(summary.text);
        }
        Ok(texts.join("\n"))
    }

    /// The view with the summary where the first of `replaced` stood; all else in its order.
    fn compacted(&self, view: &[Message], replaced: &[usize], text: &str) -> Vec<Message> {
        let first = replaced.first().copied().unwrap_or(view.len());
        let gone = select::marks(view.len(), replaced.iter().copied());
        let kept = |at: &usize| !gone[*at];
        let mut new: Vec<Message> = (0..first).filter(kept).map(|at| view[at].clone()).collect();
        let place = new.len();
        new.push(self.behaviour.summary(&self.contract, text));
        new.extend((first..view.len()).filter(kept).map(|at| view[at].clone()));
        if self.contract.view.alternation {
            fit_in(&mut new, place);
        }
        new
    }

    /// An attempt, recorded by `record`.
    fn recorded(
        &mut self,
        conversation: &mut Conversation,
        host: &Host,
        eligible: &[usize],
        record: impl FnOnce(&dyn Behaviour, &Contract, &mut Memory, Outcome),
    ) -> Result<Outcome, Error> {
        let said = conversation.log().len();
        let outcome = self.attempt(conversation, host, eligible);
        if outcome == Outcome::Success {
            self.memory(conversation).gauged.settled = Some(said);
        }
        let raises = self.behaviour.raises(outcome);
        if !raises || self.behaviour.records_raised() {
            let key = self.behaviour.state_key(conversation.id()).to_owned();
            record(&*self.behaviour, &self.contract, self.memories.entry(key).or_default(), outcome);
        }
        if raises { Err(Error::raised("the compaction failed")) } else { Ok(outcome) }
    }

    pub(super) fn unforced(
        &mut self,
        conversation: &mut Conversation,
        host: &Host,
        eligible: &[usize],
        here: Point,
    ) -> Result<Outcome, Error> {
        // Noted before the call, so that a restart finds it.
        self.memory(conversation).begun = Some(here);
        let outcome = self.recorded(conversation, host, eligible, |behaviour, contract, memory, outcome| {
            memory.end(behaviour, contract, outcome, here);
        });
        self.memory(conversation).begun = None;
        outcome
    }

    fn decide(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
        let now_s = Now { wall_s: host.wall(), monotonic_s: host.monotonic() }.read(self.contract.throttle.clock);
        let standing = select::standing(conversation.view());
        let here = Point { log: conversation.log().len(), standing, clock_s: now_s };
        if self.behaviour.waits_for_calls(host.kind(), conversation.view()) {
            return Ok(Action::None);
        }
        if host.kind() != StepKind::Step && !self.behaviour.heeds(host.kind(), host.pressure()) {
            return Ok(Action::None);
        }
        let gates = Gates { cooling: self.cooling(conversation, now_s), latched: self.latched(conversation, now_s) };
        let eligible = self.behaviour.eligible(&self.contract, conversation.view());
        let enough = self.contract.claims(Capability::Summarize)
            && self.behaviour.is_enough(&self.contract, conversation.view(), &eligible);
        let on = self.behaviour.is_on(self.auto, host.kind());
        let report = |behaviour: &dyn Behaviour, outcome: Result<Outcome, Error>| {
            outcome.map(|outcome| behaviour.reports_attempt(outcome))
        };
        match host.kind() {
            StepKind::Force if enough && on && self.behaviour.forces(gates) => {
                let outcome = self.recorded(conversation, host, &eligible, |behaviour, _, memory, outcome| {
                    behaviour.record_forced(memory, outcome, here);
                });
                report(&*self.behaviour, outcome)
            }
            StepKind::Force => Ok(Action::None),
            StepKind::Overflow if !self.may_recover(conversation, gates) => Ok(Action::None),
            StepKind::Overflow => {
                if self.trim_all(conversation, here) {
                    self.recovered(conversation, here, true);
                    return Ok(Action::Trim);
                }
                if !(enough && on) {
                    return Ok(Action::None);
                }
                let outcome = self.unforced(conversation, host, &eligible, here);
                self.recovered(conversation, here, matches!(outcome, Ok(Outcome::Success)));
                report(&*self.behaviour, outcome)
            }
            StepKind::Step if measures(&self.contract) => {
                self.measured(conversation, host, &Chance { eligible: &eligible, enough, on, gates, here })
            }
            StepKind::Step => {
                let pressure = host.pressure();
                if self.behaviour.attempts_at(pressure) && on && !gates.closed() {
                    if enough {
                        let outcome = self.unforced(conversation, host, &eligible, here);
                        return report(&*self.behaviour, outcome);
                    }
                    if pressure == Pressure::Summarize {
                        let mut memory = *self.memory(conversation);
                        self.behaviour.declined(&self.contract, &mut memory, here);
                        *self.memory(conversation) = memory;
                    }
                }
                let trims = self.behaviour.trims_at(pressure, gates) && self.trim_all(conversation, here);
                Ok(if trims { Action::Trim } else { Action::None })
            }
        }
    }
}

impl Compactor for Machine {
    fn contract(&self) -> Contract {
        self.contract.clone()
    }

    fn step(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
        self.decide(conversation, host).map(|done| self.behaviour.reports(done))
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    fn append(&mut self, conversation: &mut Conversation, messages: Vec<Message>) -> Result<(), Error> {
        self.behaviour.received(conversation, &messages);
        conversation.receive(messages);
        Ok(())
    }

    fn rewind(&mut self, conversation: &mut Conversation, to: &str) -> Result<(), Error> {
        self.behaviour.rewinds(conversation, to);
        Ok(())
    }

    fn restart(&mut self, conversations: &mut [Conversation], restart: &Restart) -> Result<(), Error> {
        for conversation in conversations.iter_mut() {
            let stored = |messages: &[Message]| {
                let loaded = from_json_lines(&older(to_json_lines(messages), &restart.without));
                loaded.map(|messages| self.behaviour.reloaded(messages, restart)).map_err(Error::raised)
            };
            let log = stored(conversation.log())?;
            // A view that is still the log is not stored beside it.
            let view = if conversation.is_whole() { log.clone() } else { stored(conversation.view())? };
            let view = self.behaviour.stored(&log, view);
            conversation.load(log, view);
        }
        for memory in self.memories.values_mut() {
            *memory = serde_json::to_string(memory)
                .and_then(|text| serde_json::from_str(&text))
                .map_err(|e| Error::raised(e.to_string()))?;
            if let Some(here) = memory.begun.take() {
                self.behaviour.cut_off(&self.contract, memory, here);
            }
            self.behaviour.restarted(&self.contract, memory, restart);
        }
        Ok(())
    }

    fn auto(&mut self, on: bool) -> Result<(), Error> {
        self.auto = on;
        Ok(())
    }

    fn usage(&mut self, conversation: &mut Conversation, tokens: u64, upto: &str) -> Result<(), Error> {
        self.behaviour.reported(conversation, tokens, upto);
        let mut memory = *self.memory(conversation);
        self.behaviour.notes_usage(&mut memory);
        *self.memory(conversation) = memory;
        Ok(())
    }

    fn reducer(&mut self) -> Option<&dyn Reducer> {
        let make = || ReferenceReducer::new(self.contract.field.clone());
        Some(self.parts.reducer.get_or_insert_with(make))
    }

    fn trimmer(&mut self) -> Option<&dyn Trimmer> {
        let make = || ReferenceTrimmer::new(self.contract.fit.clone());
        Some(self.parts.trimmer.get_or_insert_with(make))
    }

    fn assembler(&mut self) -> Option<&dyn Assembler> {
        let make = || ReferenceAssembler::new(self.contract.field.clone());
        Some(self.parts.assembler.get_or_insert_with(make))
    }

    fn gauge(&mut self) -> Option<&mut dyn Gauge> {
        let make = || ReferenceGauge::new(self.contract.gauge.clone());
        Some(self.parts.gauge.get_or_insert_with(make))
    }

    fn guard(&mut self) -> Option<&mut dyn ChangeGuard> {
        let make = || ReferenceGuard::new(self.contract.change.clone());
        Some(self.parts.guard.get_or_insert_with(make))
    }
}

/// JSON lines without the members that an older version did not write.
fn older(text: String, without: &[String]) -> String {
    if without.is_empty() {
        return text;
    }
    let mut old = String::new();
    for line in text.lines() {
        if let Ok(serde_json::Value::Object(mut object)) = serde_json::from_str(line) {
            object.retain(|name, _| !without.contains(name));
            old.push_str(&serde_json::Value::Object(object).to_string());
            old.push('\n');
        }
    }
    old
}
