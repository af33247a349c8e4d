//! Bugs in what an attempt installs, and in what is said of it.

use super::contracts::{attempt, chunks, effect, reference};
use super::{Row, rows};
use crate::candidate::{Conversation, Host, Rejection, Summary};
use crate::contract::{Attempt, Calls, Contract, FailureKind};
use crate::message::{Message, Role};
use crate::model::{Outcome, Sound, size};
use crate::trace::{Action, Stop};

/// The newer half of the view.
fn halve(conversation: &mut Conversation) {
    let view = conversation.view();
    conversation.install(view[view.len() / 2..].to_vec());
}

pub(super) const ALL: &[Row] = rows! {
    "one-input-for-all":
        "It knows the summariser's window, and sends everything at once."
        breaks "OUT-8", kind "summary-request-overflow", under chunks(2_000),
        {
            fn chunks(&self, _: &Contract, _: &[Message], shown: &[usize]) -> Vec<Vec<usize>> {
                vec![shown.to_vec()]
            }
        }

    "thoughts-weigh-nothing":
        "When it fills the summariser's window it forgets the reasoning blocks."
        breaks "OUT-8", kind "summary-request-overflow", under chunks(2_000),
        {
            fn chunks(&self, contract: &Contract, view: &[Message], shown: &[usize]) -> Vec<Vec<usize>> {
                let mut view = view.to_vec();
                view.iter_mut().for_each(|message| message.reasoning = None);
                Sound.chunks(contract, &view, shown)
            }
        }

    "the-same-once-more":
        "When the summariser says that the input is too long, it sends it again."
        breaks "OUT-8", kind "summary-request-overflow",
        under attempt(Attempt { calls: Calls::AtMost(2), input_max: Some(100_000), ..Attempt::default() }),
        {
            fn after_overflow(&self, input: &[Message]) -> Option<Vec<Message>> {
                Some(input.to_vec())
            }
        }

    "keeps-what-was-cut":
        "When a summary was cut off it asks once more, and installs both texts."
        breaks "OUT-2", kind "degenerate-summary-accepted",
        under attempt(Attempt { calls: Calls::AtMost(2), ..Attempt::default() }),
        {
            fn refine(&self, host: &Host, summary: Summary) -> Result<Summary, Rejection> {
                if summary.stop != Stop::Length {
                    return Ok(summary);
                }
                let more = host.summarize(&[Message::new("own-draft", Role::Assistant, summary.text.clone())])?;
                Ok(Summary { text: summary.text + &more.text, ..more })
            }
        }

    "a-part-may-fail":
        "When the call for a later part of a long input is rejected, it installs what came of the parts before."
        breaks "VIEW-6", kind "failed-summary-drops-history", under chunks(2_000),
        {
            fn goes_on(&self, outcome: Outcome) -> bool {
                outcome == Outcome::Failure(FailureKind::Rejected)
            }
        }

    "an-empty-part-is-left-out":
        "Of a long input that is summarised in parts it leaves out the part that was answered with nothing."
        breaks "VIEW-6", kind "failed-summary-drops-history", under chunks(2_000),
        {
            fn goes_on(&self, outcome: Outcome) -> bool {
                matches!(outcome, Outcome::Failure(FailureKind::Empty | FailureKind::Blank | FailureKind::Refusal))
            }
        }

    "arrivals-lose-their-flags":
        "What arrives while a summary is made is a plain message."
        breaks "VIEW-1" and "OUT-9" and "LOG-2", kind "in-flight-race", under reference(),
        {
            fn arrived(&self, conversation: &mut Conversation, messages: Vec<Message>) {
                let plain = |message: Message| Message { pinned: false, hidden: false, ..message };
                conversation.receive(messages.into_iter().map(plain).collect());
            }
        }

    "deaf-while-it-waits":
        "What arrives while a summary is made is lost."
        breaks "OUT-9", kind "in-flight-race", under reference(),
        {
            fn arrived(&self, _: &mut Conversation, _: Vec<Message>) {}
        }

    "late-comers-first":
        "What arrives while a summary is made ends up before the summary."
        breaks "OUT-9", kind "in-flight-race", under reference(),
        {
            fn arrived(&self, conversation: &mut Conversation, messages: Vec<Message>) {
                let count = messages.len();
                conversation.receive(messages);
                let mut view = conversation.view().to_vec();
                let late = view.split_off(view.len() - count);
                let at = view.iter().position(|message| message.summary).unwrap_or(view.len());
                view.splice(at..at, late);
                conversation.install(view);
            }
        }

    "hears-twice":
        "What arrives while a summary is made is taken from the call and from the queue."
        breaks "OUT-9", kind "in-flight-race", under reference(),
        {
            fn arrived(&self, conversation: &mut Conversation, messages: Vec<Message>) {
                conversation.receive(messages.clone());
                conversation.install([conversation.view(), &messages].concat());
            }
        }

    "failure-drops-the-older-half":
        "When the summary fails it drops the older half instead."
        breaks "OUT-1", kind "failed-summary-drops-history", under reference(),
        {
            fn failed(&self, conversation: &mut Conversation, outcome: Outcome) {
                if outcome != Outcome::Abort {
                    halve(conversation);
                }
            }
        }

    "abort-drops-the-older-half":
        "When a person interrupts, the old view is gone already."
        breaks "OUT-1", kind "failed-summary-drops-history", under reference(),
        {
            fn failed(&self, conversation: &mut Conversation, outcome: Outcome) {
                if outcome == Outcome::Abort {
                    halve(conversation);
                }
            }
        }

    "failure-drops-the-summary":
        "A failed attempt takes the earlier summary out of the view."
        breaks "OUT-1", kind "failed-summary-drops-history", under reference(),
        {
            fn failed(&self, conversation: &mut Conversation, _: Outcome) {
                let view = conversation.view().iter().filter(|message| !message.summary).cloned().collect();
                conversation.install(view);
            }
        }

    "accepts-empty-summaries":
        "An empty text is a summary."
        breaks "OUT-2", kind "degenerate-summary-accepted", under reference(),
        {
            fn unusable(&self, summary: &Summary) -> Option<FailureKind> {
                Sound.unusable(summary).filter(|kind| *kind != FailureKind::Empty)
            }
        }

    "accepts-blank-summaries":
        "White space is a summary."
        breaks "OUT-2", kind "degenerate-summary-accepted", under reference(),
        {
            fn unusable(&self, summary: &Summary) -> Option<FailureKind> {
                Sound.unusable(summary).filter(|kind| *kind != FailureKind::Blank)
            }
        }

    "accepts-cut-summaries":
        "It never looks at why the text ended."
        breaks "OUT-2", kind "degenerate-summary-accepted", under reference(),
        {
            fn unusable(&self, summary: &Summary) -> Option<FailureKind> {
                Sound.unusable(&Summary::new(summary.text.clone(), Stop::End))
            }
        }

    "long-enough-is-whole":
        "A text that was cut at the output cap is a summary if it is long enough."
        breaks "OUT-2", kind "degenerate-summary-accepted", under reference(),
        {
            fn unusable(&self, summary: &Summary) -> Option<FailureKind> {
                Sound.unusable(summary).filter(|kind| *kind != FailureKind::Length || summary.text.len() < 300)
            }
        }

    "installs-a-placeholder":
        "The view says that there was a summary, and not what it said."
        breaks "OUT-2", kind "degenerate-summary-accepted", under reference(),
        {
            fn summary(&self, _: &Contract, _: &str) -> Message {
                Message::new("", Role::Assistant, "[earlier conversation summarised]").summary()
            }
        }

    "accepts-larger-summaries":
        "It never compares the sizes."
        breaks "OUT-3", kind "inflated-accepted", under reference(),
        {
            fn fruitless(&self, _: &Contract, _: &[Message], _: &[Message]) -> Option<FailureKind> {
                None
            }
        }

    "accepts-equal-summaries":
        "A view that is exactly as large is good enough."
        breaks "OUT-3", kind "inflated-accepted", under reference(),
        {
            fn fruitless(&self, contract: &Contract, old: &[Message], new: &[Message]) -> Option<FailureKind> {
                Sound.fruitless(contract, old, new).filter(|kind| *kind != FailureKind::Equal)
            }
        }

    "little-is-enough":
        "It declares that a success saves a fifth, and counts any saving as one."
        breaks "OUT-3" and "LAT-3", kind "ineffective-as-success", under effect(0.2),
        {
            fn fruitless(&self, contract: &Contract, old: &[Message], new: &[Message]) -> Option<FailureKind> {
                Sound.fruitless(contract, old, new).filter(|kind| *kind != FailureKind::Ineffective)
            }
        }

    "reports-success-always":
        "It reports a summary whenever it has asked for one."
        breaks "OUT-4", kind "outcome-misreported", under reference(),
        {
            fn reports_attempt(&self, _: Outcome) -> Action {
                Action::Summarize
            }
        }

    "reports-no-trims":
        "It trims and says that it did nothing."
        breaks "OUT-4", kind "outcome-misreported", under reference(),
        {
            fn reports(&self, done: Action) -> Action {
                if done == Action::Trim { Action::None } else { done }
            }
        }

    "trims-are-summaries":
        "It reports every trim as a summary."
        breaks "OUT-4", kind "outcome-misreported", under reference(),
        {
            fn reports(&self, done: Action) -> Action {
                if done == Action::Trim { Action::Summarize } else { done }
            }
        }

    "raises-when-rejected":
        "A rejected request ends the step with an error."
        breaks "OUT-5", kind "outcome-misreported", under reference(),
        {
            fn raises(&self, outcome: Outcome) -> bool {
                outcome == Outcome::Failure(FailureKind::Rejected)
            }
        }

    "raises-when-empty":
        "A summary without text ends the step with an error."
        breaks "OUT-5", kind "outcome-misreported", under reference(),
        {
            fn raises(&self, outcome: Outcome) -> bool {
                matches!(outcome, Outcome::Failure(FailureKind::Empty | FailureKind::Blank))
            }
        }

    "summarises-nothing":
        "It never asks whether there is anything to summarise."
        breaks "OUT-6", kind "short-history", under reference(),
        {
            fn is_enough(&self, _: &Contract, _: &[Message], _: &[usize]) -> bool {
                true
            }
        }

    "summarises-what-it-must-keep":
        "Pinned messages and instructions count as matter, although all of them stay."
        breaks "OUT-6", kind "short-history", under reference(),
        {
            fn is_enough(&self, contract: &Contract, view: &[Message], _: &[usize]) -> bool {
                let visible = view.iter().filter(|message| message.is_visible());
                visible.count() >= contract.attempt.eligible_min && size(contract, view) >= contract.attempt.eligible_min_size
            }
        }

    "wants-half":
        "A summary has to halve the view, and nothing says so."
        breaks "OUT-7", kind "progress-missed", under reference(),
        {
            fn fruitless(&self, contract: &Contract, old: &[Message], new: &[Message]) -> Option<FailureKind> {
                let halved = 2 * size(contract, new) <= size(contract, old);
                (!halved).then_some(FailureKind::Ineffective)
            }
        }

    "one-summary-only":
        "Where a summary stands it makes no second one: the number of messages would not fall."
        breaks "OUT-7", kind "progress-missed", under reference(),
        {
            fn fruitless(&self, contract: &Contract, old: &[Message], new: &[Message]) -> Option<FailureKind> {
                let again = old.iter().any(|message| message.summary);
                if again { Some(FailureKind::NoView) } else { Sound.fruitless(contract, old, new) }
            }
        }

    "one-over-the-input":
        "A part may be one unit larger than an input may be."
        breaks "OUT-8", kind "summariser-overflow", under chunks(4_000),
        {
            fn chunks(&self, contract: &Contract, view: &[Message], shown: &[usize]) -> Vec<Vec<usize>> {
                let mut wrong = contract.clone();
                wrong.attempt.input_max = contract.attempt.input_max.map(|max| max + 1);
                Sound.chunks(&wrong, view, shown)
            }
        }
};
