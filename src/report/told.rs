//! What is said of a failure beside its history, in the words of every form of report.

use super::areas::{folded, shown};
use super::kinds::kinds_of;
use super::quote::shortened;
use crate::contract::Capability;
use crate::drawing::Cost;
use crate::oracle::MISSING;
use crate::requirement::{Check, requirement};
use crate::text::counted;
use crate::verdict::{BrokenReport, LimitShare, RaisedReport, Report, RequirementReport, Tally, Verdict};

/// What is said of a run in which nothing was exercised.
fn nothing(report: &Report) -> String {
    let claimed = report.requirements.iter().any(|row| matches!(row.verdict, Verdict::Vacuous | Verdict::NotReached));
    let why = if claimed {
        "nothing of what was asked for came about"
    } else {
        "the candidate claims none of what was asked for"
    };
    format!("nothing was exercised: {why}")
}

/// What keeps a run from being whole, in sentences, but for how the candidate broke off.
pub(super) fn remarks(report: &Report) -> Vec<String> {
    let idle = report.is_idle().then(|| nothing(report));
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
    let idle = part.first();
    let why = match idle.and_then(|row| misses(report, row)) {
        // What would have exercised it was not done.
        Some(id) => {
            format!(", perhaps because attempts are missing ({id} fails so, and is to be mended first); if it stays so")
        }
        None if idle.is_some_and(|row| often_raised(report, &row.id)) => {
            ", perhaps because the candidate raises errors, which is to be mended first; if it stays so".to_owned()
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

/// Where so great a share of steps or cases ended in an error, it may be why nothing exercised a requirement: one in so many.
const OFTEN: u64 = 10;

/// How many steps, or cases, there were.
fn asked(report: &Report, raised: &RaisedReport) -> u64 {
    let cases =
        |side: &String| report.limits.iter().find(|limit| limit.capability == *side).map_or(0, |limit| limit.cases);
    raised.side.as_ref().map_or(report.steps, cases)
}

/// Whether the candidate raised so many errors that it may be why nothing exercised the requirement `id`.
fn often_raised(report: &Report, id: &str) -> bool {
    let side = side(id);
    let here = |raised: &&RaisedReport| raised.side.as_deref() == side;
    report.raised.iter().find(here).is_some_and(|raised| raised.times * OFTEN >= asked(report, raised))
}

/// That the candidate raised errors, where most of its answers were such, or where that may be why nothing exercised a
/// requirement: how often, and the first.
pub(super) fn raised(report: &Report) -> Vec<String> {
    let idle = |raised: &RaisedReport| {
        let mut rows = report.requirements.iter().filter(|row| row.verdict == Verdict::Vacuous);
        rows.any(|row| side(&row.id) == raised.side.as_deref() && often_raised(report, &row.id))
    };
    let told = |raised: &&RaisedReport| raised.times * 2 > asked(report, raised) || idle(raised);
    let line = |raised: &RaisedReport| {
        let of = match &raised.side {
            None => counted(usize::try_from(asked(report, raised)).unwrap_or(usize::MAX), "step"),
            Some(side) => format!("{} cases of `{side}`", asked(report, raised)),
        };
        format!(
            "the candidate raised an error in {} of {of}; the first: {}",
            raised.times,
            shortened(&raised.message, 200)
        )
    };
    report.raised.iter().filter(told).map(line).collect()
}

/// The command that tells more of a candidate that raises errors, where it is a command: `after` is what follows the file in
/// a command that replays a witness.
pub(super) fn look(after: &str) -> Option<String> {
    after.strip_prefix(" -- ").map(|command| format!("plimsoll adapter-check -- {command}"))
}

/// What fails with `id`, and as a rule by the same fault: whether the same witness shows it.
pub(super) fn also(report: &Report, id: &str) -> Option<String> {
    let all = folded(&report.requirements, id);
    let (same, others): (Vec<&str>, Vec<&str>) = all.into_iter().partition(|other| one_witness(report, id, other));
    let fail = |ids: &[&str]| format!("{} {}", ids.join(", "), if ids.len() == 1 { "fails" } else { "fail" });
    let same = (!same.is_empty()).then(|| format!("{} in the same history", fail(&same)));
    let others = (!others.is_empty()).then(|| format!("{}, too, as a rule by the same fault", fail(&others)));
    let parts: Vec<String> = same.into_iter().chain(others).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The same, told beside one that is folded under another.
pub(super) fn under(report: &Report, row: &RequirementReport) -> Option<String> {
    let id = row.folded_under.as_deref()?;
    let how =
        if one_witness(report, id, &row.id) { " in the same history" } else { ", too, as a rule by the same fault" };
    Some(format!("{id} fails{how}: mend that first"))
}

/// Whether one witness shows both. Of a case at a limit each has a file of its own.
fn one_witness(report: &Report, id: &str, other: &str) -> bool {
    let witness = |id: &str| report.requirement(id).and_then(|row| row.witness.as_deref());
    witness(id).is_some() && witness(id) == witness(other)
}

/// That a failure came up again, where it did.
pub(super) fn again(row: &RequirementReport) -> Option<&'static str> {
    row.again.then_some("a witness in the folder of regressions shows it: it was found before")
}

/// Whether the witness is a case at a limit, and not a history.
pub(super) fn is_case(id: &str) -> bool {
    side(id).is_some()
}

/// The capability whose cases alone can exercise a requirement. What is sent is seen in histories, too.
fn side(id: &str) -> Option<&'static str> {
    let check = requirement(id).map(|requirement| &requirement.check);
    check.filter(|check| !matches!(check, Check::Send { .. })).and_then(Check::side).map(Capability::name)
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
