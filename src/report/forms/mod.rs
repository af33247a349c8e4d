//! A run in the forms that other programs show: JUnit, Markdown, a badge, SARIF, one page of HTML.
//!
//! What is written depends on the report and on what is given here, and on nothing else.

#[cfg(feature = "cli")]
mod badge;
mod chart;
#[cfg(feature = "cli")]
mod junit;
mod page;
mod sarif;
mod summary;

use super::quote::{escaped, shell};
use crate::verdict::{Report, RequirementReport};

/// A report, and what it does not know of itself.
#[derive(Debug)]
pub(crate) struct Forms<'a> {
    pub(crate) report: &'a Report,
    /// A command that replays a witness is its file between these two.
    pub(crate) replay: (String, String),
    /// The profile that the candidate was held to.
    pub(crate) profile: Option<String>,
}

impl Forms<'_> {
    /// `name version`, or what of it the candidate tells.
    fn candidate(&self) -> String {
        let candidate = &self.report.candidate;
        escaped(format!("{} {}", candidate.name, candidate.version).trim())
    }

    /// The command that replays the witness of `row`, as one line.
    fn replay(&self, row: &RequirementReport) -> Option<String> {
        let path = self.report.witness_path(row.witness.as_deref()?).display().to_string();
        let (before, after) = &self.replay;
        Some(format!("{before}{}{after}", shell(&[path])))
    }

    #[cfg(feature = "cli")]
    /// How many of its requirements the candidate claims.
    fn claimed(&self) -> usize {
        use crate::verdict::Verdict;
        self.report.requirements.iter().filter(|row| row.verdict != Verdict::NotClaimed).count()
    }

    /// What keeps the run from being whole, in sentences.
    fn remarks(&self) -> Vec<String> {
        let report = self.report;
        let broken = report.broken.iter().map(|broken| {
            let message = broken.message.lines().next().unwrap_or_default();
            format!("{}: {message}", super::told::broke(broken, report))
        });
        let known = report.known_problems.iter().map(|problem| format!("known failures: {problem}"));
        let ends = report.aborted.iter().chain(&report.cut_short).map(|why| format!("not finished: {why}"));
        broken.chain(known).chain(ends).collect()
    }
}
