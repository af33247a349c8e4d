//! The matrix as Markdown.

use std::fmt::{self, Write};

use super::{Failure, Mark, Matrix, Run, Table};
use crate::report::quote::markdown as plain;

impl Matrix {
    /// The matrix as one file of Markdown.
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write_markdown(&mut text);
        text
    }

    fn write_markdown(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "# Implementations and requirements\n\n{}.", plain(&self.about()))?;
        writeln!(out, "Written by `plimsoll matrix` from the JSON reports of `plimsoll check`.\n")?;
        writeln!(out, "| # | run | implementation | version | + | F | a | played |")?;
        writeln!(out, "|--:|---|---|---|--:|--:|--:|---|")?;
        for (number, run) in (1..).zip(&self.runs) {
            let candidate = &run.report.candidate;
            let [name, implementation, version] = [&run.name, &candidate.name, &candidate.version].map(|it| plain(it));
            let [holds, fails, advice] = [Mark::Holds, Mark::Fails, Mark::Advice].map(|mark| run.count(mark));
            let played = plain(&run.played());
            writeln!(
                out,
                "| {number} | {name} | {implementation} | {version} | {holds} | {fails} | {advice} | {played} |"
            )?;
        }
        writeln!(out, "\n| sign | |\n|---|---|")?;
        for mark in Mark::ALL {
            writeln!(out, "| {} | {} |", mark.sign(), mark.meaning())?;
        }
        self.tables().iter().try_for_each(|table| write_table(out, table))?;
        writeln!(out, "\n## What was found")?;
        (1..).zip(&self.runs).try_for_each(|(number, run)| write_run(out, number, run))
    }
}

fn write_table(out: &mut String, table: &Table<'_>) -> fmt::Result {
    writeln!(out, "\n## {}\n", table.title)?;
    write!(out, "| |")?;
    table.columns.iter().try_for_each(|(number, _)| write!(out, " {number} |"))?;
    write!(out, " |\n|---|")?;
    table.columns.iter().try_for_each(|_| write!(out, ":-:|"))?;
    writeln!(out, "---|")?;
    for requirement in &table.rows {
        write!(out, "| {} |", requirement.id())?;
        for (_, run) in &table.columns {
            write!(out, " {} |", run.mark(requirement.id()).map_or("", Mark::sign))?;
        }
        // The specification's own words: their code stays code.
        writeln!(out, " {} |", requirement.sentence().replace('|', r"\|"))?;
    }
    Ok(())
}

fn write_run(out: &mut String, number: usize, run: &Run) -> fmt::Result {
    let candidate = &run.report.candidate;
    let [name, implementation, version] = [&run.name, &candidate.name, &candidate.version].map(|it| plain(it));
    writeln!(out, "\n### {number} {name}: {implementation} {version}\n")?;
    for remark in run.remarks() {
        writeln!(out, "{}\n", plain(&remark))?;
    }
    if run.failures.is_empty() {
        return writeln!(out, "Nothing.");
    }
    writeln!(out, "| id | | what happens | reason | shortest history |\n|---|---|---|---|---|")?;
    for failure in &run.failures {
        let Failure { id, mark, sentence, reason, under, history } = failure;
        let under = under.as_ref().map(|id| format!("; with {id}")).unwrap_or_default();
        let (sentence, reason) = (plain(sentence), plain(&format!("{reason}{under}")));
        let history: Vec<String> = history.iter().map(|line| plain(line)).collect();
        writeln!(out, "| {} | {} | {sentence} | {reason} | {} |", plain(id), mark.sign(), history.join("<br>"))?;
    }
    Ok(())
}
