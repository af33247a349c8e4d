//! Bugs in the throttle.

use std::cell::Cell;

use super::contracts::{checkpoint, cooldown_only, cooldowns, growth_ignored, reference, three_strikes};
use super::{Row, rows};
use crate::candidate::{Conversation, Host, Rejection, Summary};
use crate::contract::{Contract, FailureKind, Growth, Trim};
use crate::history::{Pressure, StepKind};
use crate::message::{Message, Role};
use crate::model::{Gates, Memory, Outcome, Point, Sound, eligible, trimmable};

pub(super) const ALL: &[Row] = rows! {
    "self-counting-throttle":
        "Its status is for the person only, but its throttle counts every message and compares with the count from before the attempt."
        breaks "THR-1" and "THR-3" and "THR-8", kind "self-trigger", under cooldown_only(),
        {
            fn counts(&self, _: &Message) -> bool {
                true
            }
        }

    "counts-its-own-visible-notes":
        "The prompt of an attempt stands in the log and counts as growth when the attempt has failed."
        breaks "THR-1", kind "self-trigger", under Contract { latch: None, ..checkpoint() },
        {
            fn asks(&self, _: &Contract, conversation: &mut Conversation) {
                conversation.append(Message::new("", Role::User, "summarise the conversation so far"));
            }
            fn status(&self, _: &str) -> Option<Message> {
                None
            }
            fn counts(&self, message: &Message) -> bool {
                message.is_visible()
            }
        }

    "trim-lifts-the-cooldown":
        "A trim while it cools looks like a change and lets the next attempt through."
        breaks "THR-1" and "THR-2", kind "self-trigger", under cooldown_only(),
        {
            fn trimmed(&self, _: &mut Conversation, memory: &mut Memory, _: Point) {
                memory.throttle.last = None;
            }
        }

    "failure-starts-no-cooldown":
        "Only a success starts the cooldown."
        breaks "THR-2", kind "retry-storm", under cooldown_only(),
        {
            fn status(&self, _: &str) -> Option<Message> {
                None
            }
            fn starts_cooldown(&self, _: &Contract, outcome: Outcome) -> bool {
                outcome == Outcome::Success
            }
        }

    "transport-errors-start-no-cooldown":
        "The way out for a lost connection forgets to note the attempt."
        breaks "THR-2", kind "retry-storm", under cooldown_only(),
        {
            fn starts_cooldown(&self, _: &Contract, outcome: Outcome) -> bool {
                !matches!(outcome, Outcome::Failure(FailureKind::Transport) | Outcome::Abort)
            }
        }

    "raised-starts-no-cooldown":
        "An attempt that raises is never noted."
        breaks "THR-2" and "OUT-5", kind "retry-storm", under cooldown_only(),
        {
            fn raises(&self, outcome: Outcome) -> bool {
                outcome == Outcome::Failure(FailureKind::Timeout)
            }
            fn records_raised(&self) -> bool {
                false
            }
        }

    "success-starts-no-cooldown":
        "Only a failure starts the cooldown."
        breaks "THR-5" and "THR-2", kind "stale-measure-retrigger", under growth_ignored(),
        {
            fn starts_cooldown(&self, _: &Contract, outcome: Outcome) -> bool {
                matches!(outcome, Outcome::Failure(_))
            }
        }

    "notes-for-the-person-lift":
        "It leaves out its own messages when it counts growth, but counts the host's messages for the person."
        breaks "THR-3" and "THR-8", kind "count-basis-mismatch", under cooldown_only(),
        {
            fn counts(&self, message: &Message) -> bool {
                !message.is_own()
            }
        }

    "what-the-agent-shows-lifts":
        "Of the messages for the person, those from the agent lift the cooldown."
        breaks "THR-3" and "THR-8", kind "count-basis-mismatch", under cooldown_only(),
        {
            fn counts(&self, message: &Message) -> bool {
                !message.is_own() && (message.is_visible() || message.role == Role::Assistant)
            }
        }

    "any-conversation-lifts":
        "One counter of new messages serves all conversations."
        breaks "THR-3" and "ISO-1", kind "cross-session-leak", under cooldown_only(), state Cell<usize>,
        {
            fn received(&self, _: &Conversation, messages: &[Message]) {
                self.0.set(self.0.get() + messages.iter().filter(|message| message.is_visible()).count());
            }
            fn starts_cooldown(&self, _: &Contract, outcome: Outcome) -> bool {
                self.0.set(0);
                outcome != Outcome::Abort
            }
            fn growth_lifts(&self, _: &Contract, growth: u64) -> bool {
                growth > 0 || self.0.get() > 0
            }
        }

    "cooldown-ends-late":
        "At exactly the end of the cooldown it still cools."
        breaks "THR-4", kind "latch-stuck", under three_strikes(),
        {
            fn is_cooling(&self, elapsed_s: f64, cooldown_s: f64) -> bool {
                elapsed_s <= cooldown_s
            }
        }

    "polling-renews-the-cooldown":
        "A step that is turned down starts the cooldown anew."
        breaks "THR-4", kind "latch-stuck", under cooldown_only(),
        {
            fn elapsed(&self, point: &mut Point, now_s: f64) -> f64 {
                let elapsed = point.elapsed(now_s);
                if elapsed < 60.0 {
                    point.clock_s = now_s;
                }
                elapsed
            }
        }

    "cooldown-of-the-last-rung":
        "It waits the longest cooldown after the first failure already."
        breaks "THR-4", kind "latch-stuck", under Contract { latch: None, ..cooldowns(&[60.0, 300.0]) },
        {
            fn is_cooling(&self, elapsed_s: f64, _: f64) -> bool {
                elapsed_s < 300.0
            }
        }

    "timeouts-stay-on-the-rung":
        "An attempt that ran into the time limit starts the cooldown, and the next one is as if it had not failed."
        breaks "THR-2", kind "retry-storm", under Contract { latch: None, ..cooldowns(&[60.0, 300.0]) },
        {
            fn climbs(&self, outcome: Outcome) -> bool {
                outcome != Outcome::Failure(FailureKind::Timeout)
            }
        }

    "growth-lifts-nothing":
        "It declares that growth lifts the cooldown, and waits it out all the same."
        breaks "THR-5", kind "latch-stuck", under reference(),
        {
            fn growth_lifts(&self, _: &Contract, _: u64) -> bool {
                false
            }
        }

    "growth-lifts-all-the-same":
        "It declares that growth does nothing to the cooldown, and is lifted by it."
        breaks "THR-5", kind "retry-storm", under growth_ignored(),
        {
            fn growth_lifts(&self, _: &Contract, growth: u64) -> bool {
                growth > 0
            }
        }

    "only-much-growth-lifts":
        "It takes three new messages to lift the cooldown, and nothing says so."
        breaks "THR-5", kind "latch-stuck", under cooldown_only(),
        {
            fn growth_lifts(&self, contract: &Contract, growth: u64) -> bool {
                contract.throttle.growth == Growth::Reopens && growth >= 3
            }
        }

    "summarises-when-trimming-is-enough":
        "At pressure `trim` it summarises."
        breaks "THR-6", kind "decision-band-gap", under reference(),
        {
            fn attempts_at(&self, pressure: Pressure) -> bool {
                pressure != Pressure::None
            }
        }

    "summarises-without-pressure":
        "It never asks whether there is pressure."
        breaks "THR-6", kind "under-limit-mutated", under reference(),
        {
            fn attempts_at(&self, _: Pressure) -> bool {
                true
            }
        }

    "does-nothing-when-trimming-is-enough":
        "At pressure `trim` it does nothing: neither branch covers it."
        breaks "THR-6" and "LAT-9", kind "trim-starved", under reference(),
        {
            fn trims_at(&self, pressure: Pressure, _: Gates) -> bool {
                pressure == Pressure::Summarize
            }
        }

    "retries-at-once":
        "When the summariser fails it asks again, twice, in the same step."
        breaks "THR-7", kind "retry-storm", under reference(),
        {
            fn tries(&self) -> usize {
                3
            }
        }

    "proofreads":
        "It has every summary checked by a second call that nothing declares."
        breaks "THR-7", kind "retry-storm", under reference(),
        {
            fn refine(&self, host: &Host, summary: Summary) -> Result<Summary, Rejection> {
                host.summarize(&[Message::new("own-draft", Role::Assistant, summary.text)])
            }
        }

    "notes-fill-the-tail":
        "The tail that it keeps is counted with messages for the person."
        breaks "THR-8" and "OUT-7", kind "count-basis-mismatch", under reference(),
        {
            fn eligible(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                // The last message is kept; where that is a note, the last visible one is not.
                let mut all = eligible(contract, view);
                let last = view.iter().rposition(|message| message.is_visible() && !message.is_own());
                let plain = |at: &usize| !view[*at].pinned && view[*at].call_id.is_none() && view[*at].role != Role::User;
                if view.last().is_some_and(|message| !message.is_visible()) {
                    all.extend(last.filter(plain));
                }
                all
            }
        }

    "notes-are-matter":
        "Messages for the person count when it asks whether there is enough to summarise."
        breaks "THR-8", kind "count-basis-mismatch", under reference(),
        {
            fn is_enough(&self, _: &Contract, view: &[Message], eligible: &[usize]) -> bool {
                let notes = view.iter().filter(|message| !message.is_visible() && !message.is_own()).count();
                !eligible.is_empty() && eligible.len() + notes >= 4
            }
        }

    "wants-one-message-more":
        "It summarises only where there is one message more than it says is enough."
        breaks "THR-4", kind "latch-stuck", under reference(),
        {
            fn is_enough(&self, contract: &Contract, view: &[Message], eligible: &[usize]) -> bool {
                eligible.len() > contract.attempt.eligible_min && Sound.is_enough(contract, view, eligible)
            }
        }

    "wants-more-to-summarise":
        "It summarises only where there is more by size than it says is enough."
        breaks "THR-4", kind "latch-stuck", under reference(),
        {
            fn is_enough(&self, contract: &Contract, view: &[Message], eligible: &[usize]) -> bool {
                let size: usize = eligible.iter().map(|at| view[*at].content.chars().count()).sum();
                size > contract.attempt.eligible_min_size && Sound.is_enough(contract, view, eligible)
            }
        }

    "notes-fill-the-tail-of-a-trim":
        "The tail that a trim leaves alone is counted with messages for the person."
        breaks "THR-8", kind "count-basis-mismatch", under reference(),
        {
            fn trimmable(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let tail = view.len().saturating_sub(contract.trim.keep_last);
                let rules = Trim { keep_last: 0, ..contract.trim.clone() };
                let all = trimmable(&Contract { trim: rules, ..contract.clone() }, view);
                all.into_iter().filter(|at| *at < tail).collect()
            }
        }

    "overflow-ignores-the-switch":
        "Switched off, it still summarises when the provider has proved an overflow."
        breaks "THR-9", kind "bad-measure-or-config", under reference(),
        {
            fn is_on(&self, auto: bool, kind: StepKind) -> bool {
                auto || kind != StepKind::Step
            }
        }

    "ignores-the-switch":
        "The switch is read nowhere but at the overflow."
        breaks "THR-9", kind "bad-measure-or-config", under reference(),
        {
            fn is_on(&self, auto: bool, kind: StepKind) -> bool {
                auto || kind != StepKind::Overflow
            }
        }

    "the-switch-stops-the-person":
        "Switched off, it turns down a person's request, too."
        breaks "THR-9" and "FRC-1", kind "force-blocked", under reference(),
        {
            fn is_on(&self, auto: bool, _: StepKind) -> bool {
                auto
            }
        }

    "cooldown-stops-trims":
        "The cooldown holds back trims as well."
        breaks "THR-10" and "THR-6", kind "trim-starved", under cooldown_only(),
        {
            fn trims_at(&self, pressure: Pressure, gates: Gates) -> bool {
                pressure != Pressure::None && !gates.cooling
            }
        }

    "cooldown-stops-trims-under-full-pressure":
        "While it cools it trims at pressure `trim`, but not at pressure `summarize`."
        breaks "THR-10", kind "trim-starved", under cooldown_only(),
        {
            fn trims_at(&self, pressure: Pressure, gates: Gates) -> bool {
                pressure == Pressure::Trim || (pressure == Pressure::Summarize && !gates.cooling)
            }
        }

    "trims-without-pressure":
        "It trims whatever the pressure."
        breaks "THR-11", kind "under-limit-mutated", under reference(),
        {
            fn trims_at(&self, _: Pressure, _: Gates) -> bool {
                true
            }
        }

    "tidies-up-while-it-cools":
        "While it may not summarise it trims, pressure or not."
        breaks "THR-11", kind "under-limit-mutated", under reference(),
        {
            fn trims_at(&self, pressure: Pressure, gates: Gates) -> bool {
                pressure != Pressure::None || gates.closed()
            }
        }
};
