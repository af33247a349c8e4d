//! Files that a run is to write: looked at before it.

#![cfg(unix)]

use std::fs;

use super::plimsoll_in;

#[test]
fn a_file_of_somebody_else_is_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let check =
        |more: &[&str]| plimsoll_in(dir, &[&["check", "--quiet", "--effort", "smoke", "-r", "THR-1"], more].concat());
    for foreign in ["{\"name\": \"a package\"}\n", "notes\n", "[1]", "{\"format\":1,\"candidate\":{},\"seed\":1}"] {
        for option in ["--json", "--results"] {
            fs::write(dir.join("package.json"), foreign).unwrap();
            let ran = check(&[option, "package.json"]);
            assert_eq!(ran.code, Some(2), "{option} {foreign}: {}", ran.out);
            let says = "package.json is there already, and is nothing that plimsoll wrote: it is left as it is; name another file with";
            assert!(ran.err.contains(says) && ran.err.contains(option), "{}", ran.err);
            assert_eq!(fs::read_to_string(dir.join("package.json")).unwrap(), foreign);
            assert!(ran.out.is_empty(), "it is said before the run: {}", ran.out);
        }
    }
    let ran = check(&["--for", "8h", "--json", "package.json"]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    // What plimsoll has written is written anew, and an empty file is nobody's.
    fs::write(dir.join("report.json"), "").unwrap();
    for _ in 0..2 {
        let ran = check(&["--json", "report.json", "--results", "results.jsonl"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    let ran = plimsoll_in(dir, &["merge", "--quiet", "results.jsonl", "--json", "report.json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = plimsoll_in(dir, &["merge", "--quiet", "results.jsonl", "--json", "package.json"]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
}

#[test]
fn a_place_that_cannot_be_written_to_is_found_before_the_run() {
    let dir = tempfile::tempdir().unwrap();
    for (option, place) in [("--json", "missing/report.json"), ("--results", "missing/results.jsonl"), ("--json", ".")]
    {
        let ran = plimsoll_in(dir.path(), &["check", "--effort", "nightly", option, place]);
        assert_eq!(ran.code, Some(2), "{}", ran.out);
        let says = [&format!("to {place}: "), option, "name another file"];
        assert!(says.iter().all(|part| ran.err.contains(*part)) && ran.out.is_empty(), "{}{}", ran.out, ran.err);
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "a question leaves nothing behind");
}

#[test]
fn a_folder_that_is_called_as_a_stream_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let check = ["check", "--effort", "nightly"];
    for (arguments, option) in [
        ([&check[..], &["--witness-dir", "-"]].concat(), "--witness-dir"),
        ([&check[..], &["--regressions", "-"]].concat(), "--regressions"),
        ([&check[..], &["--for", "8h", "--witness-dir", "-"]].concat(), "--witness-dir"),
        ([&check[..], &["--all-profiles", "--witness-dir", "-"]].concat(), "--witness-dir"),
        ([&check[..], &["--all-profiles", "--json", "-"]].concat(), "--json"),
        (vec!["merge", "results.jsonl", "--witness-dir", "-"], "--witness-dir"),
        (vec!["snapshot", "--out", "-"], "--out"),
        (vec!["snapshot", "--out", "out", "--histories", "-"], "--histories"),
        (vec!["man", "--out", "-"], "--out"),
        (vec!["init", "python", "-"], "DIR"),
    ] {
        let ran = plimsoll_in(dir.path(), &arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}: {}", ran.err);
        let says = format!("{option} - names no folder: name one; one that is called so is ./-");
        assert!(ran.err.contains(&says), "{arguments:?}: {}", ran.err);
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    let ran = plimsoll_in(dir.path(), &["check", "--effort", "smoke", "-r", "THR-1", "--witness-dir", "./-"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn a_folder_in_the_place_of_a_file_is_refused_alike_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("w")).unwrap();
    for arguments in [
        &["explain", "w"][..],
        &["explain", "w/"],
        &["replay", "w"],
        &["replay", "w", "--", "sh"],
        &["witness", "w"],
        &["witness", "w", "--contract", "w"],
        &["matrix", "w"],
        &["merge", "w"],
    ] {
        let ran = plimsoll_in(dir.path(), arguments);
        let says = format!("plimsoll: {} is a folder: name a file in it\n", arguments[1]);
        assert_eq!((ran.code, ran.out.as_str(), ran.err), (Some(2), "", says), "{arguments:?}");
    }
}
