//! The suite's own power: every known-bad candidate is rejected by an id that it names, and every sound design passes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Mutex;

use plimsoll::zoo::{self, Row};
use plimsoll::{Effort, Level, Report, Suite, Verdict, requirement, requirements};

fn suite(row: &'static Row, seed: u64) -> Suite {
    Suite::fallible(row.name(), || Ok(row.make())).seed(seed).strict(true).witness_dir(None).jobs(1)
}

/// All rows, or those whose names `PLIMSOLL_ZOO` lists, with commas between: for who works on a few of them.
fn rows() -> impl Iterator<Item = &'static Row> {
    let only = std::env::var("PLIMSOLL_ZOO").unwrap_or_default();
    let only: Vec<String> = only.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    zoo::all().filter(move |row| only.is_empty() || only.iter().any(|name| name == row.name()))
}

fn bad() -> impl Iterator<Item = &'static Row> {
    rows().filter(|row| !row.is_conforming())
}

fn all_bad() -> impl Iterator<Item = &'static Row> {
    zoo::all().filter(|row| !row.is_conforming())
}

fn failing(report: &Report) -> Vec<&str> {
    let fails = |verdict| matches!(verdict, Verdict::Fail | Verdict::Advice);
    report.requirements.iter().filter(|row| fails(row.verdict)).map(|row| row.id.as_str()).collect()
}

/// Runs `check` for each row, on all cores, and joins what it complains of.
fn for_each(
    rows: impl Iterator<Item = &'static Row>,
    check: impl Fn(&'static Row) -> Option<String> + Sync,
) -> Vec<String> {
    let rows: Vec<_> = rows.collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    if let Some(complaint) = check(row) {
                        complaints.lock().unwrap().push(format!("{}: {complaint}", row.name()));
                    }
                }
            });
        }
    });
    let mut complaints = complaints.into_inner().unwrap();
    complaints.sort();
    complaints
}

#[test]
fn names_are_unique_and_safe() {
    let mut names = BTreeSet::new();
    for row in zoo::all() {
        let safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(row.name().len() <= 48 && row.name().chars().all(safe), "{}", row.name());
        assert!(names.insert(row.name()), "{} stands twice", row.name());
        assert_eq!(row.make().name(), row.name());
        assert!(row.sentence().ends_with('.'), "{}", row.name());
        row.make().contract().check().unwrap();
        for id in row.breaks() {
            let requirement =
                requirement(id).unwrap_or_else(|| panic!("{} breaks {id}, which is not checked", row.name()));
            assert!(requirement.applies(&row.make().contract()), "{} does not claim {id}", row.name());
        }
    }
    assert_eq!(zoo::find("visible-status").unwrap().breaks(), ["LOG-1"]);
    assert!(zoo::find("no-such-candidate").is_none());
}

/// A monitor that nothing breaks does not count as built.
#[test]
fn every_requirement_is_broken_by_a_candidate_or_two() {
    for requirement in requirements() {
        let named = all_bad().filter(|row| row.breaks().contains(&requirement.id())).count();
        let principal = all_bad().filter(|row| row.breaks()[0] == requirement.id()).count();
        assert!(principal >= 1, "nothing breaks {} first", requirement.id());
        assert!(named >= 2 || requirement.level() == Level::Should, "only one candidate breaks {}", requirement.id());
    }
}

#[test]
fn known_bad_candidates_are_rejected_by_an_id_that_they_name() {
    let complaints = for_each(bad(), |row| {
        for seed in 0..3 {
            let report = suite(row, seed).until(row.breaks().iter().copied()).run().unwrap();
            let failing = failing(&report);
            if report.passed() || !failing.iter().any(|id| row.breaks().contains(id)) {
                return Some(format!("seed {seed}: none of {:?} fails, but {failing:?}", row.breaks()));
            }
        }
        None
    });
    assert!(complaints.is_empty(), "{complaints:#?}");
}

/// The whole report on a known-bad candidate, made once.
fn whole(row: &'static Row) -> Report {
    static MADE: Mutex<BTreeMap<&str, Report>> = Mutex::new(BTreeMap::new());
    if let Some(report) = MADE.lock().unwrap().get(row.name()) {
        return report.clone();
    }
    let report = suite(row, 0).effort(Effort::Smoke).run().unwrap();
    MADE.lock().unwrap().insert(row.name(), report.clone());
    report
}

/// Without a requirement, those that it implies and those that imply it, some known-bad candidate passes: none is there for
/// nothing.
#[test]
fn each_requirement_is_needed() {
    let failing: Mutex<Vec<BTreeSet<String>>> = Mutex::new(Vec::new());
    for_each(all_bad(), |row| {
        let report = whole(row);
        let binds = |id: &str| requirement(id).is_some_and(|found| found.level() == Level::Must);
        let ids = self::failing(&report).into_iter().filter(|id| binds(id)).map(str::to_owned).collect();
        failing.lock().unwrap().push(ids);
        None
    });
    let failing = failing.into_inner().unwrap();
    let below = |id: &'static str| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![id]);
        while let Some(id) = next.pop() {
            if seen.insert(id) {
                next.extend(requirement(id).unwrap().implies());
            }
        }
        seen
    };
    let mut idle = Vec::new();
    for id in requirements().filter(|requirement| requirement.level() == Level::Must).map(plimsoll::Requirement::id) {
        let above = requirements().map(plimsoll::Requirement::id).filter(|other| below(other).contains(id));
        let gone: BTreeSet<String> = above.chain(below(id)).map(str::to_owned).collect();
        let breaks = || failing.iter().filter(|ids| ids.contains(id));
        if !breaks().any(|ids| ids.is_subset(&gone)) {
            let near = breaks().min_by_key(|ids| ids.difference(&gone).count());
            idle.push(format!("{id}: {:?}", near.map(|ids| ids.difference(&gone).collect::<Vec<_>>())));
        }
    }
    assert!(idle.is_empty(), "whoever breaks these breaks others, too: {idle:#?}");
}

#[test]
fn the_first_id_of_a_report_is_the_cause() {
    let complaints = for_each(bad(), |row| {
        let report = whole(row);
        let first = report.first.as_deref().unwrap_or("nothing");
        let named = row.breaks().contains(&first);
        (!named).then(|| format!("{first} comes first, not one of {:?}; {:?} fail", row.breaks(), failing(&report)))
    });
    let all = bad().count();
    let table = complaints.iter().fold(String::new(), |mut table, line| {
        let _ = writeln!(table, "{line}");
        table
    });
    assert!(complaints.len() * 20 <= all, "in {} of {all} reports another id comes first:\n{table}", complaints.len());
}

#[test]
fn conforming_designs_pass_and_exercise_all_that_they_claim() {
    let complaints = for_each(rows().filter(|row| row.is_conforming()), |design| {
        for seed in 0..3 {
            let report = suite(design, seed).strict(false).effort(Effort::Smoke).run().unwrap();
            let unsound = |row: &&plimsoll::RequirementReport| {
                let vacuous = row.level == "MUST" && matches!(row.verdict, Verdict::Vacuous | Verdict::NotReached);
                let declined = row.verdict == Verdict::Advice && design.also().contains(&row.id.as_str());
                vacuous
                    || !declined
                        && !matches!(
                            row.verdict,
                            Verdict::Pass | Verdict::NotClaimed | Verdict::Vacuous | Verdict::NotReached
                        )
            };
            if let Some(row) = report.requirements.iter().find(unsound) {
                return Some(format!("seed {seed}: {} {:?} {:?}", row.id, row.verdict, row.detail));
            }
            if !report.passed() {
                return Some(format!("seed {seed}: {:?} {:?}", report.aborted, report.broken));
            }
        }
        None
    });
    assert!(complaints.is_empty(), "{complaints:#?}");
}
