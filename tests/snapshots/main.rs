//! Snapshots: what a reviewer reads to see how a change alters when a summary is paid for, and what a user meets.
//!
//! `cargo insta review` shows what differs; CI never writes (`INSTA_UPDATE=no`).
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed, and figures are printed"
)]

#[path = "../common/mod.rs"]
mod common;

mod api;
mod changes;
mod console;
mod coverage;
mod forms;
mod timelines;

/// Compares `text` with the snapshot of this name.
fn assert_shows(name: &str, description: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_description(description);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
