//! The console report.

use std::fmt;

use super::quote::escaped;
use crate::requirement::requirement;
use crate::verdict::{LimitShare, Report, RequirementReport, Tally, Verdict};

/// A report as a person reads it: a table of areas, then each failure with its shortest history, then the closing line.
///
/// Plain text without colours; what the candidate wrote is escaped.
///
/// ```
/// use plimsoll::{Effort, Reference, Suite, TextReport};
/// let report = Suite::new(Reference::default).effort(Effort::Smoke).requirement("LAT-1").run().unwrap();
/// let text = TextReport::new(&report).to_string();
/// assert!(text.ends_with("conformance: 1 passed, 0 failed, 0 skipped\n"));
/// ```
#[derive(Debug)]
#[must_use = "it is shown by printing it"]
pub struct TextReport<'a> {
    report: &'a Report,
    replay: Option<(String, String)>,
}

/// The areas, by what ids start with, and what each is about.
const AREAS: &[(&str, &str)] = &[
    ("LOG", "who sees what"),
    ("THR", "the throttle"),
    ("LAT", "the failure latch"),
    ("OUT", "what an attempt may install"),
    ("VIEW", "what survives"),
    ("ISO", "state kept apart"),
    ("CLK", "clocks"),
    ("FRC", "a person's request, and proof"),
    ("RED", "fields"),
    ("FIT", "trimmers"),
    ("ASM", "the request"),
    ("MEA", "the gauge"),
    ("CHG", "guards by change"),
];

type Column = (&'static str, fn(&RequirementReport) -> bool);

const COLUMNS: &[Column] = &[
    ("pass", |row| row.verdict == Verdict::Pass),
    ("fail", |row| row.tally() == Tally::Failed && row.verdict != Verdict::Vacuous),
    ("vacuous", |row| row.verdict == Verdict::Vacuous),
    ("advice", |row| row.verdict == Verdict::Advice),
    ("known", |row| row.verdict == Verdict::Known),
    ("unreached", |row| row.verdict == Verdict::NotReached),
    ("unclaimed", |row| row.verdict == Verdict::NotClaimed),
];

impl<'a> TextReport<'a> {
    /// The text of `report`.
    pub fn new(report: &'a Report) -> Self {
        Self { report, replay: None }
    }

    /// Each failure with a command that replays it: `before`, the witness file, `after`.
    pub fn replay(mut self, before: impl Into<String>, after: impl Into<String>) -> Self {
        self.replay = Some((before.into(), after.into()));
        self
    }

    /// What there is to say of one requirement: id and verdict, sentence, history, difference, witness, replay.
    #[must_use]
    pub fn failure(&self, row: &RequirementReport) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write_failure(&mut text, row);
        text
    }

    fn write_failure(&self, out: &mut impl fmt::Write, row: &RequirementReport) -> fmt::Result {
        let reason = row.reason.as_deref().map(|reason| format!(": {}", escaped(reason))).unwrap_or_default();
        writeln!(out, "{} {} {}{reason}", row.id, row.level, row.verdict.name())?;
        if let Some(requirement) = requirement(&row.id) {
            wrapped(out, requirement.sentence(), 2)?;
        }
        if row.verdict == Verdict::Vacuous {
            writeln!(
                out,
                "\n  it is claimed, and nothing in this run exercised it; claim it no more, or report a bug"
            )?;
        }
        if let Some(timeline) = &row.timeline {
            writeln!(out)?;
            out.write_str(timeline)?;
        }
        if let Some(detail) = &row.detail {
            writeln!(out)?;
            detail.lines().try_for_each(|line| wrapped(out, &escaped(line), 2))?;
        }
        let folded = self.report.requirements.iter().filter(|other| other.folded_under.as_deref() == Some(&row.id));
        let folded: Vec<&str> = folded.map(|other| other.id.as_str()).collect();
        if !folded.is_empty() {
            writeln!(out, "  with it   {}", folded.join(", "))?;
        }
        let case = requirement(&row.id).is_some_and(|requirement| requirement.check.side().is_some());
        self.write_witness(out, row.witness.as_deref(), row.witness_steps.filter(|_| !case))
    }

    fn write_witness(&self, out: &mut impl fmt::Write, witness: Option<&str>, commands: Option<usize>) -> fmt::Result {
        let Some(witness) = witness else { return Ok(()) };
        let path = self.report.witness_path(witness).display().to_string();
        let s = if commands == Some(1) { "" } else { "s" };
        let commands = commands.map(|n| format!(" ({n} command{s})")).unwrap_or_default();
        writeln!(out, "  witness   {}{commands}", escaped(&path))?;
        if let Some((before, after)) = &self.replay {
            writeln!(out, "  replay    {before}{}{after}", super::shell(&[path]))?;
        }
        Ok(())
    }

    fn write_head(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let report = self.report;
        let (name, version) = (escaped(&report.candidate.name), escaped(&report.candidate.version));
        writeln!(out, "candidate {name} {version}, specification {}, suite {}", report.spec, report.suite)?;
        let (histories, steps) = (report.histories, report.steps);
        let (seed, effort) = (report.seed, &report.effort);
        if histories > 0 || report.limits.is_empty() {
            writeln!(out, "{histories} histories, {steps} steps, seed {seed}, effort {effort}")?;
        }
        for LimitShare { capability, cases, kept } in &report.limits {
            let kept = kept.map(|kept| format!("; of the room {:.0} % used where something had to go", kept * 100.0));
            writeln!(out, "{cases} cases of `{capability}`, seed {seed}, effort {effort}{}", kept.unwrap_or_default())?;
        }
        writeln!(out)
    }

    fn write_table(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let rows = &self.report.requirements;
        let shown: Vec<&Column> = COLUMNS.iter().filter(|(name, is)| *name == "pass" || rows.iter().any(is)).collect();
        write!(out, "area                                ")?;
        shown.iter().try_for_each(|(name, _)| write!(out, "{name:>11}"))?;
        writeln!(out)?;
        for (area, about) in AREAS {
            let here = || rows.iter().filter(|row| row.id.split('-').next() == Some(area));
            if here().next().is_none() {
                continue;
            }
            write!(out, "{area:<5} {about:<30}")?;
            for (_, is) in &shown {
                match here().filter(|row| is(row)).count() {
                    0 => write!(out, "{:>11}", ".")?,
                    count => write!(out, "{count:>11}")?,
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn write_lists(&self, out: &mut impl fmt::Write) -> fmt::Result {
        for verdict in [Verdict::Vacuous, Verdict::NotReached, Verdict::Known] {
            let ids =
                self.report.requirements.iter().filter(|row| row.verdict == verdict && row.tally() == Tally::Skipped);
            let ids: Vec<&str> = ids.map(|row| row.id.as_str()).collect();
            if !ids.is_empty() {
                wrapped(out, &format!("{}: {}", verdict.name().replace('_', " "), ids.join(", ")), 0)?;
            }
        }
        let unsteady = self.report.nondeterministic.iter();
        let unsteady: Vec<String> =
            unsteady.map(|one| format!("{} {}", one.id, if one.seen { "seen" } else { "not seen" })).collect();
        if !unsteady.is_empty() {
            wrapped(out, &format!("nondeterministic: {}", unsteady.join(", ")), 0)?;
        }
        Ok(())
    }
}

impl fmt::Display for TextReport<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.report;
        self.write_head(out)?;
        self.write_table(out)?;
        let mut lists = String::new();
        self.write_lists(&mut lists)?;
        if !lists.is_empty() {
            write!(out, "\n{lists}")?;
        }
        let first = |row: &&RequirementReport| report.first.as_deref() != Some(&row.id);
        let failing = report
            .requirements
            .iter()
            .filter(|row| row.tally() == Tally::Failed && row.folded_under.is_none() && !is_break(row.verdict));
        let mut failing: Vec<&RequirementReport> = failing.collect();
        failing.sort_by_key(first);
        let advice = report.requirements.iter().filter(|row| row.verdict == Verdict::Advice);
        for row in failing.into_iter().chain(advice) {
            writeln!(out)?;
            self.write_failure(out, row)?;
        }
        for broken in &report.broken {
            let against = match broken.against.as_slice() {
                [] => String::new(),
                ids => format!(", counted against {}", ids.join(", ")),
            };
            let of = match &broken.of {
                Some((side, cases)) => format!("{cases} cases of `{side}`"),
                None => format!("{} histories", report.histories),
            };
            writeln!(out, "\n{} in {} of {of}{against}", broken.verdict.name(), broken.histories)?;
            if let Some(timeline) = &broken.timeline {
                writeln!(out, "\n{timeline}")?;
            }
            broken.message.lines().try_for_each(|line| wrapped(out, &escaped(line), 2))?;
            self.write_witness(out, broken.witness.as_deref(), None)?;
        }
        for problem in &report.known_problems {
            writeln!(out, "\nknown failures: {}", escaped(problem))?;
        }
        for why in report.aborted.iter().chain(&report.cut_short) {
            writeln!(out, "\nnot finished: {}", escaped(why))?;
        }
        writeln!(out, "\n{}", report.closing_line())
    }
}

/// Whether the candidate broke off: these are shown apart, once each.
fn is_break(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Crash | Verdict::Timeout | Verdict::ProtocolError | Verdict::HarnessError)
}

/// Writes `text` in lines of at most 100 characters, each after `indent` spaces. The text's own spaces between words become
/// one.
fn wrapped(out: &mut impl fmt::Write, text: &str, indent: usize) -> fmt::Result {
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > 100 {
            writeln!(out, "{:indent$}{line}", "")?;
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    writeln!(out, "{:indent$}{line}", "")
}
