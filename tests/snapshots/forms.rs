//! The forms of a report that other programs show, without what the search alone decides.

use std::fs;

use super::assert_shows;
use super::common::{masked, plimsoll};

/// How much was searched, and from which seed, is the search's business, and so are the names of witnesses.
fn steady(text: &str) -> String {
    let searched = |line: &&str| line.contains(" histories, ") || line.contains("name=\"seed\"");
    masked(&text.lines().filter(|line| !searched(line)).map(|line| format!("{line}\n")).collect::<String>())
}

#[test]
fn of_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let forms = [
        (
            "summary",
            "Markdown: the closing line, the areas, and the failure with its history and the command that replays it.",
        ),
        ("junit", "A case for each requirement that was asked for, one with a failure."),
        ("badge", "What the candidate was held to, what of it holds, and how much was claimed."),
        ("sarif", "A rule for each requirement, one result, at the place that was named."),
    ];
    let mut arguments: Vec<String> =
        ["check", "--effort", "smoke", "--candidate", "self-counting-throttle"].map(str::to_owned).to_vec();
    arguments.extend(["-r", "THR-1", "-r", "LOG-2", "-r", "LAT-1", "--source", "src/agent.rs:12"].map(str::to_owned));
    for (form, _) in forms {
        arguments.extend([format!("--{form}"), file(form)]);
    }
    let _ = plimsoll(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    for (form, look) in forms {
        assert_shows(&format!("form-{form}"), look, &steady(&fs::read_to_string(file(form)).unwrap()));
    }
}
