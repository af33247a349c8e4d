//! Commands as candidates.

#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{PLIMSOLL, Ran, command, plimsoll_in, report};

/// What of a report must not depend on how the candidate is reached.
fn verdicts(report: &serde_json::Value) -> Vec<[serde_json::Value; 4]> {
    let rows = report["requirements"].as_array().unwrap().iter();
    rows.map(|row| ["id", "verdict", "reason", "witness_steps"].map(|key| row[key].clone())).collect()
}

#[test]
fn a_served_candidate_gets_the_same_verdicts_and_witnesses() {
    let own = ["measures-for-itself", "measures-the-stored-log"];
    for name in ["reference", "self-counting-throttle", "rewrites-the-log"].into_iter().chain(own) {
        let within = report(&["--candidate", name]);
        let served = report(&["--", PLIMSOLL, "serve", "--candidate", name]);
        assert_eq!(verdicts(&within), verdicts(&served), "{name}");
        assert_eq!(within["candidate"], served["candidate"]);
    }
}

/// A candidate as a shell script: `name`, a JSON string, and what it does at a step.
fn script(name: &str, step: &str) -> String {
    format!(
        r#"n=0
while read -r line; do
  n=$((n + 1))
  case "$line" in
    *'"method":"hello"'*) result='{{"protocol":1,"name":{name},"version":"1","contract":{{"capabilities":["summarize"],"colour":"red"}}}}' ;;
    *'"method":"step"'*) {step} result='{{"action":"none","appended":[],"view":null}}' ;;
    *) result='{{}}' ;;
  esac
  printf '{{"jsonrpc":"2.0","id":%s,"result":%s}}\n' "$n" "$result"
done"#
    )
}

fn check(dir: &Path, script: &str, arguments: &[&str]) -> Ran {
    let mut all = vec!["check", "--effort", "smoke"];
    all.extend(arguments);
    all.extend(["--", "sh", "-c", script]);
    plimsoll_in(dir, &all)
}

#[test]
fn a_hostile_name_stays_text_and_stays_in_the_directory() {
    let dir = tempfile::tempdir().unwrap();
    let ran = check(dir.path(), &script(r#""../../\u001b[31mevil\u0007\u202e""#, ""), &["-r", "OUT-7"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains(r"../../\u{1b}[31mevil\u{7}\u{202e}"), "{}", ran.out);
    for text in [&ran.out, &ran.err] {
        assert!(text.chars().all(|c| c == '\n' || (!c.is_control() && c != '\u{202e}')), "{text:?}");
    }
    let entries: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(entries, ["plimsoll-witnesses"]);
    for entry in std::fs::read_dir(dir.path().join("plimsoll-witnesses")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name.starts_with("31mevil-") || name.contains("evil"), "{name}");
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c)), "{name}");
    }
}

#[test]
fn an_unknown_member_of_the_contract_is_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let ran = check(dir.path(), &script(r#""painted""#, ""), &["-r", "OUT-7"]);
    assert!(ran.err.contains("warning") && ran.err.contains("`colour`"), "{}", ran.err);
}

#[test]
fn a_candidate_that_never_answers_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let ran = check(dir.path(), &script(r#""sleeper""#, "sleep 100;"), &["--timeout", "1", "--json", "report.json"]);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("candidate sleeper") && ran.out.contains("no answer to `step` within 1 s"), "{}", ran.out);
    assert!(ran.closing_line().starts_with("conformance: "), "{}", ran.out);
    assert!(dir.path().join("report.json").is_file());
    let witness = ran.out.lines().find_map(|line| line.strip_prefix("  witness   ")).unwrap();
    assert!(dir.path().join(witness.split(" (").next().unwrap()).is_file(), "{witness}");
}

#[test]
fn an_interruption_ends_with_a_report_and_without_children() {
    let dir = tempfile::tempdir().unwrap();
    let served = format!("echo $$ > pid.$$; exec {PLIMSOLL} serve");
    let arguments = ["check", "--effort", "nightly", "--json", "report.json", "--", "sh", "-c", &served];
    let run = command(dir.path(), &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pids = || -> Vec<String> {
        let names =
            std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter_map(|name| name.strip_prefix("pid.").map(str::to_owned)).collect()
    };
    let until = Instant::now() + Duration::from_secs(60);
    while pids().is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(1_000));
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    let ran = Ran::from(run.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("not finished: the run was interrupted"), "{}", ran.out);
    assert!(ran.closing_line().starts_with("conformance: "), "{}", ran.out);
    assert!(dir.path().join("report.json").is_file());
    std::thread::sleep(Duration::from_millis(200));
    for pid in pids() {
        let alive = Command::new("kill").args(["-0", &pid]).stderr(Stdio::null()).status().unwrap().success();
        assert!(!alive, "the child {pid} still runs");
    }
}

#[test]
fn an_interruption_while_a_command_starts_is_called_one() {
    let dir = tempfile::tempdir().unwrap();
    for more in [&["--line-by-line"][..], &["--jobs", "2"]] {
        let arguments = [&["check"], more, &["--", "sh", "-c", "echo > pid; exec sleep 100"]].concat();
        let run = command(dir.path(), &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while !dir.path().join("pid").is_file() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
        let ran = Ran::from(run.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
        assert!(ran.err.contains("interrupted before the candidate answered `hello`"), "{}", ran.err);
        assert!(!ran.err.contains("within"), "{}", ran.err);
        std::fs::remove_file(dir.path().join("pid")).unwrap();
    }
}

#[test]
fn a_report_that_nobody_reads_is_not_waited_for_once_it_is_interrupted() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Command::new("mkfifo").arg(dir.path().join("unread")).status().unwrap().success());
    let arguments = ["check", "--effort", "smoke", "--quiet", "-r", "THR-1", "--html", "page.html", "--json", "unread"];
    let mut run = command(dir.path(), &arguments).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(run.stdout.take().unwrap()), &mut line).unwrap();
    assert!(line.starts_with("conformance: "), "{line}");
    assert!(Command::new("kill").args(["-TERM", &run.id().to_string()]).status().unwrap().success());
    assert_eq!(run.wait().unwrap().code(), Some(2));
}

#[test]
fn a_second_interruption_leaves_no_children() {
    let dir = tempfile::tempdir().unwrap();
    // It does not end with its input: only whoever kills it ends it.
    let served = format!("echo $$ > pid.$$; {PLIMSOLL} serve; sleep 100");
    let arguments = ["check", "--quiet", "--effort", "nightly", "--", "sh", "-c", &served];
    let run = command(dir.path(), &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pids = || -> Vec<String> {
        let names = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter_map(|name| name.to_str()?.strip_prefix("pid.").map(str::to_owned)).collect()
    };
    let until = Instant::now() + Duration::from_secs(60);
    while pids().len() < 2 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    let twice = format!("kill -INT {0}; sleep 0.02; kill -INT {0}", run.id());
    assert!(Command::new("sh").args(["-c", &twice]).status().unwrap().success());
    let ran = Ran::from(run.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    // One that was killed and that nobody has reaped yet has ended, too.
    let runs = |pid: &String| {
        let shown = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap().stdout;
        shown.trim_ascii().first().is_some_and(|state| *state != b'Z')
    };
    let until = Instant::now() + Duration::from_secs(10);
    while pids().iter().any(runs) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    let left: Vec<String> = pids().into_iter().filter(runs).collect();
    assert!(left.is_empty(), "these still run: {left:?}");
}
