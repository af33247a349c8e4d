//! Starters, and what an input of a fuzzer stands for.

use std::fs;
use std::process::Command;

use super::{plimsoll, plimsoll_in};

#[test]
fn a_starter_gives_a_verdict_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let runs: [(&str, &[&str]); 2] = [("python", &["python3", "adapter.py"]), ("node", &["node", "adapter.mjs"])];
    for (kind, command) in runs {
        let made = plimsoll_in(dir.path(), &["init", kind, kind]);
        assert_eq!(made.code, Some(0), "{}", made.err);
        let adapter = fs::read_to_string(dir.path().join(kind).join(command[1])).unwrap();
        assert!(
            adapter.contains(&format!("check -- {}", command.join(" "))) && !adapter.contains("inimal"),
            "{adapter}"
        );
        if Command::new(command[0]).arg("--version").output().is_err() {
            continue;
        }
        let arguments = [&["check", "--effort", "smoke", "-r", "THR-1", "-r", "LAT-1", "--"], command].concat();
        let ran = plimsoll_in(&dir.path().join(kind), &arguments);
        assert_eq!(ran.closing_line(), "conformance: 2 passed, 0 failed, 0 skipped", "{}{}", ran.out, ran.err);
    }
}

#[test]
fn a_starter_overwrites_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("src/lib.rs");
    fs::create_dir(dir.path().join("src")).unwrap();
    fs::write(&path, "mine").unwrap();
    let ran = plimsoll(&["init", "rust", dir.path().to_str().unwrap()]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("lib.rs is there already"), "{}", ran.err);
    assert!(!dir.path().join("Cargo.toml").exists());
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn a_starter_builds_against_the_crate_that_is_named() {
    let dir = tempfile::tempdir().unwrap();
    for kind in ["rust", "fuzz"] {
        let ran = plimsoll_in(dir.path(), &["init", kind, kind, "--crate-path", env!("CARGO_MANIFEST_DIR")]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let manifest = fs::read_to_string(dir.path().join(kind).join("Cargo.toml")).unwrap();
        assert!(manifest.contains("plimsoll = { path = ") && !manifest.contains('@'), "{manifest}");
    }
    let ran = plimsoll_in(dir.path(), &["init", "rust", "other", "--crate-path", "rust/src"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("has no Cargo.toml"), "{}", ran.err);
}

#[test]
fn what_is_to_be_done_next_can_be_done() {
    let dir = tempfile::tempdir().unwrap();
    for kind in ["rust", "fuzz"] {
        let ran = plimsoll_in(dir.path(), &["init", kind, kind]);
        let (_, next) = ran.out.split_once(&format!("next, in {kind}: ")).unwrap_or_else(|| panic!("{}", ran.out));
        let line = next.lines().map(str::trim).find(|line| line.starts_with("plimsoll = ")).unwrap();
        let manifest: toml_edit::DocumentMut = line.parse().unwrap();
        assert_eq!(manifest["plimsoll"]["path"].as_str(), Some("../plimsoll"));
        assert!(next.trim_end().contains("; then: cargo "), "{next}");
        let made = ["init", kind, "with", "--crate-path", env!("CARGO_MANIFEST_DIR")];
        let ran = plimsoll_in(dir.path(), &made);
        assert!(ran.out.contains("\nnext, in with: cargo "), "{}{}", ran.out, ran.err);
        fs::remove_dir_all(dir.path().join("with")).unwrap();
    }
    let ran = plimsoll_in(dir.path(), &["init", "node", "node"]);
    for says in ["next, in node: plimsoll check -- node adapter.mjs\n", "for Node 20 compile it", "from 22.18 on"] {
        assert!(ran.out.contains(says), "{}", ran.out);
    }
}

#[test]
fn another_name_for_a_starter_is_answered_with_the_right_one() {
    for (kind, says) in [
        ("Python", "\"Python\" (did you mean python?): there are rust, "),
        ("RUST", "(did you mean rust?)"),
        ("nod", "(did you mean node?)"),
        ("js", "; take node\n"),
        ("TypeScript", "for Node 20 compile it"),
        ("ts", "from 22.18 on"),
        ("cobol", "no starter for \"cobol\": there are"),
    ] {
        let ran = plimsoll(&["init", kind, "dir"]);
        assert!(ran.code == Some(3) && ran.err.contains(says), "{kind}: {}", ran.err);
    }
}

#[test]
fn bytes_are_shown_as_what_they_stand_for() {
    let dir = tempfile::tempdir().unwrap();
    let crash = dir.path().join("crash");
    fs::write(&crash, [7, 9, 30, 200, 17, 4]).unwrap();
    let ran = plimsoll(&["witness", crash.to_str().unwrap()]);
    assert_eq!(ran.code, Some(3));
    assert!(ran.err.contains("--input"), "{}", ran.err);
    for (input, member) in
        [("history", "\"step\""), ("field", "\"reduce\""), ("fit", "\"fit\""), ("request", "\"assemble\"")]
    {
        let ran = plimsoll(&["witness", crash.to_str().unwrap(), "--input", input]);
        assert!(ran.out.contains(member), "{input}: {}{}", ran.out, ran.err);
        let trace = dir.path().join("trace.jsonl");
        fs::write(&trace, &ran.out).unwrap();
        assert_eq!(plimsoll(&["witness", trace.to_str().unwrap()]).out, ran.out);
        assert_eq!(plimsoll(&["replay", trace.to_str().unwrap()]).code, Some(0));
    }
}
