//! The general form: do it again only when something has changed since the last time.
//!
//! What changes stands in a log that only grows. An attempt notes how long the log is *before* it runs, so that whatever
//! comes in meanwhile comes after it; and of what stands after that mark only what [counts] is counted, so that the
//! operation's own traces are no reason to run it again. Throttle and latch of the compactor are two guards of this kind,
//! with messages for changes: [`changes`] and [`reopens`] are all that they know of growth.
//!
//! [counts]: ChangeEvent::counts

use std::collections::BTreeMap;

use crate::candidate::{ChangeGuard, Error};
use crate::change::{ChangeEvent, GuardName, GuardedAttempt, GuardedOutcome};
use crate::contract::ChangeRules;

/// How much of `log` after the mark `seen` counts.
pub(crate) fn changes<T>(log: &[T], seen: usize, counts: impl Fn(&T) -> bool) -> u64 {
    log.iter().skip(seen).filter(|change| counts(change)).count() as u64
}

/// Whether so many changes reopen a guard that takes `needed`.
pub(crate) fn reopens(changes: u64, needed: u64) -> bool {
    changes >= needed
}

/// The reference for guards by change: conforms to every requirement of the general form under any contract.
///
/// ```
/// use plimsoll::{ChangeBy, ChangeEvent, ChangeGuard, ChangeRules, GuardName, GuardedAttempt, GuardedOutcome};
/// use plimsoll::ReferenceGuard;
///
/// let mut guard = ReferenceGuard::new(ChangeRules::default());
/// let fails = GuardedAttempt::new(GuardedOutcome::Fail, vec![ChangeEvent::new(ChangeBy::Itself, true)]);
/// assert!(guard.attempt(GuardName::File, &fails, 0.0).unwrap());
/// assert!(!guard.attempt(GuardName::File, &fails, 1.0).unwrap());
/// for _ in 0..2 {
///     guard.change(GuardName::File, ChangeEvent::new(ChangeBy::External, true)).unwrap();
/// }
/// assert!(guard.attempt(GuardName::File, &fails, 2.0).unwrap());
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReferenceGuard {
    rules: ChangeRules,
    guards: BTreeMap<GuardName, Guarded>,
}

/// One guarded operation.
#[derive(Clone, Debug, Default)]
struct Guarded {
    /// All that changed.
    log: Vec<ChangeEvent>,
    /// How long the log was when the operation last began, and how it ended.
    last: Option<(usize, GuardedOutcome)>,
}

impl ReferenceGuard {
    /// A guard by these rules.
    #[must_use]
    pub fn new(rules: ChangeRules) -> Self {
        Self { rules, guards: BTreeMap::new() }
    }
}

impl ChangeGuard for ReferenceGuard {
    fn change(&mut self, guard: GuardName, event: ChangeEvent) -> Result<(), Error> {
        self.guards.entry(guard).or_default().log.push(event);
        Ok(())
    }

    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        let guarded = self.guards.entry(guard).or_default();
        let open = guarded.last.is_none_or(|(seen, outcome)| {
            let needed = match outcome {
                GuardedOutcome::Ok => self.rules.after_success,
                GuardedOutcome::Fail => self.rules.after_failure,
            };
            reopens(changes(&guarded.log, seen, |event| event.counts()), needed.into())
        });
        if open {
            guarded.last = Some((guarded.log.len(), attempt.outcome));
            guarded.log.extend(&attempt.during);
        }
        Ok(open)
    }
}
