//! A run in parts, and one seed after the other.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{PLIMSOLL, Ran, command, plimsoll_in};

/// `plimsoll check` at effort smoke, with these arguments.
fn check(dir: &Path, arguments: &[&str]) -> Ran {
    plimsoll_in(dir, &[&["check", "--quiet", "--effort", "smoke"], arguments].concat())
}

fn read(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// All parts of so many, each into a file of its own.
fn parts(dir: &Path, of: usize, candidate: &[&str]) -> Vec<String> {
    let part = |number| {
        let file = format!("{number}-of-{of}.jsonl");
        let shard = format!("{number}/{of}");
        let ran = check(dir, &[&["--shard", &shard, "--results", &file], candidate].concat());
        assert!(ran.closing_line().starts_with("conformance: "), "{}{}", ran.out, ran.err);
        file
    };
    (1..=of).map(part).collect()
}

fn merge(dir: &Path, files: &[String], more: &[&str]) -> Ran {
    let files = files.iter().map(String::as_str);
    let arguments: Vec<&str> = ["merge", "--quiet"].into_iter().chain(files).chain(more.iter().copied()).collect();
    plimsoll_in(dir, &arguments)
}

#[test]
fn parts_make_the_bytes_of_the_whole() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    // One that passes, one that fails, and one that is judged at a limit too.
    for name in ["reference", "self-counting-throttle", "prefix"] {
        let candidate = ["--candidate", name];
        let whole = check(dir, &[&["--json", "whole.json"], &candidate[..]].concat());
        let mut files = parts(dir, 3, &candidate);
        files.reverse();
        let merged = merge(dir, &files, &["--json", "merged.json"]);
        assert_eq!((whole.code, whole.closing_line()), (merged.code, merged.closing_line()), "{name}: {}", merged.err);
        assert!(read(dir, "whole.json") == read(dir, "merged.json"), "{name}");
    }
}

#[test]
fn a_command_is_played_again_for_what_was_found_or_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let (right, wrong) = (["serve"], ["serve", "--candidate", "self-counting-throttle"]);
    let by = |candidate: &[&'static str]| [&["-r", "THR-1", "--", PLIMSOLL], candidate].concat();

    let whole = check(dir, &[&["--json", "whole.json"], &by(&right)[..]].concat());
    let files = parts(dir, 2, &by(&right));
    let merged = merge(dir, &files, &["--json", "merged.json"]);
    assert_eq!((whole.code, merged.code), (Some(0), Some(0)), "{}", merged.err);
    assert!(read(dir, "whole.json") == read(dir, "merged.json"));

    // Killed in the middle of a line.
    let text = read(dir, &files[1]);
    fs::write(dir.join(&files[1]), &text[..text.len() / 2]).unwrap();
    let ran = merge(dir, &files, &[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("part 2 of 2 is not there, or was not finished"), "{}", ran.err);
    let ran = merge(dir, &files, &["--json", "resumed.json", "--", PLIMSOLL, "serve"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(read(dir, "whole.json") == read(dir, "resumed.json"));

    let whole = check(dir, &[&["--json", "whole.json"], &by(&wrong)[..]].concat());
    let files = parts(dir, 2, &by(&wrong));
    let ran = merge(dir, &files, &[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("something was found") && ran.err.contains("serve --candidate"), "{}", ran.err);
    let merged = merge(
        dir,
        &files,
        &["--json", "merged.json", "--", PLIMSOLL, "serve", "--candidate", "self-counting-throttle"],
    );
    assert_eq!((whole.code, merged.code), (Some(1), Some(1)), "{}", merged.err);
    assert!(read(dir, "whole.json") == read(dir, "merged.json"));
    let ran = merge(dir, &files, &["--", PLIMSOLL, "serve"]);
    assert!(ran.err.contains("the results are those of"), "{}", ran.err);
}

#[test]
fn runs_are_not_mixed() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let files = |seed: &str, name: &str| {
        let ran = check(dir, &["-r", "THR-1", "--seed", seed, "--shard", "1/2", "--results", name]);
        assert!(ran.code.is_some(), "{}", ran.err);
        name.to_owned()
    };
    let (one, other) = (files("1", "one.jsonl"), files("2", "other.jsonl"));
    let ran = merge(dir, &[one.clone(), other], &[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("are of different runs: they differ in the seed: 1 and 2"), "{}", ran.err);
    fs::copy(dir.join(&one), dir.join("again.jsonl")).unwrap();
    let ran = merge(dir, &[one, "again.jsonl".to_owned()], &[]);
    assert!(ran.err.contains("part 1 is there twice"), "{}", ran.err);
    fs::write(dir.join("none.jsonl"), "{}\n").unwrap();
    let ran = merge(dir, &["none.jsonl".to_owned()], &[]);
    assert!(ran.err.contains("none.jsonl is no file of results"), "{}", ran.err);
    for wrong in ["0/2", "3/2", "x", "1/0"] {
        assert_eq!(check(dir, &["--shard", wrong, "--results", "x.jsonl"]).code, Some(3), "{wrong}");
    }
}

#[test]
fn a_run_that_is_killed_keeps_what_it_had() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let arguments = ["check", "-q", "--effort", "nightly", "--results", "results.jsonl", "--", PLIMSOLL, "serve"];
    let mut run = command(dir, &arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let lines = || fs::read_to_string(dir.join("results.jsonl")).unwrap_or_default().lines().count();
    let until = Instant::now() + Duration::from_secs(60);
    while lines() < 5 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(lines() >= 5);
}

#[test]
fn one_seed_after_the_other_ends_by_itself_with_one_summary() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let start = Instant::now();
    let ran = check(dir, &["-r", "THR-1", "--seed", "7", "--for", "3s", "--json", "runs.jsonl"]);
    assert!(start.elapsed() >= Duration::from_secs(3));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.closing_line().ends_with("0 requirements failed: nothing failed"), "{}", ran.out);
    let reports: Vec<serde_json::Value> =
        read(dir, "runs.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports[0]["seed"], 7);
    assert!(reports.len() > 1 && reports[1]["seed"] == 8, "{}", ran.out);

    let wrong = ["-r", "THR-1", "--for", "2s", "--candidate", "self-counting-throttle"];
    let ran = check(dir, &wrong);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("plimsoll check --effort smoke --seed 0 -r THR-1"), "{}", ran.out);
    assert!(ran.out.contains("overnight: ") && dir.join("plimsoll-witnesses/seed-0").is_dir(), "{}", ran.out);
}
