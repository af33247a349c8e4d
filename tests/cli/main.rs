//! The `plimsoll` command, run as a person runs it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod adapters;
mod at_limit;
mod author;
mod ci;
mod completions;
mod determinism;
mod errors;
mod explain;
mod files;
mod forms;
mod init;
mod known;
mod known_files;
mod matrix;
mod parts;
mod power;
mod raised;
mod regressions;
mod reports;
mod served;
mod snapshot;

use std::path::Path;
use std::process::{Command, Output};

/// What a run of the command showed.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    fn closing_line(&self) -> &str {
        self.out.lines().last().unwrap_or_default()
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

const PLIMSOLL: &str = env!("CARGO_BIN_EXE_plimsoll");

fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PLIMSOLL);
    command.args(arguments).current_dir(dir);
    command
}

/// `plimsoll` with these arguments, in a directory of its own.
fn plimsoll(arguments: &[&str]) -> Ran {
    let dir = tempfile::tempdir().unwrap();
    plimsoll_in(dir.path(), arguments)
}

fn plimsoll_in(dir: &Path, arguments: &[&str]) -> Ran {
    command(dir, arguments).output().unwrap().into()
}

/// The JSON report of `plimsoll check` at effort smoke with these arguments.
fn report(arguments: &[&str]) -> serde_json::Value {
    let dir = tempfile::tempdir().unwrap();
    let mut all = vec!["check", "--quiet", "--effort", "smoke", "--json", "report.json"];
    all.extend(arguments);
    let ran = plimsoll_in(dir.path(), &all);
    let text = std::fs::read_to_string(dir.path().join("report.json"));
    serde_json::from_str(&text.unwrap_or_else(|error| panic!("{error}: {}", ran.err))).unwrap()
}
