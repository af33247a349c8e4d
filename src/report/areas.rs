//! The areas of the specification, as reports group their rows.

use crate::verdict::{RequirementReport, Tally, Verdict};

/// The areas, by what ids start with, and what each is about.
pub(super) const AREAS: &[(&str, &str)] = &[
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

/// A column of the table of areas, and what it counts.
pub(super) type Column = (&'static str, fn(&RequirementReport) -> bool);

pub(super) const COLUMNS: &[Column] = &[
    ("pass", |row| row.verdict == Verdict::Pass),
    ("fail", |row| row.tally() == Tally::Failed && row.verdict != Verdict::Vacuous),
    ("vacuous", |row| row.verdict == Verdict::Vacuous),
    ("advice", |row| row.verdict == Verdict::Advice),
    ("known", |row| row.verdict == Verdict::Known),
    ("unreached", |row| row.verdict == Verdict::NotReached),
    ("unclaimed", |row| row.verdict == Verdict::NotClaimed),
];

/// The columns that a table of `rows` needs.
pub(super) fn columns(rows: &[RequirementReport]) -> Vec<&'static Column> {
    COLUMNS.iter().filter(|(name, is)| *name == "pass" || rows.iter().any(is)).collect()
}

/// The area of an id: what stands in front of its number.
pub(super) fn area(id: &str) -> &str {
    id.split('-').next().unwrap_or(id)
}

/// The areas that have rows, each with these.
pub(super) fn grouped(
    rows: &[RequirementReport],
) -> impl Iterator<Item = (&'static str, &'static str, Vec<&RequirementReport>)> {
    let of = |name: &str| rows.iter().filter(|row| area(&row.id) == name).collect::<Vec<_>>();
    AREAS.iter().map(move |(name, about)| (*name, *about, of(name))).filter(|(.., rows)| !rows.is_empty())
}

/// The failures that a report shows one by one: the cause of the others first, what nothing exercised last; then the advice.
pub(super) fn shown<'r>(rows: &'r [RequirementReport], first: Option<&str>) -> Vec<&'r RequirementReport> {
    let failing =
        rows.iter().filter(|row| row.tally() == Tally::Failed && row.folded_under.is_none() && !is_break(row.verdict));
    let mut failing: Vec<&RequirementReport> = failing.collect();
    failing.sort_by_key(|row| (first != Some(&row.id), row.verdict == Verdict::Vacuous));
    failing.extend(rows.iter().filter(|row| row.verdict == Verdict::Advice));
    failing
}

/// The ids that are folded under the failure `id`.
pub(super) fn folded<'r>(rows: &'r [RequirementReport], id: &str) -> Vec<&'r str> {
    rows.iter().filter(|row| row.folded_under.as_deref() == Some(id)).map(|row| row.id.as_str()).collect()
}

/// Whether the candidate broke off: these are shown apart, once each.
pub(super) fn is_break(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Crash | Verdict::Timeout | Verdict::ProtocolError | Verdict::HarnessError)
}
