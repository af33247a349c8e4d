//! What the command prints, without what the search alone decides.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::assert_shows;
use super::common::{masked, plimsoll};

#[test]
fn the_incident() {
    let look = "Six calls as shipped, six with only the count cured, one with the latch.";
    assert_shows("console-incident", look, &plimsoll(&["incident"]));
}

/// A report without the lines that say how much was searched: that is the search's business.
fn unsearched(report: &str) -> String {
    let searched = |line: &&str| line.contains(" histories, ") || line.contains(" cases of `");
    report.lines().filter(|line| !searched(line)).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_failure() {
    let look = "The shortest history: one failure, and a step at once; the second call is forbidden by the cooldown.";
    let report = plimsoll(&["check", "--candidate", "self-counting-throttle", "--requirement", "THR-1"]);
    assert_shows("console-failure", look, &masked(&unsearched(&report)));
}

#[test]
fn the_report_of_the_reference() {
    let look = "An area a row: everything that the reference claims is checked, and passes.";
    assert_shows("console-report", look, &unsearched(&plimsoll(&["check", "--effort", "smoke"])));
}

#[test]
fn the_catalogue() {
    assert_shows(
        "console-list",
        "One requirement a row, and the built-in candidates that break it.",
        &plimsoll(&["list"]),
    );
    let explained = ["LAT-2", "THR-8", "RED-4"].map(|id| plimsoll(&["explain", id])).join("\n----\n\n");
    assert_shows(
        "console-explain",
        "A decision, a comparison, a case at a limit: what a person is told of each.",
        &explained,
    );
    assert_shows("console-zoo", "One built-in candidate a row, and what it breaks.", &plimsoll(&["zoo"]));
}

#[test]
fn the_help() {
    let commands =
        ["check", "replay", "snapshot", "matrix", "witness", "init", "serve", "explain", "completions", "man"];
    let mut text = plimsoll(&["--help"]);
    for command in commands {
        let _ = write!(text, "\n---- {command}\n\n{}", plimsoll(&[command, "--help"]));
    }
    assert_shows("console-help", "Every command and every option: one that goes is a breaking change.", &text);
}

/// What goes wrong, and the file that it goes wrong with.
const ERRORS: &[&[&str]] = &[
    &["no-such-command"],
    &["check", "--seed", "many"],
    &["check", "--effort", "heroic"],
    &["check", "--jobs", "0"],
    &["check", "--timeout", "-1"],
    &["check", "--candidate", "self-counting-trottle"],
    &["check", "--candidate", "reference", "--", "sh"],
    &["check", "--requirement", "THR-99"],
    &["check", "--profile", "nobody"],
    &["check", "--known", "missing.toml"],
    &["check", "--known", "known.toml"],
    &["check", "--known", "wildcard.toml"],
    &["check", "--known", "both.toml"],
    &["check", "--bless"],
    &["check", "--known", "known.toml", "--bless"],
    &["check", "--known", "new.toml", "--bless", "-r", "LAT-1"],
    &["check", "--known", "new.toml", "--bless", "--shard", "1/2", "--results", "1.jsonl"],
    &["check", "--regressions", "missing", "-r", "LAT-1"],
    &["check", "--json", "missing/report.json", "-r", "LAT-1", "--effort", "smoke"],
    &["check", "--"],
    &["check", "--", "./no-such-program"],
    &["explain", "LAT-99"],
    &["explain", "missing.jsonl"],
    &["explain", "format.jsonl"],
    &["explain", "LAT-2", "--emit", "rust"],
    &["explain", "history.jsonl", "--emit", "haiku"],
    &["explain", "history.jsonl", "--emit", "vector"],
    &["completions", "csh"],
    &["man", "--out", "known.toml"],
    &["serve", "--candidate", "nobody"],
    &["replay"],
    &["replay", "missing.jsonl"],
    &["replay", "empty.jsonl"],
    &["replay", "format.jsonl"],
    &["replay", "command.jsonl"],
    &["replay", "twice.jsonl"],
    &["replay", "contract.jsonl"],
    &["init", "cobol", "there"],
    &["matrix", "missing.json"],
    &["snapshot"],
    &["snapshot", "--out", "there", "--histories", "missing"],
    &["snapshot", "--out", "there", "--histories", "."],
];

#[test]
fn errors() {
    let dir = tempfile::tempdir().unwrap();
    let head = r#"{"plimsoll":"history","format":1,"seed":1,"contract":{"capabilities":["summarize"]}}"#;
    for (name, text) in [
        ("known.toml", "[[known]]\nid = \"THR-99\"\n".to_owned()),
        ("wildcard.toml", "[[known]]\nid = \"THR-*-1\"\n".to_owned()),
        ("both.toml", "[[known]]\nid = \"THR-1\"\n\n[[nondeterministic]]\nid = \"THR-1\"\n".to_owned()),
        ("history.jsonl", format!("{head}\n")),
        ("empty.jsonl", String::new()),
        ("format.jsonl", r#"{"plimsoll":"witness","format":7}"#.to_owned()),
        ("command.jsonl", format!("{head}\n{{\"jump\":{{}}}}\n")),
        ("contract.jsonl", head.replace("summarize", "summarise")),
        (
            "twice.jsonl",
            format!(
                "{head}\n{{\"append\":{{\"conversation\":\"a\",\"messages\":[{{\"key\":1,\"role\":\"user\"}},{{\"key\":1,\"role\":\"user\"}}]}}}}\n"
            ),
        ),
    ] {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let mut text = String::new();
    for arguments in ERRORS {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        let ran = command.args(*arguments).current_dir(dir.path()).output().unwrap();
        let error = String::from_utf8(ran.stderr).unwrap();
        let _ = write!(text, "plimsoll {}\nexit code {}\n{error}\n", arguments.join(" "), ran.status.code().unwrap());
    }
    assert_shows("console-errors", "Each says what is wrong, where, and the way out; 2 could not run, 3 usage.", &text);
}

#[test]
fn the_json_report() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.args(["check", "--quiet", "--effort", "smoke", "--json", "report.json"]).current_dir(dir.path());
    assert!(command.status().unwrap().success());
    let report = fs::read_to_string(dir.path().join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let mut text = String::new();
    rows("", &report, &mut text);
    let look = "The JSON report of the reference, a member a row; N: a number that the search alone decides.";
    assert_shows("json-report", look, &text);
}

/// The members of a JSON value, a row each; a list has a row for each item.
fn rows(path: &str, value: &Value, text: &mut String) {
    let leaf =
        |value: &Value| !value.is_object() && !value.as_array().is_some_and(|list| list.iter().any(Value::is_object));
    match value {
        Value::Object(members)
            if path == "requirements" || path.starts_with("shares") || path.starts_with("limits") =>
        {
            let members = members.iter().map(|(name, value)| format!("{name} {}", shown(name, value)));
            let _ = writeln!(text, "{path}: {}", members.collect::<Vec<_>>().join(", "));
        }
        Value::Object(members) => {
            for (name, value) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                if leaf(value) {
                    let _ = writeln!(text, "{path}: {}", shown(name, value));
                } else {
                    rows(&path, value, text);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| rows(path, item, text)),
        other => {
            let _ = writeln!(text, "{path}: {other}");
        }
    }
}

fn shown(name: &str, value: &Value) -> String {
    let searched = ["planned", "histories", "steps", "exercised", "cases", "kept", "seed", "found"];
    if searched.contains(&name) && value.is_number() { "N".to_owned() } else { value.to_string() }
}

#[test]
fn the_matrix_in_markdown() {
    let dir = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command.args(arguments).current_dir(dir.path()).output().unwrap()
    };
    for (file, candidate) in [("sound.json", "reference"), ("shipped.json", "self-counting-throttle")] {
        run(&[
            "check",
            "--quiet",
            "--effort",
            "smoke",
            "-r",
            "THR-1",
            "-r",
            "THR-2",
            "--json",
            file,
            "--candidate",
            candidate,
        ]);
    }
    let matrix = run(&["matrix", "sound.json", "shipped.json", "--date", "DATE"]);
    let text = masked(&String::from_utf8(matrix.stdout).unwrap());
    // How much was played is the search's business.
    let unsearched = |line: &str| match line.split_once(" | ").filter(|_| line.contains(" histories, ")) {
        Some(_) => format!("{} | N histories |\n", line.rsplit_once(" | ").unwrap().0),
        None => format!("{line}\n"),
    };
    let text: String = text.lines().map(unsearched).collect();
    let look = "Two reports side by side, as Markdown: what the second fails, and its shortest history.";
    assert_shows("markdown-matrix", look, &text);
}
