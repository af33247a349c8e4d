//! The lists of known failures: those that a run is expected to show, and those that come and go.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::requirement::{requirement, requirements};
use crate::verdict::{DOES_NOT_REPEAT, NondeterministicReport, Report, RequirementReport, Verdict};
use crate::witness::REGRESSIONS;

/// So many failures at most hide behind one wildcard.
pub(crate) const HIDDEN: usize = 20;

/// One failure that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct KnownFailure {
    /// The requirement that fails; with a `*` at its end all whose ids begin so, and at most twenty of them.
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
    /// The name of the witness file that shows it.
    #[serde(default)]
    pub witness: String,
    /// The line of the file at which the row begins, counted from 1.
    #[serde(skip)]
    line: Option<usize>,
}

/// A failure that comes and goes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NondeterministicFailure {
    /// The requirement.
    pub id: String,
    /// The version of the candidate in which it was seen.
    #[serde(default)]
    pub since: String,
    /// Where more is to be read.
    #[serde(default)]
    pub link: String,
    /// What it means, in words.
    #[serde(default)]
    pub note: String,
    /// The line of the file at which the row begins, counted from 1.
    #[serde(skip)]
    line: Option<usize>,
}

/// The failures that a run is expected to show: any other one fails it, and so does one that does not show. Those that come
/// and go stand in a list of their own, and never fail a run.
///
/// ```
/// let list = "[[known]]\nid = \"THR-4\"\nreason = \"no attempt although the cooldown is over\"\nsince = \"1.2\"\n";
/// assert_eq!(plimsoll::KnownFailures::parse(list).unwrap().rows()[0].id, "THR-4");
/// let both = format!("{list}[[nondeterministic]]\nid = \"THR-4\"\n");
/// assert!(plimsoll::KnownFailures::parse(&both).unwrap_err().contains("line 5: THR-4 is in both lists"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownFailures {
    rows: Vec<KnownFailure>,
    nondeterministic: Vec<NondeterministicFailure>,
    /// The name of the file, without its folder: a report does not depend on where it was made.
    file: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    known: Vec<KnownFailure>,
    #[serde(default)]
    nondeterministic: Vec<NondeterministicFailure>,
}

impl KnownFailure {
    /// What its ids begin with, where it stands for several.
    pub(crate) fn wildcard(&self) -> Option<&str> {
        self.id.strip_suffix('*')
    }
}

impl KnownFailures {
    /// Reads the lists from TOML: tables `[[known]]` with `id`, and if wanted `reason`, `since`, `link`, `note` and `witness`;
    /// tables `[[nondeterministic]]` with `id`, and if wanted `since`, `link` and `note`.
    ///
    /// # Errors
    ///
    /// What is wrong, and in which line: a syntax error, an unknown member, an id that no requirement has, one that stands
    /// twice or in both lists.
    pub fn parse(text: &str) -> Result<Self, String> {
        let File { known: mut rows, mut nondeterministic } =
            basic_toml::from_str(text).map_err(|e| located(text, &e.to_string()))?;
        for (row, line) in rows.iter_mut().zip(lines(text, "known")) {
            row.line = Some(line);
        }
        for (row, line) in nondeterministic.iter_mut().zip(lines(text, "nondeterministic")) {
            row.line = Some(line);
        }
        for (at, row) in rows.iter().enumerate() {
            let (place, id) = (place("", row.line), &row.id);
            let named = |prefix| requirements().any(|requirement| requirement.id.starts_with(prefix));
            match row.wildcard() {
                prefix if prefix.unwrap_or(id).contains('*') => {
                    return Err(format!("{place}{id}: a `*` stands at the end of an id, and nowhere else"));
                }
                Some(prefix) if named(prefix) => {}
                None if requirement(id).is_some() => {}
                Some(_) => {
                    return Err(format!("{place}{id}: no requirement has an id like this; `plimsoll list` shows all"));
                }
                None => return Err(unknown(&place, id)),
            }
            if rows[..at].iter().any(|other| other.id == *id) {
                return Err(format!("{place}{id} is listed twice: keep one row"));
            }
        }
        for (at, row) in nondeterministic.iter().enumerate() {
            let (place, id) = (place("", row.line), &row.id);
            if requirement(id).is_none() {
                return Err(unknown(&place, id));
            }
            if nondeterministic[..at].iter().any(|other| other.id == *id) {
                return Err(format!("{place}{id} is listed twice: keep one row"));
            }
            if rows.iter().any(|other| other.id == *id) {
                return Err(format!(
                    "{place}{id} is in both lists: keep it in `known` if it always fails, else in `nondeterministic`"
                ));
            }
        }
        Ok(Self { rows, nondeterministic, file: String::new() })
    }

    /// A list of these rows.
    #[must_use]
    pub fn new(rows: Vec<KnownFailure>) -> Self {
        Self { rows, ..Self::default() }
    }

    /// Reads the lists from a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is wrong; the file is named.
    pub fn load(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            let way_out = match error.kind() {
                std::io::ErrorKind::NotFound => "; `plimsoll check --known FILE --bless -- COMMAND` writes one; by hand it is a row `[[known]]` with an `id` for each failure",
                _ => "",
            };
            format!("{}: {error}{way_out}", path.display())
        })?;
        Self::read(path, &text)
    }

    /// The lists in the text of a file.
    pub(crate) fn read(path: &Path, text: &str) -> Result<Self, String> {
        let lists = Self::parse(text).map_err(|e| format!("{}: {e}", path.display()))?;
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self { file, ..lists })
    }

    /// The ids that are listed as known.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.id.as_str())
    }

    /// The rows of what is known.
    #[must_use]
    pub fn rows(&self) -> &[KnownFailure] {
        &self.rows
    }

    /// The rows of what comes and goes.
    #[must_use]
    pub fn nondeterministic(&self) -> &[NondeterministicFailure] {
        &self.nondeterministic
    }

    /// The rows as JSON, as [`KnownFailures::from_values`] reads them.
    pub(crate) fn values(&self) -> Vec<Value> {
        let row = |row: &KnownFailure| {
            let KnownFailure { id, reason, since, link, note, witness, line } = row;
            json!({"list": "known", "file": self.file, "line": line, "row": {
                "id": id, "reason": reason, "since": since, "link": link, "note": note, "witness": witness,
            }})
        };
        let nondeterministic = |row: &NondeterministicFailure| {
            let NondeterministicFailure { id, since, link, note, line } = row;
            json!({"list": "nondeterministic", "file": self.file, "line": line, "row": {
                "id": id, "since": since, "link": link, "note": note,
            }})
        };
        self.rows.iter().map(row).chain(self.nondeterministic.iter().map(nondeterministic)).collect()
    }

    #[cfg(feature = "cli")]
    pub(crate) fn from_values(values: &[Value]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Entry {
            list: String,
            file: String,
            line: Option<usize>,
            row: Value,
        }
        let mut lists = Self::default();
        for value in values {
            let Entry { list, file, line, row } = Entry::deserialize(value).map_err(|error| error.to_string())?;
            if list == "known" {
                let row = KnownFailure::deserialize(row).map_err(|error| error.to_string())?;
                lists.rows.push(KnownFailure { line, ..row });
            } else {
                let row = NondeterministicFailure::deserialize(row).map_err(|error| error.to_string())?;
                lists.nondeterministic.push(NondeterministicFailure { line, ..row });
            }
            lists.file = file;
        }
        Ok(lists)
    }

    /// Turns listed failures into `known`, and everything that does not agree with the lists into a problem.
    /// `part`: only a part of the run was played, and what does not show there can show in another.
    pub(crate) fn apply(&self, report: &mut Report, part: bool) {
        let mut problems = Vec::new();
        for known in self.rows.iter().filter(|known| known.wildcard().is_none()) {
            if let Some(row) = report.requirements.iter_mut().find(|row| row.id == known.id) {
                problems.extend(self.one(known, row, part));
            }
        }
        self.behind_wildcards(report, part, &mut problems);
        for listed in &self.nondeterministic {
            let Some(row) = report.requirements.iter_mut().find(|row| row.id == listed.id) else { continue };
            let seen = matches!(row.verdict, Verdict::Fail | Verdict::Advice | Verdict::Nondeterministic);
            let repeats = row.reason.as_deref() != Some(DOES_NOT_REPEAT);
            let steady = seen && row.verdict != Verdict::Nondeterministic && repeats;
            if seen {
                row.verdict = Verdict::Known;
                row.note = Some(listed.note.clone()).filter(|note| !note.is_empty());
            }
            if row.verdict == Verdict::NotClaimed {
                let place = place(&self.file, listed.line);
                problems.push(format!("{place}{} is listed and not claimed: delete the row", listed.id));
            } else {
                report.nondeterministic.push(NondeterministicReport { id: listed.id.clone(), seen, steady });
            }
        }
        report.known_problems = problems;
    }

    /// Holds the row of the report to that of the list. What is wrong, if anything.
    fn one(&self, known: &KnownFailure, row: &mut RequirementReport, part: bool) -> Option<String> {
        let (place, id) = (place(&self.file, known.line), &known.id);
        match row.verdict {
            Verdict::Pass | Verdict::Vacuous if part => None,
            _ if row.is_listable() => {
                let reason = row.listed_reason().unwrap_or_default().to_owned();
                if known.reason.is_empty() || same(&known.reason, &reason) {
                    hide(known, row);
                    return None;
                }
                Some(format!(
                    "{place}{id} fails for another reason than listed: now {reason:?}; look at it, then write reason = {reason:?}"
                ))
            }
            Verdict::NotClaimed => Some(format!("{place}{id} is listed and not claimed: delete the row")),
            Verdict::NotReached => None,
            verdict @ (Verdict::Pass | Verdict::Vacuous) => {
                row.verdict = Verdict::UnexpectedPass;
                let witness = stays_mended(&known.witness).map(|what| format!(", and {what}")).unwrap_or_default();
                Some(format!("{place}{id} is listed and its verdict is {}: delete the row{witness}", verdict.name()))
            }
            Verdict::Nondeterministic => Some(format!(
                "{place}{id} is listed and comes and goes: make the row one of [[nondeterministic]], without `reason`"
            )),
            other => Some(format!("{place}{id} is listed and its verdict is {}: look at it", other.name())),
        }
    }

    /// Hides what the rows with a wildcard stand for: failures that no other row names.
    fn behind_wildcards(&self, report: &mut Report, part: bool, problems: &mut Vec<String>) {
        let filtered = !report.filter.is_empty();
        for known in &self.rows {
            let Some(prefix) = known.wildcard() else { continue };
            let listed = |id: &str| {
                self.rows.iter().any(|row| row.id == id) || self.nondeterministic.iter().any(|row| row.id == id)
            };
            let hidden = |row: &&mut RequirementReport| {
                row.id.starts_with(prefix)
                    && row.is_listable()
                    && (known.reason.is_empty()
                        || row.listed_reason().is_some_and(|reason| same(reason, &known.reason)))
                    && !listed(&row.id)
            };
            let (place, id) = (place(&self.file, known.line), &known.id);
            let mut count = 0;
            let mut more = Vec::new();
            for row in report.requirements.iter_mut().filter(hidden) {
                count += 1;
                if count <= HIDDEN { hide(known, row) } else { more.push(row.id.clone()) }
            }
            if !more.is_empty() {
                problems.push(format!(
                    "{place}{id} hides {count} failures, and {HIDDEN} are the most: give these a row of their own: {}",
                    more.join(", ")
                ));
            } else if count == 0 && !part && !filtered {
                problems.push(format!("{place}{id} is listed and nothing that it stands for fails so: delete the row"));
            }
        }
    }
}

fn hide(known: &KnownFailure, row: &mut RequirementReport) {
    row.verdict = Verdict::Known;
    row.note = Some(known.note.clone()).filter(|note| !note.is_empty());
}

fn unknown(place: &str, id: &str) -> String {
    format!("{place}{id}: no requirement has this id; `plimsoll list` shows all")
}

/// What a reader of TOML says, with the line of the member that it does not know: it names the beginning of the list.
fn located(text: &str, error: &str) -> String {
    let member = error.split_once("unknown field `").and_then(|(_, rest)| rest.split_once('`'));
    let is_it = |line: &str, name: &str| {
        line.trim_start().strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let line = member.and_then(|(name, _)| text.lines().position(|line| is_it(line, name)));
    match (line, error.rfind(" at line ")) {
        (Some(line), at) => format!("line {}: {}", line + 1, &error[..at.unwrap_or(error.len())]),
        (None, _) => error.to_owned(),
    }
}

/// What to do with the witness of a row whose failure is gone, where it names one.
pub(crate) fn stays_mended(witness: &str) -> Option<String> {
    (!witness.is_empty()).then(|| format!("put its witness {witness} into {REGRESSIONS}, so that it stays mended"))
}

/// Where a row stands, to be written in front of what is wrong with it.
fn place(file: &str, line: Option<usize>) -> String {
    match (file, line) {
        (_, None) => String::new(),
        ("", Some(line)) => format!("line {line}: "),
        (file, Some(line)) => format!("{file}, line {line}: "),
    }
}

/// The lines at which the tables of a list begin, counted from 1. Nothing, where rows stand in another form.
fn lines<'a>(text: &'a str, list: &'a str) -> impl Iterator<Item = usize> + 'a {
    let begins = move |line: &str| {
        let name = line.trim().strip_prefix("[[").and_then(|line| line.split_once("]]"));
        name.is_some_and(|(name, _)| name.trim() == list)
    };
    text.lines().enumerate().filter(move |(_, line)| begins(line)).map(|(at, _)| at + 1)
}

/// Whether they are the same reason: a person may have it from a screen, which shows spaces for underscores.
fn same(one: &str, other: &str) -> bool {
    one.replace('_', " ") == other.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        KnownFailures::parse(text).unwrap_err()
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        assert_eq!(
            error("# a\n\n[[known]]\nid = \"THR-99\"\n"),
            "line 3: THR-99: no requirement has this id; `plimsoll list` shows all"
        );
        assert!(error("[[known]]\nid = \"NO-*\"\n").starts_with("line 1: NO-*: no requirement has an id like this"));
        for id in ["THR-*-*", "THR-*-1", "*-1"] {
            assert!(error(&format!("[[known]]\nid = \"{id}\"\n")).contains("a `*` stands at the end"), "{id}");
        }
        assert!(error("[[known]]\nid = \"THR-*\"\n[[known]]\nid = \"THR-*\"\n").starts_with("line 3: THR-* is listed"));
        assert!(error("[[nondeterministic]]\nid = \"THR-*\"\n").contains("no requirement has this id"));
        assert!(error("[[nondeterministic]]\nid = \"THR-1\"\nreason = \"x\"\n").contains("reason"));
        for whole in ["*", "THR-*", "THR-1*"] {
            assert!(KnownFailures::parse(&format!("[[known]]\nid = \"{whole}\"\n")).is_ok(), "{whole}");
        }
    }

    #[test]
    fn a_member_that_is_misspelt_is_found_in_its_line() {
        let says = error("[[known]]\nid = \"THR-1\"\n  reson = \"x\"\n");
        assert!(says.starts_with("line 3: unknown field `reson`") && !says.contains("line 1"), "{says}");
        assert!(error("[[known]]\nid = \n").contains("line 2"));
    }

    #[cfg(feature = "cli")]
    #[test]
    fn the_lists_come_back_from_their_values() {
        let text =
            "[[known]]\nid = \"THR-1\"\nwitness = \"a.jsonl\"\n[[nondeterministic]]\nid = \"THR-2\"\nnote = \"n\"\n";
        let lists = KnownFailures::read(Path::new("a/known.toml"), text).unwrap();
        assert_eq!(KnownFailures::from_values(&lists.values()).unwrap(), lists);
    }
}
