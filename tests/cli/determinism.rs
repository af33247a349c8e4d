//! The same seed and the same candidate: the same bytes.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use super::{PLIMSOLL, plimsoll_in};

/// The report of one run, however it is made: some are made at once, which is the load of the machine.
fn report(dir: &Path, number: usize, candidate: &[&str]) -> String {
    let dir = dir.join(number.to_string());
    fs::create_dir(&dir).unwrap();
    let check = ["check", "--quiet", "--effort", "smoke"];
    let run = |more: &[&str]| {
        let ran = plimsoll_in(&dir, &[&check, more, candidate].concat());
        assert!(ran.closing_line().starts_with("conformance: "), "{}{}", ran.out, ran.err);
    };
    match number % 5 {
        0 => run(&["--jobs", "1", "--json", "report.json"]),
        1 => run(&["--jobs", "2", "--json", "report.json"]),
        2 => run(&["--jobs", "7", "--json", "report.json"]),
        3 => run(&["--jobs", "3", "--line-by-line", "--json", "report.json"]),
        _ => {
            let of = 2 + number % 3;
            let mut merge: Vec<String> = ["merge", "--quiet", "--json", "report.json"].map(str::to_owned).to_vec();
            for part in (1..=of).rev() {
                let (shard, file) = (format!("{part}/{of}"), format!("{part}.jsonl"));
                run(&["--shard", &shard, "--results", &file]);
                merge.push(file);
            }
            merge.extend(candidate.iter().map(|argument| (*argument).to_owned()));
            let merge: Vec<&str> =
                merge.iter().map(String::as_str).filter(|argument| !argument.starts_with("-r")).collect();
            let ran = plimsoll_in(&dir, &merge);
            assert!(ran.closing_line().starts_with("conformance: "), "{}{}", ran.out, ran.err);
        }
    }
    fs::read_to_string(dir.join("report.json")).unwrap()
}

fn twenty_times(candidate: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let (next, reports) = (Mutex::new(0..20), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(number) = { next.lock().unwrap().next() } {
                    let report = report(dir.path(), number, candidate);
                    reports.lock().unwrap().push((number, report));
                }
            });
        }
    });
    let reports = reports.into_inner().unwrap();
    assert_eq!(reports.len(), 20);
    for (number, report) in &reports {
        assert!(*report == reports[0].1, "run {number} differs:\n{report}\n{}", reports[0].1);
    }
}

#[test]
fn twenty_runs_in_process_are_the_same() {
    twenty_times(&["--candidate", "self-counting-throttle"]);
}

#[test]
fn twenty_runs_of_a_command_are_the_same() {
    let adapter = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/heavy.py");
    assert!(Path::new(PLIMSOLL).is_file());
    twenty_times(&["--", "python3", adapter]);
}
