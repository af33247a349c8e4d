//! The decisions of the reference, one short method each.

use super::compactor::Memory;
use super::latch::LatchState;
use super::select;
use super::throttle::Point;
use crate::candidate::{Conversation, Rejection, Summary};
use crate::contract::{Contract, CountsAs, FailureKind, Growth};
use crate::history::Pressure;
use crate::message::{Message, Role};
use crate::trace::{Action, RejectionKind, Stop};

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Success,
    Failure(FailureKind),
    Abort,
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

    // Growth and time.

    /// Messages since `point` that `counts` accepts.
    fn growth(&self, conversation: &Conversation, point: Point, counts: &dyn Fn(&Message) -> bool) -> u64 {
        conversation.log().iter().skip(point.log).filter(|message| counts(message)).count() as u64
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
        contract.throttle.growth == Growth::Reopens && growth > 0
    }

    // Throttle and latch.

    /// Whether an attempt that ended like this starts the cooldown.
    fn starts_cooldown(&self, contract: &Contract, outcome: Outcome) -> bool {
        outcome != Outcome::Abort || contract.attempt.abort == CountsAs::Failure
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

    /// What a trim does to throttle and latch: nothing.
    fn trimmed(&self, memory: &mut Memory, here: Point) {
        let _ = (memory, here);
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

    /// Whether to trim at this pressure, when no attempt is made; `blocked`: because of cooldown or latch.
    fn trims_at(&self, pressure: Pressure, blocked: bool) -> bool {
        let _ = blocked;
        pressure != Pressure::None
    }

    /// Whether an open call keeps everything waiting.
    fn waits_for_calls(&self) -> bool {
        true
    }

    /// Whether there is enough to summarise.
    fn is_enough(&self, contract: &Contract, view: &[Message], eligible: &[usize]) -> bool {
        let items: Vec<Message> = eligible.iter().map(|at| view[*at].clone()).collect();
        let rules = &contract.attempt;
        items.len() >= rules.eligible_min.max(1) && select::size(contract, &items) >= rules.eligible_min_size
    }

    /// Messages that a summary may replace.
    fn eligible(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
        select::eligible(contract, view)
    }

    /// Summariser calls that an attempt makes while they fail.
    fn tries(&self) -> usize {
        1
    }

    // What comes out of an attempt.

    /// Whether an error of the summariser leaves the step as an error.
    fn raises(&self, kind: RejectionKind) -> bool {
        let _ = kind;
        false
    }

    /// What an error of the summariser counts as.
    fn outcome_of(&self, rejection: Rejection) -> Outcome {
        match rejection.kind {
            RejectionKind::Aborted => Outcome::Abort,
            RejectionKind::Rejected => Outcome::Failure(FailureKind::Rejected),
            RejectionKind::Overflow => Outcome::Failure(FailureKind::Overflow),
            RejectionKind::Timeout => Outcome::Failure(FailureKind::Timeout),
            RejectionKind::Transport => Outcome::Failure(FailureKind::Transport),
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
    fn failed(&self, conversation: &mut Conversation) {
        let _ = conversation;
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
        let kept: String = content.chars().take(200).collect();
        format!("{kept} [{} characters trimmed]", content.chars().count() - kept.chars().count())
    }

    /// What the step reports, given what was done.
    fn reports(&self, done: Action) -> Action {
        done
    }

    // Persistence.

    /// What becomes of a message that is saved and loaded: nothing.
    fn stored(&self, message: Message) -> Message {
        message
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
