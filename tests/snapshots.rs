//! Timelines under snapshot: what a reviewer reads to see how a change alters when a summary is paid for.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{masked, plimsoll};

fn settings(description: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_description(description);
    settings.set_omit_expression(true);
    settings
}

#[test]
fn incident() {
    let look = "Six calls as shipped, six with only the count cured, one with the latch.";
    settings(look).bind(|| insta::assert_snapshot!("incident", plimsoll(&["incident"])));
}

#[test]
fn self_counting_throttle() {
    let look = "The shortest history: one failure, and a step at once; the second call is forbidden by the cooldown.";
    let report = plimsoll(&["check", "--candidate", "self-counting-throttle", "--requirement", "THR-1"]);
    // The number of histories is the search's business, and not under snapshot.
    let report: String =
        report.lines().filter(|line| !line.contains(" histories, ")).map(|line| format!("{line}\n")).collect();
    settings(look).bind(|| insta::assert_snapshot!("self-counting-throttle", masked(&report)));
}

#[test]
fn every_snapshot_is_claimed() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["incident.snap", "self-counting-throttle.snap"]);
}
