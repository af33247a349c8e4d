//! The pictures of the README are what the command prints.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{masked, plimsoll};

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
