//! Every known-bad candidate at a limit is rejected by the requirement that it is there to break, every sound one is not,
//! and a suite says of each what a run at a limit alone says.
#![cfg(feature = "zoo")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;

use plimsoll::zoo::{self, Row};
use plimsoll::{Compactor, LimitBudget, LimitReport, Report, Suite, Verdict, check_at_limit};

fn rows() -> impl Iterator<Item = &'static Row> {
    zoo::all().filter(|row| row.at_limit().is_some())
}

fn check(row: &Row) -> LimitReport {
    let (contract, candidate) = row.at_limit().unwrap();
    check_at_limit(&contract, &candidate, &LimitBudget::default())
}

#[test]
fn known_bad_candidates_are_rejected_by_the_ids_they_name() {
    let mut wrong = Vec::new();
    for row in rows().filter(|row| !row.is_conforming()) {
        let report = check(row);
        let broken = report.broken();
        let expected = |id: &&str| row.breaks().contains(id) || row.also().contains(id);
        if !row.breaks().iter().all(|id| broken.contains(id))
            || !broken.iter().all(expected)
            || !report.breaks.is_empty()
        {
            wrong.push(format!("{}: {broken:?} {:?}", row.name(), report.breaks));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_requirement_has_a_known_bad_candidate() {
    let broken: BTreeSet<&str> = rows().flat_map(|row| row.breaks()).copied().collect();
    for (area, count) in [("RED", 13), ("FIT", 8), ("ASM", 6)] {
        for number in 1..=count {
            assert!(broken.contains(format!("{area}-{number}").as_str()), "{area}-{number}");
        }
    }
}

#[test]
fn sound_candidates_pass() {
    let mut wrong = Vec::new();
    for row in rows().filter(|row| row.is_conforming()) {
        let report = check(row);
        let vacuous: Vec<_> = report.findings.iter().filter(|f| f.claimed && f.exercised == 0).map(|f| f.id).collect();
        if !report.passed() || report.broken().iter().any(|id| !row.also().contains(id)) {
            wrong.push(format!("{}: {:?} {vacuous:?} {:?}", row.name(), report.broken(), report.breaks));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn verdicts(report: &Report) -> Vec<(&str, Verdict, Option<&str>)> {
    let claimed = report.requirements.iter().filter(|row| row.verdict != Verdict::NotClaimed);
    claimed.map(|row| (row.id.as_str(), row.verdict, row.reason.as_deref())).collect()
}

#[test]
fn a_suite_says_what_a_run_at_a_limit_says() {
    for row in rows() {
        let suite = Suite::fallible(row.name(), || Ok(row.make())).seed(1).witness_dir(None).run().unwrap();
        let alone = check(row).rows();
        let alone = alone.iter().filter(|row| row.verdict != Verdict::NotClaimed);
        let alone: Vec<_> = alone.map(|row| (row.id.as_str(), row.verdict, row.reason.as_deref())).collect();
        assert_eq!(verdicts(&suite), alone, "{}", row.name());
        assert_eq!(suite.passed(), row.is_conforming() || row.breaks().iter().all(|id| advice(id)), "{}", row.name());
        assert_eq!(row.make().name(), row.name());
    }
}

fn advice(id: &str) -> bool {
    plimsoll::requirement(id).is_some_and(|requirement| requirement.level() == plimsoll::Level::Should)
}
