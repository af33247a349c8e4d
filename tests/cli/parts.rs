//! A run in parts, and one seed after the other.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use super::plimsoll;
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
    // One that passes, one that fails, one that is judged at a limit too, and one with a known failure.
    let known = ["--profile", "gemini-cli", "-r", "LAT-2"];
    let named = ["reference", "self-counting-throttle", "prefix"].map(|name| vec!["--candidate", name]);
    for candidate in named.into_iter().chain([known.to_vec()]) {
        let name = candidate.join(" ");
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
    assert!(ran.err.contains("2-of-2.jsonl: it lacks the end of part 2 of 2"), "{}", ran.err);
    let ran = merge(dir, &files[..1], &[]);
    assert!(ran.err.contains("part 2 of 2 is not there: name its file"), "{}", ran.err);
    // Lines are gone, and the end is there.
    let holed: String =
        text.split_inclusive('\n').enumerate().filter(|(at, _)| *at != 3).map(|(_, line)| line).collect();
    fs::write(dir.join(&files[1]), &holed).unwrap();
    let ran = merge(dir, &files, &[]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(ran.err.contains("2-of-2.jsonl: it lacks histories, number 5 the first, of part 2 of 2"), "{}", ran.err);
    let ran = merge(dir, &files, &["--json", "filled.json", "--", PLIMSOLL, "serve"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(read(dir, "whole.json") == read(dir, "filled.json"));
    fs::write(dir.join(&files[1]), &text[..text.len() / 2]).unwrap();
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
    let ran = merge(dir, &[one.clone(), one.clone()], &[]);
    assert!(ran.err.contains("one.jsonl is named twice: name each of RESULTS once"), "{}", ran.err);
    fs::copy(dir.join(&one), dir.join("again.jsonl")).unwrap();
    let ran = merge(dir, &[one, "again.jsonl".to_owned()], &[]);
    assert!(ran.err.contains("part 1 is there twice"), "{}", ran.err);
    fs::write(dir.join("none.jsonl"), "{}\n").unwrap();
    let ran = merge(dir, &["none.jsonl".to_owned()], &[]);
    assert!(ran.err.contains("none.jsonl is no file of results"), "{}", ran.err);
    for (was, is, says) in [
        (r#""suite":""#, r#""suite":"9."#, "was written by suite 9."),
        (r#""of":2"#, r#""of":4294967295"#, "it is part 1 of 4294967295, and 10000 are the most"),
        (r#"{"history":{"at":0,"#, r#"{"history":{"at":1,"#, "line 2: history 1 is not of part 1 of 2"),
    ] {
        let text = read(dir, "other.jsonl");
        assert!(text.contains(was), "{was}: {text}");
        fs::write(dir.join("changed.jsonl"), text.replacen(was, is, 1)).unwrap();
        let ran = merge(dir, &["changed.jsonl".to_owned()], &[]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains(says), "{}", ran.err);
    }
    // What is not as it was written is named, in the words of this project, and with one number.
    let text = read(dir, "other.jsonl");
    let head = text.lines().next().unwrap();
    for (whole, says) in [
        (String::new(), "changed.jsonl is no file of results: it is empty"),
        (format!("\u{feff}{text}"), "changed.jsonl is no file of results: it begins with a byte order mark"),
        ("history\n".to_owned(), "changed.jsonl is no file of results: its first line is not JSON"),
        (format!("{head}\n{{}}\n"), "changed.jsonl, line 2: it is JSON, and no line of results; play the part again"),
        (format!("{head}\nwhat\n"), "changed.jsonl, line 2: it is not JSON, or only a part of it; play the part again"),
        (format!("{head}\nwhat"), "changed.jsonl, line 2: it is not JSON, or only a part of it"),
        (format!("{head}\n{{\"history\":{{\n"), "changed.jsonl, line 2: it is not JSON, or only a part of it"),
    ] {
        fs::write(dir.join("changed.jsonl"), &whole).unwrap();
        let ran = merge(dir, &["changed.jsonl".to_owned()], &["--", PLIMSOLL, "serve"]);
        assert_eq!(ran.code, Some(2), "{whole:?}: {}", ran.out);
        assert!(ran.err.contains(says) && !ran.err.contains(" column "), "{whole:?}: {}", ran.err);
    }
    for wrong in ["0/2", "3/2", "x", "1/0", "1/10001"] {
        assert_eq!(check(dir, &["--shard", wrong, "--results", "x.jsonl"]).code, Some(3), "{wrong}");
    }
}

#[test]
fn a_run_that_is_killed_keeps_what_it_had() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let serve = ["-r", "THR-1", "--", PLIMSOLL, "serve"];
    let whole = check(dir, &[&["--json", "whole.json"], &serve[..]].concat());
    let arguments = [&["check", "-q", "--effort", "smoke", "--results", "results.jsonl"], &serve[..]].concat();
    let mut run = command(dir, &arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let lines = || fs::read_to_string(dir.join("results.jsonl")).unwrap_or_default().lines().count();
    let until = Instant::now() + Duration::from_secs(60);
    while lines() < 5 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(lines() >= 5);
    // Wherever it was: killed in the middle, or at its end already.
    let merged = merge(dir, &["results.jsonl".to_owned()], &["--json", "merged.json", "--", PLIMSOLL, "serve"]);
    assert_eq!((whole.code, merged.code), (Some(0), Some(0)), "{}", merged.err);
    assert!(read(dir, "whole.json") == read(dir, "merged.json"));
}

#[test]
#[cfg(target_os = "linux")]
fn results_that_cannot_be_written_end_the_run() {
    let ran = plimsoll(&["check", "--quiet", "--effort", "smoke", "-r", "THR-1", "--results", "/dev/full"]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(ran.err.contains("cannot write results to /dev/full: "), "{}", ran.err);
}

/// After the last of all seeds there is none: such a run ends without its time being over.
const LAST: &str = "18446744073709551615";

#[test]
fn one_seed_after_the_other_ends_by_itself_with_one_summary() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let ran = check(dir, &["-r", "THR-1", "--seed", "18446744073709551614", "--for", "8h", "--json", "runs.jsonl"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(ran.closing_line(), "overnight: 2 runs, 0 requirements failed: nothing failed");
    assert!(ran.out.contains(&format!("2 runs, seeds 18446744073709551614 to {LAST}: ")), "{}", ran.out);
    let reports: Vec<serde_json::Value> =
        read(dir, "runs.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let seeds: Vec<_> = reports.iter().map(|report| report["seed"].as_u64()).collect();
    assert_eq!(seeds, [Some(u64::MAX - 1), Some(u64::MAX)]);
}

#[test]
fn a_run_of_the_night_is_made_again_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("known.toml"), "").unwrap();
    let options = "--known known.toml --strict --timeout 7 --hello-timeout 70 --line-by-line";
    let after = ["-r", "THR-1", "--candidate", "self-counting-throttle"];
    let options_apart: Vec<&str> = options.split(' ').collect();
    let ran = check(dir, &[&["--seed", LAST, "--for", "8h"], &options_apart[..], &after].concat());
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    let again = format!("plimsoll check --effort smoke {options} --seed {LAST} {}", after.join(" "));
    assert!(ran.out.contains(&again), "{}", ran.out);
    assert!(dir.join(format!("plimsoll-witnesses/seed-{LAST}")).is_dir(), "{}", ran.out);
}

#[test]
fn one_of_something_is_not_many() {
    let dir = tempfile::tempdir().unwrap();
    let ran =
        check(dir.path(), &["-r", "THR-1", "--seed", LAST, "--for", "8h", "--candidate", "self-counting-throttle"]);
    assert_eq!(ran.closing_line(), "overnight: 1 run, 1 requirement failed: failed", "{}", ran.out);
}

#[test]
#[cfg(target_os = "linux")]
fn the_summary_of_the_night_outlives_an_error() {
    let ran = plimsoll(&["check", "--effort", "smoke", "-r", "THR-1", "--for", "8h", "--json", "/dev/full"]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(ran.out.contains("1 run, seed 0: ") && ran.closing_line().starts_with("overnight: 1 run"), "{}", ran.out);
    assert!(ran.err.contains("/dev/full"), "{}", ran.err);
}

#[test]
fn a_run_that_the_end_of_the_time_cuts_off_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let ran =
        plimsoll_in(dir.path(), &["check", "--quiet", "--effort", "smoke", "--for", "2s", "--json", "runs.jsonl"]);
    assert!(ran.code == Some(0) || ran.out.contains("no run was finished"), "{}{}", ran.out, ran.err);
    let passed = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["passed"] == true;
    assert!(read(dir.path(), "runs.jsonl").lines().all(passed));
}
