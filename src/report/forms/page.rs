//! One run as one page: no script, nothing from elsewhere, in light and in dark.

use std::fmt::{self, Write};

use super::Forms;
use super::chart::chart;
use crate::report::areas::{grouped, shown};
use crate::report::html::plain;
use crate::report::told::{again, also, broke, cost, played, reason, seen_as, unexercised};
use crate::requirement::requirement;
use crate::verdict::{BrokenReport, RequirementReport, Tally, Verdict};

const STYLE: &str = include_str!("page.css");

/// What rows can be filtered by: the class, and what it is called.
const CLASSES: [(&str, &str); 4] =
    [("fails", "failed"), ("soft", "advice, known, not reached"), ("holds", "passed"), ("unclaimed", "not claimed")];

impl Forms<'_> {
    /// The report as a page of HTML.
    pub(crate) fn page(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write_page(&mut text);
        text
    }

    fn write_page(&self, out: &mut String) -> fmt::Result {
        let title = plain(&self.candidate());
        write!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"generator\" content=\"plimsoll\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <title>{title}: conformance</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
        )?;
        self.write_head(out)?;
        writeln!(out, "<main>")?;
        self.write_areas(out)?;
        self.write_failures(out)?;
        self.write_rows(out)?;
        self.write_search(out)?;
        let contract = serde_json::to_string_pretty(&self.report.contract).unwrap_or_default();
        writeln!(out, "<h2>The contract</h2>\n<details><summary>What the candidate was held to</summary>")?;
        writeln!(out, "<pre tabindex=\"0\">{}</pre></details>", lines(&contract))?;
        writeln!(out, "</main>\n</body>\n</html>")
    }

    fn write_head(&self, out: &mut String) -> fmt::Result {
        let report = self.report;
        let class = match report.exit_code() {
            0 => "passed",
            1 => "failed",
            _ => "unfinished",
        };
        writeln!(out, "<header>\n<h1>{}</h1>", plain(&self.candidate()))?;
        let closing = report.closing_line();
        writeln!(
            out,
            "<p class=\"closing\"><span class=\"pill {class}\">{}</span>{}</p>",
            self.state(),
            plain(&closing)
        )?;
        writeln!(out, "<dl class=\"facts\">")?;
        let mut fact = |name: &str, value: &str| writeln!(out, "<dt>{name}</dt><dd>{}</dd>", plain(value));
        fact("held to", self.profile.as_deref().unwrap_or("its own contract"))?;
        if !report.filter.is_empty() {
            fact("only", &report.filter.join(", "))?;
        }
        fact("played", &played(report).join("; "))?;
        fact("specification", &report.spec)?;
        fact("suite", &format!("plimsoll {}, adapter protocol {}", report.suite, report.protocol))?;
        writeln!(out, "</dl>")?;
        for remark in self.remarks().into_iter().chain(self.raised()) {
            writeln!(out, "<p class=\"remark\">{}</p>", plain(&remark))?;
        }
        writeln!(out, "</header>")
    }

    fn write_areas(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "<h2>Requirements</h2>\n<div class=\"wide\"><table class=\"areas\"><tbody>")?;
        for (area, about, rows) in grouped(&self.report.requirements) {
            writeln!(out, "<tr><th scope=\"row\">{area}</th><td class=\"about\">{about}</td><td><ul class=\"tiles\">")?;
            for row in rows {
                let number = row.id.rsplit('-').next().unwrap_or_default();
                writeln!(
                    out,
                    "<li><a class=\"tile {}\" href=\"#{}\" title=\"{1}: {2}\" aria-label=\"{1}: {2}\">{number}</a></li>",
                    class(row),
                    plain(&row.id),
                    verdict(row)
                )?;
            }
            writeln!(out, "</ul></td></tr>")?;
        }
        writeln!(out, "</tbody></table></div>")?;
        let kinds = [
            ("holds", "holds"),
            ("fails", "does not hold, or claimed and exercised by nothing"),
            ("soft", "advice, known, or not reached"),
            ("unclaimed", "not claimed"),
        ];
        let there = |name: &str| self.report.requirements.iter().any(|row| class(row) == name);
        let items = kinds.iter().filter(|(name, _)| there(name));
        let items: String = items
            .map(|(name, what)| format!("<li><span class=\"tile {name}\" aria-hidden=\"true\">n</span>{what}</li>"))
            .collect();
        writeln!(out, "<ul class=\"key\">{items}</ul>")
    }

    fn write_failures(&self, out: &mut String) -> fmt::Result {
        let rows = shown(&self.report.requirements, self.report.first.as_deref());
        if !rows.is_empty() || !self.report.broken.is_empty() {
            writeln!(out, "<h2>What does not hold</h2>")?;
        }
        rows.iter().try_for_each(|row| self.write_failure(out, row))?;
        self.report.broken.iter().try_for_each(|broken| self.write_break(out, broken))?;
        let mut known = self.known().peekable();
        if known.peek().is_some() {
            writeln!(out, "<h2>What is known not to hold</h2>")?;
        }
        known.try_for_each(|row| self.write_failure(out, row))
    }

    fn known(&self) -> impl Iterator<Item = &RequirementReport> {
        self.report.requirements.iter().filter(|row| row.verdict == Verdict::Known)
    }

    fn write_break(&self, out: &mut String, broken: &BrokenReport) -> fmt::Result {
        writeln!(out, "<section class=\"finding\">\n<h3>{}</h3>", plain(&broke(broken, self.report)))?;
        if let Some(timeline) = &broken.timeline {
            writeln!(out, "<pre tabindex=\"0\">{}</pre>", lines(timeline.trim_end()))?;
        }
        writeln!(out, "<pre tabindex=\"0\">{}</pre>", lines(&broken.message))?;
        if let Some(command) = broken.witness.as_deref().and_then(|witness| self.replay_of(witness)) {
            writeln!(out, "<pre tabindex=\"0\">{}</pre>", plain(&command))?;
        }
        writeln!(out, "</section>")
    }

    fn write_failure(&self, out: &mut String, row: &RequirementReport) -> fmt::Result {
        let advice = if matches!(row.verdict, Verdict::Advice | Verdict::Known) { " advice" } else { "" };
        let id = plain(&row.id);
        let reason = reason(row).map(|reason| format!(": {}", plain(&reason))).unwrap_or_default();
        writeln!(out, "<section class=\"finding{advice}\" id=\"why-{id}\" aria-labelledby=\"title-{id}\">")?;
        writeln!(
            out,
            "<h3 id=\"title-{id}\"><a href=\"#{id}\">{id}</a> {} {}{reason}</h3>",
            plain(&row.level),
            verdict(row)
        )?;
        if let Some(requirement) = requirement(&row.id) {
            writeln!(out, "<p class=\"sentence\">{}</p>", code(requirement.sentence()))?;
        }
        if row.verdict == Verdict::Vacuous {
            writeln!(out, "<p>{}.</p>", plain(&unexercised(self.report, &[row])))?;
        }
        match (&row.drawing, &row.timeline) {
            (Some(drawing), _) => {
                let picture = chart(drawing, &format!("{} {}", row.id, row.reason.as_deref().unwrap_or_default()));
                if !picture.is_empty() {
                    writeln!(out, "<div class=\"wide\">{picture}</div>")?;
                    out.push_str(KEY);
                }
                write_history(out, drawing)?;
            }
            (None, Some(case)) => writeln!(out, "<pre tabindex=\"0\">{}</pre>", lines(case.trim_end()))?,
            (None, None) => {}
        }
        if let Some(detail) = &row.detail {
            writeln!(out, "<p class=\"detail\">{}</p>", detail.lines().map(plain).collect::<Vec<_>>().join("<br>"))?;
        }
        writeln!(out, "<dl class=\"facts\">")?;
        let mut fact = |name: &str, value: &str| writeln!(out, "<dt>{name}</dt><dd>{value}</dd>");
        if let Some(cost) = cost(row) {
            fact("cost", &plain(&cost))?;
        }
        if let Some(again) = again(row) {
            fact("again", again)?;
        }
        if let Some(also) = also(self.report, &row.id) {
            fact("also", &plain(&also))?;
        }
        seen_as(row).iter().try_for_each(|kind| fact("seen as", &plain(kind)))?;
        if let Some(name) = &row.witness {
            fact("witness", &plain(name))?;
        }
        writeln!(out, "</dl>")?;
        if let Some(command) = self.replay(row) {
            writeln!(out, "<pre tabindex=\"0\">{}</pre>", plain(&command))?;
        }
        writeln!(out, "</section>")
    }

    fn write_rows(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "<h2>Each requirement</h2>\n<fieldset class=\"filter\"><legend>Show</legend>")?;
        writeln!(out, "<label><input type=\"radio\" name=\"show\" id=\"show-all\" checked> all</label>")?;
        for (class, name) in CLASSES {
            let count = self.report.requirements.iter().filter(|row| self::class(row) == class).count();
            writeln!(out, "<label><input type=\"radio\" name=\"show\" id=\"show-{class}\"> {name} ({count})</label>")?;
        }
        writeln!(out, "</fieldset>\n<div class=\"wide\"><table class=\"rows\"><thead><tr>")?;
        for head in ["id", "level", "verdict", "exercised", "sentence"] {
            writeln!(out, "<th scope=\"col\">{head}</th>")?;
        }
        writeln!(out, "</tr></thead><tbody>")?;
        let explained = shown(&self.report.requirements, None);
        for row in &self.report.requirements {
            let id = plain(&row.id);
            let why = row.folded_under.as_deref().unwrap_or(&row.id);
            let verdict = match explained.iter().copied().chain(self.known()).any(|row| row.id == why) {
                true => format!("<a href=\"#why-{}\">{}</a>", plain(why), verdict(row)),
                false => verdict(row),
            };
            let sentence = requirement(&row.id).map(|it| code(it.sentence())).unwrap_or_default();
            let note = row.note.as_ref().map(|note| format!("<br>{}", plain(note))).unwrap_or_default();
            writeln!(
                out,
                "<tr id=\"{id}\" data-is=\"{class}\"><th scope=\"row\">{id}</th><td>{}</td>\
                 <td><span class=\"pill {class}\">{verdict}</span></td><td class=\"number\">{}</td><td>{sentence}{note}</td></tr>",
                plain(&row.level),
                row.exercised,
                class = class(row)
            )?;
        }
        writeln!(out, "</tbody></table></div>")
    }

    fn write_search(&self, out: &mut String) -> fmt::Result {
        let report = self.report;
        writeln!(out, "<h2>The search</h2>\n<div class=\"wide\"><table><thead><tr>")?;
        for head in ["share", "histories or cases", "steps", "found something"] {
            writeln!(out, "<th scope=\"col\">{head}</th>")?;
        }
        writeln!(out, "</tr></thead><tbody>")?;
        for share in &report.shares {
            writeln!(
                out,
                "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td>\
                 <td class=\"number\">{}</td></tr>",
                plain(&share.share),
                share.histories,
                share.steps,
                share.found
            )?;
        }
        for limit in &report.limits {
            writeln!(
                out,
                "<tr><th scope=\"row\">cases of {}</th><td class=\"number\">{}</td><td></td><td></td></tr>",
                plain(&limit.capability),
                limit.cases
            )?;
        }
        writeln!(out, "</tbody></table></div>")
    }
}

/// What the marks of a picture mean.
const KEY: &str = concat!(
    "<ul class=\"key\" aria-hidden=\"true\">",
    "<li><svg class=\"event host\" width=\"12\" height=\"12\"><circle cx=\"6\" cy=\"6\" r=\"2\"/></svg>the host</li>",
    "<li><svg class=\"event step\" width=\"12\" height=\"12\"><circle cx=\"6\" cy=\"6\" r=\"3.5\"/></svg>a step, no attempt</li>",
    "<li><svg class=\"event success\" width=\"12\" height=\"12\"><circle cx=\"6\" cy=\"6\" r=\"6\"/></svg>an attempt that succeeded</li>",
    "<li><svg class=\"event failure\" width=\"12\" height=\"12\"><rect x=\"1\" y=\"1\" width=\"10\" height=\"10\"/></svg>one that failed</li>",
    "<li><svg class=\"event wrong\" width=\"16\" height=\"16\"><circle cx=\"8\" cy=\"8\" r=\"8\"/>",
    "<path d=\"M5 5 l6 6 m0 -6 l-6 6\"/></svg>against the contract</li>",
    "<li>line: messages that the model sees</li></ul>\n"
);

fn write_history(out: &mut String, drawing: &crate::drawing::Drawing) -> fmt::Result {
    writeln!(out, "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"the history\">")?;
    writeln!(out, "<table class=\"history mono\"><thead><tr>")?;
    for head in ["time", "command", "view", "calls", "did", "contract"] {
        writeln!(out, "<th scope=\"col\">{head}</th>")?;
    }
    writeln!(out, "</tr></thead><tbody>")?;
    for row in drawing.folded() {
        let Some(row) = row.row else {
            writeln!(out, "<tr><td></td><td colspan=\"5\">{}</td></tr>", plain(&row.more))?;
            continue;
        };
        let body = &row.body;
        let wrong = if body.mark { " class=\"wrong\"" } else { "" };
        let change = body.change.filter(|by| *by != 0).map(|by| format!("{by:+}")).unwrap_or_default();
        let calls = if body.calls == 0 { String::new() } else { format!("+{}", body.calls) };
        writeln!(
            out,
            "<tr{wrong}><td class=\"number\">{}</td><td>{}{}</td><td class=\"number\">{change}</td>\
             <td class=\"number\">{calls}</td><td>{}</td><td>{}</td></tr>",
            plain(&row.time),
            plain(&row.conversation),
            plain(&body.command),
            plain(&body.did),
            plain(&body.rule)
        )?;
    }
    writeln!(out, "</tbody></table></div>\n<p>{}</p>", plain(&drawing.sums()))
}

fn class(row: &RequirementReport) -> &'static str {
    match row.tally() {
        Tally::Failed => "fails",
        _ if row.verdict == Verdict::NotClaimed => "unclaimed",
        Tally::Skipped => "soft",
        Tally::Passed if row.verdict == Verdict::Advice => "soft",
        Tally::Passed => "holds",
    }
}

fn verdict(row: &RequirementReport) -> String {
    row.verdict.name().replace('_', " ")
}

/// A sentence of the specification, its code as code.
fn code(sentence: &str) -> String {
    let part =
        |(at, text): (usize, &str)| if at % 2 == 1 { format!("<code>{}</code>", plain(text)) } else { plain(text) };
    sentence.split('`').enumerate().map(part).collect()
}

/// Somebody's text of several lines.
fn lines(text: &str) -> String {
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}
