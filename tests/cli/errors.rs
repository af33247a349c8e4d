//! Exit codes, and errors that say what, where, and what to do.

use super::{command, plimsoll, plimsoll_in};
use std::process::Stdio;

#[test]
fn usage_is_three_and_help_is_none() {
    for arguments in [
        &[][..],
        &["no-such-command"],
        &["check", "--seed", "many"],
        &["check", "--effort", "heroic"],
        &["check", "--jobs", "0"],
        &["check", "--timeout", "-1"],
        &["check", "--candidate", "reference", "--", "sh"],
        &["replay"],
    ] {
        let ran = plimsoll(arguments);
        assert_eq!(ran.code, Some(3), "{arguments:?}: {}", ran.err);
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{arguments:?}");
    }
    for arguments in [&["--help"][..], &["check", "--help"], &["--version"]] {
        let ran = plimsoll(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}");
        assert!(ran.err.is_empty() && !ran.out.is_empty(), "{arguments:?}");
    }
}

#[test]
fn an_error_names_the_thing_and_the_way_out() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("broken.toml"), "[[known]]\nid = \"THR-99\"\n").unwrap();
    std::fs::write(dir.path().join("witness.jsonl"), "{\"plimsoll\":\"witness\",\"format\":7}\n").unwrap();
    for (arguments, code, words) in [
        (&["check", "--candidate", "nobody"][..], 3, &["nobody", "plimsoll zoo"][..]),
        (&["check", "--requirement", "THR-99"], 3, &["THR-99", "plimsoll list"]),
        (&["check", "--profile", "nobody"], 3, &["nobody", "gemini-cli"]),
        (&["explain", "THR-99"], 3, &["THR-99", "plimsoll list"]),
        (&["serve", "--candidate", "nobody"], 3, &["nobody", "plimsoll zoo"]),
        (&["check", "--known", "missing.toml"], 2, &["missing.toml", "No such file"]),
        (&["check", "--known", "broken.toml"], 2, &["broken.toml", "THR-99", "plimsoll list"]),
        (&["check", "--", "./no-such-program"], 2, &["./no-such-program", "cannot start"]),
        (&["check", "--", "sh", "-c", "echo oops >&2; exit 3"], 2, &["hello", "oops"]),
        (&["replay", "missing.jsonl"], 2, &["missing.jsonl", "No such file"]),
        (&["replay", "witness.jsonl"], 2, &["witness.jsonl", "format 7", "format 1"]),
    ] {
        let ran = plimsoll_in(dir.path(), arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {}", ran.err);
        assert!(ran.out.is_empty(), "{arguments:?}: {}", ran.out);
        assert!(ran.err.starts_with("plimsoll: "), "{arguments:?}: {}", ran.err);
        for word in words {
            assert!(ran.err.contains(word), "{arguments:?} does not say {word:?}: {}", ran.err);
        }
    }
}

#[test]
fn a_report_that_cannot_be_written_is_no_success() {
    let ran = plimsoll(&["check", "--effort", "smoke", "-r", "LAT-1", "--json", "no/such/dir/report.json"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("no/such/dir/report.json"), "{}", ran.err);
}

#[test]
fn a_reader_that_goes_away_is_no_crash() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = command(dir.path(), &["list"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
