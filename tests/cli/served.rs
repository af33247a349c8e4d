//! Every built-in candidate is judged behind the wire as it is in process.

#![cfg(unix)]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use plimsoll::adapter::Launcher;
use plimsoll::zoo::{self, Row};
use plimsoll::{Effort, Suite};

use super::{PLIMSOLL, plimsoll, report};

/// Of a report everything but the names of the witness files, in which stands where the candidate comes from.
fn comparable(mut report: serde_json::Value) -> serde_json::Value {
    let rows = ["requirements", "broken"].map(|list| report[list].take());
    for (name, mut rows) in ["requirements", "broken"].into_iter().zip(rows) {
        for row in rows.as_array_mut().into_iter().flatten() {
            row["witness"] = serde_json::Value::Null;
        }
        report[name] = rows;
    }
    report
}

/// The names that `plimsoll zoo` lists.
fn names() -> Vec<String> {
    let listed = plimsoll(&["zoo"]).out;
    let words = listed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let rows = words.filter(|words| matches!(words.get(1), Some(&("conforms:" | "breaks"))));
    rows.map(|words| words[0].to_owned()).collect()
}

/// Compares the candidates whose number leaves `rest` when it is divided by `every`.
fn compare(every: usize, rest: usize) {
    let names = names();
    assert!(names.len() > 100, "{names:?}");
    let chosen = names.iter().enumerate().filter(|(at, _)| at % every == rest).map(|(_, name)| name);
    let (chosen, wrong) = (Mutex::new(chosen), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(name) = { chosen.lock().unwrap().next() } {
                    let within = comparable(report(&["--candidate", name]));
                    let batch = comparable(report(&["--", PLIMSOLL, "serve", "--candidate", name]));
                    let single = comparable(report(&["--line-by-line", "--", PLIMSOLL, "serve", "--candidate", name]));
                    for (how, served) in [("batch", batch), ("line by line", single)] {
                        // Who does not repeat itself is no more alike to itself in process: it fails all the same.
                        let row = zoo::find(name);
                        let alike = served == within
                            || row.is_some_and(|row| row.breaks().contains(&"ISO-4"))
                                && [&served, &within].iter().all(|run| run["passed"] == false);
                        if !alike {
                            wrong.lock().unwrap().push(format!("{name}, {how}: {}", differing(&within, &served)));
                        }
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn differing(within: &serde_json::Value, served: &serde_json::Value) -> String {
    let members = within.as_object().unwrap().keys();
    let members: Vec<String> = members.filter(|name| within[*name] != served[*name]).cloned().collect();
    let rows = |report: &serde_json::Value| report["requirements"].as_array().cloned().unwrap_or_default();
    let pairs = rows(within).into_iter().zip(rows(served)).filter(|(one, other)| one != other);
    let rows: Vec<String> = pairs.map(|(one, other)| format!("\n  within {one}\n  served {other}")).take(3).collect();
    format!("{members:?}{}", rows.concat())
}

/// A sample of them, in whole runs of the command: every hundred and twentieth, or every so many as `PLIMSOLL_SERVED` says. With 1
/// that is all of them, three runs for each of nearly four hundred.
#[test]
fn a_served_candidate_is_the_one_in_process() {
    let every = std::env::var("PLIMSOLL_SERVED").ok().map(|number| number.parse::<usize>().unwrap());
    let every = every.unwrap_or(120);
    compare(every, 5 % every);
}

/// How a candidate is reached.
#[derive(Clone, Copy, Debug)]
enum How {
    Within,
    Batch,
    LineByLine,
}

/// The report of a short run: a known-bad candidate's ends at the first failure of the id that it breaks first, a sound one's
/// is a part of the plan.
fn short_run(row: &'static Row, how: How) -> serde_json::Value {
    let name = row.name();
    let command = [PLIMSOLL, "serve", "--candidate", name].map(str::to_owned).to_vec();
    let launcher = Launcher::new(command, Duration::from_secs(60));
    let suite = match how {
        How::Within => Suite::fallible(name, || Ok(row.make())),
        How::Batch => Suite::fallible(name, move || Ok(Box::new(launcher.lease()?))).keeps_deadline().waits(),
        How::LineByLine => {
            let launcher = launcher.line_by_line();
            Suite::fallible(name, move || Ok(Box::new(launcher.lease()?))).keeps_deadline().waits()
        }
    };
    let suite = suite.effort(Effort::Smoke).jobs(1).witness_dir(None);
    let suite = match row.breaks().first() {
        Some(id) => suite.requirement(*id).until([*id]),
        None => suite.shard(1 + (name.len() as u32) % PARTS, PARTS).unwrap(),
    };
    comparable(serde_json::from_str(&suite.run().unwrap().to_json()).unwrap())
}

/// Of so many parts of the plan a sound candidate is played one.
const PARTS: u32 = 60;

#[test]
fn every_candidate_is_judged_alike_in_process_in_whole_cases_and_line_by_line() {
    let rows = Mutex::new(zoo::all());
    let (wrong, rejected) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(row) = { rows.lock().unwrap().next() } {
                    let within = short_run(row, How::Within);
                    // Who does not repeat itself is no more alike to itself in process: it fails all the same.
                    let failed = |report: &serde_json::Value| {
                        let fails = |row: &serde_json::Value| {
                            ["fail", "advice", "nondeterministic"].iter().any(|verdict| row["verdict"] == *verdict)
                        };
                        report["requirements"].as_array().unwrap().iter().any(fails)
                    };
                    rejected.fetch_add(usize::from(failed(&within)), Ordering::Relaxed);
                    for how in [How::Batch, How::LineByLine] {
                        let served = short_run(row, how);
                        let alike = match row.breaks().contains(&"ISO-4") {
                            true => failed(&served) == failed(&within),
                            false => served == within,
                        };
                        if !alike {
                            let differs = differing(&within, &served);
                            wrong.lock().unwrap().push(format!("{}, {how:?}: {differs}", row.name()));
                        }
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    // Some fail advice, or only in a longer run.
    let bad = zoo::all().filter(|row| !row.is_conforming()).count();
    assert!(rejected.load(Ordering::Relaxed) * 10 > bad * 9, "{rejected:?} of {bad} are rejected");
}
