//! The command, run apart, and what of its print is the same in every edition of the contract.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::Command;

/// What the command prints, run in an empty directory.
pub(crate) fn plimsoll(arguments: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll")).args(arguments).current_dir(dir.path()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The name of a witness has a mark of the contract in it, which changes with every parameter that a contract gains.
pub(crate) fn masked(text: &str) -> String {
    let Some((_, rest)) = text.split_once("plimsoll-witnesses/self-counting-throttle-") else { return text.to_owned() };
    text.replace(&rest[..8], "CONTRACT")
}
