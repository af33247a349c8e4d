//! The general form: do it again only when something has changed since the last time.
//!
//! After each attempt that ran one number decides: how many relevant changes by others have come since it began. Where a
//! guard decides otherwise, the case is played again with a part of what happened left out; whatever makes the wrong
//! decision go away is its cause.

use super::limit::{Ruling, breaks_if};
use super::{Check, Level, Requirement};
use crate::change::{ChangeAct, ChangeBy, ChangeCase, GuardName, GuardedOutcome};
use crate::contract::{Capability, ChangeRules, Contract};

/// The rows, in the order of the specification.
pub(super) const ALL: &[Requirement] = &[CHG_1, CHG_2, CHG_3, CHG_4, CHG_5];

const CHAPTER: &str = "change.md";

fn applies(contract: &Contract) -> bool {
    contract.claims(Capability::Change)
}

/// A case and what the guard made of it.
#[derive(Clone, Debug)]
pub(crate) struct Guarding {
    pub(crate) guard: GuardName,
    pub(crate) acts: Vec<ChangeAct>,
    /// The attempts, up to the first that was decided wrongly.
    pub(crate) attempts: Vec<Attempted>,
    /// What else was found out about that one.
    pub(crate) twins: Option<Twins>,
}

/// An attempt, and what had happened before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attempted {
    /// Its place among the acts.
    pub(crate) act: usize,
    pub(crate) ran: bool,
    /// The last attempt that ran; none before the first.
    pub(crate) last: Option<Since>,
}

/// What happened since an attempt that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Since {
    /// Its place among the acts.
    pub(crate) act: usize,
    pub(crate) outcome: GuardedOutcome,
    /// Relevant changes by others, and how many of them came while it ran.
    pub(crate) relevant: u32,
    pub(crate) during: u32,
    pub(crate) irrelevant: u32,
    /// Changes by the operation itself.
    pub(crate) own: u32,
    /// Relevant changes that it takes.
    pub(crate) needed: u32,
}

/// Whether the attempt ran in variants of the case. In all of them what counted while the last one ran came right after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Twins {
    /// With nothing else left out.
    pub(crate) moved: bool,
    /// Without changes by the operation itself and without irrelevant ones.
    pub(crate) plain: bool,
    /// Without irrelevant changes.
    pub(crate) own: bool,
    /// Without changes by the operation itself.
    pub(crate) irrelevant: bool,
}

/// What made a guard decide wrongly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Blame {
    own: bool,
    irrelevant: bool,
    during: bool,
    number: bool,
}

impl Since {
    fn new(act: usize, outcome: GuardedOutcome, rules: &ChangeRules) -> Self {
        let needed = match outcome {
            GuardedOutcome::Ok => rules.after_success,
            GuardedOutcome::Fail => rules.after_failure,
        };
        Self { act, outcome, relevant: 0, during: 0, irrelevant: 0, own: 0, needed }
    }

    fn note(&mut self, event: crate::change::ChangeEvent, times: u32) {
        let count = match (event.by, event.relevant) {
            (ChangeBy::Itself, _) => &mut self.own,
            (ChangeBy::External, true) => &mut self.relevant,
            (ChangeBy::External, false) => &mut self.irrelevant,
        };
        *count += times;
    }
}

impl Attempted {
    /// Whether it had to run.
    pub(crate) fn due(&self) -> bool {
        self.last.is_none_or(|since| since.relevant >= since.needed)
    }
}

impl Guarding {
    /// What was decided in `case`: whether each attempt ran, in order.
    pub(crate) fn new(rules: &ChangeRules, case: &ChangeCase, ran: &[bool]) -> Self {
        let mut seen = Self { guard: case.guard, acts: case.acts.clone(), attempts: Vec::new(), twins: None };
        let mut last: Option<Since> = None;
        let mut ran = ran.iter();
        for (act, what) in case.acts.iter().enumerate() {
            match what {
                ChangeAct::Event { event, times } => {
                    if let Some(since) = &mut last {
                        since.note(*event, *times);
                    }
                }
                ChangeAct::Wait(_) => {}
                ChangeAct::Attempt(attempt) => {
                    let Some(&ran) = ran.next() else { break };
                    seen.attempts.push(Attempted { act, ran, last });
                    if seen.wrong().is_some() {
                        break;
                    }
                    if ran {
                        let mut since = Since::new(act, attempt.outcome, rules);
                        attempt.during.iter().for_each(|event| since.note(*event, 1));
                        since.during = since.relevant;
                        last = Some(since);
                    }
                }
            }
        }
        seen
    }

    /// The attempt that was decided wrongly: the last one, if any.
    pub(crate) fn wrong(&self) -> Option<&Attempted> {
        self.attempts.last().filter(|attempted| attempted.ran != attempted.due())
    }

    fn blame(&self) -> Blame {
        let number = Blame { number: true, ..Blame::default() };
        let Some((wrong, since)) = self.wrong().and_then(|wrong| Some((wrong, wrong.last?))) else {
            return Blame { number: self.wrong().is_some(), ..Blame::default() };
        };
        let Some(twins) = self.twins else { return number };
        let during = Blame { during: true, ..Blame::default() };
        match wrong.ran {
            false if since.during > 0 && twins.moved => during,
            false => number,
            true if twins.plain => number,
            true if since.during > 0 && !twins.moved => during,
            true if !twins.own && !twins.irrelevant => {
                Blame { own: since.own > 0, irrelevant: since.irrelevant > 0, ..Blame::default() }
            }
            true => Blame { own: twins.own, irrelevant: twins.irrelevant, ..Blame::default() },
        }
    }

    /// Judges the attempts for which `asks` holds; `blamed` says whether the wrong one is this requirement's.
    fn rule(
        &self,
        asks: impl Fn(&Attempted) -> bool,
        blamed: impl Fn(Blame, &Attempted) -> Option<&'static str>,
    ) -> Ruling {
        let wrong = self.wrong().and_then(|wrong| Some((blamed(self.blame(), wrong)?, wrong)));
        match wrong {
            Some((reason, wrong)) => breaks_if(true, reason, &numbers(wrong)),
            None if self.attempts.iter().any(|attempted| attempted.ran == attempted.due() && asks(attempted)) => {
                Ruling::Holds
            }
            None => Ruling::Silent,
        }
    }
}

fn numbers(wrong: &Attempted) -> Vec<(&'static str, usize)> {
    let mut numbers = vec![("act", wrong.act + 1)];
    if let Some(since) = wrong.last {
        let counts = [
            ("relevant", since.relevant),
            ("needed", since.needed),
            ("own", since.own),
            ("irrelevant", since.irrelevant),
        ];
        numbers.extend(counts.map(|(name, count)| (name, count as usize)));
    }
    numbers
}

/// Too early or too late, after an attempt that ended like `outcome`.
fn by_number(blame: Blame, wrong: &Attempted, outcome: GuardedOutcome) -> Option<&'static str> {
    let reason = if wrong.ran { "reopened_too_early" } else { "not_reopened" };
    (blame.number && wrong.last?.outcome == outcome).then_some(reason)
}

const CHG_1: Requirement = Requirement {
    id: "CHG-1",
    level: Level::Must,
    sentence: "A change that the operation itself caused MUST NOT reopen its guard.",
    chapter: CHAPTER,
    implies: &[],
    applies,
    check: Check::Guard(own_changes_reopen_nothing),
};

fn own_changes_reopen_nothing(seen: &Guarding, _: &Contract) -> Ruling {
    let asks = |attempted: &Attempted| !attempted.due() && attempted.last.is_some_and(|since| since.own > 0);
    seen.rule(asks, |blame, _| blame.own.then_some("own_change_reopens"))
}

const CHG_2: Requirement = Requirement {
    id: "CHG-2",
    level: Level::Must,
    sentence: "After a success, `after_success` relevant external changes MUST reopen the guard.",
    chapter: CHAPTER,
    implies: &[],
    applies,
    check: Check::Guard(a_success_waits_for_so_many),
};

fn a_success_waits_for_so_many(seen: &Guarding, _: &Contract) -> Ruling {
    let asks = |attempted: &Attempted| {
        attempted.due() && attempted.last.is_some_and(|since| since.outcome == GuardedOutcome::Ok)
    };
    seen.rule(asks, |blame, wrong| match wrong.last {
        None => Some("first_attempt_refused"),
        Some(_) => by_number(blame, wrong, GuardedOutcome::Ok),
    })
}

const CHG_3: Requirement = Requirement {
    id: "CHG-3",
    level: Level::Must,
    sentence: "An irrelevant external change MUST NOT reopen the guard.",
    chapter: CHAPTER,
    implies: &[],
    applies,
    check: Check::Guard(irrelevant_changes_reopen_nothing),
};

fn irrelevant_changes_reopen_nothing(seen: &Guarding, _: &Contract) -> Ruling {
    let asks = |attempted: &Attempted| !attempted.due() && attempted.last.is_some_and(|since| since.irrelevant > 0);
    seen.rule(asks, |blame, _| blame.irrelevant.then_some("irrelevant_change_reopens"))
}

const CHG_4: Requirement = Requirement {
    id: "CHG-4",
    level: Level::Must,
    sentence: "After a failure it MUST take `after_failure` relevant external changes to reopen the guard, not just any change.",
    chapter: CHAPTER,
    implies: &[],
    applies,
    check: Check::Guard(a_failure_waits_for_so_many),
};

fn a_failure_waits_for_so_many(seen: &Guarding, _: &Contract) -> Ruling {
    let asks = |attempted: &Attempted| {
        let failed = |since: Since| since.outcome == GuardedOutcome::Fail;
        // One below, or enough: elsewhere nearly every guard decides alike.
        attempted.last.is_some_and(|since| failed(since) && since.relevant + 1 >= since.needed)
    };
    seen.rule(asks, |blame, wrong| by_number(blame, wrong, GuardedOutcome::Fail))
}

const CHG_5: Requirement = Requirement {
    id: "CHG-5",
    level: Level::Must,
    sentence: "A relevant external change MUST count as coming after the operation if it arrives while the operation runs, so \
        that no wake-up is lost.",
    chapter: CHAPTER,
    implies: &[],
    applies,
    check: Check::Guard(no_wake_up_is_lost),
};

fn no_wake_up_is_lost(seen: &Guarding, _: &Contract) -> Ruling {
    let asks = |attempted: &Attempted| attempted.last.is_some_and(|since| since.during > 0);
    seen.rule(asks, |blame, wrong| {
        let reason = if wrong.ran { "counted_otherwise" } else { "wake_up_lost" };
        blame.during.then_some(reason)
    })
}
