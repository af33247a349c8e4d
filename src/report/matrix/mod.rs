//! Several reports as one table: implementations and requirements, and each failure with its shortest history.
//!
//! What is written depends on the reports, the witnesses and the date that is given, and on nothing else.

mod html;
mod markdown;
mod shown;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use self::shown::history;
use super::told::remarks;
use crate::requirement::{Requirement, requirement, requirements};
use crate::text::counted;
use crate::verdict::{Report, RequirementReport, SPEC_EDITION, Verdict};
use crate::witness::Witness;

/// The version of the JSON report that is read.
const FORMAT: u64 = 1;

/// Reports side by side, in the order in which they were given.
#[derive(Debug)]
pub(crate) struct Matrix {
    date: Option<String>,
    runs: Vec<Run>,
}

/// One report.
#[derive(Debug)]
struct Run {
    /// The name of its file, without the extension.
    name: String,
    report: Report,
    failures: Vec<Failure>,
}

/// One requirement that does not hold.
#[derive(Debug)]
struct Failure {
    id: String,
    mark: Mark,
    /// What it means for a person: the note of the list of known failures, or else what was observed.
    sentence: String,
    reason: String,
    /// The failure that explains it.
    under: Option<String>,
    /// The shortest history, one thing that the host does a line.
    history: Vec<String>,
}

/// What a cell says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Holds,
    Fails,
    Advice,
    Unsettled,
    Vacuous,
    NotReached,
    NotClaimed,
}

impl Mark {
    const ALL: [Self; 7] =
        [Self::Holds, Self::Fails, Self::Advice, Self::Unsettled, Self::Vacuous, Self::NotReached, Self::NotClaimed];

    /// A known failure is a failure: that it is expected is the business of whoever expects it.
    fn of(row: &RequirementReport) -> Self {
        match row.verdict {
            Verdict::Pass | Verdict::UnexpectedPass => Self::Holds,
            Verdict::Known if row.level == "SHOULD" => Self::Advice,
            Verdict::Fail | Verdict::Known => Self::Fails,
            Verdict::Advice => Self::Advice,
            Verdict::Vacuous => Self::Vacuous,
            Verdict::NotReached => Self::NotReached,
            Verdict::NotClaimed => Self::NotClaimed,
            Verdict::Nondeterministic
            | Verdict::Crash
            | Verdict::Timeout
            | Verdict::ProtocolError
            | Verdict::HarnessError => Self::Unsettled,
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Self::Holds => "+",
            Self::Fails => "F",
            Self::Advice => "a",
            Self::Unsettled => "!",
            Self::Vacuous => "0",
            Self::NotReached => "?",
            Self::NotClaimed => "",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Holds => "it was exercised and holds",
            Self::Fails => "it does not hold",
            Self::Advice => "it is advice (SHOULD), and does not hold",
            Self::Unsettled => "the candidate broke off, or does not do the same twice",
            Self::Vacuous => "it is claimed, and nothing exercised it",
            Self::NotReached => "the budget ended before it was exercised",
            Self::NotClaimed => "the implementation does not claim it",
        }
    }

    fn is_finding(self) -> bool {
        matches!(self, Self::Fails | Self::Advice | Self::Unsettled)
    }
}

/// The tables, and the areas of each.
const TABLES: &[(&str, &[&str])] = &[
    ("Conversations", &["LOG", "THR", "LAT", "OUT", "VIEW", "ISO", "CLK", "FRC"]),
    ("Trimmers", &["FIT"]),
    ("Fields", &["RED"]),
    ("Requests", &["ASM"]),
    ("Gauges", &["MEA"]),
    ("Guards by change", &["CHG"]),
];

/// One table: requirements that somebody claims, and the runs that claim something of them.
struct Table<'m> {
    title: &'static str,
    /// Number, from 1, and run.
    columns: Vec<(usize, &'m Run)>,
    rows: Vec<&'static Requirement>,
}

impl Matrix {
    /// Reads reports, and the witnesses that they name from the directory `witnesses`.
    ///
    /// # Errors
    ///
    /// The file that cannot be read, or is no report that this version can set beside others; and what to do.
    pub(crate) fn load(reports: &[PathBuf], witnesses: &Path, date: Option<String>) -> Result<Self, String> {
        let runs = reports.iter().map(|path| Run::load(path, witnesses)).collect::<Result<_, _>>()?;
        Ok(Self { date, runs })
    }

    /// The tables that are not empty.
    fn tables(&self) -> Vec<Table<'_>> {
        let tables = TABLES.iter().map(|(title, areas)| {
            let here = |id: &str| id.split('-').next().is_some_and(|area| areas.contains(&area));
            let claims = |run: &Run, id: &str| run.mark(id).is_some_and(|mark| mark != Mark::NotClaimed);
            let rows: Vec<&'static Requirement> = requirements()
                .filter(|requirement| here(requirement.id()))
                .filter(|requirement| self.runs.iter().any(|run| claims(run, requirement.id())))
                .collect();
            let columns = (1..)
                .zip(&self.runs)
                .filter(|(_, run)| rows.iter().any(|requirement| claims(run, requirement.id())))
                .collect();
            Table { title, columns, rows }
        });
        tables.filter(|table| !table.rows.is_empty()).collect()
    }

    /// What there is, and from what it was made.
    fn about(&self) -> String {
        let runs = counted(self.runs.len(), "run");
        let date = self.date.as_ref().map(|date| format!(", {date}")).unwrap_or_default();
        format!("{runs}, plimsoll {}, specification {SPEC_EDITION}{date}", env!("CARGO_PKG_VERSION"))
    }
}

impl Run {
    fn load(path: &Path, witnesses: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let report = parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let failures = report.requirements.iter().filter(|row| Mark::of(row).is_finding());
        let failures = failures.map(|row| Failure::of(row, witnesses));
        let failures = failures.collect::<Result<_, _>>().map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Self { name, report, failures })
    }

    fn mark(&self, id: &str) -> Option<Mark> {
        self.report.requirement(id).map(Mark::of)
    }

    fn count(&self, mark: Mark) -> usize {
        self.report.requirements.iter().filter(|row| Mark::of(row) == mark).count()
    }

    /// What was played.
    fn played(&self) -> String {
        let Report { histories, steps, seed, effort, limits, .. } = &self.report;
        let mut parts = Vec::new();
        if *histories > 0 || limits.is_empty() {
            parts.push(format!("{histories} histories, {steps} steps"));
        }
        parts.extend(limits.iter().map(|limit| format!("{} cases of {}", limit.cases, limit.capability)));
        format!("{}; seed {seed}, effort {effort}", parts.join(", "))
    }

    /// What keeps the run from being whole.
    fn remarks(&self) -> Vec<String> {
        let report = &self.report;
        let broken = report.broken.iter().map(|broken| format!("{}: {}", broken.verdict.name(), broken.message));
        broken.chain(remarks(report)).collect()
    }
}

impl Failure {
    fn of(row: &RequirementReport, witnesses: &Path) -> Result<Self, String> {
        let history = match &row.witness {
            None => Vec::new(),
            Some(name) => {
                // A report is somebody's text: what it names is looked for in the directory, and nowhere else.
                let file = Path::new(name).file_name().unwrap_or_default();
                let witness = Witness::load(&witnesses.join(file)).map_err(|error| {
                    format!("the witness of {} cannot be read: {error}; name its directory with --witness-dir", row.id)
                })?;
                history(&witness)
            }
        };
        let sentence = [&row.note, &row.detail].into_iter().flatten().find(|text| !text.is_empty()).cloned();
        Ok(Self {
            id: row.id.clone(),
            mark: Mark::of(row),
            sentence: sentence.unwrap_or_else(|| row.verdict.name().replace('_', " ")),
            reason: row.reason.clone().unwrap_or_default(),
            under: row.folded_under.clone(),
            history,
        })
    }
}

/// Reads a report that this version can set beside others.
fn parse(text: &str) -> Result<Report, String> {
    const AGAIN: &str = "make it again with `plimsoll check --json`";
    let value: Value = serde_json::from_str(text).map_err(|error| format!("not a JSON report: {error}; {AGAIN}"))?;
    let words = |member: &str| value.get(member).and_then(Value::as_str).unwrap_or("?").to_owned();
    match value.get("format").and_then(Value::as_u64) {
        Some(FORMAT) => {}
        Some(other) => {
            return Err(format!(
                "the report has format {other}, and this version reads format {FORMAT}: {AGAIN}, or use the version \
                 that wrote it ({})",
                words("suite")
            ));
        }
        None => return Err(format!("not a JSON report: it names no `format`; {AGAIN}")),
    }
    let (suite, spec) = (words("suite"), words("spec"));
    if suite != env!("CARGO_PKG_VERSION") || spec != SPEC_EDITION {
        return Err(format!(
            "the report was written by plimsoll {suite} for specification {spec}, and this is plimsoll {} for \
             specification {SPEC_EDITION}: verdicts of two versions do not stand in one table; {AGAIN}, or use that version",
            env!("CARGO_PKG_VERSION")
        ));
    }
    let report: Report =
        serde_json::from_value(value).map_err(|error| format!("not a JSON report: {error}; {AGAIN}"))?;
    match report.requirements.iter().find(|row| requirement(&row.id).is_none()) {
        Some(row) => Err(format!("no requirement has the id {:?}: {AGAIN}", row.id)),
        None => Ok(report),
    }
}
