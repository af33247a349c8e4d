//! The seam of the general form: any operation that is guarded by "something changed since the last attempt".

use super::Error;
use crate::change::{ChangeEvent, GuardName, GuardedAttempt};

/// Something that decides whether an operation may run again.
///
/// It is told of every change, by whom it was and whether the operation depends on it, and it is asked to attempt the
/// operation. The first attempt runs. After that the contract's `change.after_success` or `change.after_failure` relevant
/// changes by others have to come first. A guard that stands for something real, a file say, makes each change happen
/// there, and works out for itself what it has seen.
///
/// A case uses one guard, by its name; who has only one, or makes no difference between them, leaves the name unread.
///
/// ```
/// use plimsoll::{ChangeEvent, ChangeGuard, Error, GuardName, GuardedAttempt};
///
/// /// Runs again after each relevant change by others.
/// struct News(u64);
///
/// impl ChangeGuard for News {
///     fn change(&mut self, _: GuardName, event: ChangeEvent) -> Result<(), Error> {
///         self.0 += u64::from(event.counts());
///         Ok(())
///     }
///     fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, _: f64) -> Result<bool, Error> {
///         if self.0 == 0 {
///             return Ok(false);
///         }
///         self.0 = 0;
///         attempt.during.iter().try_for_each(|event| self.change(guard, *event)).map(|()| true)
///     }
/// }
///
/// let contract = plimsoll::Contract::from_json(r#"{"capabilities": ["change"], "change": {"after_failure": 1}}"#);
/// let report = plimsoll::check_guard(&contract.unwrap(), || News(1), &plimsoll::LimitBudget::default());
/// assert!(report.passed(), "{report}");
/// ```
pub trait ChangeGuard {
    /// Something changed, outside of any attempt. A change that comes several times is told as often.
    ///
    /// # Errors
    ///
    /// It could not be told: the candidate breaks off in this case, whatever the error.
    fn change(&mut self, guard: GuardName, event: ChangeEvent) -> Result<(), Error>;

    /// The operation is attempted: whether it ran. If it does, the events of `during` happen while it runs, and it ends in
    /// `outcome`; if not, nothing happens. `monotonic_s` is a monotonic clock, in seconds from the start of the case: 0 at first, the same
    /// again where no time has passed, and never less.
    ///
    /// # Errors
    ///
    /// There was no answer: the candidate breaks off in this case, whatever the error. That the operation fails is none.
    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, monotonic_s: f64) -> Result<bool, Error>;
}

impl<G: ChangeGuard + ?Sized> ChangeGuard for Box<G> {
    fn change(&mut self, guard: GuardName, event: ChangeEvent) -> Result<(), Error> {
        (**self).change(guard, event)
    }
    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, monotonic_s: f64) -> Result<bool, Error> {
        (**self).attempt(guard, attempt, monotonic_s)
    }
}
