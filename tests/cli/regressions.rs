//! Witnesses that play before the search.

use std::fs;
use std::path::Path;

use super::{Ran, plimsoll_in};

const THR_1: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/witnesses/thr-1.jsonl");

fn check(dir: &Path, options: &[&str]) -> Ran {
    plimsoll_in(dir, &[&["check", "--effort", "smoke", "--json", "report.json"][..], options].concat())
}

fn report(dir: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(dir.join("report.json")).unwrap()).unwrap()
}

/// The share of the regressions, if there was one: how many were played, and how many found something.
fn share(report: &serde_json::Value) -> Option<(u64, u64)> {
    let shares = report["shares"].as_array().unwrap();
    let share = shares.iter().find(|share| share["share"] == "regressions")?;
    Some((share["histories"].as_u64().unwrap(), share["found"].as_u64().unwrap()))
}

#[test]
fn witnesses_of_the_candidate_play_first() {
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("plimsoll-regressions");
    fs::create_dir_all(own.join("seed-3")).unwrap();
    fs::copy(THR_1, own.join("seed-3/thr-1.jsonl")).unwrap();
    let options = ["-r", "THR-1", "--candidate", "self-counting-throttle"];
    assert_eq!(check(dir.path(), &options).code, Some(1));
    assert_eq!(share(&report(dir.path())), Some((1, 1)));
    assert_eq!(report(dir.path())["requirements"][0]["again"], true);
    // It is for that candidate, and no other.
    let ran = check(dir.path(), &["-r", "THR-1"]);
    assert_eq!((ran.code, share(&report(dir.path()))), (Some(0), None), "{}", ran.err);
    // Whoever mends it under another contract is held to that one.
    let anyone = fs::read_to_string(THR_1).unwrap().replace("\"name\":\"self-counting-throttle\"", "\"name\":\"\"");
    fs::write(own.join("thr-1.jsonl"), anyone).unwrap();
    let ran = check(dir.path(), &["-r", "THR-1"]);
    assert_eq!((ran.code, share(&report(dir.path()))), (Some(0), Some((1, 0))), "{}{}", ran.out, ran.err);
}

#[test]
fn the_same_folder_gives_the_same_report_in_parts_and_as_a_whole() {
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("mine");
    fs::create_dir(&own).unwrap();
    fs::copy(THR_1, own.join("thr-1.jsonl")).unwrap();
    let options = ["--regressions", "mine", "-r", "THR-1", "--candidate", "self-counting-throttle"];
    check(dir.path(), &options);
    let whole = report(dir.path());
    assert_eq!(share(&whole), Some((1, 1)));
    // Witnesses of the run before are not read.
    check(dir.path(), &options);
    assert_eq!(report(dir.path()), whole);
    for part in ["1", "2"] {
        let (shard, results) = (format!("{part}/2"), format!("{part}.jsonl"));
        check(dir.path(), &[&["--shard", &shard, "--results", &results][..], &options].concat());
    }
    fs::remove_file(dir.path().join("report.json")).unwrap();
    let ran = plimsoll_in(dir.path(), &["merge", "--json", "report.json", "1.jsonl", "2.jsonl"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert_eq!(report(dir.path()), whole);
}

#[test]
fn a_case_at_a_limit_plays_first_too() {
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("plimsoll-regressions");
    fs::create_dir(&own).unwrap();
    let options = ["-r", "RED-3", "--candidate", "prefix"];
    let cases = |dir: &Path| report(dir)["limits"][0]["cases"].as_u64().unwrap();
    check(dir.path(), &options);
    let without = cases(dir.path());
    fs::copy(THR_1.replace("thr-1", "red-3"), own.join("red-3.jsonl")).unwrap();
    let ran = check(dir.path(), &options);
    assert_eq!((ran.code, cases(dir.path())), (Some(1), without + 1), "{}{}", ran.out, ran.err);
}

#[test]
fn what_cannot_be_read_is_a_warning_that_names_it() {
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("plimsoll-regressions");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("old.jsonl"), "{\"plimsoll\":\"witness\",\"format\":0}\n").unwrap();
    fs::write(own.join("torn.jsonl"), "{\"plimsoll\":\"wit").unwrap();
    let ran = check(dir.path(), &["-r", "THR-1"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    for says in
        ["old.jsonl: the witness has format 0, and this version reads format 1; it is not played", "torn.jsonl: "]
    {
        assert!(ran.err.contains(says), "{says:?} is not in {}", ran.err);
    }
    let ran = check(dir.path(), &["-r", "THR-1", "--regressions", "missing"]);
    assert!(ran.code == Some(2) && ran.err.contains("--regressions missing: "), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_looked_at_is_named_and_not_passed_over() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("plimsoll-regressions");
    let refused = |says: &str| {
        let ran = check(dir.path(), &["-r", "THR-1"]);
        assert!(ran.code == Some(2) && ran.out.is_empty() && ran.err.contains(says), "{}{}", ran.out, ran.err);
        assert!(ran.err.contains("name another folder of witness files with --regressions"), "{}", ran.err);
    };
    // The folder that need not be there is there.
    symlink("nowhere", &own).unwrap();
    refused("plimsoll-regressions: ");
    fs::remove_file(&own).unwrap();
    fs::write(&own, "").unwrap();
    refused("plimsoll-regressions: ");
    fs::remove_file(&own).unwrap();
    fs::create_dir_all(own.join("a/b")).unwrap();
    for (link, to, says) in [
        ("a/b/loop", "../../a", "plimsoll-regressions/a/b/loop: this link leads back to a folder that it stands in"),
        ("a/gone", "nowhere", "plimsoll-regressions/a/gone: "),
    ] {
        symlink(to, own.join(link)).unwrap();
        refused(says);
        fs::remove_file(own.join(link)).unwrap();
    }
    assert_eq!(check(dir.path(), &["-r", "THR-1"]).code, Some(0));
}

#[test]
#[cfg(unix)]
fn what_cannot_be_read_as_a_witness_is_a_warning_and_is_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("plimsoll-regressions")).unwrap();
    let made =
        std::process::Command::new("mkfifo").arg(dir.path().join("plimsoll-regressions/x.jsonl")).status().unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink("nowhere", dir.path().join("plimsoll-regressions/y.jsonl")).unwrap();
    let ran = plimsoll_in(dir.path(), &["check", "--effort", "smoke", "-r", "THR-1"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for says in ["x.jsonl: it is no file; it is not played", "y.jsonl: No such file"] {
        assert!(ran.err.contains(says), "{}", ran.err);
    }
}

/// What breaks in the same history, and was not found by it, is new.
#[test]
fn only_what_a_witness_was_found_for_was_found_before() {
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("plimsoll-regressions");
    fs::create_dir(&own).unwrap();
    let other = fs::read_to_string(THR_1).unwrap().replace("\"THR-1\"", "\"THR-4\"");
    fs::write(own.join("thr-4.jsonl"), other).unwrap();
    check(dir.path(), &["-r", "THR-1", "--candidate", "self-counting-throttle"]);
    let row = &report(dir.path())["requirements"][0];
    assert_eq!((&row["verdict"], &row["again"]), (&"fail".into(), &serde_json::Value::Null));
}

/// That the reference passes says nothing of another candidate.
#[test]
fn a_witness_of_another_candidate_is_replayed_by_that_alone() {
    let dir = tempfile::tempdir().unwrap();
    let mine = fs::read_to_string(THR_1).unwrap().replace("\"name\":\"self-counting-throttle\"", "\"name\":\"mine\"");
    fs::write(dir.path().join("mine.jsonl"), mine).unwrap();
    let ran = plimsoll_in(dir.path(), &["replay", "mine.jsonl"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("PLIMSOLL_REPLAY=mine.jsonl cargo test replay"), "{}", ran.err);
    let ran = plimsoll_in(dir.path(), &["replay", "mine.jsonl", "--candidate", "reference"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}

/// Nobody would know why it is told as new.
#[test]
fn a_witness_that_was_found_for_nothing_is_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("plimsoll-regressions");
    fs::create_dir(&own).unwrap();
    let text = fs::read_to_string(THR_1).unwrap();
    let named =
        |ids: &str| text.replace("\"requirements\":[\"THR-1\",\"THR-2\"]", &format!("\"requirements\":[{ids}]"));
    for (file, ids) in [("none", ""), ("unknown", "\"THR-1\",\"THR-99\",\"\\u001b\""), ("known", "\"THR-1\"")] {
        fs::write(own.join(format!("{file}.jsonl")), named(ids)).unwrap();
    }
    let ran = check(dir.path(), &["-r", "THR-1", "--candidate", "self-counting-throttle"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(share(&report(dir.path())), Some((3, 3)));
    for says in [
        "none.jsonl: its header names no requirement in `requirements`; it is played",
        r"unknown.jsonl: its header names THR-99, \u{1b}, and no requirement has that id",
    ] {
        assert!(ran.err.contains(says), "{says:?} is not in {}", ran.err);
    }
    assert_eq!(ran.err.matches("warning").count(), 2, "{}", ran.err);
}
