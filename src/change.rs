//! The general form as plain data: what changes, what is attempted, and a case of both.

use serde::{Deserialize, Serialize};

use crate::contract::words;

words! {
    /// A guard by its name: one of the three worked examples, or any other.
    GuardName {
        /// A retry loop that waits until a file changes, and writes to it.
        File => "file",
        /// A bot that answers when there are new comments, and answers by one.
        Comments => "comments",
        /// A check that repeats its alert when the incident record changes, and notes the alert there.
        Health => "health",
        /// Any other.
        Any => "any",
    }
}

words! {
    /// Who caused a change.
    ChangeBy {
        /// Somebody else.
        External => "external",
        /// The guarded operation itself.
        Itself => "self",
    }
}

words! {
    /// How the guarded operation ends, if it runs.
    GuardedOutcome {
        /// It succeeds.
        Ok => "ok",
        /// It fails.
        Fail => "fail",
    }
}

/// Something changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChangeEvent {
    /// Who caused it.
    pub by: ChangeBy,
    /// Whether the outcome of the operation can depend on it.
    pub relevant: bool,
}

impl ChangeEvent {
    /// A change by `by`.
    #[must_use]
    pub const fn new(by: ChangeBy, relevant: bool) -> Self {
        Self { by, relevant }
    }

    /// Whether it counts: relevant, and by somebody else.
    ///
    /// ```
    /// use plimsoll::{ChangeBy, ChangeEvent};
    /// assert!(ChangeEvent::new(ChangeBy::External, true).counts());
    /// assert!(!ChangeEvent::new(ChangeBy::Itself, true).counts());
    /// ```
    #[must_use]
    pub const fn counts(self) -> bool {
        self.relevant && matches!(self.by, ChangeBy::External)
    }
}

/// One attempt at the guarded operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GuardedAttempt {
    /// How the operation ends, if it runs.
    pub outcome: GuardedOutcome,
    /// What happens while it runs, in this order, if it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub during: Vec<ChangeEvent>,
}

impl GuardedAttempt {
    /// An attempt that would end in `outcome`, and what would happen meanwhile.
    #[must_use]
    pub fn new(outcome: GuardedOutcome, during: Vec<ChangeEvent>) -> Self {
        Self { outcome, during }
    }
}

/// What the host does to a guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeAct {
    /// Something changes, so many times.
    Event {
        /// What changes.
        #[serde(flatten)]
        event: ChangeEvent,
        /// How often.
        #[serde(default = "once", skip_serializing_if = "is_once")]
        times: u32,
    },
    /// So many seconds pass.
    Wait(u32),
    /// The operation is attempted.
    Attempt(GuardedAttempt),
}

fn once() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_once(times: &u32) -> bool {
    *times == 1
}

/// What happens around one guard, from a fresh start. One case is one JSON line.
///
/// ```
/// use plimsoll::LimitCase;
/// let line = r#"{"change":{"guard":"file","acts":[{"attempt":{"outcome":"fail"}},{"event":{"by":"self","relevant":true}},{"attempt":{"outcome":"ok"}}]}}"#;
/// let case = LimitCase::from_line(line).unwrap();
/// assert_eq!(case.to_line(), line);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ChangeCase {
    /// The guard.
    pub guard: GuardName,
    /// What happens, in order.
    pub acts: Vec<ChangeAct>,
}

/// What a variant of a case keeps of what happened since an attempt that ran.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    /// Changes by the operation itself.
    pub(crate) own: bool,
    /// Irrelevant changes by others.
    pub(crate) irrelevant: bool,
}

impl ChangeCase {
    /// A case.
    #[must_use]
    pub fn new(guard: GuardName, acts: Vec<ChangeAct>) -> Self {
        Self { guard, acts }
    }

    /// The acts up to and including that at `to`, with what happened since the attempt at `from` ran thinned out, and what
    /// counted while it ran moved to right after it.
    pub(crate) fn variant(&self, from: usize, to: usize, kept: Kept) -> Self {
        let stays = |event: &ChangeEvent| match (event.by, event.relevant) {
            (ChangeBy::Itself, _) => kept.own,
            (ChangeBy::External, false) => kept.irrelevant,
            (ChangeBy::External, true) => true,
        };
        let mut acts = self.acts[..from].to_vec();
        for act in &self.acts[from..=to] {
            match act {
                ChangeAct::Attempt(attempt) if acts.len() == from => {
                    let (after, during): (Vec<ChangeEvent>, Vec<ChangeEvent>) =
                        attempt.during.iter().filter(|event| stays(event)).partition(|event| event.counts());
                    acts.push(ChangeAct::Attempt(GuardedAttempt { outcome: attempt.outcome, during }));
                    acts.extend(after.into_iter().map(|event| ChangeAct::Event { event, times: 1 }));
                }
                ChangeAct::Event { event, .. } if !stays(event) => {}
                act => acts.push(act.clone()),
            }
        }
        Self { guard: self.guard, acts }
    }
}
