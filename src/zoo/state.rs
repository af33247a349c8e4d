//! Bugs in open calls, in state between conversations, restarts and runs, and in clocks.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use super::contracts::{
    cooldown_only, growth_ignored, half_open_timer, latch_only, less, monotonic, reference, three_strikes, unspecified,
    volatile,
};
use super::{Row, rows};
use crate::candidate::{Conversation, Restart};
use crate::contract::{Capability, Contract};
use crate::history::StepKind;
use crate::message::Message;
use crate::model::{LatchState, Memory, Outcome, Point, Sound, ThrottleState, open_call};

static ATTEMPTS: AtomicU64 = AtomicU64::new(0);

pub(super) const ALL: &[Row] = rows! {
    "ignores-open-calls":
        "It compacts while a tool is running."
        breaks "VIEW-4", kind "orphan-tool-pair", under reference(),
        {
            fn waits_for_calls(&self, _: StepKind, _: &[Message]) -> bool {
                false
            }
        }

    "an-interim-result-closes":
        "It takes an interim result for the final one."
        breaks "VIEW-4", kind "orphan-tool-pair", under reference(),
        {
            fn waits_for_calls(&self, _: StepKind, view: &[Message]) -> bool {
                let view: Vec<Message> = view.iter().map(|message| Message { interim: false, ..message.clone() }).collect();
                open_call(&view)
            }
        }

    "one-result-closes-all":
        "Of calls that were made together it waits for the first result only."
        breaks "VIEW-4", kind "orphan-tool-pair", under reference(),
        {
            fn waits_for_calls(&self, _: StepKind, view: &[Message]) -> bool {
                let answered = |call: &String| view.iter().any(|m| m.call_id.as_ref() == Some(call) && !m.interim);
                view.iter().any(|message| !message.calls.is_empty() && !message.calls.iter().any(answered))
            }
        }

    "compacts-under-an-open-call-if-asked":
        "A tool may be running when a person asks for a compaction."
        breaks "VIEW-4", kind "orphan-tool-pair", under reference(),
        {
            fn waits_for_calls(&self, kind: StepKind, view: &[Message]) -> bool {
                kind != StepKind::Force && open_call(view)
            }
        }

    "recovers-under-an-open-call":
        "A tool may be running when an overflow is proven."
        breaks "VIEW-4", kind "orphan-tool-pair", under reference(),
        {
            fn waits_for_calls(&self, kind: StepKind, view: &[Message]) -> bool {
                kind != StepKind::Overflow && open_call(view)
            }
        }

    "interim-is-not-stored":
        "What was an interim result is a final one when it is loaded."
        breaks "VIEW-4", kind "restart-amnesia", under reference(),
        {
            fn reloaded(&self, messages: Vec<Message>, _: &Restart) -> Vec<Message> {
                messages.into_iter().map(|message| Message { interim: false, ..message }).collect()
            }
        }

    "recoveries-of-all-conversations":
        "An overflow that could not be helped in one conversation uses up the recovery of every other."
        breaks "FRC-3", kind "cross-session-leak", under reference(),
        {
            fn recovery_key<'a>(&self, _: &'a str) -> &'a str {
                ""
            }
        }

    "names-without-case":
        "The state of a conversation is in a file of its name, on a disk that knows no capitals."
        breaks "ISO-1", kind "cross-session-leak", under reference(),
        {
            fn state_key<'a>(&self, conversation: &'a str) -> &'a str {
                conversation.trim_start_matches(|letter: char| !letter.is_ascii_digit())
            }
        }

    "a-report-is-a-fresh-start":
        "What the provider reports clears throttle and latch."
        breaks "THR-2" and "LAT-1", kind "latch-wrong-actor", under reference(),
        {
            fn notes_usage(&self, memory: &mut Memory) {
                *memory = Memory::default();
            }
        }

    "one-state-for-all":
        "All conversations share one throttle and one latch."
        breaks "ISO-1" and "THR-3", kind "cross-session-leak", under reference(),
        {
            fn state_key<'a>(&self, _: &'a str) -> &'a str {
                ""
            }
        }

    "strikes-of-all-conversations":
        "Failures in a row are counted over all conversations."
        breaks "ISO-1", kind "cross-session-leak", under three_strikes(), state Cell<u32>,
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                latch.strikes = self.0.get();
                Sound.record(contract, latch, outcome, here);
                self.0.set(latch.strikes);
            }
        }

    "a-success-anywhere-opens":
        "A success in any conversation opens the latch that is asked next."
        breaks "ISO-1", kind "latch-wrong-actor", under latch_only(), state Cell<bool>,
        {
            fn record(&self, contract: &Contract, latch: &mut LatchState, outcome: Outcome, here: Point) {
                self.0.set(outcome == Outcome::Success);
                Sound.record(contract, latch, outcome, here);
            }
            fn reopened(&self, contract: &Contract, growth: u64, elapsed_s: f64) -> bool {
                self.0.take() || Sound.reopened(contract, growth, elapsed_s)
            }
        }

    "one-growth-mark-for-all":
        "Growth lifts its cooldown, which it claims nothing about, once the log is longer than any was at its last attempt."
        breaks "ISO-1", kind "cross-session-leak", under less(Capability::Overflow, unspecified()), state Cell<usize>,
        {
            fn failed(&self, conversation: &mut Conversation, _: Outcome) {
                self.0.set(self.0.get().max(conversation.log().len()));
            }
            fn installed(&self, conversation: &mut Conversation) {
                self.0.set(self.0.get().max(conversation.log().len()));
            }
            fn growth(&self, conversation: &Conversation, point: &mut Point, counts: &dyn Fn(&Message) -> bool) -> u64 {
                let seen = point.log.max(self.0.get());
                conversation.log().iter().skip(seen).filter(|message| counts(message)).count() as u64
            }
            fn growth_lifts(&self, _: &Contract, growth: u64) -> bool {
                growth > 0
            }
        }

    "remembers-sixty-four":
        "It keeps throttle and latch of the sixty-four conversations that it served last."
        breaks "ISO-2", kind "cross-session-leak", under reference(), state RefCell<VecDeque<String>>,
        {
            fn forgets(&self, memories: &mut BTreeMap<String, Memory>, key: &str) {
                forget_beyond(64, &mut self.0.borrow_mut(), memories, key);
            }
        }

    "remembers-five-hundred-and-twelve":
        "It keeps throttle and latch of the five hundred and twelve conversations that it served last."
        breaks "ISO-2", kind "cross-session-leak", under reference(), state RefCell<VecDeque<String>>,
        {
            fn forgets(&self, memories: &mut BTreeMap<String, Memory>, key: &str) {
                forget_beyond(512, &mut self.0.borrow_mut(), memories, key);
            }
        }

    "restart-forgets-the-latch":
        "It declares that the latch survives a restart, and keeps it in memory only."
        breaks "ISO-3", kind "restart-amnesia", under reference(),
        {
            fn restarted(&self, _: &Contract, memory: &mut Memory, _: &Restart) {
                memory.latch = LatchState::default();
            }
        }

    "restart-forgets-the-cooldown":
        "It declares that the cooldown survives a restart, and keeps it in memory only."
        breaks "ISO-3", kind "restart-amnesia", under cooldown_only(),
        {
            fn restarted(&self, _: &Contract, memory: &mut Memory, _: &Restart) {
                memory.throttle = ThrottleState::default();
            }
        }

    "restart-forgets-the-strikes":
        "A restart clears the strikes of a latch that has not closed yet."
        breaks "ISO-3", kind "restart-amnesia", under three_strikes(),
        {
            fn restarted(&self, _: &Contract, memory: &mut Memory, _: &Restart) {
                memory.latch.strikes = 0;
            }
        }

    "restart-forgets-the-growth":
        "Growth lifts its cooldown, which it claims nothing about, and is counted anew after a restart."
        breaks "ISO-3", kind "restart-amnesia", under unspecified(),
        {
            fn growth_lifts(&self, _: &Contract, growth: u64) -> bool {
                growth > 0
            }
            fn restarted(&self, _: &Contract, memory: &mut Memory, _: &Restart) {
                if let Some(last) = memory.throttle.last.as_mut() {
                    last.log = usize::MAX;
                }
            }
        }

    "survives-what-it-should-not":
        "It declares that a restart clears throttle and latch, and stores both."
        breaks "ISO-3", kind "latch-stuck", under volatile(),
        {
            fn restarted(&self, _: &Contract, _: &mut Memory, _: &Restart) {}
        }

    "restart-brings-everything-back":
        "After a restart the view is the log again."
        breaks "ISO-5", kind "restart-amnesia", under reference(),
        {
            fn stored(&self, log: &[Message], _: Vec<Message>) -> Vec<Message> {
                log.to_vec()
            }
        }

    "restart-loses-the-summary":
        "What it stores of a view are the messages of the log, and the summary is none."
        breaks "ISO-5", kind "restart-amnesia", under reference(),
        {
            fn stored(&self, _: &[Message], mut view: Vec<Message>) -> Vec<Message> {
                view.retain(|message| !message.summary);
                view
            }
        }

    "what-was-cut-off-never-was":
        "An attempt is noted when it has ended, and one that a restart cuts off is made again at once."
        breaks "ISO-5", kind "restart-amnesia", under reference(),
        {
            fn cut_off(&self, _: &Contract, _: &mut Memory, _: Point) {}
        }

    "still-compacting":
        "After a restart it waits for an attempt that the restart has cut off."
        breaks "ISO-5", kind "restart-amnesia", under cooldown_only(), state Cell<bool>,
        {
            fn cut_off(&self, _: &Contract, _: &mut Memory, _: Point) {
                self.0.set(true);
            }
            fn is_enough(&self, contract: &Contract, view: &[Message], eligible: &[usize]) -> bool {
                Sound.is_enough(contract, view, eligible) && !self.0.get()
            }
        }

    "tosses-a-coin":
        "Whether there is enough to summarise depends on a random number."
        breaks "ISO-4", kind "sequence-damage", under reference(),
        {
            fn is_enough(&self, contract: &Contract, view: &[Message], eligible: &[usize]) -> bool {
                Sound.is_enough(contract, view, eligible) && fastrand::bool()
            }
        }

    "order-of-a-hash-table":
        "Which message it trims first depends on the order of a hash table."
        breaks "ISO-4", kind "sequence-damage", under reference(),
        {
            fn shorten(&self, content: &str) -> String {
                let keep = if RandomState::new().hash_one(content).is_multiple_of(2) { 200 } else { 100 };
                let kept: String = content.chars().take(keep).collect();
                format!("{kept} [trimmed]")
            }
        }

    "remembers-other-runs":
        "A counter of the process, not of the conversation, makes it skip every third attempt."
        breaks "ISO-4", kind "cross-session-leak", under reference(),
        {
            fn is_enough(&self, contract: &Contract, view: &[Message], eligible: &[usize]) -> bool {
                Sound.is_enough(contract, view, eligible) && ATTEMPTS.fetch_add(1, Ordering::Relaxed) % 3 != 2
            }
        }

    "waits-for-the-clock-to-catch-up":
        "When the wall clock steps back it waits until the old time is reached again."
        breaks "CLK-1", kind "clock-domain", under cooldown_only(),
        {
            fn elapsed(&self, point: &mut Point, now_s: f64) -> f64 {
                now_s - point.clock_s
            }
        }

    "a-small-step-back-is-waited-for":
        "Where the clock has stepped back it attempts at once, and then waits until the clock has caught up."
        breaks "CLK-1", kind "clock-domain", under growth_ignored(),
        {
            fn elapsed(&self, point: &mut Point, now_s: f64) -> f64 {
                let elapsed = now_s - point.clock_s;
                if elapsed < 0.0 { f64::INFINITY } else { elapsed }
            }
        }

    "an-abort-cools-by-the-wall-clock":
        "An attempt that was interrupted starts the cooldown, which lasts longer where the wall clock steps back."
        breaks "CLK-1" and "LAT-13", kind "clock-domain", under reference(),
        {
            fn starts_cooldown(&self, _: &Contract, _: Outcome) -> bool {
                true
            }
            fn elapsed(&self, point: &mut Point, now_s: f64) -> f64 {
                now_s - point.clock_s
            }
        }

    "only-the-latest-time-counts":
        "A clock below the latest time that it has seen starts every wait anew."
        breaks "CLK-1", kind "clock-domain", under half_open_timer(), state Cell<f64>,
        {
            fn elapsed(&self, point: &mut Point, now_s: f64) -> f64 {
                if now_s < self.0.get() {
                    point.clock_s = now_s;
                } else {
                    self.0.set(now_s);
                }
                point.elapsed(now_s)
            }
        }

    "time-of-another-process":
        "It stores a monotonic time and compares it with the clock of the next process."
        breaks "CLK-2" and "ISO-3", kind "clock-domain", under Contract { latch: None, ..monotonic() },
        {
            fn elapsed(&self, point: &mut Point, now_s: f64) -> f64 {
                now_s - point.clock_s
            }
            fn restarted(&self, _: &Contract, _: &mut Memory, _: &Restart) {}
        }

    "restart-adds-a-cooldown":
        "After a restart it waits the rest of the old cooldown and a whole new one."
        breaks "CLK-2" and "ISO-3", kind "clock-domain", under Contract { latch: None, ..monotonic() },
        {
            fn elapsed(&self, point: &mut Point, now_s: f64) -> f64 {
                now_s - point.clock_s
            }
            fn restarted(&self, _: &Contract, memory: &mut Memory, restart: &Restart) {
                for point in memory.throttle.last.iter_mut().chain(memory.latch.latched.iter_mut()) {
                    point.clock_s = restart.monotonic_s + 60.0;
                }
            }
        }
};

/// Keeps the memories of the `most` keys that were used last.
fn forget_beyond(most: usize, used: &mut VecDeque<String>, memories: &mut BTreeMap<String, Memory>, key: &str) {
    if used.back().is_some_and(|last| last == key) {
        return;
    }
    used.retain(|other| other != key);
    used.push_back(key.to_owned());
    while used.len() > most {
        if let Some(oldest) = used.pop_front() {
            memories.remove(&oldest);
        }
    }
}
