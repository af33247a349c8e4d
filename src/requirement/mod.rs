//! The requirements: each a sentence, the contracts that it applies to, and the function that checks it.
//!
//! A *monitor* reads a judged trace and says how often the requirement was exercised and where it was broken. Whether a
//! wrong *decision* breaks a requirement is asked of the shortest witness only: which of its causes cannot be removed.
//! What is required at a limit is judged case by case: a field, a list of messages, a view.

mod alignment;
mod blame;
pub(crate) mod change;
mod cover;
pub(crate) mod field;
mod field_loss;
pub(crate) mod fit;
mod force;
pub(crate) mod gauge;
mod isolation;
mod latch;
pub(crate) mod limit;
mod log;
mod outcome;
mod own;
mod reasons;
pub(crate) mod reduction;
pub(crate) mod request;
mod throttle;
mod view;

pub(crate) use blame::{Blame, Cause, Trials, fallback, sentence};

use std::fmt;

use self::change::Guarding;
use self::fit::Fitting;
use self::gauge::Gauged;
use self::limit::Ruling;
use self::reduction::Reduction;
use self::request::Assembly;
use crate::contract::{Capability, Contract};
use crate::oracle::{Judged, Judgement};

/// Whether a requirement binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Level {
    /// It binds: breaking it fails the run.
    Must,
    /// It is advice: breaking it fails only a strict run.
    Should,
}

impl Level {
    /// `MUST` or `SHOULD`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
        }
    }
}

/// One requirement of the specification.
///
/// ```
/// let first = plimsoll::requirements().next().unwrap();
/// assert_eq!((first.id(), first.level().name()), ("LOG-1", "MUST"));
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Requirement {
    pub(crate) id: &'static str,
    pub(crate) level: Level,
    pub(crate) sentence: &'static str,
    pub(crate) chapter: &'static str,
    pub(crate) implies: &'static [&'static str],
    pub(crate) applies: fn(&Contract) -> bool,
    pub(crate) check: Check,
}

/// How a requirement is checked.
#[derive(Clone, Copy)]
pub(crate) enum Check {
    /// By what was observed.
    Observe(fn(&Case<'_>) -> Seen),
    /// By the causes of a wrong decision.
    Decide {
        /// How often the trace exercises it.
        exercised: fn(&Case<'_>, &Judged<'_>) -> bool,
        /// Whether it is to blame.
        blamed: fn(&Blame<'_>) -> bool,
    },
    /// By what was observed, and by the causes of a wrong decision.
    Both { observe: fn(&Case<'_>) -> Seen, blamed: fn(&Blame<'_>) -> bool },
    /// By playing the same history twice, or with something left out.
    Compare { exercised: fn(&Case<'_>, &Judged<'_>) -> bool, blamed: fn(&Blame<'_>) -> bool },
    /// By a reduced field, case by case.
    Reduce(fn(&Reduction, &Contract) -> Ruling),
    /// By trimmed messages, case by case.
    Fit(fn(&Fitting, &Contract) -> Ruling),
    /// By an assembled request, case by case.
    Assemble(fn(&Assembly, &Contract) -> Ruling),
    /// By what a guard decided, case by case.
    Guard(fn(&Guarding, &Contract) -> Ruling),
    /// By what a gauge answered, case by case.
    Gauge(fn(&Gauged, &Contract) -> Ruling),
    /// By what was observed, and by an assembled request, case by case.
    Send { observe: fn(&Case<'_>) -> Seen, assemble: fn(&Assembly, &Contract) -> Ruling },
}

impl Check {
    /// The capability whose cases at a limit it judges, if it judges any.
    pub(crate) fn side(&self) -> Option<Capability> {
        match self {
            Self::Reduce(_) => Some(Capability::Field),
            Self::Fit(_) => Some(Capability::Fit),
            Self::Assemble(_) | Self::Send { .. } => Some(Capability::Request),
            Self::Guard(_) => Some(Capability::Change),
            Self::Gauge(_) => Some(Capability::Gauge),
            Self::Observe(_) | Self::Decide { .. } | Self::Both { .. } | Self::Compare { .. } => None,
        }
    }

    /// How it judges, in a word or two.
    #[cfg(feature = "cli")]
    pub(crate) fn manner(&self) -> &'static str {
        match self {
            Self::Observe(_) => "observes",
            Self::Decide { .. } => "decides",
            Self::Both { .. } => "observes, decides",
            Self::Compare { .. } => "compares",
            Self::Reduce(_) => "field cases",
            Self::Fit(_) => "fit cases",
            Self::Assemble(_) => "request cases",
            Self::Guard(_) => "change cases",
            Self::Gauge(_) => "gauge cases",
            Self::Send { .. } => "observes, request cases",
        }
    }
}

impl fmt::Debug for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Requirement").field("id", &self.id).field("level", &self.level).finish_non_exhaustive()
    }
}

impl Requirement {
    /// Its permanent id.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// Whether it binds.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Its normative sentence.
    #[must_use]
    pub fn sentence(&self) -> &'static str {
        self.sentence
    }

    /// The file of the specification that explains it.
    #[must_use]
    pub fn chapter(&self) -> &'static str {
        self.chapter
    }

    /// The ids that may break together with it and are then folded under it.
    #[must_use]
    pub fn implies(&self) -> &'static [&'static str] {
        self.implies
    }

    /// Whether a candidate with this contract claims it.
    #[must_use]
    pub fn applies(&self, contract: &Contract) -> bool {
        (self.applies)(contract)
    }
}

/// A judged trace and the contract that it was judged by.
#[derive(Debug)]
pub(crate) struct Case<'t> {
    pub(crate) contract: &'t Contract,
    pub(crate) judgement: &'t Judgement<'t>,
}

impl<'t> Case<'t> {
    /// The steps.
    pub(crate) fn steps(&self) -> &[Judged<'t>] {
        &self.judgement.steps
    }
}

/// What a monitor saw.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// How often the requirement was exercised.
    pub(crate) exercised: u64,
    /// Where it was first broken.
    pub(crate) violation: Option<Violation>,
}

/// Where and how a requirement was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The command, counted from 0.
    pub(crate) command: usize,
    /// The reason, one of a closed set for each requirement. Shrinking keeps it.
    pub(crate) reason: &'static str,
    /// The same with numbers.
    pub(crate) detail: String,
}

impl Seen {
    /// Counts one exercise, and notes the first violation.
    pub(crate) fn check(&mut self, command: usize, reason: &'static str, broken: Option<String>) {
        self.exercised += 1;
        if let (None, Some(detail)) = (&self.violation, broken) {
            self.violation = Some(Violation { command, reason, detail });
        }
    }
}

/// All requirements that are checked, in the order of the specification.
pub fn requirements() -> impl Iterator<Item = &'static Requirement> {
    const AREAS: &[&[Requirement]] = &[
        log::ALL,
        throttle::ALL,
        latch::ALL,
        outcome::ALL,
        view::ALL,
        isolation::ALL,
        force::ALL,
        field::ALL,
        fit::ALL,
        request::ALL,
        gauge::ALL,
        change::ALL,
    ];
    AREAS.iter().flat_map(|area| area.iter())
}

/// The requirement with this id, if it is checked.
#[must_use]
pub fn requirement(id: &str) -> Option<&'static Requirement> {
    requirements().find(|requirement| requirement.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<_> = requirements().map(Requirement::id).collect();
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
