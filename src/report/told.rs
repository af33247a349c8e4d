//! What is said of a failure beside its history, in the words of every form of report.

use super::areas::shown;
use super::kinds::kinds_of;
use crate::drawing::Cost;
use crate::oracle::MISSING;
use crate::requirement::requirement;
use crate::text::counted;
use crate::verdict::{BrokenReport, LimitShare, Report, RequirementReport, Tally, Verdict};

/// What is said of a run in which nothing was exercised.
pub(super) const NOTHING: &str =
    "nothing was exercised: the candidate claims none of what was asked for, or nothing of it came about";

/// What keeps a run from being whole, in sentences, but for how the candidate broke off.
pub(super) fn remarks(report: &Report) -> Vec<String> {
    let idle = report.is_idle().then(|| NOTHING.to_owned());
    let known = report.known_problems.iter().map(|problem| format!("known failures: {problem}"));
    let ends = report.aborted.iter().chain(&report.cut_short).map(|why| format!("not finished: {why}"));
    idle.into_iter().chain(known).chain(ends).collect()
}

/// The failures and the advice that a report shows, those together that nothing exercised for one reason.
pub(super) fn parts(report: &Report) -> Vec<Vec<&RequirementReport>> {
    let mut parts: Vec<Vec<&RequirementReport>> = Vec::new();
    for row in shown(&report.requirements, report.first.as_deref()) {
        let alike = |part: &&mut Vec<&RequirementReport>| {
            part[0].verdict == Verdict::Vacuous && misses(report, part[0]) == misses(report, row)
        };
        match parts.iter_mut().find(alike).filter(|_| row.verdict == Verdict::Vacuous) {
            Some(part) => part.push(row),
            None => parts.push(vec![row]),
        }
    }
    parts
}

/// The failure by which the attempts are missing that would have exercised `row`, if there is one.
fn misses<'r>(report: &'r Report, row: &RequirementReport) -> Option<&'r str> {
    let misses = |row: &&RequirementReport| {
        let fails = row.tally() == Tally::Failed || row.verdict == Verdict::Known;
        fails && row.reason.as_deref().is_some_and(|reason| reason.starts_with(MISSING))
    };
    // A case at a limit needs no attempt.
    report.requirements.iter().find(misses).map(|row| row.id.as_str()).filter(|_| !is_case(&row.id))
}

/// Why the requirements of one part were claimed and have nothing to show, and what to do about it.
pub(super) fn unexercised(report: &Report, part: &[&RequirementReport]) -> String {
    let (are, them) = if part.len() == 1 { ("it is", "it") } else { ("they are", "them") };
    let way_out = format!("claim {them} no more, or report a bug");
    let why = match part.first().and_then(|row| misses(report, row)) {
        // What would have exercised it was not done.
        Some(id) => {
            format!(", perhaps because attempts are missing ({id} fails so, and is to be mended first); if it stays so")
        }
        None => String::new(),
    };
    let mark = if why.is_empty() { ";" } else { "," };
    format!("{are} claimed, and nothing in this run exercised {them}{why}{mark} {way_out}")
}

/// The ids of rows, in one line.
pub(super) fn listed(rows: &[&RequirementReport]) -> String {
    rows.iter().map(|row| row.id.as_str()).collect::<Vec<_>>().join(", ")
}

/// Why a requirement is broken, in words.
pub(super) fn reason(row: &RequirementReport) -> Option<String> {
    row.reason.as_deref().map(|reason| reason.replace('_', " "))
}

/// What the fault of a failure cost, where its history has a price.
pub(super) fn cost(row: &RequirementReport) -> Option<String> {
    let Cost { calls, chars, forbidden_calls, forbidden_chars } = row.drawing.as_ref()?.cost;
    let are = if forbidden_calls == 1 { "is" } else { "are" };
    (forbidden_calls > 0).then(|| {
        format!(
            "{forbidden_calls} of {}, {forbidden_chars} of {}, {are} not permitted",
            counted(calls, "summariser call"),
            counted(chars, "character")
        )
    })
}

/// The kinds of failure that it is one of, each with public reports of such: a line each. What merely was not tried, or
/// passed, is no failure.
pub(super) fn seen_as(row: &RequirementReport) -> Vec<String> {
    if matches!(row.verdict, Verdict::Vacuous | Verdict::UnexpectedPass | Verdict::NotReached) {
        return Vec::new();
    }
    let line = |kind: &super::kinds::Kind| match kind.reports.as_slice() {
        [] => format!("{}: {}", kind.kind, kind.sentence),
        reports => format!("{}: {} ({})", kind.kind, kind.sentence, reports.join(", ")),
    };
    kinds_of(&row.id, row.reason.as_deref()).map(line).collect()
}

/// That a failure came up again, where it did.
pub(super) fn again(row: &RequirementReport) -> Option<&'static str> {
    row.again.then_some("a witness in the folder of regressions shows it: it was found before")
}

/// Whether the witness is a case at a limit, and not a history.
pub(super) fn is_case(id: &str) -> bool {
    requirement(id).is_some_and(|requirement| requirement.check.side().is_some())
}

/// What was played, a line for the histories and one for each capability that is judged in cases.
pub(super) fn played(report: &Report) -> Vec<String> {
    let Report { histories, steps, seed, effort, limits, .. } = report;
    let mut lines = Vec::new();
    if *histories > 0 || limits.is_empty() {
        lines.push(format!("{histories} histories, {steps} steps, seed {seed}, effort {effort}"));
    }
    lines.extend(limits.iter().map(|LimitShare { capability, cases, kept }| {
        let kept = kept.map(|kept| format!("; of the room {:.0} % used where something had to go", kept * 100.0));
        format!("{cases} cases of `{capability}`, seed {seed}, effort {effort}{}", kept.unwrap_or_default())
    }));
    lines
}

/// How a candidate broke off, in how many of what, and what it is counted against.
pub(super) fn broke(broken: &BrokenReport, report: &Report) -> String {
    let against = match broken.against.as_slice() {
        [] => String::new(),
        ids => format!(", counted against {}", ids.join(", ")),
    };
    let of = match &broken.of {
        Some((side, cases)) => format!("{cases} cases of `{side}`"),
        None => format!("{} histories", report.histories),
    };
    format!("{} in {} of {of}{against}", broken.verdict.name(), broken.histories)
}
