//! Bugs in the failure latch.

use super::contracts::{
    abort_fails, drops, fresh_strikes, half_open_timer, latch_only, patient_aborts, reference, three_strikes,
};
use super::{Row, rows};
use crate::candidate::Conversation;
use crate::contract::{Contract, FailureKind};
use crate::history::Pressure;
use crate::message::{Message, Role};
use crate::model::{Gates, LatchState, Memory, Outcome, Point, Sound, standing};

pub(super) const ALL: &[Row] = rows! {
    "never-latches":
        "It declares a latch and has none."
        breaks "LAT-1", kind "retry-storm", under reference(),
        {
            fn record(&self, _: &Contract, _: &mut LatchState, _: Outcome, _: Point) {}
        }

    "reopens-one-early":
        "It reopens one message before the declared growth."
        breaks "LAT-1", kind "retry-storm", under reference(),
        {
            fn reopened(&self, contract: &Contract, growth: u64, elapsed_s: f64) -> bool {
                Sound.reopened(contract, growth + 1, elapsed_s)
            }
        }

    "one-strike-too-many":
        "It takes one failure more than declared to latch."
        breaks "LAT-1", kind "retry-storm", under three_strikes(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                Sound.record(contract, latch, outcome, here);
                if latch.strikes == 3 {
                    latch.latched = None;
                }
            }
        }

    "latched-for-ever":
        "Nothing but a success opens the latch, and there is no attempt that could succeed."
        breaks "LAT-2" and "LAT-7" and "LAT-8" and "LAT-4", kind "latch-stuck", under reference(),
        {
            fn reopened(&self, _: &Contract, _: u64, _: f64) -> bool {
                false
            }
        }

    "reopens-one-late":
        "It reopens one message after the declared growth."
        breaks "LAT-2", kind "latch-stuck", under latch_only(),
        {
            fn reopened(&self, contract: &Contract, growth: u64, elapsed_s: f64) -> bool {
                Sound.reopened(contract, growth.saturating_sub(1), elapsed_s)
            }
        }

    "timer-runs-while-it-is-asked":
        "Each step that is turned down winds the latch's timer up again."
        breaks "LAT-2", kind "latch-stuck", under half_open_timer(),
        {
            fn elapsed(&self, point: &mut Point, now_s: f64) -> f64 {
                let elapsed = point.elapsed(now_s);
                if (60.0..300.0).contains(&elapsed) {
                    point.clock_s = now_s - 60.0;
                }
                elapsed
            }
        }

    "timeouts-are-no-strike":
        "A summariser that does not answer in time is not a failure to the latch."
        breaks "LAT-3", kind "retry-storm", under reference(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                if outcome != Outcome::Failure(FailureKind::Timeout) {
                    Sound.record(contract, latch, outcome, here);
                }
            }
        }

    "a-text-is-a-success":
        "Whatever ends with a text counts as a success to the latch, even if no view came of it."
        breaks "LAT-3", kind "ineffective-as-success", under reference(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                use FailureKind::{Blank, Empty, Equal, Inflated, Length, Refusal};
                let text = matches!(outcome, Outcome::Failure(Blank | Empty | Equal | Inflated | Length | Refusal));
                Sound.record(contract, latch, if text { Outcome::Success } else { outcome }, here);
            }
        }

    "raised-is-no-strike":
        "An attempt that raises never reaches the latch."
        breaks "LAT-3" and "OUT-5", kind "retry-storm", under latch_only(),
        {
            fn raises(&self, outcome: Outcome) -> bool {
                outcome == Outcome::Failure(FailureKind::Transport)
            }
            fn records_raised(&self) -> bool {
                false
            }
        }

    "a-failed-probe-leaves-it-open":
        "A failure after reopening does not latch again: the growth is still counted from the first one."
        breaks "LAT-4", kind "retry-storm", under reference(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                let first = latch.latched;
                Sound.record(contract, latch, outcome, here);
                latch.latched = latch.latched.map(|now| first.unwrap_or(now));
            }
        }

    "half-the-distance-after-a-probe":
        "After a failed probe it reopens at half the growth."
        breaks "LAT-4", kind "retry-storm", under latch_only(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                let probe = latch.latched.is_some();
                Sound.record(contract, latch, outcome, here);
                if let Some(point) = latch.latched.as_mut().filter(|_| probe) {
                    point.log = point.log.saturating_sub(10);
                }
            }
        }

    "a-failed-probe-is-a-first-strike":
        "It declares that one failed probe latches again, and counts the strikes from zero."
        breaks "LAT-4", kind "retry-storm", under three_strikes(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                if latch.latched.is_some() {
                    *latch = LatchState::default();
                }
                Sound.record(contract, latch, outcome, here);
            }
        }

    "each-time-it-latches-for-longer":
        "From the third time in a row on it waits for more growth than it declares."
        breaks "LAT-4" and "LAT-2", kind "latch-stuck", under latch_only(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                let strikes = latch.strikes;
                Sound.record(contract, latch, outcome, here);
                if let Some(point) = latch.latched.as_mut().filter(|_| strikes >= 2) {
                    point.log += 5;
                }
            }
        }

    "begins-at-one-when-it-reopens":
        "After it has reopened, the failure that closed it is still counted."
        breaks "LAT-10", kind "latch-stuck", under fresh_strikes(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                let probe = latch.latched.is_some();
                Sound.record(contract, latch, outcome, here);
                if probe && latch.strikes == 1 {
                    latch.strikes = 2;
                }
            }
        }

    "interim-results-are-no-growth":
        "An interim result does not count towards reopening."
        breaks "LAT-2", kind "latch-stuck", under latch_only(),
        {
            fn counts_for_latch(&self, message: &Message) -> bool {
                Sound.counts_for_latch(message) && !message.interim
            }
        }

    "parallel-calls-are-no-growth":
        "A message that makes two calls does not count towards reopening."
        breaks "LAT-2", kind "latch-stuck", under latch_only(),
        {
            fn counts_for_latch(&self, message: &Message) -> bool {
                Sound.counts_for_latch(message) && message.calls.len() < 2
            }
        }

    "success-leaves-the-strikes":
        "Strikes are counted over the whole conversation, not in a row."
        breaks "LAT-5", kind "progress-missed", under three_strikes(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                if outcome != Outcome::Success {
                    Sound.record(contract, latch, outcome, here);
                }
            }
        }

    "success-leaves-the-latch":
        "A probe that succeeds leaves the latch closed, counted from the probe."
        breaks "LAT-5", kind "latch-stuck", under reference(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                if outcome == Outcome::Success && latch.latched.is_some() {
                    latch.latched = Some(here);
                } else {
                    Sound.record(contract, latch, outcome, here);
                }
            }
        }

    "forced-success-leaves-the-latch":
        "A person's successful compaction leaves the automatic latch closed."
        breaks "LAT-5", kind "latch-stuck", under reference(),
        {
            fn record_forced(&self, _: &mut Memory, _: Outcome, _: Point) {}
        }

    "notes-for-the-person-reopen":
        "Messages for the person count as growth towards reopening."
        breaks "LAT-6" and "THR-8", kind "count-basis-mismatch", under reference(),
        {
            fn counts_for_latch(&self, message: &Message) -> bool {
                !message.is_own()
            }
        }

    "what-the-user-is-shown-reopens":
        "Of the messages for the person, those from the user count as growth towards reopening."
        breaks "LAT-6" and "THR-8", kind "count-basis-mismatch", under reference(),
        {
            fn counts_for_latch(&self, message: &Message) -> bool {
                !message.is_own() && (message.is_visible() || message.role == Role::User)
            }
        }

    "own-status-reopens":
        "The status of the failure that latched counts as growth towards reopening."
        breaks "LAT-6", kind "self-trigger", under reference(),
        {
            fn counts_for_latch(&self, message: &Message) -> bool {
                message.is_visible() || message.is_own()
            }
        }

    "undoing-pushes-reopening-away":
        "It measures growth by how many messages stand in the view, so that what a person undoes has to be said twice."
        breaks "LAT-7", kind "latch-stuck", under latch_only(),
        {
            fn growth(&self, conversation: &Conversation, point: &mut Point, _: &dyn Fn(&Message) -> bool) -> u64 {
                standing(conversation.view()).saturating_sub(point.standing)
            }
        }

    "trimming-pushes-reopening-away":
        "It measures growth by how many messages stand in the view, and trims drop some of them."
        breaks "LAT-7" and "LAT-8", kind "latch-stuck", under drops(),
        {
            fn growth(&self, conversation: &Conversation, point: &mut Point, _: &dyn Fn(&Message) -> bool) -> u64 {
                standing(conversation.view()).saturating_sub(point.standing)
            }
        }

    "trim-opens-the-latch":
        "A trim counts as a success to the latch."
        breaks "LAT-8", kind "latch-wrong-actor", under reference(),
        {
            fn trimmed(&self, _: &mut Conversation, memory: &mut Memory, _: Point) {
                memory.latch = LatchState::default();
            }
        }

    "trim-raises-the-base":
        "A trim starts the count of growth anew."
        breaks "LAT-8" and "LAT-7", kind "latch-wrong-actor", under reference(),
        {
            fn trimmed(&self, _: &mut Conversation, memory: &mut Memory, here: Point) {
                memory.latch.latched = memory.latch.latched.map(|_| here);
            }
        }

    "latch-stops-trims":
        "While latched it does not trim either."
        breaks "LAT-9" and "THR-6" and "THR-10", kind "trim-starved", under reference(),
        {
            fn trims_at(&self, pressure: Pressure, gates: Gates) -> bool {
                pressure != Pressure::None && !gates.latched
            }
        }

    "latch-stops-trims-under-full-pressure":
        "While latched it trims at pressure `trim`, but not at pressure `summarize`."
        breaks "LAT-9" and "THR-10", kind "trim-starved", under reference(),
        {
            fn trims_at(&self, pressure: Pressure, gates: Gates) -> bool {
                pressure == Pressure::Trim || (pressure == Pressure::Summarize && !gates.latched)
            }
        }

    "the-first-failure-latches":
        "It declares three strikes and latches at the first."
        breaks "LAT-10", kind "latch-stuck", under three_strikes(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                Sound.record(contract, latch, outcome, here);
                if outcome != Outcome::Success && outcome != Outcome::Abort {
                    latch.latched = Some(here);
                }
            }
        }

    "one-strike-too-few":
        "It latches one failure early."
        breaks "LAT-10", kind "latch-stuck", under three_strikes(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                Sound.record(contract, latch, outcome, here);
                if latch.strikes == 2 {
                    latch.latched = Some(here);
                }
            }
        }

    "a-failed-probe-is-let-through-again":
        "When the time is due it lets probe after probe through: a failed one does not wind the timer up."
        breaks "LAT-11" and "LAT-4", kind "retry-storm", under half_open_timer(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                let first = latch.latched;
                Sound.record(contract, latch, outcome, here);
                latch.latched = latch.latched.map(|now| first.unwrap_or(now));
            }
        }

    "half-the-time-after-a-probe":
        "After a failed probe it waits half the time."
        breaks "LAT-11" and "LAT-4", kind "retry-storm", under half_open_timer(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                let probe = latch.latched.is_some();
                Sound.record(contract, latch, outcome, here);
                if let Some(point) = latch.latched.as_mut().filter(|_| probe) {
                    point.clock_s -= 150.0;
                }
            }
        }

    "twice-the-time-after-a-probe":
        "Each failed probe doubles the time, and nothing says so."
        breaks "LAT-11" and "LAT-4", kind "latch-stuck", under half_open_timer(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                let probe = latch.latched.is_some();
                Sound.record(contract, latch, outcome, here);
                if let Some(point) = latch.latched.as_mut().filter(|_| probe) {
                    point.clock_s += 300.0;
                }
            }
            fn elapsed(&self, point: &mut Point, now_s: f64) -> f64 {
                now_s - point.clock_s
            }
        }

    "declining-is-a-strike":
        "Too little to summarise counts as a failure, and nothing says so."
        breaks "LAT-12", kind "non-failure-strike", under reference(),
        {
            fn declined(&self, contract: &Contract, memory: &mut Memory, here: Point) {
                Sound.record(contract, &mut memory.latch, Outcome::Failure(FailureKind::NoView), here);
            }
        }

    "declining-is-a-success":
        "Too little to summarise counts as a success: the strikes are forgotten."
        breaks "LAT-12", kind "non-failure-strike", under three_strikes(),
        {
            fn declined(&self, _: &Contract, memory: &mut Memory, _: Point) {
                memory.latch = LatchState::default();
            }
        }

    "an-abort-is-a-strike":
        "A person's interruption counts as a failure, and nothing says so."
        breaks "LAT-13", kind "non-failure-strike", under reference(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                let failed = if outcome == Outcome::Abort { Outcome::Failure(FailureKind::Rejected) } else { outcome };
                Sound.record(contract, latch, failed, here);
            }
        }

    "an-abort-is-a-success":
        "A person's interruption clears the strikes."
        breaks "LAT-13", kind "non-failure-strike", under three_strikes(),
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                let done = if outcome == Outcome::Abort { Outcome::Success } else { outcome };
                Sound.record(contract, latch, done, here);
            }
        }

    "an-abort-is-nothing":
        "It declares that an abort counts as a failure, and does not count it."
        breaks "LAT-13" and "THR-2", kind "retry-storm", under abort_fails(),
        {
            fn starts_cooldown(&self, _: &Contract, outcome: Outcome) -> bool {
                outcome != Outcome::Abort
            }
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                if outcome != Outcome::Abort {
                    Sound.record(contract, latch, outcome, here);
                }
            }
        }

    "aborts-stay-on-the-rung":
        "It declares that an abort counts as a failure; it starts a cooldown, and makes none longer."
        breaks "LAT-13" and "THR-2", kind "retry-storm", under Contract { latch: None, ..patient_aborts() },
        {
            fn climbs(&self, outcome: Outcome) -> bool {
                outcome != Outcome::Abort
            }
        }
};
