//! Witness files: a history that breaks a requirement, as JSON lines that a person can read.
//!
//! The first line is a header with the contract and the seed; then one command a line, or one line for many rounds of
//! commands that differ in nothing but their numbers; then what was observed, for the reader only. At a limit one line with the case
//! stands for the commands.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::contract::Contract;
use crate::history::{Command, History};
use crate::limit_case::LimitCase;
use crate::repeat::{Line, Repeat, fold};
use crate::trace::Trace;
use crate::verdict::{CandidateInfo, SPEC_EDITION};

/// The version of the format.
const FORMAT: u32 = 1;

/// The folder of witnesses that play each time, where none is named.
pub(crate) const REGRESSIONS: &str = "plimsoll-regressions";

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    plimsoll: String,
    format: u32,
    #[serde(default)]
    spec: String,
    #[serde(default)]
    suite: String,
    #[serde(default)]
    candidate: CandidateInfo,
    #[serde(default)]
    requirements: Vec<String>,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    detail: String,
    #[serde(default)]
    note: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    seen: String,
    seed: u64,
    contract: Value,
}

/// A history that breaks a requirement, and what it is about. Named histories and regression files have the same format.
///
/// ```
/// let text = r#"{"plimsoll":"history","format":1,"seed":7,"contract":{"capabilities":["summarize"]}}
/// {"append":{"conversation":"a","messages":[{"key":1,"role":"user"}]}}
/// {"step":{"conversation":"a"}}"#;
/// let witness = plimsoll::Witness::parse(text).unwrap();
/// assert_eq!(witness.history.commands.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Witness {
    /// The candidate that it was found with.
    pub candidate: CandidateInfo,
    /// The ids that it breaks, the cause first.
    pub requirements: Vec<String>,
    /// Why, one of a closed set.
    pub reason: String,
    /// Why, in one sentence with numbers.
    pub detail: String,
    /// What a reader should look at.
    pub note: String,
    /// Of a named history: the kind of failure that it is about, and where such a one was seen.
    pub seen: String,
    /// The contract that the candidate was held to.
    pub contract: Contract,
    /// What the host did; nothing, where the witness is a case at a limit.
    pub history: History,
    /// The case at a limit, where it is one.
    pub case: Option<LimitCase>,
}

impl Witness {
    /// A history under a contract, without a finding.
    #[must_use]
    pub fn new(contract: Contract, history: History) -> Self {
        Self {
            candidate: CandidateInfo::default(),
            requirements: Vec::new(),
            reason: String::new(),
            detail: String::new(),
            note: String::new(),
            seen: String::new(),
            contract,
            history,
            case: None,
        }
    }

    /// A case at a limit under a contract, without a finding.
    #[must_use]
    pub fn of_case(contract: Contract, case: LimitCase) -> Self {
        Self { case: Some(case), ..Self::new(contract, History::new(0, Vec::new())) }
    }

    /// Reads a witness, and checks that a host can play it.
    ///
    /// # Errors
    ///
    /// The line that is wrong, and why; a format that this version does not know, by its number.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (_, first) = lines.next().ok_or("the witness is empty")?;
        let raw: Value = serde_json::from_str(first).map_err(|e| format!("line 1 is not a header: {e}"))?;
        match raw.get("format").and_then(Value::as_u64) {
            Some(1) => {}
            Some(other) => {
                return Err(format!("the witness has format {other}, and this version reads format {FORMAT}"));
            }
            None => return Err("line 1 is not a header: it names no `format`".to_owned()),
        }
        let header: Header = serde_json::from_value(raw).map_err(|e| format!("line 1: {e}"))?;
        let contract = Contract::from_value(header.contract).map_err(|e| format!("line 1: {e}"))?;
        let mut commands = Vec::new();
        let mut case = None;
        for (at, line) in lines {
            let value: Value = serde_json::from_str(line).map_err(|e| format!("line {}: {e}", at + 1))?;
            if ["reduce", "fit", "assemble", "change", "gauge"].iter().any(|kind| value.get(kind).is_some()) {
                if case.is_some() {
                    return Err(format!("line {}: a second case; a witness has one", at + 1));
                }
                let read: LimitCase = serde_json::from_value(value).map_err(|e| format!("line {}: {e}", at + 1))?;
                read.check().map_err(|e| format!("line {}: {e}", at + 1))?;
                case = Some(read);
            } else if let Some(repeat) = value.get("repeat") {
                let repeat = serde_json::from_value::<Repeat>(repeat.clone()).map_err(|e| e.to_string());
                let more = repeat.and_then(|repeat| repeat.unfold(commands.len()));
                commands.extend(more.map_err(|e| format!("line {}: {e}", at + 1))?);
            } else if value.get("observed").is_none() {
                let command: Command = serde_json::from_value(value).map_err(|e| format!("line {}: {e}", at + 1))?;
                commands.push(command);
            }
        }
        if case.is_some() && !commands.is_empty() {
            return Err("a witness is a history or a case at a limit, not both".to_owned());
        }
        let history = History::new(header.seed, commands);
        history.check()?;
        let Header { candidate, requirements, reason, detail, note, seen, .. } = header;
        Ok(Self { candidate, requirements, reason, detail, note, seen, contract, history, case })
    }

    /// The witness as JSON lines, with what was observed in `trace`.
    #[must_use]
    pub fn render(&self, trace: Option<&Trace>) -> String {
        let header = Header {
            plimsoll: if self.requirements.is_empty() && self.case.is_none() { "history" } else { "witness" }
                .to_owned(),
            format: FORMAT,
            spec: SPEC_EDITION.to_owned(),
            suite: env!("CARGO_PKG_VERSION").to_owned(),
            candidate: self.candidate.clone(),
            requirements: self.requirements.clone(),
            reason: self.reason.clone(),
            detail: self.detail.clone(),
            note: self.note.clone(),
            seen: self.seen.clone(),
            seed: self.history.seed,
            contract: serde_json::to_value(&self.contract).unwrap_or_default(),
        };
        let mut text = serde_json::to_string(&header).unwrap_or_default();
        text.push('\n');
        if let Some(case) = &self.case {
            text.push_str(&case.to_line());
            text.push('\n');
        }
        for line in fold(&self.history.commands) {
            let line = match line {
                Line::One(command) => serde_json::to_string(&command),
                Line::Many(repeat) => serde_json::to_string(&json!({"repeat": repeat})),
            };
            text.push_str(&line.unwrap_or_default());
            text.push('\n');
        }
        for seen in trace.into_iter().flat_map(|trace| self.observed(trace)) {
            text.push_str(&json!({"observed": seen}).to_string());
            text.push('\n');
        }
        text
    }

    /// A case at a limit as JSON lines, with what a person was shown of the answer.
    pub(crate) fn render_case(&self, shown: &str) -> String {
        let mut text = self.render(None);
        if !shown.is_empty() {
            let lines: Vec<&str> = shown.lines().map(str::trim).collect();
            text.push_str(&serde_json::json!({"observed": lines}).to_string());
            text.push('\n');
        }
        text
    }

    /// What was seen of the steps; where many at the same distance came out alike, the first of them and how many.
    fn observed(&self, trace: &Trace) -> Vec<Value> {
        let steps = trace
            .events
            .iter()
            .enumerate()
            .filter(|(at, _)| matches!(self.history.commands.get(*at), Some(Command::Step(_))));
        let seen: Vec<(usize, usize, &str)> = steps
            .map(|(at, event)| (at + 1, event.calls.len(), event.action.map_or("raised", |action| action.name())))
            .collect();
        let mut lines = Vec::new();
        let mut from = 0;
        while let Some((command, calls, action)) = seen.get(from) {
            let every = seen.get(from + 1).map_or(0, |next| next.0 - command);
            let like =
                |(nth, other): &(usize, &(usize, usize, &str))| **other == (command + nth * every, *calls, *action);
            let times = seen[from..].iter().enumerate().take_while(like).count();
            if times >= 8 {
                let many =
                    json!({"command": command, "calls": calls, "action": action, "every": every, "times": times});
                lines.push(many);
                from += times;
            } else {
                lines.push(json!({"command": command, "calls": calls, "action": action}));
                from += 1;
            }
        }
        lines
    }

    /// Reads a witness file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not a witness.
    pub fn load(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Self::parse(&text).map_err(|e| format!("{}: {e}", path.display()))
    }
}

/// Where the witnesses of a run go.
#[derive(Clone, Debug)]
pub(crate) struct WitnessDir {
    pub(crate) dir: PathBuf,
    /// What file names start with: the candidate's name, made safe, and a mark of what it is.
    prefix: String,
    /// What stood under a name before this run wrote there, if anything did.
    stood: Arc<Mutex<BTreeMap<String, Option<Vec<u8>>>>>,
}

impl WitnessDir {
    /// A directory for the candidate's witnesses; `source` says where the candidate comes from.
    pub(crate) fn new(dir: PathBuf, candidate: &CandidateInfo, contract: &Contract, source: &str) -> Self {
        let contract = serde_json::to_string(contract).unwrap_or_default();
        let mark = fnv(&format!("{}\0{}\0{contract}\0{source}", candidate.name, candidate.version));
        Self { dir, prefix: format!("{}-{:08x}", safe(&candidate.name), mark as u32), stood: Arc::default() }
    }

    /// The file name for a finding.
    pub(crate) fn name(&self, slug: &str) -> String {
        format!("{}-{}.jsonl", self.prefix, safe(slug))
    }

    /// Where the file of this name is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Writes a witness, whole or not at all.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.dir.join(name);
        let part = self.dir.join(format!("{name}.part"));
        let mut stood = self.stood.lock().unwrap_or_else(PoisonError::into_inner);
        stood.entry(name.to_owned()).or_insert_with(|| fs::read(&path).ok());
        drop(stood);
        fs::create_dir_all(&self.dir)
            .and_then(|()| fs::write(&part, text))
            .and_then(|()| fs::rename(&part, &path))
            .map_err(|e| format!("cannot write the witness {}: {e}", path.display()))
    }

    /// Takes back what this run wrote under the name: what stood there before stands there again.
    pub(crate) fn take_back(&self, name: &str) {
        let stood = self.stood.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        // If it cannot be taken back, no harm is done.
        let _ = match stood {
            Some(Some(text)) => fs::write(self.dir.join(name), text),
            Some(None) => fs::remove_file(self.dir.join(name)),
            None => Ok(()),
        };
    }
}

/// Letters, digits, dots and dashes; at most 60 of them, and no dot in front.
pub(crate) fn safe(name: &str) -> String {
    let mapped = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' });
    let name: String = mapped.take(60).collect();
    let name = name.trim_matches(['.', '-']).to_owned();
    if name.is_empty() { "candidate".to_owned() } else { name }
}

fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe() {
        assert_eq!(safe("../../etc/passwd"), "etc-passwd");
        assert_eq!(safe("\u{1b}[31m"), "31m");
        assert_eq!(safe("..."), "candidate");
    }

    #[test]
    fn an_unknown_format_is_refused_by_number() {
        let error = Witness::parse(r#"{"plimsoll":"witness","format":2,"seed":1,"contract":{}}"#).unwrap_err();
        assert!(error.contains("format 2") && error.contains("format 1"), "{error}");
    }
}
