//! What a run at a limit says: a finding for each requirement.

use std::fmt;

use crate::limit_case::LimitCase;
use crate::trace::BreakKind;
use crate::verdict::{RequirementReport, Verdict};

/// The result of a run at a limit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[must_use = "a report is the result of the run: ask it whether the run passed"]
pub struct LimitReport {
    /// The requirements, in the order of the specification.
    pub findings: Vec<Finding>,
    /// How the candidate broke off, if it did, each kind once.
    pub breaks: Vec<LimitBreak>,
    /// Cases played.
    pub cases: u64,
    /// How much of the room was used where something had to be cut, from 0 to 1.
    pub kept: Option<f64>,
}

/// What a run says of one requirement.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// Its id.
    pub id: &'static str,
    /// Whether it is a MUST, not a SHOULD.
    pub must: bool,
    /// Its sentence.
    pub sentence: &'static str,
    /// Whether the contract claims it.
    pub claimed: bool,
    /// In how many cases it was exercised.
    pub exercised: u64,
    /// How it was broken.
    pub failure: Option<Failure>,
}

/// How a requirement was broken.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// Why, one of a small closed set for each requirement.
    pub reason: &'static str,
    /// Why, with the numbers of the witness.
    pub detail: String,
    /// The smallest case found.
    pub witness: LimitCase,
    /// After how many cases it was first seen.
    pub after: u64,
    /// How many cases were tried to make it smaller.
    pub shrinks: u64,
    /// Whether it was seen again in five replays.
    pub repeats: bool,
}

/// How the candidate broke off.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LimitBreak {
    /// How.
    pub kind: BreakKind,
    /// What is known of it.
    pub message: String,
    /// The smallest case found.
    pub witness: LimitCase,
    /// In how many cases.
    pub cases: u64,
}

impl LimitReport {
    /// Whether every claimed MUST was exercised and held, and the candidate never broke off.
    #[must_use]
    pub fn passed(&self) -> bool {
        let held = |finding: &Finding| !finding.must || finding.holds();
        self.breaks.is_empty() && self.findings.iter().filter(|finding| finding.claimed).all(held)
    }

    /// What is said of a requirement.
    #[must_use]
    pub fn finding(&self, id: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.id == id)
    }

    /// The rows of a [`Report`](crate::Report), without the names of witness files.
    #[must_use]
    pub fn rows(&self) -> Vec<RequirementReport> {
        let row = |finding: &Finding| RequirementReport {
            id: finding.id.to_owned(),
            level: if finding.must { "MUST" } else { "SHOULD" }.to_owned(),
            verdict: finding.verdict(),
            exercised: finding.exercised,
            reason: finding.failure.as_ref().map(|failure| failure.reason.to_owned()),
            witness: None,
            witness_steps: finding.failure.as_ref().map(|_| 1),
            detail: finding.failure.as_ref().map(|failure| failure.detail.clone()),
            folded_under: None,
            shrink_executions: 0,
            timeline: finding.failure.as_ref().map(|failure| failure.witness.to_line()),
        };
        self.findings.iter().map(row).collect()
    }

    /// For tests: panics where a claimed MUST does not pass. `id` may be written `red_1`.
    ///
    /// # Panics
    ///
    /// With the requirement's sentence, why it is broken, and the witness.
    pub fn assert_requirement(&self, id: &str) {
        let id = id.to_ascii_uppercase().replace('_', "-");
        match self.finding(&id).map(|finding| (finding.to_string(), finding.must && !finding.holds())) {
            Some((text, true)) if self.finding(&id).is_some_and(|finding| finding.claimed) => panic!("{text}"),
            Some(_) => {}
            None => panic!("{id}: this run has no such requirement"),
        }
    }

    /// For tests: panics unless the run passed.
    ///
    /// # Panics
    ///
    /// With the whole report.
    pub fn assert_passed(&self) {
        assert!(self.passed(), "{self}");
    }

    /// The ids that were broken, SHOULDs too.
    #[must_use]
    pub fn broken(&self) -> Vec<&'static str> {
        self.findings.iter().filter(|finding| finding.failure.is_some()).map(|finding| finding.id).collect()
    }
}

impl fmt::Display for LimitReport {
    /// One line a requirement; under each that is broken, why and with which case.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        for broken in &self.breaks {
            writeln!(f, "{} in {} cases: {}", broken.kind.name(), broken.cases, broken.message)?;
            writeln!(f, "    {}", broken.witness.to_line())?;
        }
        Ok(())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:6} {:16} exercised {:6}", self.id, self.verdict().name(), self.exercised)?;
        let Some(failure) = &self.failure else { return Ok(()) };
        write!(f, "  {}\n    {}\n    {}", failure.detail, self.sentence, failure.witness.to_line())
    }
}

impl Finding {
    /// Whether it was exercised and never broken.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.exercised > 0 && self.failure.is_none()
    }

    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match &self.failure {
            _ if !self.claimed => Verdict::NotClaimed,
            // To answer otherwise the second time is what these two forbid.
            Some(failure) if !failure.repeats && !matches!(self.id, "RED-11" | "FIT-8") => Verdict::Nondeterministic,
            Some(_) if self.must => Verdict::Fail,
            Some(_) => Verdict::Advice,
            None if self.exercised == 0 => Verdict::Vacuous,
            None => Verdict::Pass,
        }
    }
}
