//! The matrix as one page: no script, nothing from elsewhere, in light and in dark.

use std::fmt::{self, Write};

use super::{Failure, Mark, Matrix, Run, Table};
use crate::report::html::plain;

const HEAD: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>plimsoll: implementations and requirements</title>
<style>
:root { --ground: #fff; --ink: #1b1f24; --faint: #59636e; --line: #d1d9e0; --good: #116329; --bad: #a40e26; --warn: #7d4e00;
  --badground: #ffebe9; --warnground: #fff8c5; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0d1117; --ink: #e6edf3; --faint: #9198a1; --line: #3d444d; --good: #56d364; --bad: #ff9492;
    --warn: #e3b341; --badground: #3c1618; --warnground: #2e2a1f; }
}
body { background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto;
  max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; } h3 { font-size: 1rem; margin-top: 1.8rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .2rem .45rem; text-align: left; vertical-align: top; }
thead th { white-space: nowrap; }
th:first-child { background: var(--ground); left: 0; position: sticky; white-space: nowrap; }
.sign { font-family: ui-monospace, monospace; text-align: center; min-width: 1.2rem; }
.holds { color: var(--good); }
.fails, .unsettled { background: var(--badground); color: var(--bad); font-weight: 700; }
.advice, .vacuous { background: var(--warnground); color: var(--warn); font-weight: 700; }
.faint { color: var(--faint); }
ol { font-family: ui-monospace, monospace; font-size: .85em; margin: 0; padding-left: 1.4rem; }
</style>
</head>
<body>
"#;

impl Matrix {
    /// The matrix as one page of HTML.
    pub(crate) fn html(&self) -> String {
        let mut text = String::from(HEAD);
        // Writing to a string does not fail.
        let _ = self.write_html(&mut text);
        text
    }

    fn write_html(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "<h1>Implementations and requirements</h1>\n<p>{}.</p>", plain(&self.about()))?;
        writeln!(out, "<div class=\"wide\"><table>\n<thead><tr>")?;
        for head in ["#", "run", "implementation", "version", "+", "F", "a", "played"] {
            writeln!(out, "<th scope=\"col\">{head}</th>")?;
        }
        writeln!(out, "</tr></thead>\n<tbody>")?;
        for (number, run) in (1..).zip(&self.runs) {
            let candidate = &run.report.candidate;
            writeln!(out, "<tr><th scope=\"row\"><a href=\"#run-{number}\">{number}</a></th>")?;
            for text in [&run.name, &candidate.name, &candidate.version] {
                writeln!(out, "<td>{}</td>", plain(text))?;
            }
            for mark in [Mark::Holds, Mark::Fails, Mark::Advice] {
                writeln!(out, "<td>{}</td>", run.count(mark))?;
            }
            writeln!(out, "<td class=\"faint\">{}</td></tr>", plain(&run.played()))?;
        }
        writeln!(out, "</tbody></table></div>\n<h2>Signs</h2>\n<table><tbody>")?;
        for mark in Mark::ALL {
            writeln!(out, "<tr>{}<td>{}</td></tr>", cell(mark, ""), mark.meaning())?;
        }
        writeln!(out, "</tbody></table>")?;
        self.tables().iter().try_for_each(|table| write_table(out, table))?;
        writeln!(out, "<h2>What was found</h2>")?;
        (1..).zip(&self.runs).try_for_each(|(number, run)| write_run(out, number, run))?;
        writeln!(out, "</body>\n</html>")
    }
}

fn write_table(out: &mut String, table: &Table<'_>) -> fmt::Result {
    writeln!(out, "<h2>{}</h2>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\"></th>", table.title)?;
    for (number, run) in &table.columns {
        let name = plain(&run.name);
        writeln!(out, "<th scope=\"col\" title=\"{name}\"><a href=\"#run-{number}\">{number}</a></th>")?;
    }
    writeln!(out, "<th scope=\"col\"></th></tr></thead>\n<tbody>")?;
    for requirement in &table.rows {
        writeln!(out, "<tr><th scope=\"row\">{}</th>", requirement.id())?;
        for (_, run) in &table.columns {
            match run.mark(requirement.id()) {
                Some(mark) => writeln!(out, "{}", cell(mark, &run.name))?,
                None => writeln!(out, "<td></td>")?,
            }
        }
        writeln!(out, "<td>{}</td></tr>", plain(&requirement.sentence().replace('`', "")))?;
    }
    writeln!(out, "</tbody></table></div>")
}

fn write_run(out: &mut String, number: usize, run: &Run) -> fmt::Result {
    let candidate = &run.report.candidate;
    let [name, implementation, version] = [&run.name, &candidate.name, &candidate.version].map(|it| plain(it));
    writeln!(out, "<h3 id=\"run-{number}\">{number} {name}: {implementation} {version}</h3>")?;
    for remark in run.remarks() {
        writeln!(out, "<p>{}</p>", plain(&remark))?;
    }
    if run.failures.is_empty() {
        return writeln!(out, "<p>Nothing.</p>");
    }
    writeln!(out, "<div class=\"wide\"><table>\n<thead><tr>")?;
    for head in ["id", "", "what happens", "reason", "shortest history"] {
        writeln!(out, "<th scope=\"col\">{head}</th>")?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")?;
    for failure in &run.failures {
        let Failure { id, mark, sentence, reason, under, history } = failure;
        let under = under.as_ref().map(|id| format!("; with {id}")).unwrap_or_default();
        writeln!(out, "<tr><th scope=\"row\">{}</th>{}<td>{}</td>", plain(id), cell(*mark, ""), plain(sentence))?;
        write!(out, "<td>{}</td><td>", plain(&format!("{reason}{under}")))?;
        if !history.is_empty() {
            write!(out, "<ol>")?;
            history.iter().try_for_each(|line| write!(out, "<li>{}</li>", plain(line)))?;
            write!(out, "</ol>")?;
        }
        writeln!(out, "</td></tr>")?;
    }
    writeln!(out, "</tbody></table></div>")
}

/// A cell; what it says in words is its title.
fn cell(mark: Mark, run: &str) -> String {
    let class = match mark {
        Mark::Holds => "holds",
        Mark::Fails => "fails",
        Mark::Advice => "advice",
        Mark::Unsettled => "unsettled",
        Mark::Vacuous => "vacuous",
        Mark::NotReached | Mark::NotClaimed => "faint",
    };
    let run = if run.is_empty() { String::new() } else { format!("{}: ", plain(run)) };
    format!("<td class=\"sign {class}\" title=\"{run}{}\">{}</td>", mark.meaning(), mark.sign())
}
