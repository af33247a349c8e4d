//! A candidate at a limit as a row: what it is called, what it does, and what it breaks.

use std::fmt;

use crate::candidate_field::{Assembler, LimitCandidate, Reducer, Trimmer};
use crate::contract::Contract;

/// A known-bad candidate, or a conforming variant.
///
/// ```
/// use plimsoll::{LimitBudget, check_at_limit, zoo::limit_zoo};
/// let row = limit_zoo().find(|row| row.name == "prefix").unwrap();
/// let report = check_at_limit(&row.contract(), &row.candidate(), &LimitBudget::default());
/// assert!(report.broken().contains(&"RED-3"));
/// ```
#[non_exhaustive]
pub struct LimitRow {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub sentence: &'static str,
    /// The ids that it is there to break; none for a conforming variant.
    pub breaks: &'static [&'static str],
    /// Ids that break with them, and advice.
    pub also: &'static [&'static str],
    /// The kind of failure, as the catalogue names it.
    pub kind: &'static str,
    pub(super) contract: &'static str,
    pub(super) make: Make,
}

/// Makes the candidate for a contract.
#[derive(Clone, Copy)]
pub(super) enum Make {
    Reducer(fn(&Contract) -> Box<dyn Reducer>),
    Trimmer(fn(&Contract) -> Box<dyn Trimmer>),
    Assembler(fn(&Contract) -> Box<dyn Assembler>),
}

impl LimitRow {
    /// What it declares.
    #[must_use]
    pub fn contract(&self) -> Contract {
        let capability = match self.make {
            Make::Reducer(_) => "field",
            Make::Trimmer(_) => "fit",
            Make::Assembler(_) => "request",
        };
        let json = format!(r#"{{"capabilities": ["{capability}"], {}}}"#, self.contract);
        Contract::from_json(&json).unwrap_or_default()
    }

    /// The candidate.
    #[must_use]
    pub fn candidate(&self) -> LimitCandidate {
        let contract = self.contract();
        match self.make {
            Make::Reducer(make) => LimitCandidate::Reducer(make(&contract)),
            Make::Trimmer(make) => LimitCandidate::Trimmer(make(&contract)),
            Make::Assembler(make) => LimitCandidate::Assembler(make(&contract)),
        }
    }
}

impl fmt::Debug for LimitRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LimitRow").field("name", &self.name).field("breaks", &self.breaks).finish_non_exhaustive()
    }
}

/// Known-bad reducers, trimmers and assemblers: one at least for every requirement at a limit.
pub fn limit_zoo() -> impl Iterator<Item = &'static LimitRow> {
    super::field::ROWS.iter().chain(super::fit::ROWS).chain(super::request::ROWS)
}

/// Conforming reducers, trimmers and assemblers of other designs than the reference.
pub fn limit_variants() -> impl Iterator<Item = &'static LimitRow> {
    super::field_sound::ROWS.iter().chain(super::fit::SOUND).chain(super::request::SOUND)
}
