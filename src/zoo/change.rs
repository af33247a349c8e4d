//! Guards by change: bad ones as they come about, a few lines each, and sound ones of other designs than the reference.

use std::collections::VecDeque;

use super::{Row, row_of};
use crate::candidate::{ChangeGuard, Error};
use crate::change::{ChangeBy, ChangeEvent, GuardName, GuardedAttempt, GuardedOutcome};
use crate::contract::ChangeRules;

row_of!(Guard, fn(&ChangeRules) -> Box<dyn ChangeGuard>);

/// In the order of the specification.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("file-by-its-time-stamp", "A retry loop takes the file's new time stamp for a change, its own writing included.",
        &["CHG-1", "CHG-3", "CHG-4"], &[], "self-trigger", "{}", |_| Box::new(Stamped::default())),
    row("comments-by-their-number", "A reply bot counts the comments of the thread, its own among them.",
        &["CHG-1"], &[], "self-trigger", "{}", |rules| counting(rules, |event| event.relevant)),
    row("record-by-its-version", "A health check compares the record's version, which every update raises, the note of its alert too.",
        &["CHG-1", "CHG-3"], &[], "self-trigger", "{}", |rules| counting(rules, |_| true)),
    row("success-needs-nobody", "After a success its own first change is enough to go on.",
        &["CHG-1"], &[], "self-trigger", "{}", |rules| tallying(rules, |tally, event| {
            tally.news += u32::from(event.counts() || event.by == ChangeBy::Itself && tally.needed == tally.rules.after_success);
        })),
    row("never-runs", "It holds the operation back, always.",
        &["CHG-2"], &[], "latch-stuck", "{}", |_| Box::new(Fixed(false))),
    row("once-and-for-all", "After a success it never runs again.",
        &["CHG-2"], &[], "latch-stuck", "{}", |rules| needing(rules, |_, outcome| match outcome {
            GuardedOutcome::Ok => u32::MAX,
            GuardedOutcome::Fail => 2,
        })),
    row("one-more-than-declared", "It takes one change more than it declares, after a success.",
        &["CHG-2"], &[], "boundary", r#"{"after_success": 3}"#, |rules| needing(rules, |rules, outcome| match outcome {
            GuardedOutcome::Ok => rules.after_success + 1,
            GuardedOutcome::Fail => rules.after_failure,
        })),
    row("always-runs", "It runs whenever it is asked.",
        &["CHG-2", "CHG-4"], &[], "retry-storm", "{}", |_| Box::new(Fixed(true))),
    row("every-event-is-news", "It counts every change by others, whether the operation depends on it or not.",
        &["CHG-3"], &[], "self-trigger", "{}", |rules| counting(rules, |event| event.by == ChangeBy::External)),
    row("much-noise-is-news", "Ten irrelevant changes pass for a relevant one.",
        &["CHG-3"], &[], "self-trigger", "{}", |rules| tallying(rules, |tally, event| {
            tally.noise += u32::from(event.by == ChangeBy::External && !event.relevant);
            if event.counts() || tally.noise == 10 {
                (tally.noise, tally.news) = (0, tally.news + 1);
            }
        })),
    row("any-change-after-a-failure", "After a failure a single change is enough, whatever it declares.",
        &["CHG-4"], &[], "retry-storm", r#"{"after_failure": 3}"#, |rules| needing(rules, |rules, _| rules.after_success)),
    row("retries-after-an-hour", "After a failure it tries again when an hour has passed, changed or not.",
        &["CHG-4"], &[], "retry-storm", "{}", |rules| Box::new(Patient { tally: Tally::new(rules), failed_at: None })),
    row("gives-up-after-a-failure", "After a failure it never runs again.",
        &["CHG-4"], &[], "latch-stuck", "{}", |rules| needing(rules, |rules, outcome| match outcome {
            GuardedOutcome::Ok => rules.after_success,
            GuardedOutcome::Fail => u32::MAX,
        })),
    row("looks-around-afterwards", "It notes the state of the world after the operation: what came in meanwhile is not news.",
        &["CHG-5"], &[], "in-flight-race", "{}", |rules| Box::new(Afterwards(Tally::new(rules)))),
    row("clears-its-flag-at-the-end", "A flag says that something changed, and the end of the operation clears it.",
        &["CHG-5"], &[], "in-flight-race", r#"{"after_failure": 1}"#, |_| Box::new(Flag { up: true, clears_first: false })),
    row("counts-arrivals-for-two", "What comes in while the operation runs counts double.",
        &["CHG-5"], &[], "in-flight-race", r#"{"after_success": 2, "after_failure": 3}"#, |rules| {
            Box::new(Double(Tally::new(rules)))
        }),
];

/// In no order.
#[rustfmt::skip]
pub(super) const SOUND: &[Row] = &[
    row("flag-cleared-at-the-start", "A flag says that something changed; the operation clears it as it begins.",
        &[], &[], "sound", r#"{"after_failure": 1}"#, |_| Box::new(Flag { up: true, clears_first: true })),
    row("queue-drained-at-the-start", "Changes wait in a queue, which the operation takes as a whole when it begins.",
        &[], &[], "sound", r#"{"after_success": 2, "after_failure": 5}"#, |rules| Box::new(Queue::new(rules))),
    row("content-without-own-lines", "It compares what others wrote with what it read last, and leaves its own lines out.",
        &[], &[], "sound", r#"{"after_failure": 1}"#, |_| Box::new(Content::default())),
    row("failures-are-cheap", "It takes three changes after a success, and one after a failure.",
        &[], &[], "sound", r#"{"after_success": 3, "after_failure": 1}"#, |rules| counting(rules, |event| event.counts())),
    row("counts-down", "It counts what is still missing down to nothing.",
        &[], &[], "sound", r#"{"after_success": 1, "after_failure": 20}"#, |rules| Box::new(Countdown { rules: rules.clone(), missing: 0 })),
];

/// What has changed since the last attempt that ran, noted as it comes.
#[derive(Clone)]
struct Tally {
    rules: ChangeRules,
    news: u32,
    noise: u32,
    /// What it takes; nothing before the first attempt.
    needed: u32,
}

impl Tally {
    fn new(rules: &ChangeRules) -> Self {
        Self { rules: rules.clone(), news: 0, noise: 0, needed: 0 }
    }

    fn needs(rules: &ChangeRules, outcome: GuardedOutcome) -> u32 {
        match outcome {
            GuardedOutcome::Ok => rules.after_success,
            GuardedOutcome::Fail => rules.after_failure,
        }
    }

    fn begins(&mut self, outcome: GuardedOutcome) -> bool {
        let open = self.news >= self.needed;
        if open {
            (self.news, self.noise, self.needed) = (0, 0, Self::needs(&self.rules, outcome));
        }
        open
    }
}

type Notes = fn(&mut Tally, ChangeEvent);
type Needs = fn(&ChangeRules, GuardedOutcome) -> u32;

/// Notes changes with one function, and asks another how many it takes.
struct Noting {
    tally: Tally,
    notes: Notes,
    needs: Needs,
}

impl ChangeGuard for Noting {
    fn change(&mut self, _: GuardName, event: ChangeEvent) -> Result<(), Error> {
        (self.notes)(&mut self.tally, event);
        Ok(())
    }

    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        let open = self.tally.begins(attempt.outcome);
        if open {
            self.tally.needed = (self.needs)(&self.tally.rules, attempt.outcome);
            attempt.during.iter().try_for_each(|event| self.change(guard, *event))?;
        }
        Ok(open)
    }
}

fn tallying(rules: &ChangeRules, notes: Notes) -> Box<dyn ChangeGuard> {
    Box::new(Noting { tally: Tally::new(rules), notes, needs: Tally::needs })
}

fn needing(rules: &ChangeRules, needs: Needs) -> Box<dyn ChangeGuard> {
    let notes: Notes = |tally, event| tally.news += u32::from(event.counts());
    Box::new(Noting { tally: Tally::new(rules), notes, needs })
}

/// Compares a number that certain changes raise with what it was when the operation last began.
struct Counting {
    rules: ChangeRules,
    raises: fn(ChangeEvent) -> bool,
    number: u32,
    last: Option<(u32, u32)>,
}

fn counting(rules: &ChangeRules, raises: fn(ChangeEvent) -> bool) -> Box<dyn ChangeGuard> {
    Box::new(Counting { rules: rules.clone(), raises, number: 0, last: None })
}

impl ChangeGuard for Counting {
    fn change(&mut self, _: GuardName, event: ChangeEvent) -> Result<(), Error> {
        self.number += u32::from((self.raises)(event));
        Ok(())
    }

    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        let open = self.last.is_none_or(|(seen, needed)| self.number - seen >= needed);
        if open {
            self.last = Some((self.number, Tally::needs(&self.rules, attempt.outcome)));
            attempt.during.iter().try_for_each(|event| self.change(guard, *event))?;
        }
        Ok(open)
    }
}

/// A file with a time stamp, which every touch renews.
#[derive(Default)]
struct Stamped {
    stamp: u64,
    seen: Option<u64>,
}

impl ChangeGuard for Stamped {
    fn change(&mut self, _: GuardName, _: ChangeEvent) -> Result<(), Error> {
        self.stamp += 1;
        Ok(())
    }

    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        let open = self.seen != Some(self.stamp);
        if open {
            self.seen = Some(self.stamp);
            attempt.during.iter().try_for_each(|event| self.change(guard, *event))?;
        }
        Ok(open)
    }
}

struct Fixed(bool);

impl ChangeGuard for Fixed {
    fn change(&mut self, _: GuardName, _: ChangeEvent) -> Result<(), Error> {
        Ok(())
    }

    fn attempt(&mut self, _: GuardName, _: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        Ok(self.0)
    }
}

struct Patient {
    tally: Tally,
    failed_at: Option<f64>,
}

impl ChangeGuard for Patient {
    fn change(&mut self, _: GuardName, event: ChangeEvent) -> Result<(), Error> {
        self.tally.news += u32::from(event.counts());
        Ok(())
    }

    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, now_s: f64) -> Result<bool, Error> {
        if self.failed_at.is_some_and(|then| now_s - then >= 3_600.0) {
            self.tally.needed = 0;
        }
        let open = self.tally.begins(attempt.outcome);
        if open {
            self.failed_at = (attempt.outcome == GuardedOutcome::Fail).then_some(now_s);
            attempt.during.iter().try_for_each(|event| self.change(guard, *event))?;
        }
        Ok(open)
    }
}

struct Afterwards(Tally);

impl ChangeGuard for Afterwards {
    fn change(&mut self, _: GuardName, event: ChangeEvent) -> Result<(), Error> {
        self.0.news += u32::from(event.counts());
        Ok(())
    }

    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        let open = self.0.news >= self.0.needed;
        if open {
            attempt.during.iter().try_for_each(|event| self.change(guard, *event))?;
            self.0.begins(attempt.outcome);
        }
        Ok(open)
    }
}

struct Flag {
    up: bool,
    clears_first: bool,
}

impl ChangeGuard for Flag {
    fn change(&mut self, _: GuardName, event: ChangeEvent) -> Result<(), Error> {
        self.up |= event.counts();
        Ok(())
    }

    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        if !self.up {
            return Ok(false);
        }
        self.up &= !self.clears_first;
        attempt.during.iter().try_for_each(|event| self.change(guard, *event))?;
        self.up &= self.clears_first;
        Ok(true)
    }
}

struct Double(Tally);

impl ChangeGuard for Double {
    fn change(&mut self, _: GuardName, event: ChangeEvent) -> Result<(), Error> {
        self.0.news += u32::from(event.counts());
        Ok(())
    }

    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        let open = self.0.begins(attempt.outcome);
        if open {
            let twice = attempt.during.iter().chain(&attempt.during);
            twice.copied().try_for_each(|event| self.change(guard, event))?;
        }
        Ok(open)
    }
}

struct Queue {
    rules: ChangeRules,
    waiting: VecDeque<ChangeEvent>,
    needed: u32,
}

impl Queue {
    fn new(rules: &ChangeRules) -> Self {
        Self { rules: rules.clone(), waiting: VecDeque::new(), needed: 0 }
    }
}

impl ChangeGuard for Queue {
    fn change(&mut self, _: GuardName, event: ChangeEvent) -> Result<(), Error> {
        if event.counts() {
            self.waiting.push_back(event);
        }
        Ok(())
    }

    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        let open = self.waiting.len() >= self.needed as usize;
        if open {
            self.waiting.clear();
            attempt.during.iter().try_for_each(|event| self.change(guard, *event))?;
            self.needed = Tally::needs(&self.rules, attempt.outcome);
        }
        Ok(open)
    }
}

/// A text of lines, each with its author.
#[derive(Default)]
struct Content {
    lines: Vec<(ChangeBy, bool, usize)>,
    read: Option<Vec<(ChangeBy, bool, usize)>>,
}

impl Content {
    fn of_others(&self) -> Vec<(ChangeBy, bool, usize)> {
        self.lines.iter().filter(|(by, relevant, _)| *by == ChangeBy::External && *relevant).copied().collect()
    }
}

impl ChangeGuard for Content {
    fn change(&mut self, _: GuardName, event: ChangeEvent) -> Result<(), Error> {
        self.lines.push((event.by, event.relevant, self.lines.len()));
        Ok(())
    }

    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        let now = self.of_others();
        let open = self.read.as_ref() != Some(&now);
        if open {
            self.read = Some(now);
            attempt.during.iter().try_for_each(|event| self.change(guard, *event))?;
        }
        Ok(open)
    }
}

struct Countdown {
    rules: ChangeRules,
    missing: u32,
}

impl ChangeGuard for Countdown {
    fn change(&mut self, _: GuardName, event: ChangeEvent) -> Result<(), Error> {
        self.missing = self.missing.saturating_sub(u32::from(event.counts()));
        Ok(())
    }

    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        if self.missing > 0 {
            return Ok(false);
        }
        self.missing = Tally::needs(&self.rules, attempt.outcome);
        attempt.during.iter().try_for_each(|event| self.change(guard, *event)).map(|()| true)
    }
}
