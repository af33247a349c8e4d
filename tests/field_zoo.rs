//! Every known-bad candidate at a limit is rejected by the requirement that it is there to break, and every sound one is not.
#![cfg(feature = "zoo")]

use std::collections::BTreeSet;

use plimsoll::zoo::{limit_variants, limit_zoo};
use plimsoll::{LimitBudget, check_at_limit};

#[test]
fn known_bad_candidates_are_rejected_by_the_ids_they_name() {
    let mut wrong = Vec::new();
    for row in limit_zoo() {
        let report = check_at_limit(&row.contract(), &row.candidate(), &LimitBudget::default());
        for finding in &report.findings {
            if let Some(failure) = &finding.failure {
                println!(
                    "{:24} {:7} {:?} {} after {} | {}",
                    row.name,
                    finding.id,
                    failure.repeats,
                    failure.detail,
                    failure.after,
                    failure.witness.to_line()
                );
            }
        }
        let broken = report.broken();
        let expected = |id: &&str| row.breaks.contains(id) || row.also.contains(id);
        if !row.breaks.iter().all(|id| broken.contains(id)) || !broken.iter().all(expected) || !report.breaks.is_empty()
        {
            wrong.push(format!("{}: {broken:?} {:?}", row.name, report.breaks));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_requirement_has_a_known_bad_candidate() {
    let broken: BTreeSet<&str> = limit_zoo().flat_map(|row| row.breaks).copied().collect();
    for (area, count) in [("RED", 13), ("FIT", 8), ("ASM", 6)] {
        for number in 1..=count {
            assert!(broken.contains(format!("{area}-{number}").as_str()), "{area}-{number}");
        }
    }
}

#[test]
fn sound_candidates_pass() {
    let mut wrong = Vec::new();
    for row in limit_variants() {
        let report = check_at_limit(&row.contract(), &row.candidate(), &LimitBudget::default());
        for finding in &report.findings {
            if let Some(failure) = &finding.failure {
                println!("{:24} {:7} {} | {}", row.name, finding.id, failure.detail, failure.witness.to_line());
            }
        }
        let vacuous: Vec<_> = report.findings.iter().filter(|f| f.claimed && f.exercised == 0).map(|f| f.id).collect();
        if !report.passed() || report.broken().iter().any(|id| !row.also.contains(id)) {
            wrong.push(format!("{}: {:?} {vacuous:?} {:?}", row.name, report.broken(), report.breaks));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
