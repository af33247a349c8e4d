//! What a run at a limit says: a finding for each requirement.

use std::fmt;

use crate::limit_case::LimitCase;
use crate::requirement::{Level, Requirement};
use crate::trace::BreakKind;
use crate::verdict::{RequirementReport, Tally, Verdict};

/// The result of a run at a limit.
///
/// ```
/// use plimsoll::{Capability, Contract, LimitBudget, check_reducer, text_reducer};
/// let prefix = text_reducer(|text, max| text.chars().take(max).collect());
/// let report = check_reducer(&Contract::claiming(&[Capability::Field]), &prefix, &LimitBudget::default());
/// let lost = report.finding("RED-3").unwrap().failure.as_ref().unwrap();
/// assert_eq!((lost.reason, lost.repeats), ("required_block_lost", true));
/// assert!(report.breaks.is_empty() && report.kept.unwrap() > 0.9);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use = "a report is the result of the run: ask it whether the run passed"]
pub struct LimitReport {
    /// The requirements, in the order of the specification.
    pub findings: Vec<Finding>,
    /// How the candidate broke off, if it did, each kind once.
    pub breaks: Vec<LimitBreak>,
    /// Cases played.
    pub cases: u64,
    /// How much of the room was used where something had to be cut, from 0 to 1, as a mean of the cases with a limit above
    /// 0. None: there was no such case; always for a gauge and a guard.
    pub kept: Option<f64>,
    /// Why the cases ended before the budget, if they did: one kind of break came in 200 of them, or 12 late answers.
    pub cut_short: Option<String>,
    /// In how many cases a trimmer raised an error, and the first. Of the others that is one of the `breaks`.
    pub raised: Option<(u64, String)>,
}

/// What a run says of one requirement.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// Its id.
    pub id: &'static str,
    /// The requirement.
    pub requirement: &'static Requirement,
    /// Whether the contract claims it.
    pub claimed: bool,
    /// In how many cases it was exercised. 0: that it holds says nothing.
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
    /// The witness and what the candidate answered, for a person.
    pub shown: String,
    /// In which case it was first seen, counted from 1.
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
        let held = |finding: &Finding| !finding.must() || finding.holds();
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
        let mut rows: Vec<_> = self.findings.iter().map(|finding| finding.row(self.cut_short.is_some())).collect();
        // That it broke off counts against the first that it might have held.
        let open = |row: &&mut RequirementReport| row.verdict != Verdict::NotClaimed;
        if let (Some(broken), Some(row)) = (self.breaks.first(), rows.iter_mut().find(open))
            && row.verdict != Verdict::Fail
        {
            row.verdict = Verdict::of_break(broken.kind);
            row.reason = Some(format!("the candidate broke off: {}", broken.kind.name()));
            row.detail = Some(broken.message.clone());
            (row.witness_steps, row.timeline) = (Some(1), None);
        }
        rows
    }

    /// For tests: panics where a claimed MUST does not pass. `id` may be written `red_1`.
    ///
    /// # Panics
    ///
    /// With the requirement's sentence, why it is broken, and the witness.
    #[track_caller]
    pub fn assert_requirement(&self, id: &str) {
        let id = id.to_ascii_uppercase().replace('_', "-");
        let Some((row, finding)) = self.rows().into_iter().zip(&self.findings).find(|(row, _)| row.id == id) else {
            panic!("{id}: this run has no such requirement");
        };
        let failed = row.tally() == Tally::Failed;
        let broken = row.detail.filter(|_| finding.failure.is_none()).unwrap_or_default();
        assert!(!failed, "{finding}{broken}");
    }

    /// For tests: panics unless the run passed.
    ///
    /// # Panics
    ///
    /// With the whole report.
    #[track_caller]
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
        self.cut_short.iter().try_for_each(|why| writeln!(f, "not finished: {why}"))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:6} {:16} exercised {:6}", self.id, self.verdict().name(), self.exercised)?;
        let Some(failure) = &self.failure else { return Ok(()) };
        let sentence = self.requirement.sentence();
        let Failure { reason, detail, shown, .. } = failure;
        write!(f, "  {reason}: {detail}\n    {sentence}\n{shown}    {}", failure.witness.to_line())
    }
}

impl Finding {
    /// Nothing yet.
    pub(crate) fn new(requirement: &'static Requirement, claimed: bool) -> Self {
        Self { id: requirement.id(), requirement, claimed, exercised: 0, failure: None }
    }

    fn must(&self) -> bool {
        self.requirement.level() == Level::Must
    }

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
            Some(_) if self.must() => Verdict::Fail,
            Some(_) => Verdict::Advice,
            None if self.exercised == 0 => Verdict::Vacuous,
            None => Verdict::Pass,
        }
    }

    /// The row of a [`Report`](crate::Report); `early`: the cases ended before the budget.
    pub(crate) fn row(&self, early: bool) -> RequirementReport {
        let failure = self.failure.as_ref();
        RequirementReport {
            id: self.id.to_owned(),
            level: self.requirement.level().name().to_owned(),
            verdict: match self.verdict() {
                Verdict::Vacuous if early => Verdict::NotReached,
                verdict => verdict,
            },
            exercised: self.exercised,
            reason: failure.map(|failure| failure.reason.to_owned()),
            witness: None,
            witness_steps: failure.map(|_| 1),
            detail: failure.map(|failure| failure.detail.clone()),
            again: false,
            folded_under: None,
            note: None,
            shrink_executions: failure.map_or(0, |failure| usize::try_from(failure.shrinks).unwrap_or(usize::MAX)),
            timeline: failure.map(|failure| failure.shown.clone()),
            drawing: None,
        }
    }
}
