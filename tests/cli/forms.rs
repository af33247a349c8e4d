//! The report in the forms that other programs show.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{Ran, plimsoll, plimsoll_in};

const FORMS: [&str; 5] = ["--html", "--summary", "--junit", "--badge", "--sarif"];

/// A run that writes each form to a file of its name in `dir`.
fn all_forms(dir: &Path, arguments: &[&str]) -> Ran {
    let mut all: Vec<String> = ["check", "--effort", "smoke"].map(str::to_owned).to_vec();
    for form in FORMS {
        all.extend([form.to_owned(), form.trim_start_matches('-').to_owned()]);
    }
    all.extend(arguments.iter().map(|word| (*word).to_owned()));
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    plimsoll_in(dir, &all)
}

fn read(dir: &Path, form: &str) -> String {
    fs::read_to_string(dir.join(form)).unwrap()
}

fn json(dir: &Path, form: &str) -> Value {
    serde_json::from_str(&read(dir, form)).unwrap()
}

/// An adapter that raises `said` in every step, and has it for its name.
fn raising(dir: &Path, said: &str) -> Vec<String> {
    let helper = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/adapters");
    let said = serde_json::to_string(said).unwrap();
    let text = format!(
        "import sys\nsys.path.insert(0, {helper:?})\nimport plimsoll\n\n\
         class Raising(plimsoll.Keeper):\n    name, version = {said}, \"1\"\n    \
         contract = {{\"capabilities\": [\"summarize\"]}}\n\n    \
         def step(self, conversation, host):\n        raise RuntimeError({said})\n\n\
         plimsoll.run(Raising())\n"
    );
    fs::write(dir.join("raising.py"), text).unwrap();
    ["--", "python3", "raising.py"].map(str::to_owned).to_vec()
}

#[test]
fn each_form_says_what_the_report_says() {
    let dir = tempfile::tempdir().unwrap();
    let arguments = ["--candidate", "self-counting-throttle", "--source", "src/my agent.rs:7", "--json", "report"];
    let ran = all_forms(dir.path(), &arguments);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let report = json(dir.path(), "report");
    let rows = report["requirements"].as_array().unwrap();
    let of = |verdict: &str| rows.iter().filter(|row| row["verdict"] == verdict).count();

    let junit = quick_junit::Report::deserialize_from_str(&read(dir.path(), "junit")).unwrap();
    assert_eq!(
        (junit.tests, junit.failures, junit.errors, junit.skipped),
        (rows.len(), of("fail"), 0, of("not_claimed"))
    );

    let sarif = json(dir.path(), "sarif");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let ids: Vec<&Value> = results.iter().map(|result| &result["ruleId"]).collect();
    let failing: Vec<&Value> = rows.iter().filter(|row| row["verdict"] == "fail").map(|row| &row["id"]).collect();
    assert_eq!(ids, failing);
    for result in results {
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/my%20agent.rs");
        assert_eq!(place["region"]["startLine"], 7);
        let rule = &sarif["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
    }

    // What fails with another is told in the same words everywhere.
    assert!(ran.out.contains("\n  also      THR-2 fails in the same history\n"), "{}", ran.out);
    for (form, says) in [
        ("summary", "\n- also: THR-2 fails in the same history\n"),
        ("html", "<dt>also</dt><dd>THR-2 fails in the same history</dd>"),
        ("junit", "\nTHR-1 fails in the same history: mend that first\n"),
        ("sarif", "\\nAlso: THR-1 fails in the same history: mend that first."),
    ] {
        assert!(read(dir.path(), form).contains(says), "{form}:\n{}", read(dir.path(), form));
    }

    let badge = json(dir.path(), "badge");
    assert_eq!(badge["message"], format!("{} of {} hold, {1} of 100 claimed", of("pass"), 100 - of("not_claimed")));
    assert_eq!((&badge["schemaVersion"], &badge["color"]), (&Value::from(1), &Value::from("red")));

    let [page, summary] = ["html", "summary"].map(|form| read(dir.path(), form));
    for text in [&page, &summary] {
        assert!(text.contains(ran.closing_line()), "{text}");
        assert!(text.contains("plimsoll replay plimsoll-witnesses/self-counting-throttle-"), "{text}");
        assert!(text.contains("gptme/gptme#3812"), "{text}");
    }
    assert!(page.contains("<section class=\"finding\" id=\"why-THR-1\""));
    assert!(summary.contains("### THR-1 fail: attempted although the cooldown is running"));
    for alien in ["<script", "http://", "https://", "src="] {
        assert!(!page.contains(alien), "the page has {alien}");
    }
}

#[test]
fn what_a_candidate_says_is_text_in_every_form() {
    let dir = tempfile::tempdir().unwrap();
    let hostile = "<script>alert(1)</script> ]]> </pre> ``` | **x** @you \u{1b}[31m \u{202e}";
    let command = raising(dir.path(), hostile);
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let ran = all_forms(dir.path(), &command);
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.out, ran.err);
    for form in FORMS {
        let text = read(dir.path(), form.trim_start_matches('-'));
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{form}");
    }
    let [page, summary] = ["html", "summary"].map(|form| read(dir.path(), form));
    assert!(!page.contains("<script"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
    // In Markdown it stands in blocks of code, whose fence it does not end, or as text.
    let (mut fence, mut outside) = (None::<String>, String::new());
    for line in summary.lines() {
        match &fence {
            Some(end) if line == end => fence = None,
            Some(_) => {}
            None if line.starts_with("```") => fence = Some(line.chars().take_while(|c| *c == '`').collect()),
            None => outside += line,
        }
    }
    assert_eq!(fence, None);
    assert!(
        !outside.contains("<script")
            && !outside.contains("@you")
            && !outside.contains("@y")
            && !outside.contains("**x**"),
        "{outside}"
    );
    quick_junit::Report::deserialize_from_str(&read(dir.path(), "junit")).unwrap();
    // The adapter's file is where its failures are.
    let place = &json(dir.path(), "sarif")["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "raising.py");
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let [one, other] = [(); 2].map(|()| {
        let dir = tempfile::tempdir().unwrap();
        let _ = all_forms(dir.path(), &["--candidate", "visible-status", "--source", "a.rs", "-r", "LOG-1"]);
        FORMS.map(|form| read(dir.path(), form.trim_start_matches('-')))
    });
    assert_eq!(one, other);
}

#[test]
fn a_form_that_cannot_be_written_is_told_before_the_run() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("notes"), "mine, on plimsoll and conformance: 1 passed").unwrap();
    fs::write(dir.path().join("one"), "").unwrap();
    fs::hard_link(dir.path().join("one"), dir.path().join("two")).unwrap();
    std::os::unix::fs::symlink("nowhere", dir.path().join("astray")).unwrap();
    for (arguments, code, says) in [
        (&["--html", "notes"][..], 2, "it is left as it is; name another file with --html, or move this one away"),
        (&["--junit", "none/a.xml"], 2, "cannot write the JUnit report to none/a.xml"),
        (&["--summary", "notes"], 2, "it is left as it is; name another file with --summary, or move this one away"),
        (&["--html", "a", "--summary", "./a"], 3, "--summary and --html both name ./a: name two files"),
        (&["--html", "a", "--json", "a"], 3, "--json and --html both name a: name two files"),
        (&["--html", "one", "--junit", "two"], 3, "--junit and --html both name two: name two files"),
        (&["--json", "new", "--witness-dir", "./new"], 3, "a folder and a file need two names"),
        (&["--json", "new", "--witness-dir", "new/sub"], 3, "a folder and a file need two names"),
        (&["--json", "new", "--regressions", "new"], 3, "a folder and a file need two names"),
        (&["--html", "astray"], 2, "astray: it is a link, and what it leads to is not there"),
        (&["--sarif", "a", "--source", "../a.rs"], 3, "--source ../a.rs: name a file of the repository"),
        (&["--sarif", "a", "--source", "/a.rs"], 3, "--source /a.rs: name a file of the repository"),
        (&["--sarif", "a", "--source", ""], 3, "--source '': name a file of the repository"),
        (&["--sarif", "a", "--source", ":3"], 3, "--source :3: name a file of the repository"),
        (&["--sarif", "a", "--source", "."], 3, "--source .: name a file of the repository"),
        (
            &["--html", "a", "--for", "1s"],
            3,
            "--html shows the report of one whole run, and --for makes a report of each seed",
        ),
        (
            &["--sarif", "a"],
            3,
            "--sarif needs a place to show failures at, and the command names no file: add --source FILE",
        ),
        (&["--sarif", "a", "--source", "a.rs:0"], 3, "--source a.rs:0: lines count from 1"),
    ] {
        let arguments: Vec<&str> = ["check"].iter().chain(arguments).copied().collect();
        let ran = plimsoll_in(dir.path(), &arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""), "{arguments:?}");
        assert!(ran.err.contains(says), "{}", ran.err);
    }
    assert_eq!(fs::read_to_string(dir.path().join("notes")).unwrap(), "mine, on plimsoll and conformance: 1 passed");
}

#[test]
fn what_is_known_not_to_hold_is_drawn_and_told_by_the_badge() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("known.toml"), "[[known]]\nid = \"THR-1\"\n").unwrap();
    let candidate = ["--candidate", "self-counting-throttle", "-r", "THR-1", "-r", "THR-4", "--known", "known.toml"];
    let forms = ["check", "--effort", "smoke", "--html", "page.html", "--badge", "badge.json"];
    let ran = plimsoll_in(dir.path(), &[&forms[..], &candidate].concat());
    assert_eq!(ran.closing_line(), "conformance: 1 passed, 0 failed, 1 skipped (1 known to fail)", "{}", ran.err);
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    let (_, known) = page.split_once("<h2>What is known not to hold</h2>").unwrap();
    assert!(known.contains("id=\"why-THR-1\"") && known.contains("<svg") && page.contains("href=\"#why-THR-1\""));
    assert!(!page.contains("<h2>What does not hold</h2>"));
    let badge: Value = serde_json::from_str(&fs::read_to_string(dir.path().join("badge.json")).unwrap()).unwrap();
    assert_eq!(badge["color"], "yellow");
    assert_eq!(badge["message"], "1 of 2 hold, 1 known not to, 2 of 2 claimed, a part only");
}

#[test]
fn every_report_is_as_its_schema_says() {
    let schema: Value = serde_json::from_str(include_str!("../../spec/report.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("known.toml"),
        "[[nondeterministic]]\nid = \"THR-2\"\n[[known]]\nid = \"THR-1\"\nnote = \"n\"\n",
    )
    .unwrap();
    let breaks = breaking(dir.path());
    let breaks: Vec<&str> =
        ["--effort", "smoke", "-r", "LOG-2", "--"].into_iter().chain(breaks.iter().map(String::as_str)).collect();
    for arguments in [
        &["--effort", "smoke"][..],
        &["--candidate", "self-counting-throttle", "--effort", "smoke"],
        &["--candidate", "self-counting-throttle", "--effort", "smoke", "--known", "known.toml"],
        &["--candidate", "marker-outside", "-r", "RED-1"],
        &["-r", "LAT-1", "--strict"],
        &breaks,
    ] {
        let arguments: Vec<&str> = ["check", "--json", "report"].iter().chain(arguments).copied().collect();
        let ran = plimsoll_in(dir.path(), &arguments);
        let text =
            fs::read_to_string(dir.path().join("report")).unwrap_or_else(|_| panic!("{arguments:?}: {}", ran.err));
        let report: Value = serde_json::from_str(&text).unwrap();
        let faults: Vec<String> =
            schema.iter_errors(&report).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
        assert!(faults.is_empty(), "{arguments:?}: {faults:?}");
        let broke = report["broken"].as_array().is_some_and(|broken| !broken.is_empty());
        assert_eq!(broke, arguments.contains(&"LOG-2"), "{text}");
        fs::remove_file(dir.path().join("report")).unwrap();
    }
}

/// A command that breaks off in its first step.
fn breaking(dir: &Path) -> Vec<String> {
    let helper = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/adapters");
    let text = format!(
        "import os, sys\nsys.path.insert(0, {helper:?})\nimport plimsoll\n\n\
         class Breaking(plimsoll.Keeper):\n    name, version = \"breaking\", \"1\"\n    \
         contract = {{\"capabilities\": [\"summarize\"]}}\n\n    \
         def step(self, conversation, host):\n        os._exit(3)\n\n\
         plimsoll.run(Breaking())\n"
    );
    fs::write(dir.join("breaking.py"), text).unwrap();
    ["python3", "breaking.py"].map(str::to_owned).to_vec()
}

#[test]
fn what_fails_the_run_fails_in_junit() {
    let dir = tempfile::tempdir().unwrap();
    let junit = |arguments: &[&str]| {
        let arguments: Vec<&str> =
            ["check", "--effort", "smoke", "--junit", "junit"].iter().chain(arguments).copied().collect();
        let ran = plimsoll_in(dir.path(), &arguments);
        let junit = quick_junit::Report::deserialize_from_str(&read(dir.path(), "junit")).unwrap();
        (ran.code, junit.failures + junit.errors)
    };
    // Advice fails a strict run, and a run in which nothing was exercised shows nothing.
    let advised = ["--candidate", "speaks-as-the-user", "-r", "LOG-6"];
    assert_eq!(junit(&advised), (Some(0), 0));
    assert_eq!(junit(&[&advised[..], &["--strict"]].concat()), (Some(1), 1));
    assert_eq!(junit(&["--candidate", "speaks-as-the-user", "-r", "RED-1"]), (Some(2), 1));
    let breaks = breaking(dir.path());
    let breaks: Vec<&str> = ["-r", "LOG-2", "--"].into_iter().chain(breaks.iter().map(String::as_str)).collect();
    let (code, failures) = junit(&breaks);
    assert!(code != Some(0) && failures > 0, "{code:?} {failures}");
}

#[test]
fn how_a_candidate_broke_off_is_told_whole() {
    let dir = tempfile::tempdir().unwrap();
    let breaks = breaking(dir.path());
    let breaks: Vec<&str> = ["-r", "LOG-2", "--"].into_iter().chain(breaks.iter().map(String::as_str)).collect();
    let ran = all_forms(dir.path(), &breaks);
    let message = ran.out.lines().find(|line| line.contains("exit")).unwrap().trim();
    let words: Vec<&str> = message.split(' ').take(4).collect();
    for form in ["html", "summary", "junit", "sarif"] {
        let text = read(dir.path(), form);
        assert!(text.contains("crash in ") && text.contains(&words.join(" ")), "{form}: {words:?}\n{text}");
    }
    for form in ["html", "summary"] {
        assert!(read(dir.path(), form).contains("plimsoll replay plimsoll-witnesses/breaking-"), "{form}");
    }
}

#[test]
fn a_run_that_exercises_nothing_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let ran = all_forms(dir.path(), &["--candidate", "speaks-as-the-user", "-r", "RED-1", "--source", "a"]);
    assert_eq!(ran.code, Some(2));
    let says = "nothing was exercised";
    assert!(ran.out.contains(says), "{}", ran.out);
    for form in ["html", "summary", "junit", "sarif"] {
        assert!(read(dir.path(), form).contains(says), "{form}");
    }
    assert_eq!(json(dir.path(), "badge")["message"], "nothing exercised");
}

#[test]
fn a_job_s_summaries_stand_one_behind_the_other() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("step-summary");
    fs::write(&path, "what another step says\n").unwrap();
    for _ in 0..2 {
        let arguments = ["check", "--effort", "smoke", "-r", "THR-1", "-q", "--summary", path.to_str().unwrap()];
        let ran = crate::command(dir.path(), &arguments).env("GITHUB_STEP_SUMMARY", &path).output().unwrap();
        assert!(ran.status.success());
    }
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("what another step says\n## plimsoll: reference"), "{text}");
    assert_eq!(text.matches("## plimsoll: ").count(), 2, "{text}");
}

#[test]
fn a_file_that_cannot_be_written_costs_no_other() {
    let dir = tempfile::tempdir().unwrap();
    // A device that is full.
    let arguments =
        ["check", "--effort", "smoke", "-r", "THR-1", "--html", "/dev/full", "--badge", "badge", "--json", "json"];
    let ran = plimsoll_in(dir.path(), &arguments);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("cannot write the page to /dev/full"), "{}", ran.err);
    assert_eq!(ran.closing_line(), "conformance: 1 passed, 0 failed, 0 skipped");
    assert_eq!(json(dir.path(), "badge")["schemaVersion"], 1);
    assert_eq!(json(dir.path(), "json")["format"], 1);
}

#[test]
fn the_parts_of_a_run_give_the_forms_of_the_whole() {
    let dir = tempfile::tempdir().unwrap();
    let bad = ["--candidate", "self-counting-throttle"];
    let whole = ["check", "--effort", "smoke", "--html", "whole.html", "--summary", "whole.md", "-q"];
    let _ = plimsoll_in(dir.path(), &[&whole[..], &bad].concat());
    for part in ["1/2", "2/2"] {
        let results = format!("{}.jsonl", &part[..1]);
        let _ = plimsoll_in(
            dir.path(),
            &[&["check", "--effort", "smoke", "--shard", part, "--results", &results][..], &bad].concat(),
        );
    }
    let merge = ["merge", "1.jsonl", "2.jsonl", "--html", "merged.html", "--summary", "merged.md", "-q"];
    let ran = plimsoll_in(dir.path(), &[&merge[..], &bad].concat());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(read(dir.path(), "merged.html"), read(dir.path(), "whole.html"));
    assert_eq!(read(dir.path(), "merged.md"), read(dir.path(), "whole.md"));
    let part = ["check", "--shard", "1/2", "--results", "3.jsonl", "--badge", "badge"];
    let ran = plimsoll_in(dir.path(), &part);
    assert_eq!(ran.code, Some(3));
    assert!(ran.err.contains("--badge shows the report of one whole run, and --shard plays a part"), "{}", ran.err);
}

#[test]
fn without_a_terminal_there_are_no_colours_and_no_progress() {
    let ran = plimsoll(&["check", "--effort", "smoke", "-r", "THR-1", "--candidate", "self-counting-throttle"]);
    assert_eq!(ran.code, Some(1));
    assert!(!ran.out.contains('\u{1b}') && ran.err.is_empty(), "{}{}", ran.out, ran.err);
}
