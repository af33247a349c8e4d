//! Every built-in candidate is judged behind the wire as it is in process.

#![cfg(unix)]

use std::sync::Mutex;
use std::thread;

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
                        if served != within {
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

/// A sample of them, another part of the list than the neighbours of any one row.
#[test]
fn a_served_candidate_is_the_one_in_process() {
    compare(60, 5);
}

/// All of them take a quarter of an hour.
#[test]
#[ignore = "a quarter of an hour: run it when the adapter or the runner changes, `cargo test --all-features --test cli -- --ignored`"]
fn every_served_candidate_is_the_one_in_process() {
    compare(1, 0);
}
