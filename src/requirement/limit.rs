//! The judgement of a case at a limit.

use std::fmt;

use super::reasons::in_words;

/// The judgement of one case by one requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// The case does not exercise it.
    Silent,
    /// Exercised, and it holds.
    Holds,
    /// Exercised, and it does not hold.
    Breaks(Violation),
}

/// How a requirement was broken: a reason from a small closed set, and the numbers of the case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) reason: &'static str,
    pub(crate) numbers: Vec<(&'static str, usize)>,
}

impl Violation {
    pub(crate) fn new(reason: &'static str, numbers: &[(&'static str, usize)]) -> Self {
        debug_assert!(in_words(reason).is_some(), "{reason} has no words in src/requirement/reasons.rs");
        Self { reason, numbers: numbers.to_vec() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(in_words(self.reason).unwrap_or(self.reason))?;
        for (nth, (name, number)) in self.numbers.iter().enumerate() {
            let name = if *name == "max" { "limit" } else { name };
            write!(f, "{}{name} {number}", if nth == 0 { ": " } else { ", " })?;
        }
        Ok(())
    }
}

/// Holds, or breaks for `reason` if `broken`.
pub(crate) fn breaks_if(broken: bool, reason: &'static str, numbers: &[(&'static str, usize)]) -> Ruling {
    if broken { Ruling::Breaks(Violation::new(reason, numbers)) } else { Ruling::Holds }
}

/// What a candidate answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply<T> {
    /// A result.
    Given(T),
    /// What must stay does not fit.
    Infeasible,
    /// It raised an error.
    Raised(String),
}

impl<T> Reply<T> {
    /// The result, if there is one.
    pub(crate) fn given(&self) -> Option<&T> {
        match self {
            Self::Given(given) => Some(given),
            _ => None,
        }
    }
}
