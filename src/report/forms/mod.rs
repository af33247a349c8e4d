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

use super::quote::{cut, shell};
use super::told::remarks;
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
        let told = format!("{} {}", candidate.name, candidate.version);
        match cut(told.trim(), 120) {
            nothing if nothing.is_empty() => "a candidate without a name".to_owned(),
            name => name,
        }
    }

    /// How the run ended, in a word or two.
    fn state(&self) -> &'static str {
        match self.report.exit_code() {
            0 => "passed",
            1 => "failed",
            _ if self.report.is_idle() => "nothing exercised",
            _ => "not finished",
        }
    }

    /// The command that replays the witness of `row`, as one line.
    fn replay(&self, row: &RequirementReport) -> Option<String> {
        self.replay_of(row.witness.as_deref()?)
    }

    fn replay_of(&self, witness: &str) -> Option<String> {
        let path = self.report.witness_path(witness).display().to_string();
        let (before, after) = &self.replay;
        Some(format!("{before}{}{after}", shell(&[path])))
    }

    #[cfg(feature = "cli")]
    /// How many of its requirements the candidate claims.
    fn claimed(&self) -> usize {
        use crate::verdict::Verdict;
        self.report.requirements.iter().filter(|row| row.verdict != Verdict::NotClaimed).count()
    }

    /// What keeps the run from being whole, in sentences, but for how the candidate broke off.
    fn remarks(&self) -> Vec<String> {
        remarks(self.report)
    }

    /// That the candidate raised errors, where that is to be told.
    fn raised(&self) -> Vec<String> {
        let look = super::told::look(&self.replay.1).map(|look| format!("; run `{look}`")).unwrap_or_default();
        super::told::raised(self.report).iter().map(|line| format!("{line}{look}")).collect()
    }

    /// How the candidate broke off, in lines.
    fn breaks(&self) -> Vec<String> {
        let broken = self.report.broken.iter();
        broken.map(|broken| format!("{}: {}", super::told::broke(broken, self.report), broken.message)).collect()
    }
}
