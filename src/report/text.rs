//! The console report.

use std::fmt;

use super::areas::{columns, grouped};
use super::quote::escaped;
use super::told::{
    again, also, broke, cost, is_case, listed, look, parts, played, raised, reason, remarks, seen_as, unexercised,
};
use crate::requirement::requirement;
use crate::text::counted;
use crate::verdict::{NondeterministicReport, Report, RequirementReport, Tally, Verdict};

/// Prose is at most so wide.
const PROSE: usize = 100;

/// A report as a person reads it: a table of areas, then each failure with its shortest history, then the closing line.
///
/// Plain text; what the candidate wrote is escaped. Without a [width](Self::width) each row of a history is one line,
/// however long, and there are no colours but where [they are asked for](Self::colours).
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
    width: Option<usize>,
    colours: bool,
}

/// What a colour says.
#[derive(Clone, Copy, Debug)]
enum Tone {
    Good,
    Bad,
    Warn,
    Head,
    Faint,
}

impl<'a> TextReport<'a> {
    /// The text of `report`.
    pub fn new(report: &'a Report) -> Self {
        Self { report, replay: None, width: None, colours: false }
    }

    /// Each failure with a command that replays it: `before`, the witness file, `after`.
    pub fn replay(mut self, before: impl Into<String>, after: impl Into<String>) -> Self {
        self.replay = Some((before.into(), after.into()));
        self
    }

    /// For a screen of so many columns: histories are laid out to fit it. Fewer than 40 are taken for 40.
    pub fn width(mut self, columns: usize) -> Self {
        self.width = Some(columns.max(40));
        self
    }

    /// With colours, as escape sequences of a terminal.
    pub fn colours(mut self, colours: bool) -> Self {
        self.colours = colours;
        self
    }

    fn prose(&self) -> usize {
        self.width.map_or(PROSE, |width| width.min(PROSE))
    }

    fn toned(&self, tone: Tone, text: &str) -> String {
        if !self.colours || text.is_empty() {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Good => 32,
            Tone::Bad => 31,
            Tone::Warn => 33,
            Tone::Head => 1,
            Tone::Faint => 2,
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    /// A name in front of its text; later lines stand below the text.
    fn line(&self, out: &mut impl fmt::Write, name: &str, text: &str) -> fmt::Result {
        for (at, part) in lines(text, self.prose().saturating_sub(12)).iter().enumerate() {
            let name = if at == 0 { self.toned(Tone::Faint, &format!("{name:<10}")) } else { " ".repeat(10) };
            writeln!(out, "  {name}{part}")?;
        }
        Ok(())
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
        let reason = reason(row).map(|reason| format!(": {}", escaped(&reason))).unwrap_or_default();
        let tone = if row.tally() == Tally::Failed { Tone::Bad } else { Tone::Warn };
        let verdict = self.toned(tone, row.verdict.name());
        writeln!(
            out,
            "{} {} {verdict}{}",
            self.toned(Tone::Head, &row.id),
            row.level,
            self.toned(Tone::Head, &reason)
        )?;
        if let Some(requirement) = requirement(&row.id) {
            wrapped(out, requirement.sentence(), 2, self.prose())?;
        }
        if row.verdict == Verdict::Vacuous {
            let why = unexercised(self.report, &[row]);
            writeln!(out)?;
            wrapped(out, &why, 2, self.prose())?;
        }
        match (&row.drawing, &row.timeline, self.width) {
            (Some(drawing), _, Some(_)) => self.write_timeline(out, &drawing.text(self.width))?,
            (_, Some(timeline), _) => self.write_timeline(out, timeline)?,
            _ => {}
        }
        if let Some(detail) = &row.detail {
            writeln!(out)?;
            detail.lines().try_for_each(|line| wrapped(out, &escaped(line), 2, self.prose()))?;
        }
        if let Some(cost) = cost(row) {
            self.line(out, "cost", &cost)?;
        }
        if let Some(again) = again(row) {
            self.line(out, "again", again)?;
        }
        if let Some(also) = also(self.report, &row.id) {
            self.line(out, "also", &also)?;
        }
        for (at, kind) in seen_as(row).iter().enumerate() {
            self.line(out, if at == 0 { "seen as" } else { "" }, kind)?;
        }
        self.write_witness(out, row.witness.as_deref(), row.witness_steps.filter(|_| !is_case(&row.id)))
    }

    /// What nothing exercised, for one reason.
    fn write_idle(&self, out: &mut impl fmt::Write, rows: &[&RequirementReport]) -> fmt::Result {
        let verdict = self.toned(Tone::Bad, Verdict::Vacuous.name());
        writeln!(out, "{} {verdict}", self.toned(Tone::Head, &counted(rows.len(), "MUST")))?;
        wrapped(out, &listed(rows), 2, self.prose())?;
        writeln!(out)?;
        wrapped(out, &unexercised(self.report, rows), 2, self.prose())
    }

    /// A history, its marked rows standing out.
    fn write_timeline(&self, out: &mut impl fmt::Write, timeline: &str) -> fmt::Result {
        writeln!(out)?;
        for (at, line) in timeline.lines().enumerate() {
            let line = match line {
                line if line.starts_with('>') => self.toned(Tone::Bad, line),
                line if at == 0 => self.toned(Tone::Faint, line),
                line => line.to_owned(),
            };
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    fn write_witness(&self, out: &mut impl fmt::Write, witness: Option<&str>, commands: Option<usize>) -> fmt::Result {
        let Some(witness) = witness else { return Ok(()) };
        let path = self.report.witness_path(witness).display().to_string();
        let commands = commands.map(|n| format!(" ({})", counted(n, "command"))).unwrap_or_default();
        let [witness, replay] = ["witness   ", "replay    "].map(|name| self.toned(Tone::Faint, name));
        writeln!(out, "  {witness}{}{commands}", escaped(&path))?;
        // One line, so that it can be copied.
        if let Some((before, after)) = &self.replay {
            writeln!(out, "  {replay}{before}{}{after}", super::shell(&[path]))?;
        }
        Ok(())
    }

    fn write_head(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let report = self.report;
        let (name, version) = (escaped(&report.candidate.name), escaped(&report.candidate.version));
        writeln!(out, "candidate {name} {version}, specification {}, suite {}", report.spec, report.suite)?;
        played(report).iter().try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out)
    }

    fn write_table(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let rows = &self.report.requirements;
        let shown = columns(rows);
        // Where the screen is too narrow for what the areas are about, their names are enough.
        let about = self.width.is_none_or(|width| width >= 36 + 11 * shown.len());
        let (front, column) = if about { (36, 11) } else { (6, 10) };
        write!(out, "{:<front$}", "area")?;
        for (name, _) in &shown {
            write!(out, "{}", self.toned(Tone::Faint, &format!("{name:>column$}")))?;
        }
        writeln!(out)?;
        let unclaimed = |here: &[&RequirementReport]| here.iter().all(|row| row.verdict == Verdict::NotClaimed);
        let (mut areas, others): (Vec<_>, Vec<_>) = grouped(rows)
            .map(|(area, what, here)| (format!("{area:<5} {}", if about { what } else { "" }), here))
            .partition(|(_, here)| !unclaimed(here));
        // What the candidate has no notion of is one line.
        match others.len() {
            0 | 1 => areas.extend(others),
            n => areas.push((
                format!("{n} {}", if about { "other areas" } else { "more" }),
                others.into_iter().flat_map(|(_, here)| here).collect(),
            )),
        }
        for (area, here) in areas {
            write!(out, "{area:<front$}")?;
            for (name, is) in &shown {
                let count = match here.iter().filter(|row| is(row)).count() {
                    0 => format!("{:>column$}", "."),
                    count => format!("{count:>column$}"),
                };
                let tone = match *name {
                    _ if count.ends_with('.') => Tone::Faint,
                    "pass" => Tone::Good,
                    "fail" | "vacuous" => Tone::Bad,
                    "advice" | "known" => Tone::Warn,
                    _ => Tone::Faint,
                };
                write!(out, "{}", self.toned(tone, &count))?;
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
                wrapped(out, &format!("{}: {}", verdict.name().replace('_', " "), ids.join(", ")), 0, self.prose())?;
            }
        }
        let unsteady = self.report.nondeterministic.iter();
        let told = |one: &NondeterministicReport| match (one.seen, one.steady) {
            (false, _) => format!("{} not seen", one.id),
            (true, false) => format!("{} seen", one.id),
            (true, true) => {
                format!("{} seen, whenever it was played again (if it always is, list it as known)", one.id)
            }
        };
        let unsteady: Vec<String> = unsteady.map(told).collect();
        if !unsteady.is_empty() {
            wrapped(out, &format!("nondeterministic: {}", unsteady.join(", ")), 0, self.prose())?;
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
        let look = self.replay.as_ref().and_then(|(_, after)| look(after));
        for line in raised(report) {
            writeln!(out)?;
            wrapped(out, &line, 0, self.prose())?;
            // One line, so that it can be copied.
            if let Some(look) = &look {
                writeln!(out, "  {}{look}", self.toned(Tone::Faint, "run       "))?;
            }
        }
        for part in parts(report) {
            writeln!(out)?;
            match part.as_slice() {
                [row] => self.write_failure(out, row)?,
                rows => self.write_idle(out, rows)?,
            }
        }
        for broken in &report.broken {
            writeln!(out, "\n{}", self.toned(Tone::Bad, &broke(broken, report)))?;
            if let Some(timeline) = &broken.timeline {
                writeln!(out, "\n{timeline}")?;
            }
            broken.message.lines().try_for_each(|line| wrapped(out, &escaped(line), 2, self.prose()))?;
            self.write_witness(out, broken.witness.as_deref(), None)?;
        }
        for remark in remarks(report) {
            writeln!(out, "\n{}", escaped(&remark))?;
        }
        let tone = if report.exit_code() == 0 { Tone::Good } else { Tone::Bad };
        writeln!(out, "\n{}", self.toned(tone, &report.closing_line()))
    }
}

/// Writes `text` in lines of at most `width` characters, each after `indent` spaces.
fn wrapped(out: &mut impl fmt::Write, text: &str, indent: usize, width: usize) -> fmt::Result {
    lines(text, width.saturating_sub(indent)).iter().try_for_each(|line| writeln!(out, "{:indent$}{line}", ""))
}

/// `text` in lines of at most `width` characters, a longer word by itself. The text's own spaces between words become one.
fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
