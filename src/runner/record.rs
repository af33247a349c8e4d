//! What a run saw of each history, a line each: written as it goes, and read by whoever puts the parts of a run together.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Suspect;
use super::examine::Examined;
use crate::contract::Capability;
use crate::limit_case::LimitCase;
use crate::limit_report::{Failure, Finding, LimitBreak, LimitReport};
use crate::oracle::{Forbid, Require, Wrong};
use crate::requirement::{Cause, requirements};
use crate::trace::BreakKind;
use crate::verdict::CandidateInfo;

/// The version of the format.
pub(crate) const FORMAT: u32 = 3;

/// The most parts of a run.
pub(crate) const PARTS_MAX: u32 = 10_000;

/// Part of a run: histories whose number, divided by `of`, leaves `number` - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Shard {
    /// From 1.
    pub(crate) number: u32,
    pub(crate) of: u32,
}

impl Shard {
    /// Everything.
    pub(crate) const WHOLE: Self = Self { number: 1, of: 1 };

    /// The number, in the whole run, of what is the shard's own number `at`.
    pub(crate) fn global(self, at: usize) -> usize {
        at * self.of as usize + self.number as usize - 1
    }

    /// Whether it has this number of the whole run.
    pub(crate) fn has(self, at: usize) -> bool {
        at % self.of as usize == self.number as usize - 1
    }
}

/// The first line: which run it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) plimsoll: String,
    pub(crate) format: u32,
    pub(crate) suite: String,
    pub(crate) spec: String,
    pub(crate) candidate: CandidateInfo,
    /// Where the candidate comes from.
    pub(crate) source: String,
    /// The name of a built-in candidate; none: a command.
    pub(crate) built_in: Option<String>,
    pub(crate) contract: Value,
    pub(crate) seed: u64,
    pub(crate) effort: String,
    #[serde(default)]
    pub(crate) filter: Vec<String>,
    #[serde(default)]
    pub(crate) strict: bool,
    pub(crate) shard: Shard,
    /// The known failures that the run was held to, as rows: the parts together are held to the same.
    #[serde(default)]
    pub(crate) known: Vec<Value>,
    /// The witnesses that were played first, each as a file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) first: Vec<String>,
}

/// A later line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Line {
    History(HistoryLine),
    Side(Box<SideLine>),
    /// Everything of the shard has been written: so many lines of each kind stand before this one.
    End {
        histories: u64,
        sides: u64,
    },
}

/// What a history showed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HistoryLine {
    /// Its number in the whole run.
    pub(crate) at: usize,
    steps: u64,
    /// Positions of requirements, and how often each was exercised.
    exercised: Vec<(usize, u64)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    suspects: Vec<(SuspectLine, BTreeSet<Cause>)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    broken: Option<(BreakKind, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    raised: Option<(u64, String)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SuspectLine {
    Observed(usize, String),
    Attempted(Vec<Forbid>),
    Missing(Vec<Require>),
    Differed(usize),
    Broke(BreakKind),
}

impl HistoryLine {
    pub(super) fn new(at: usize, examined: &Examined) -> Self {
        let exercised = examined.exercised.iter().copied().enumerate().filter(|(_, count)| *count > 0).collect();
        let suspect = |suspect: &Suspect| match suspect {
            Suspect::Observed(at, reason) => SuspectLine::Observed(*at, (*reason).to_owned()),
            Suspect::Decided(Wrong::Attempted(why)) => SuspectLine::Attempted(why.clone()),
            Suspect::Decided(Wrong::Missing(why)) => SuspectLine::Missing(why.clone()),
            Suspect::Differed(at) => SuspectLine::Differed(*at),
            Suspect::Broke(kind) => SuspectLine::Broke(*kind),
        };
        let suspects = examined.suspects.iter().map(|(found, causes)| (suspect(found), causes.clone())).collect();
        let (broken, raised) = (examined.broken.clone(), examined.raised.clone());
        Self { at, steps: examined.steps, exercised, suspects, broken, raised }
    }

    /// Whether there is something to look into.
    #[cfg(feature = "cli")]
    pub(crate) fn found(&self) -> bool {
        !self.suspects.is_empty()
    }

    /// As it was examined, in a run with so many requirements. None: it is of another one.
    pub(super) fn examined(self, requirements: usize) -> Option<Examined> {
        let mut exercised = vec![0; requirements];
        for (at, count) in self.exercised {
            *exercised.get_mut(at)? = count;
        }
        let suspect = |line| match line {
            SuspectLine::Observed(at, reason) => Suspect::Observed(at, interned(&reason)),
            SuspectLine::Attempted(why) => Suspect::Decided(Wrong::Attempted(why)),
            SuspectLine::Missing(why) => Suspect::Decided(Wrong::Missing(why)),
            SuspectLine::Differed(at) => Suspect::Differed(at),
            SuspectLine::Broke(kind) => Suspect::Broke(kind),
        };
        let suspects: Vec<_> = self.suspects.into_iter().map(|(found, causes)| (suspect(found), causes)).collect();
        let known = |found: &Suspect| match found {
            Suspect::Observed(at, _) | Suspect::Differed(at) => *at < requirements,
            Suspect::Decided(_) | Suspect::Broke(_) => true,
        };
        let all = suspects.iter().all(|(found, _)| known(found));
        let Self { broken, steps, raised, .. } = self;
        all.then_some(Examined { exercised, suspects, broken, steps, raised })
    }
}

/// Reasons are of closed sets: so few are kept that they may stay for ever.
fn interned(reason: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(reason) {
        return found;
    }
    let kept: &'static str = Box::leak(reason.to_owned().into_boxed_str());
    known.insert(kept);
    kept
}

/// What a side at a limit showed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SideLine {
    pub(crate) side: Capability,
    cases: u64,
    /// The bits of the number: it is to come back as it was.
    kept: Option<u64>,
    cut_short: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    raised: Option<(u64, String)>,
    findings: Vec<FindingLine>,
    breaks: Vec<BreakLine>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct FindingLine {
    id: String,
    claimed: bool,
    exercised: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<FailureLine>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct FailureLine {
    reason: String,
    detail: String,
    witness: LimitCase,
    shown: String,
    after: u64,
    shrinks: u64,
    repeats: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct BreakLine {
    kind: BreakKind,
    message: String,
    witness: LimitCase,
    cases: u64,
}

impl SideLine {
    pub(super) fn new(side: Capability, report: &LimitReport) -> Self {
        let failure = |failure: &Failure| FailureLine {
            reason: failure.reason.to_owned(),
            detail: failure.detail.clone(),
            witness: failure.witness.clone(),
            shown: failure.shown.clone(),
            after: failure.after,
            shrinks: failure.shrinks,
            repeats: failure.repeats,
        };
        let finding = |finding: &Finding| FindingLine {
            id: finding.id.to_owned(),
            claimed: finding.claimed,
            exercised: finding.exercised,
            failure: finding.failure.as_ref().map(failure),
        };
        let broken = |broken: &LimitBreak| BreakLine {
            kind: broken.kind,
            message: broken.message.clone(),
            witness: broken.witness.clone(),
            cases: broken.cases,
        };
        Self {
            side,
            cases: report.cases,
            kept: report.kept.map(f64::to_bits),
            cut_short: report.cut_short.clone(),
            raised: report.raised.clone(),
            findings: report.findings.iter().map(finding).collect(),
            breaks: report.breaks.iter().map(broken).collect(),
        }
    }

    /// As it was reported. None: it names a requirement that this version does not know.
    pub(super) fn report(self) -> Option<LimitReport> {
        let mut findings = Vec::new();
        for line in self.findings {
            let requirement = requirements().find(|requirement| requirement.id() == line.id)?;
            let mut finding = Finding::new(requirement, line.claimed);
            finding.exercised = line.exercised;
            finding.failure = line.failure.map(|line| Failure {
                reason: interned(&line.reason),
                detail: line.detail,
                witness: line.witness,
                shown: line.shown,
                after: line.after,
                shrinks: line.shrinks,
                repeats: line.repeats,
            });
            findings.push(finding);
        }
        let broken = |line: BreakLine| LimitBreak {
            kind: line.kind,
            message: line.message,
            witness: line.witness,
            cases: line.cases,
        };
        let breaks = self.breaks.into_iter().map(broken).collect();
        let kept = self.kept.map(f64::from_bits);
        let Self { cases, cut_short, raised, .. } = self;
        Some(LimitReport { findings, breaks, cases, kept, cut_short, raised })
    }
}

/// Where lines go, each at once.
pub(crate) struct Results(Mutex<Sink>);

struct Sink {
    to: Box<dyn Write + Send>,
    histories: u64,
    sides: u64,
    /// The first error: what follows it would be a file with a hole.
    error: Option<String>,
}

impl Sink {
    fn write(&mut self, line: &impl Serialize) {
        if self.error.is_some() {
            return;
        }
        let text = serde_json::to_string(line).map_err(std::io::Error::from);
        let written = text.and_then(|text| self.to.write_all(format!("{text}\n").as_bytes()));
        self.error = written.and_then(|()| self.to.flush()).err().map(|error| error.to_string());
    }
}

impl std::fmt::Debug for Results {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Results")
    }
}

impl Results {
    pub(crate) fn new(to: impl Write + Send + 'static) -> Self {
        Self(Mutex::new(Sink { to: Box::new(to), histories: 0, sides: 0, error: None }))
    }

    fn sink(&self) -> MutexGuard<'_, Sink> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the first line.
    pub(crate) fn begin(&self, header: &Header) {
        self.sink().write(header);
    }

    pub(super) fn history(&self, line: HistoryLine) {
        let mut sink = self.sink();
        sink.histories += 1;
        sink.write(&Line::History(line));
    }

    pub(super) fn side(&self, line: SideLine) {
        let mut sink = self.sink();
        sink.sides += 1;
        sink.write(&Line::Side(Box::new(line)));
    }

    /// Writes the last line, by whose numbers a reader knows whether everything is there.
    pub(super) fn end(&self) {
        let mut sink = self.sink();
        let (histories, sides) = (sink.histories, sink.sides);
        sink.write(&Line::End { histories, sides });
    }

    /// The first error of writing.
    pub(crate) fn error(&self) -> Option<String> {
        self.sink().error.clone()
    }
}

/// What the parts of a run have seen, each line as it stands in its file.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) histories: BTreeMap<usize, Box<str>>,
    pub(crate) sides: BTreeMap<Capability, SideLine>,
}

impl Recorded {
    /// What a history showed, if it is there.
    pub(super) fn history(&self, at: usize, requirements: usize) -> Option<Examined> {
        match serde_json::from_str(self.histories.get(&at)?) {
            Ok(Line::History(line)) => line.examined(requirements),
            _ => None,
        }
    }

    /// What a side showed, if it is there.
    pub(super) fn side(&self, side: Capability) -> Option<LimitReport> {
        self.sides.get(&side)?.clone().report()
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use super::*;

    /// Has room for one line; how often it was asked.
    struct Full(Arc<Mutex<u32>>);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *asked += 1;
            if *asked == 1 { Ok(bytes.len()) } else { Err(io::Error::other(format!("no room for {asked}"))) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_first_error_of_writing_is_kept_and_nothing_is_written_behind_it() {
        let asked = Arc::new(Mutex::new(0));
        let results = Results::new(Full(Arc::clone(&asked)));
        results.end();
        assert_eq!(results.error(), None);
        results.end();
        results.end();
        assert_eq!(results.error().as_deref(), Some("no room for 2"));
        assert_eq!(*asked.lock().unwrap_or_else(PoisonError::into_inner), 2);
    }
}
