//! The summary: Markdown, as a forge shows it beside a job.

use std::fmt::{self, Write};

use super::Forms;
use crate::report::areas::{columns, grouped};
use crate::report::quote::{escaped, markdown as marked};
use crate::report::told::{again, also, broke, cost, listed, parts, played, reason, seen_as, unexercised};
use crate::requirement::requirement;
use crate::text::counted;
use crate::verdict::{RequirementReport, Tally, Verdict};

impl Forms<'_> {
    /// The report as Markdown: the closing line, the areas, each failure with its history.
    pub(crate) fn summary(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write_summary(&mut text);
        text
    }

    fn write_summary(&self, out: &mut String) -> fmt::Result {
        let report = self.report;
        writeln!(out, "## plimsoll: {} {}\n", marked(&self.candidate()), self.state())?;
        writeln!(out, "**{}**\n", report.closing_line())?;
        let held = self.profile.as_ref().map(|name| format!("profile {}; ", marked(name))).unwrap_or_default();
        let only = match report.filter.as_slice() {
            [] => String::new(),
            ids => format!("only {}; ", ids.join(", ")),
        };
        writeln!(
            out,
            "{held}{only}{}; specification {}, suite {}.\n",
            played(report).join("; "),
            report.spec,
            report.suite
        )?;
        let columns = columns(&report.requirements);
        write!(out, "| area | |")?;
        columns.iter().try_for_each(|(name, _)| write!(out, " {name} |"))?;
        write!(out, "\n|---|---|")?;
        columns.iter().try_for_each(|_| write!(out, "---:|"))?;
        writeln!(out)?;
        for (area, about, rows) in grouped(&report.requirements) {
            write!(out, "| {area} | {about} |")?;
            for (_, is) in &columns {
                match rows.iter().filter(|row| is(row)).count() {
                    0 => write!(out, " |")?,
                    count => write!(out, " {count} |")?,
                }
            }
            writeln!(out)?;
        }
        for remark in self.remarks().into_iter().chain(self.raised()) {
            writeln!(out, "\n> {}", marked(&remark))?;
        }
        for part in parts(report) {
            match part.as_slice() {
                [row] => self.write_row(out, row)?,
                rows => {
                    let why = marked(&unexercised(report, rows));
                    writeln!(out, "\n### {} vacuous\n\n{}\n\n{why}.", counted(rows.len(), "MUST"), listed(rows))?;
                }
            }
        }
        for broken in &report.broken {
            writeln!(out, "\n### {}\n", marked(&broke(broken, report)))?;
            if let Some(timeline) = &broken.timeline {
                fenced(out, timeline.trim_end())?;
            }
            let lines: Vec<String> = broken.message.lines().map(escaped).collect();
            fenced(out, &lines.join("\n"))?;
            if let Some(command) = broken.witness.as_deref().and_then(|witness| self.replay_of(witness)) {
                writeln!(out, "- replay:\n")?;
                fenced(out, &command)?;
            }
        }
        for verdict in [Verdict::Known, Verdict::NotReached] {
            let rows = report.requirements.iter().filter(|row| row.verdict == verdict && row.tally() == Tally::Skipped);
            let ids: Vec<&str> = rows.map(|row| row.id.as_str()).collect();
            if !ids.is_empty() {
                writeln!(out, "\n{}: {}", verdict.name().replace('_', " "), ids.join(", "))?;
            }
        }
        Ok(())
    }

    fn write_row(&self, out: &mut String, row: &RequirementReport) -> fmt::Result {
        let reason = reason(row).map(|reason| format!(": {}", marked(&reason))).unwrap_or_default();
        writeln!(out, "\n### {} {}{reason}\n", row.id, row.verdict.name().replace('_', " "))?;
        if let Some(requirement) = requirement(&row.id) {
            writeln!(out, "{}\n", requirement.sentence())?;
        }
        if row.verdict == Verdict::Vacuous {
            writeln!(out, "{}.\n", marked(&unexercised(self.report, &[row])))?;
        }
        if let Some(timeline) = &row.timeline {
            fenced(out, timeline.trim_end())?;
        }
        for line in row.detail.iter().flat_map(|detail| detail.lines()) {
            writeln!(out, "{}\n", marked(line))?;
        }
        if let Some(cost) = cost(row) {
            writeln!(out, "- cost: {cost}")?;
        }
        if let Some(again) = again(row) {
            writeln!(out, "- again: {again}")?;
        }
        if let Some(also) = also(self.report, &row.id) {
            writeln!(out, "- also: {also}")?;
        }
        // The specification's own words.
        seen_as(row).iter().try_for_each(|kind| writeln!(out, "- seen as: {kind}"))?;
        if let Some(command) = self.replay(row) {
            writeln!(out, "- replay:\n")?;
            fenced(out, &command)?;
        }
        Ok(())
    }
}

/// A block of code that nothing in `text` ends.
fn fenced(out: &mut String, text: &str) -> fmt::Result {
    let longest = text.lines().map(|line| line.trim_start().chars().take_while(|c| *c == '`').count()).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    writeln!(out, "{fence}text\n{text}\n{fence}\n")
}
