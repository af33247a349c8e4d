//! The decisions of the reference, one short method each.

use std::collections::BTreeMap;

use super::change::{changes, reopens};
use super::compactor::Memory;
use super::latch::LatchState;
use super::select;
use super::throttle::{Point, ThrottleState};
use crate::candidate::{Conversation, Host, Rejection, Restart, Summary};
use crate::contract::{Clock, Contract, CountsAs, Durability, FailureKind, GaugeRules, Growth, PressureSource};
use crate::history::{Pressure, StepKind};
use crate::message::{Message, Role};
use crate::trace::{Action, RejectionKind, Stop};

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Success,
    Failure(FailureKind),
    Abort,
}

/// Which of the two gates are closed at a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gates {
    pub(crate) cooling: bool,
    pub(crate) latched: bool,
}

impl Gates {
    pub(crate) fn closed(self) -> bool {
        self.cooling || self.latched
    }
}

/// What a compactor decides. Every provided method is the reference's answer.
pub(crate) trait Behaviour: Send + 'static {
    // Who sees what.

    /// The status message that an attempt leaves behind, if any.
    fn status(&self, text: &str) -> Option<Message> {
        Some(Message::new("", Role::System, text).ui_only())
    }

    /// Whether the model sees `message`.
    fn is_sent(&self, message: &Message) -> bool {
        message.is_visible()
    }

    /// Whether `message` counts as growth towards lifting the cooldown.
    fn counts(&self, message: &Message) -> bool {
        message.is_visible() && !message.is_own()
    }

    /// Whether `message` counts as growth towards reopening the latch.
    fn counts_for_latch(&self, message: &Message) -> bool {
        message.is_visible() && !message.is_own()
    }

    /// Which state a conversation has: its own.
    fn state_key<'a>(&self, conversation: &'a str) -> &'a str {
        conversation
    }

    /// Under which key the recoveries of a conversation are counted: that of its state.
    fn recovery_key<'a>(&self, conversation: &'a str) -> &'a str {
        self.state_key(conversation)
    }

    /// What a report of the provider changes in what is remembered: nothing.
    fn notes_usage(&self, memory: &mut Memory) {
        let _ = memory;
    }

    /// What is forgotten before `key` is looked up: nothing.
    fn forgets(&self, memories: &mut BTreeMap<String, Memory>, key: &str) {
        let _ = (memories, key);
    }

    // Growth and time.

    /// The host's messages have arrived.
    fn received(&self, conversation: &Conversation, messages: &[Message]) {
        let _ = (conversation, messages);
    }

    /// Messages since `point` that `counts` accepts.
    fn growth(&self, conversation: &Conversation, point: &mut Point, counts: &dyn Fn(&Message) -> bool) -> u64 {
        changes(conversation.log(), point.log, counts)
    }

    /// Seconds since `point`.
    fn elapsed(&self, point: &mut Point, now_s: f64) -> f64 {
        point.elapsed(now_s)
    }

    /// Whether a cooldown of `cooldown_s` seconds is still running.
    fn is_cooling(&self, elapsed_s: f64, cooldown_s: f64) -> bool {
        elapsed_s < cooldown_s
    }

    /// Whether growth lifts the cooldown.
    fn growth_lifts(&self, contract: &Contract, growth: u64) -> bool {
        contract.throttle.growth == Growth::Reopens && reopens(growth, 1)
    }

    // Throttle and latch.

    /// Whether an attempt that ended like this starts the cooldown.
    fn starts_cooldown(&self, contract: &Contract, outcome: Outcome) -> bool {
        outcome != Outcome::Abort || contract.attempt.abort == CountsAs::Failure
    }

    /// Whether the cooldown after an attempt that failed like this is one rung longer than the one before.
    fn climbs(&self, outcome: Outcome) -> bool {
        let _ = outcome;
        true
    }

    /// What the latch makes of an unforced attempt.
    fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
        let Some(rules) = &contract.latch else { return };
        match outcome {
            Outcome::Success => *latch = LatchState::default(),
            Outcome::Failure(kind) if rules.exempt.contains(&kind) => {}
            Outcome::Abort if contract.attempt.abort == CountsAs::Ignored => {}
            Outcome::Failure(_) | Outcome::Abort => latch.fail(rules, here),
        }
    }

    /// What a forced attempt leaves of throttle and latch: only a success touches them.
    fn record_forced(&self, memory: &mut Memory, outcome: Outcome, here: Point) {
        let _ = here;
        if outcome == Outcome::Success {
            memory.latch = LatchState::default();
        }
    }

    /// What declining for lack of matter does.
    fn declined(&self, contract: &Contract, memory: &mut Memory, here: Point) {
        if contract.attempt.noop == CountsAs::Failure
            && let Some(rules) = &contract.latch
            && memory.latch.latched.is_none()
        {
            memory.latch.fail(rules, here);
        }
    }

    /// What a trim does besides: nothing.
    fn trimmed(&self, conversation: &mut Conversation, memory: &mut Memory, here: Point) {
        let _ = (conversation, memory, here);
    }

    /// Whether the latch has reopened.
    fn reopened(&self, contract: &Contract, growth: u64, elapsed_s: f64) -> bool {
        contract.latch.as_ref().is_none_or(|rules| LatchState::reopened(rules, growth, elapsed_s))
    }

    // What to do.

    /// Whether to attempt at this pressure, everything else permitting.
    fn attempts_at(&self, pressure: Pressure) -> bool {
        pressure == Pressure::Summarize
    }

    /// Whether to trim at this pressure, when no attempt is made.
    fn trims_at(&self, pressure: Pressure, gates: Gates) -> bool {
        let _ = gates;
        pressure != Pressure::None
    }

    /// Whether `new`, a trimmed view, is worth its installation: it is smaller, by the declared saving at least, and by the
    /// measure of one who measures for itself, too.
    fn is_worth_it(&self, contract: &Contract, old: &[Message], new: &[Message]) -> bool {
        let (before, after) = (select::size(contract, old), select::size(contract, new));
        let least = contract.trim.min_saving;
        let least = if least < 1.0 { least * before as f64 } else { least };
        let counting = contract.gauge.counting();
        let frees = contract.pressure == PressureSource::Given || counting.size(new) < counting.size(old);
        after < before && (before - after) as f64 >= least && frees
    }

    // Measuring for itself.

    /// The size of what the model sees.
    fn measures(&self, contract: &Contract, conversation: &Conversation) -> usize {
        contract.gauge.counting().size(conversation.view())
    }

    /// Whether this size is too large.
    fn is_too_large(&self, rules: &GaugeRules, size: usize) -> bool {
        size >= rules.trigger
    }

    /// Whether a trim that gets to this size is enough.
    fn is_small_enough(&self, rules: &GaugeRules, size: usize) -> bool {
        size <= rules.target
    }

    /// Whether trimming alone is tried first.
    fn trims_alone(&self) -> bool {
        true
    }

    /// Whether so much since the last summary is reason for the next.
    fn has_rested(&self, rules: &GaugeRules, said: usize) -> bool {
        said >= rules.trigger.saturating_sub(rules.target)
    }

    /// Whether to attempt where what cannot be compacted is too large by itself: once, and again after `since` messages.
    fn tries_again(&self, contract: &Contract, since: Option<u64>) -> bool {
        let distance = contract.latch().and_then(|latch| latch.reopen_growth).unwrap_or(20);
        since.is_none_or(|since| since >= distance)
    }

    /// The provider has reported a size: nothing, it counts.
    fn reported(&self, conversation: &Conversation, tokens: u64, upto: &str) {
        let _ = (conversation, tokens, upto);
    }

    /// Whether the switch lets a step of this kind attempt: a person's request always.
    fn is_on(&self, auto: bool, kind: StepKind) -> bool {
        auto || kind == StepKind::Force
    }

    /// Whether a step that is not an ordinary one is heeded at this verdict of the host: always, it has a reason of its own.
    fn heeds(&self, kind: StepKind, pressure: Pressure) -> bool {
        let _ = (kind, pressure);
        true
    }

    /// Whether a person's request gets through: always.
    fn forces(&self, gates: Gates) -> bool {
        let _ = gates;
        true
    }

    /// Whether another recovery from a proven overflow is allowed. Growth renews them.
    fn may_recover(&self, contract: &Contract, memory: &mut Memory, growth: u64, gates: Gates) -> bool {
        let _ = gates;
        if growth > 0 {
            memory.recoveries = 0;
        }
        memory.recoveries < contract.overflow.recoveries
    }

    /// Whether everything waits because a call is open.
    fn waits_for_calls(&self, kind: StepKind, view: &[Message]) -> bool {
        let _ = kind;
        select::open_call(view)
    }

    /// Whether there is enough to summarise.
    fn is_enough(&self, contract: &Contract, view: &[Message], eligible: &[usize]) -> bool {
        let rules = &contract.attempt;
        let size = eligible.iter().map(|at| select::size_of(contract, &view[*at])).sum::<usize>();
        eligible.len() >= rules.eligible_min.max(1) && size >= rules.eligible_min_size
    }

    /// Messages that a summary may replace.
    fn eligible(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
        select::eligible(contract, view)
    }

    /// Results that trimming shortens.
    fn trimmable(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
        select::trimmable(contract, view)
    }

    /// Whether the summary stands for the own item at `at`, too: an earlier summary is summarised with the rest.
    fn folds(&self, contract: &Contract, view: &[Message], at: usize) -> bool {
        let _ = (contract, view, at);
        true
    }

    /// What the summariser is shown, of a view in which the summary will stand for `replaced`.
    fn shown(&self, view: &[Message], replaced: &[usize]) -> Vec<usize> {
        let ui_only = |at: &usize| !view[*at].is_visible();
        let replaced = select::marks(view.len(), replaced.iter().copied());
        (0..view.len()).filter(|at| replaced[*at] || ui_only(at)).filter(|at| self.is_sent(&view[*at])).collect()
    }

    /// What is shown, in parts: one for each call.
    fn chunks(&self, contract: &Contract, view: &[Message], shown: &[usize]) -> Vec<Vec<usize>> {
        select::chunks(contract, view, shown)
    }

    /// What is sent instead after the answer that `input` is too long: nothing, the attempt has failed.
    fn after_overflow(&self, input: &[Message]) -> Option<Vec<Message>> {
        let _ = input;
        None
    }

    /// Messages of the host that came in while a summary was made.
    fn arrived(&self, conversation: &mut Conversation, messages: Vec<Message>) {
        conversation.receive(messages);
    }

    /// Summariser calls that an attempt makes while they fail.
    fn tries(&self) -> usize {
        1
    }

    // What comes out of an attempt.

    /// What happens before the summariser is called: nothing.
    fn asks(&self, contract: &Contract, conversation: &mut Conversation) {
        let _ = (contract, conversation);
    }

    /// Whether an attempt goes on without the part of its input that this came of.
    fn goes_on(&self, outcome: Outcome) -> bool {
        let _ = outcome;
        false
    }

    /// What is made of a summary with more calls: nothing.
    fn refine(&self, host: &Host, summary: Summary) -> Result<Summary, Rejection> {
        let _ = host;
        Ok(summary)
    }

    /// Whether an attempt that ended like this makes the step end in an error.
    fn raises(&self, outcome: Outcome) -> bool {
        let _ = outcome;
        false
    }

    /// Whether an attempt whose step ends in an error is recorded, too.
    fn records_raised(&self) -> bool {
        true
    }

    /// What an error of the summariser counts as.
    fn outcome_of(&self, rejection: Rejection) -> Outcome {
        match rejection.kind {
            RejectionKind::Aborted => Outcome::Abort,
            RejectionKind::Rejected => Outcome::Failure(FailureKind::Rejected),
            RejectionKind::Overflow => Outcome::Failure(FailureKind::Overflow),
            RejectionKind::Timeout => Outcome::Failure(FailureKind::Timeout),
            RejectionKind::Transport => Outcome::Failure(FailureKind::Transport),
            RejectionKind::CutOff => Outcome::Failure(FailureKind::Raised),
        }
    }

    /// Why a summary is not usable, if it is not.
    fn unusable(&self, summary: &Summary) -> Option<FailureKind> {
        match summary.stop {
            Stop::Length => Some(FailureKind::Length),
            Stop::Refusal => Some(FailureKind::Refusal),
            Stop::End if summary.text.is_empty() => Some(FailureKind::Empty),
            Stop::End if summary.text.trim().is_empty() => Some(FailureKind::Blank),
            Stop::End => None,
        }
    }

    /// Why the new view is not an improvement, if it is not.
    fn fruitless(&self, contract: &Contract, old: &[Message], new: &[Message]) -> Option<FailureKind> {
        let (before, after) = (select::size(contract, old), select::size(contract, new));
        if after > before {
            Some(FailureKind::Inflated)
        } else if after == before {
            Some(FailureKind::Equal)
        } else if after as f64 > before as f64 * (1.0 - contract.attempt.min_effect) {
            Some(FailureKind::Ineffective)
        } else {
            None
        }
    }

    /// The view after a failed or aborted attempt: the old one.
    fn failed(&self, conversation: &mut Conversation, outcome: Outcome) {
        let _ = (conversation, outcome);
    }

    /// What happens once a view is installed.
    fn installed(&self, conversation: &mut Conversation) {
        let _ = conversation;
    }

    /// The message that carries the summary.
    fn summary(&self, contract: &Contract, text: &str) -> Message {
        let _ = contract;
        Message::new("", Role::Assistant, text).summary()
    }

    /// The shortened content of a tool result.
    fn shorten(&self, content: &str) -> String {
        let len = content.chars().count();
        let kept: String = content.chars().take(200.min(len / 2)).collect();
        let shorter = format!("{kept} [{} characters trimmed]", len - kept.chars().count());
        // Of a very short text a mark is left.
        if shorter.chars().count() < len { shorter } else { "…".to_owned() }
    }

    /// What a step reports of an attempt.
    fn reports_attempt(&self, outcome: Outcome) -> Action {
        if outcome == Outcome::Success { Action::Summarize } else { Action::None }
    }

    /// What the step reports, given what was done.
    fn reports(&self, done: Action) -> Action {
        done
    }

    // Persistence.

    /// What becomes of messages that are saved and loaded: nothing.
    fn reloaded(&self, messages: Vec<Message>, restart: &Restart) -> Vec<Message> {
        let _ = restart;
        messages
    }

    /// The view that is loaded, when `view` and `log` were stored: that view.
    fn stored(&self, log: &[Message], view: Vec<Message>) -> Vec<Message> {
        let _ = log;
        view
    }

    /// What the attempt that began at `here` and that the end of the process cut off counts as: a failure.
    fn cut_off(&self, contract: &Contract, memory: &mut Memory, here: Point) {
        memory.end(self, contract, Outcome::Failure(FailureKind::Raised), here);
    }

    /// What a restart leaves of throttle and latch.
    fn restarted(&self, contract: &Contract, memory: &mut Memory, restart: &Restart) {
        if contract.restart.throttle == Durability::Volatile {
            memory.throttle = ThrottleState::default();
        }
        if contract.restart.latch == Durability::Volatile {
            memory.latch = LatchState::default();
        }
        if contract.throttle.clock == Clock::Monotonic {
            // What the old process's clock said means nothing now: wait the whole time once more.
            for point in memory.throttle.last.iter_mut().chain(memory.latch.latched.iter_mut()) {
                point.clock_s = restart.monotonic_s;
            }
        }
    }

    /// Whether the person's rewind is done here: the conversation does it.
    fn rewinds(&self, conversation: &mut Conversation, to: &str) {
        conversation.rewind(to);
    }
}

/// The reference's behaviour: the provided methods.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sound;

impl Behaviour for Sound {}
