//! `plimsoll explain`: a witness step by step, and as a test.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{PLIMSOLL, plimsoll, plimsoll_in};

const THR_1: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/witnesses/thr-1.jsonl");
const RED_3: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/witnesses/red-3.jsonl");

/// The Rust test that is emitted for the first of them, compiled and run here.
mod emitted {
    use plimsoll::Reference as MyCompactor;

    include!("witnesses/thr_1.rs");
}

#[test]
fn a_step_shows_every_gate_and_who_was_asked() {
    let ran = plimsoll(&["explain", THR_1]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // The candidate that the witness names plays.
    assert!(ran.err.is_empty(), "{}", ran.err);
    let last = ran.out.split("\n>   3  ").nth(1).unwrap_or_else(|| panic!("{}", ran.out));
    for says in [
        "visible 5; eligible 4 of size 480, due from 4 of 400",
        "last attempt 0 s ago; since then growth 0",
        "cooldown 60 s left of 60 s; growth lifts it",
        "contract forbidden: cooling, 60 s left, growth 0",
        "did summarized, 1 summariser call",
    ] {
        assert!(
            last.split_whitespace().collect::<Vec<_>>().join(" ").contains(says),
            "{says:?} is not in:\n{}",
            ran.out
        );
    }
    let (_, consulted) = last.split_once("consulted").unwrap();
    assert!(consulted.split_whitespace().any(|id| id == "THR-1"), "{}", ran.out);
    assert!(ran.out.contains("THR-1 fails: "), "{}", ran.out);
    let ran = plimsoll(&["explain", THR_1, "--candidate", "reference"]);
    assert!(ran.out.contains("THR-1 holds"), "{}", ran.out);
    let ran = plimsoll(&["explain", THR_1, "--", PLIMSOLL, "serve", "--candidate", "self-counting-throttle"]);
    assert!(ran.out.contains("THR-1 fails: "), "{}{}", ran.out, ran.err);
}

#[test]
fn a_case_shows_its_numbers_and_who_was_asked() {
    let ran = plimsoll(&["explain", RED_3]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for says in [
        "reduce 4 code points to 1",
        "consulted  RED-1",
        "consulted  RED-3   broken: a required block is not in the output as it was",
    ] {
        assert!(ran.out.contains(says), "{says:?} is not in:\n{}", ran.out);
    }
}

#[test]
fn a_requirement_is_explained_as_before() {
    let ran = plimsoll(&["explain", "lat-2"]);
    assert!(ran.code == Some(0) && ran.out.starts_with("LAT-2  MUST"), "{}{}", ran.out, ran.err);
    let ran = plimsoll(&["explain", "LAT-2", "--emit", "rust"]);
    assert!(ran.code == Some(3) && ran.err.contains("name a witness file"), "{}", ran.err);
}

#[test]
fn the_rust_test_that_runs_here_is_what_is_emitted() {
    let ran = plimsoll(&["explain", THR_1, "--emit", "rust"]);
    assert_eq!(ran.out, include_str!("witnesses/thr_1.rs"), "{}", ran.err);
}

#[test]
fn the_python_test_passes_with_a_sound_candidate_and_no_other() {
    for (name, passes) in [("reference", true), ("self-counting-throttle", false)] {
        let dir = tempfile::tempdir().unwrap();
        let emit = ["explain", THR_1, "--emit", "python", "--", PLIMSOLL, "serve", "--candidate", name];
        let ran = plimsoll_in(dir.path(), &emit);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        fs::write(dir.path().join("test_thr_1.py"), &ran.out).unwrap();
        let mut python = Command::new("python3");
        python.args(["-m", "unittest", "test_thr_1"]).env("PLIMSOLL", PLIMSOLL).current_dir(dir.path());
        let run = python.output().unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.success(), passes, "{said}\n{}", ran.out);
        assert!(said.contains("Ran 1 test"), "{said}");
        assert_eq!(said.contains("THR-1 fails: "), !passes, "{said}");
    }
}

#[test]
fn a_vector_follows_the_schema_and_holds_what_the_witness_is_about() {
    let ran = plimsoll(&["explain", RED_3, "--emit", "vector"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let file: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec/vectors/vectors.schema.json");
    let schema: serde_json::Value = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let errors: Vec<String> =
        jsonschema::validator_for(&schema).unwrap().iter_errors(&file).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{}", ran.out);
    let vector = &file["vectors"][0];
    assert_eq!(vector["cites"], serde_json::json!(["RED-3"]));
    assert_eq!(vector["expect"]["contains"], serde_json::json!(["b"]));
    assert_eq!(vector["expect"]["at_most"], 1);
}

#[test]
fn what_a_vector_cannot_say_is_said() {
    let ran = plimsoll(&["explain", THR_1, "--emit", "vector"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("a vector is one case at a limit, and this is a history; --emit rust"), "{}", ran.err);
    let dir = tempfile::tempdir().unwrap();
    let other = fs::read_to_string(RED_3).unwrap().replace("\"RED-3\"", "\"RED-11\"");
    fs::write(dir.path().join("other.jsonl"), other).unwrap();
    let ran = plimsoll_in(dir.path(), &["explain", "other.jsonl", "--emit", "vector"]);
    assert!(ran.code == Some(2) && ran.err.contains("what RED-11 asks for is more than a vector"), "{}", ran.err);
}
