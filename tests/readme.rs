//! The pictures of the README are what the command prints.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::Command;

fn plimsoll(arguments: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll")).args(arguments).current_dir(dir.path()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The name of a witness has a mark of the contract in it, which changes with every parameter that a contract gains.
fn masked(text: &str) -> String {
    let Some((_, rest)) = text.split_once("plimsoll-witnesses/self-counting-throttle-") else { return text.to_owned() };
    text.replace(&rest[..8], "CONTRACT")
}

fn picture(of: &str) -> &'static str {
    let readme = include_str!("../README.md");
    let blocks = readme.split("```text\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    blocks.into_iter().find(|block| block.contains(of)).unwrap()
}

#[test]
fn the_incident() {
    let printed = plimsoll(&["incident"]);
    assert!(printed.contains(picture("as shipped")), "the README shows another incident than\n{printed}");
}

#[test]
fn the_failure() {
    let printed = masked(&plimsoll(&["check", "--candidate", "self-counting-throttle", "--requirement", "THR-1"]));
    // The ids that are folded under it are not checked here, and the replay command names the file alone.
    let wanted = picture("THR-1 MUST fail").lines().filter(|line| !line.trim_start().starts_with("with it"));
    for line in wanted.map(masked) {
        assert!(printed.contains(&line), "the README shows {line:?}, and this was printed:\n{printed}");
    }
}
