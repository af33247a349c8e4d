//! Verdicts, and the report of a run.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::words;
use crate::trace::BreakKind;

words! {
    /// What a run says of a requirement.
    Verdict {
        /// It was exercised and held.
        Pass => "pass",
        /// It was broken.
        Fail => "fail",
        /// A SHOULD that does not hold.
        Advice => "advice",
        /// It is claimed and was never exercised.
        Vacuous => "vacuous",
        /// The contract does not claim it.
        NotClaimed => "not_claimed",
        /// The budget ended before it was exercised.
        NotReached => "not_reached",
        /// It fails as the list of known failures says.
        Known => "known",
        /// It is listed as a known failure, and does not fail so.
        UnexpectedPass => "unexpected_pass",
        /// It failed once and not when it was played again.
        Nondeterministic => "nondeterministic",
        /// The candidate crashed.
        Crash => "crash",
        /// The candidate did not answer in time.
        Timeout => "timeout",
        /// The candidate does not follow the protocol.
        ProtocolError => "protocol_error",
        /// The harness is at fault.
        HarnessError => "harness_error",
    }
}

impl Verdict {
    /// The verdict on a candidate that broke off in this way.
    pub(crate) fn of_break(kind: BreakKind) -> Self {
        match kind {
            BreakKind::Crash => Self::Crash,
            BreakKind::Timeout => Self::Timeout,
            BreakKind::Protocol | BreakKind::Unsupported => Self::ProtocolError,
            BreakKind::Harness => Self::HarnessError,
        }
    }
}

/// How a verdict counts in the closing line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tally {
    /// Passed.
    Passed,
    /// Failed.
    Failed,
    /// Skipped.
    Skipped,
}

/// The candidate as it names itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CandidateInfo {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What a run says of one requirement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RequirementReport {
    /// Its id.
    pub id: String,
    /// `MUST` or `SHOULD`.
    pub level: String,
    /// The verdict.
    pub verdict: Verdict,
    /// How often it was exercised.
    pub exercised: u64,
    /// Why it failed, one of a closed set for each requirement.
    pub reason: Option<String>,
    /// The name of the witness file.
    pub witness: Option<String>,
    /// The commands of the witness; 1 for a case at a limit.
    pub witness_steps: Option<usize>,
    /// Why it failed, in one sentence with numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether a witness of the folder of regressions shows it: it was found before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// The failing id that explains it, under which it is folded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folded_under: Option<String>,
    /// What a list of known failures says that it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Histories that were played to shrink the witness; not in the JSON report.
    #[serde(skip)]
    pub shrink_executions: usize,
    /// The witness as a timeline, or as a case with its answer, for a person; not in the JSON report.
    #[serde(skip)]
    pub timeline: Option<String>,
    /// The history of the witness, row by row; none for a case at a limit.
    #[serde(skip)]
    pub(crate) drawing: Option<crate::drawing::Drawing>,
}

impl RequirementReport {
    /// Whether a list of known failures can name it: it fails, or is advice that does not hold, or a MUST that nothing
    /// exercised.
    pub(crate) fn is_listable(&self) -> bool {
        match self.verdict {
            Verdict::Fail | Verdict::Advice => true,
            Verdict::Vacuous => self.tally() == Tally::Failed,
            _ => false,
        }
    }

    /// The reason by which a list names it: `vacuous` where nothing exercised it.
    pub(crate) fn listed_reason(&self) -> Option<&str> {
        self.reason.as_deref().or((self.verdict == Verdict::Vacuous).then_some(VACUOUS))
    }

    /// How it counts.
    #[must_use]
    pub fn tally(&self) -> Tally {
        match self.verdict {
            Verdict::Pass | Verdict::Advice => Tally::Passed,
            Verdict::NotClaimed | Verdict::Known | Verdict::NotReached => Tally::Skipped,
            Verdict::Vacuous if self.level == "SHOULD" => Tally::Skipped,
            _ => Tally::Failed,
        }
    }
}

/// What the search shares contributed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShareReport {
    /// The share's name.
    pub share: String,
    /// Histories played.
    pub histories: u64,
    /// Steps taken.
    pub steps: u64,
    /// Histories in which something was found.
    pub found: u64,
}

/// What was played at a limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LimitShare {
    /// The capability: `field`, `fit`, `request`, `gauge` or `change`.
    pub capability: String,
    /// Cases played.
    pub cases: u64,
    /// How much of the room was used where something had to be cut, from 0 to 1, as a mean; none where nothing had to be.
    pub kept: Option<f64>,
}

/// The result of a run: format 1 of the JSON report.
///
/// ```
/// let report = plimsoll::Suite::new(plimsoll::Reference::default).effort(plimsoll::Effort::Smoke).run().unwrap();
/// assert!(report.passed());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[must_use = "a report is the result of the run: ask it whether the run passed"]
pub struct Report {
    /// The version of the format: 1.
    pub format: u32,
    /// The edition of the specification.
    pub spec: String,
    /// The version of the suite.
    pub suite: String,
    /// The version of the adapter protocol.
    pub protocol: u32,
    /// The candidate.
    pub candidate: CandidateInfo,
    /// The contract that it was held to.
    pub contract: Value,
    /// The seed.
    pub seed: u64,
    /// The effort.
    pub effort: String,
    /// Histories planned.
    pub planned: u64,
    /// Histories played.
    pub histories: u64,
    /// Steps taken.
    pub steps: u64,
    /// Whether the run passed.
    pub passed: bool,
    /// The id that is the cause of the failures, if any is.
    pub first: Option<String>,
    /// In the order of the specification.
    pub requirements: Vec<RequirementReport>,
    /// Only these ids were asked for; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<String>,
    /// Whether advice fails the run.
    #[serde(default)]
    pub strict: bool,
    /// What each share of the search contributed.
    #[serde(default)]
    pub shares: Vec<ShareReport>,
    /// What was played apart from conversations, a row for each of `field`, `fit`, `request`, `gauge` and `change` that is
    /// claimed; empty where none is, or where the requirements asked for need no such cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitShare>,
    /// Histories and cases in which the candidate broke off: how, and how often.
    #[serde(default)]
    pub broken: Vec<BrokenReport>,
    /// The errors that the candidate raised and that ended nothing, if it did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub raised: Vec<RaisedReport>,
    /// Why the run could not be finished, if it could not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aborted: Option<String>,
    /// Why the search ended before its budget, if it did: the candidate broke off too often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<String>,
    /// What is wrong with the list of known failures, and the edit to make.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known_problems: Vec<String>,
    /// The requirements that are listed as failing now and then, and whether each failed in this run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nondeterministic: Vec<NondeterministicReport>,
    /// The directory of the witness files; not in the JSON report, which does not depend on where it was made.
    #[serde(skip)]
    pub witness_dir: Option<PathBuf>,
}

/// The reason in a list of what nothing exercised.
pub(crate) const VACUOUS: &str = "vacuous";

/// The reason of a failure that does not repeat.
pub(crate) const DOES_NOT_REPEAT: &str = "it does not repeat";

/// A requirement that is listed as failing now and then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NondeterministicReport {
    /// Its id.
    pub id: String,
    /// Whether it failed in this run.
    pub seen: bool,
    /// Whether it failed each time that its witness was played again: then it is no failure that comes and goes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steady: bool,
}

/// A way in which the candidate broke off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BrokenReport {
    /// How.
    pub verdict: Verdict,
    /// In how many histories, or cases at a limit.
    pub histories: u64,
    /// What is known of the first.
    pub message: String,
    /// The name of its witness file.
    pub witness: Option<String>,
    /// The witness as a timeline, for a person; not in the JSON report.
    #[serde(skip)]
    pub timeline: Option<String>,
    /// The requirements that it is counted against; not in the JSON report, where their verdicts say so.
    #[serde(skip)]
    pub against: Vec<String>,
    /// Where it was in cases at a limit: the capability, and the cases in all; not in the JSON report.
    #[serde(skip)]
    pub of: Option<(String, u64)>,
}

/// Errors that the candidate raised, and that ended nothing: a step, or a trimmer, may answer with one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RaisedReport {
    /// In cases at a limit: the capability. None: in steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    /// In how many steps, or cases.
    pub times: u64,
    /// The first.
    pub message: String,
}

/// The edition of the specification that this version of the suite checks.
pub const SPEC_EDITION: &str = "0.1";

/// The version of the adapter protocol.
pub const PROTOCOL: u32 = 1;

impl Report {
    /// Whether the run passed: every claimed MUST passes, is known or was not reached, something was exercised, and the
    /// run was finished.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.passed
    }

    /// Decides whether the run passed.
    pub(crate) fn settle(&mut self) {
        let failed = self.requirements.iter().any(|row| row.tally() == Tally::Failed);
        let soft = |row: &RequirementReport| matches!(row.verdict, Verdict::Advice | Verdict::NotReached);
        let strict = self.strict && self.requirements.iter().any(soft);
        // Advice alone is no conformance, unless only advice was asked for.
        let must = self.filter.is_empty() || self.requirements.iter().any(|row| row.level == "MUST");
        let exercised = self.requirements.iter().any(|row| row.exercised > 0 && (!must || row.level == "MUST"));
        let whole = self.broken.is_empty() && self.aborted.is_none() && self.known_problems.is_empty();
        self.passed = !failed && !strict && exercised && whole;
    }

    /// Whether it was finished, and nothing was exercised.
    pub(crate) fn is_idle(&self) -> bool {
        self.aborted.is_none() && self.broken.is_empty() && self.requirements.iter().all(|row| row.exercised == 0)
    }

    /// The row of a requirement.
    #[must_use]
    pub fn requirement(&self, id: &str) -> Option<&RequirementReport> {
        self.requirements.iter().find(|row| row.id == id)
    }

    /// Where the witness file of this name is.
    #[must_use]
    pub fn witness_path(&self, name: &str) -> PathBuf {
        self.witness_dir.as_deref().unwrap_or(Path::new("")).join(name)
    }

    /// Passed, failed and skipped.
    #[must_use]
    pub fn tallies(&self) -> (usize, usize, usize) {
        let count = |tally| self.requirements.iter().filter(|row| row.tally() == tally).count();
        (count(Tally::Passed), count(Tally::Failed), count(Tally::Skipped))
    }

    /// The last line of a run.
    #[must_use]
    pub fn closing_line(&self) -> String {
        let (passed, failed, skipped) = self.tallies();
        let soft = |row: &&RequirementReport| row.verdict == Verdict::Advice && row.tally() == Tally::Passed;
        let known = |row: &&RequirementReport| row.verdict == Verdict::Known && row.tally() == Tally::Skipped;
        let told = |n: usize, words: &str| if n == 0 { String::new() } else { format!(" ({n} {words})") };
        let advice = told(self.requirements.iter().filter(soft).count(), "with advice");
        let known = told(self.requirements.iter().filter(known).count(), "known to fail");
        format!("conformance: {passed} passed{advice}, {failed} failed, {skipped} skipped{known}")
    }

    /// The exit code of a run: 0 passed, 1 failed, 2 could not run or nothing ran.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        let late = self.broken.iter().any(|broken| broken.verdict == Verdict::Timeout);
        if self.aborted.is_some()
            || (self.cut_short.is_some() && late)
            || self.requirements.iter().all(|row| row.exercised == 0)
        {
            2
        } else {
            u8::from(!self.passed)
        }
    }

    /// The JSON report, one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
