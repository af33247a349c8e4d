//! The list of known failures.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::requirement::requirement;
use crate::verdict::{Report, Verdict};

/// One failure that is known.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct KnownFailure {
    /// The requirement that fails.
    pub id: String,
    /// Why it fails, as the report says it; empty: for whatever reason.
    #[serde(default)]
    pub reason: String,
    /// The version of the candidate in which it was seen.
    #[serde(default)]
    pub since: String,
    /// Where more is to be read.
    #[serde(default)]
    pub link: String,
    /// What it means, in words.
    #[serde(default)]
    pub note: String,
}

/// The failures that a run is expected to show: any other one fails it, and so does one that does not show.
///
/// ```
/// let list = "[[known]]\nid = \"THR-4\"\nreason = \"no attempt although the cooldown is over\"\nsince = \"1.2\"\n";
/// assert_eq!(plimsoll::KnownFailures::parse(list).unwrap().rows()[0].id, "THR-4");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownFailures {
    rows: Vec<KnownFailure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    known: Vec<KnownFailure>,
}

impl KnownFailures {
    /// Reads a list from TOML: tables `[[known]]` with `id`, `reason`, `since`, and if wanted `link` and `note`.
    ///
    /// # Errors
    ///
    /// What is wrong with it: a syntax error, an unknown member, an id that no requirement has, one that stands twice.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = basic_toml::from_str(text).map_err(|e| e.to_string())?;
        for (at, row) in file.known.iter().enumerate() {
            if requirement(&row.id).is_none() {
                return Err(format!("{}: no requirement has this id; `plimsoll list` shows all", row.id));
            }
            if file.known[..at].iter().any(|other| other.id == row.id) {
                return Err(format!("{} is listed twice: keep one row", row.id));
            }
        }
        Ok(Self { rows: file.known })
    }

    /// A list of these rows.
    #[must_use]
    pub fn new(rows: Vec<KnownFailure>) -> Self {
        Self { rows }
    }

    /// Reads a list from a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is wrong; the file is named.
    pub fn load(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Self::parse(&text).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// The ids that are listed.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.id.as_str())
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[KnownFailure] {
        &self.rows
    }

    /// The rows as JSON, as [`KnownFailures::from_values`] reads them.
    pub(crate) fn values(&self) -> Vec<Value> {
        let row = |row: &KnownFailure| {
            let KnownFailure { id, reason, since, link, note } = row;
            json!({"id": id, "reason": reason, "since": since, "link": link, "note": note})
        };
        self.rows.iter().map(row).collect()
    }

    #[cfg(feature = "cli")]
    pub(crate) fn from_values(values: &[Value]) -> Result<Self, String> {
        let rows: Result<_, _> = values.iter().map(KnownFailure::deserialize).collect();
        rows.map(|rows| Self { rows }).map_err(|error| error.to_string())
    }

    /// Turns listed failures into `known`, and everything that does not agree with the list into a problem.
    /// `part`: only a part of the run was played, and what does not show there can show in another.
    pub(crate) fn apply(&self, report: &mut Report, part: bool) {
        let mut problems = Vec::new();
        for known in &self.rows {
            let Some(row) = report.requirements.iter_mut().find(|row| row.id == known.id) else { continue };
            let id = &known.id;
            match row.verdict {
                Verdict::Fail | Verdict::Advice => {
                    let reason = row.reason.clone().unwrap_or_default();
                    if known.reason.is_empty() || known.reason == reason {
                        row.verdict = Verdict::Known;
                        row.note = Some(known.note.clone()).filter(|note| !note.is_empty());
                    } else {
                        problems.push(format!(
                            "{id} fails for another reason than listed: now \"{reason}\"; look at it, then edit `reason`"
                        ));
                    }
                }
                Verdict::NotClaimed => problems.push(format!("{id} is listed and not claimed: delete the row")),
                Verdict::NotReached => {}
                Verdict::Pass if part => {}
                other @ (Verdict::Pass | Verdict::Vacuous) => {
                    problems.push(format!("{id} is listed and its verdict is {}: delete the row", other.name()));
                    row.verdict = Verdict::UnexpectedPass;
                }
                other => problems.push(format!("{id} is listed and its verdict is {}: look at it", other.name())),
            }
        }
        report.known_problems = problems;
    }
}
