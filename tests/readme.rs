//! What the documents show is what happens: their pictures are what the command prints, and their commands and snippets run.
//! The README's Rust is compiled and run in a crate of its own by `.ci/user-crate`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::path::Path;
use std::process::Command;

use common::{masked, plimsoll};
use plimsoll::{Contract, KnownFailures};
use serde_json::Value;

const README: &str = include_str!("../README.md");
const CONTRIBUTING: &str = include_str!("../CONTRIBUTING.md");
const ADAPTERS: &str = include_str!("../examples/adapters/README.md");
const CONTRACT: &str = include_str!("../spec/contract.md");
const PROTOCOL: &str = include_str!("../spec/protocol.md");

/// The snippets of a document: language and text.
fn snippets(document: &'static str) -> Vec<(&'static str, &'static str)> {
    let mut found = Vec::new();
    let mut rest = document;
    while let Some((_, after)) = rest.split_once("\n```") {
        let (language, after) = after.split_once('\n').unwrap();
        let (text, after) = after.split_once("```").unwrap();
        found.push((language, text));
        rest = after;
    }
    assert!(!found.is_empty());
    found
}

fn of(document: &'static str, language: &str) -> Vec<&'static str> {
    snippets(document).into_iter().filter(|(other, _)| *other == language).map(|(_, text)| text).collect()
}

fn picture(of_what: &str) -> &'static str {
    of(README, "text").into_iter().find(|block| block.contains(of_what)).unwrap().trim_end_matches('\n')
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
    let wanted = picture("THR-1 MUST fail").lines().filter(|line| !line.trim_start().starts_with("also"));
    for line in wanted.map(masked) {
        assert!(printed.contains(&line), "the README shows {line:?}, and this was printed:\n{printed}");
    }
}

/// A folder in which what the README names is there.
fn desk() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for file in ["plimsoll.py", "minimal.py"] {
        std::fs::copy(examples.join("adapters").join(file), dir.path().join(file)).unwrap();
    }
    std::fs::rename(dir.path().join("minimal.py"), dir.path().join("adapter.py")).unwrap();
    std::os::unix::fs::symlink(examples, dir.path().join("examples")).unwrap();
    std::fs::write(dir.path().join("known-failures.toml"), of(README, "toml")[1]).unwrap();
    dir
}

/// The arguments of the command in a line, if it is one of this crate's. Others are steps of `.ci/run`, and named there.
fn arguments(line: &'static str) -> Option<Vec<&'static str>> {
    let line = line.trim_start_matches("- run: ").split(" #").next().unwrap();
    let begins = [
        "cargo run --release --features cli -- ",
        "cargo run --features cli -- ",
        "target/release/plimsoll ",
        "plimsoll ",
    ];
    let Some(rest) = begins.iter().find_map(|begin| line.strip_prefix(begin)) else {
        let steps = [
            "cargo test --all-features",
            "cargo build --release --features cli",
            "cargo install --locked --path plimsoll --features cli",
            "cargo install cargo-fuzz",
            "cargo insta test --all-features --test snapshots --example timelines --review",
        ];
        assert!(steps.contains(&line), "nothing runs {line:?}");
        return None;
    };
    Some(rest.split(' ').collect())
}

#[test]
fn every_command_of_the_readme_runs() {
    let desk = desk();
    let run = |arguments: &[&str]| {
        let ran =
            Command::new(env!("CARGO_BIN_EXE_plimsoll")).args(arguments).current_dir(desk.path()).output().unwrap();
        let (out, err) = (String::from_utf8(ran.stdout).unwrap(), String::from_utf8(ran.stderr).unwrap());
        // Passed or failed, and never "could not run".
        assert!(matches!(ran.status.code(), Some(0 | 1)), "{arguments:?} ended with {}: {err}", ran.status);
        out
    };
    // The witness that "Reading a failure" has in mind.
    let _ = run(&["check", "--effort", "smoke", "-r", "THR-1", "--candidate", "self-counting-throttle"]);
    let witness =
        std::fs::read_dir(desk.path().join("plimsoll-witnesses")).unwrap().next().unwrap().unwrap().file_name();
    std::fs::rename(
        desk.path().join("plimsoll-witnesses").join(&witness),
        desk.path().join("plimsoll-witnesses/FILE.jsonl"),
    )
    .unwrap();
    let steps = of(README, "yaml").into_iter().flat_map(str::lines).filter(|line| line.starts_with("- run: "));
    let workflow = include_str!("../examples/ci/check.yml");
    let lines = of(README, "sh").into_iter().flat_map(str::lines).chain(steps);
    let mut count = 0;
    for mut arguments in lines.filter_map(arguments) {
        let no_node = || Command::new("node").arg("--version").output().is_err();
        if arguments.contains(&"node") && no_node() {
            continue;
        }
        if arguments[0] == "check" {
            arguments.splice(1..1, ["--effort", "smoke"]);
        }
        let out = run(&arguments);
        assert!(!out.is_empty(), "{arguments:?} printed nothing");
        count += 1;
    }
    assert!(count >= 7, "only {count} commands were found");
    let uses = of(README, "yaml").into_iter().flat_map(str::lines).filter_map(|line| line.strip_prefix("- uses: "));
    assert!(uses.clone().count() > 0 && uses.clone().all(|action| workflow.contains(action)), "check.yml uses others");
}

#[test]
fn every_flag_in_the_prose_is_one() {
    let mut count = 0;
    for document in [README, CONTRIBUTING, ADAPTERS, CONTRACT, PROTOCOL, include_str!("../DESIGN.md")] {
        for code in document.split('`').skip(1).step_by(2) {
            let Some(rest) = code.strip_prefix("plimsoll ") else { continue };
            let words: Vec<&str> = rest.split_whitespace().take_while(|word| *word != "--").collect();
            let help = plimsoll(&[words[0], "--help"]);
            assert!(!help.is_empty(), "`{code}`: there is no such command");
            for flag in words.iter().filter(|word| word.starts_with('-')) {
                let of_help = |word: &str| word.trim_end_matches([',', '.', ']']) == *flag;
                assert!(help.split_whitespace().any(of_help), "`{code}`: {} has no {flag}", words[0]);
                count += 1;
            }
        }
    }
    assert!(count >= 5, "only {count} flags were found");
}

#[test]
fn every_snippet_is_what_it_says() {
    assert!(KnownFailures::parse(&of(README, "toml")[1..].join("\n")).is_ok());
    for contract in of(CONTRACT, "json") {
        let mut value: Value = serde_json::from_str(contract).unwrap();
        if value.get("capabilities").is_none() {
            // A section of one: with everything that may have a section.
            value["capabilities"] = serde_json::json!(CLAIMED);
        }
        Contract::from_value(value).unwrap_or_else(|error| panic!("spec/contract.md shows {contract}: {error}"));
    }
    for line in of(PROTOCOL, "json").into_iter().flat_map(str::lines) {
        assert!(serde_json::from_str::<Value>(line).is_ok(), "spec/protocol.md shows {line}");
    }
    // No document has a snippet in a language that nothing here or in `.ci/user-crate` runs.
    for (document, known) in [
        (README, &["text", "sh", "toml", "rust", "rust,no_run", "yaml", "diff"][..]),
        (CONTRIBUTING, &["sh"]),
        (ADAPTERS, &["python", "js"]),
        (CONTRACT, &["json"]),
        (PROTOCOL, &["json"]),
    ] {
        for (language, text) in snippets(document) {
            assert!(known.contains(&language), "nothing runs the snippet in {language:?}: {text}");
        }
    }
    of(CONTRIBUTING, "sh").into_iter().flat_map(str::lines).for_each(|line| assert!(arguments(line).is_none()));
}

const CLAIMED: &[&str] = &["summarize", "throttle", "latch", "trim", "field", "fit", "request"];

#[test]
fn every_adapter_that_is_shown_gives_a_verdict() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/adapters");
    let desk = tempfile::tempdir().unwrap();
    for (language, interpreter, helper, name) in
        [("python", "python3", "plimsoll.py", "shown.py"), ("js", "node", "plimsoll.mjs", "shown.mjs")]
    {
        if language == "js" && Command::new("node").arg("--version").output().is_err() {
            continue;
        }
        std::fs::copy(folder.join(helper), desk.path().join(helper)).unwrap();
        let shown = of(ADAPTERS, language);
        assert!(!shown.is_empty());
        for text in shown {
            std::fs::write(desk.path().join(name), text).unwrap();
            let ran = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
                .args(["check", "--effort", "smoke", "--", interpreter, name])
                .current_dir(desk.path())
                .output()
                .unwrap();
            let out = String::from_utf8(ran.stdout).unwrap();
            assert!(matches!(ran.status.code(), Some(0 | 1)), "{text}\n{}", String::from_utf8_lossy(&ran.stderr));
            assert!(out.lines().last().is_some_and(|line| line.starts_with("conformance: ")), "{out}");
            assert!(!out.contains("broke off"), "{out}");
        }
    }
}
