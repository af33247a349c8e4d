//! Reports, witnesses and replays.

use std::collections::BTreeMap;

use super::{plimsoll, plimsoll_in, report};

#[test]
fn the_reference_passes() {
    let ran = plimsoll(&["check", "--effort", "smoke"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.closing_line().starts_with("conformance: ") && ran.closing_line().contains(" 0 failed"), "{}", ran.out);
    assert!(!ran.out.contains('\u{1b}') && ran.err.is_empty(), "no colour and no progress in a pipe");
}

#[test]
fn a_failure_shows_its_history_and_a_command_that_replays_it() {
    let dir = tempfile::tempdir().unwrap();
    let check = ["check", "--effort", "smoke", "--candidate", "self-counting-throttle", "--witness-dir", "found"];
    let ran = plimsoll_in(dir.path(), &check);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out.contains("THR-1 MUST fail: attempted although the cooldown is running"), "{}", ran.out);
    assert!(ran.out.contains("forbidden: cooling, 60 s left, growth 0"), "{}", ran.out);
    let marked = ran.out.lines().filter(|line| line.starts_with('>')).count();
    assert!(marked >= 1, "the wrong decision is marked:\n{}", ran.out);

    let replay = ran.out.lines().find_map(|line| line.strip_prefix("  replay    plimsoll ")).unwrap();
    let arguments: Vec<String> = shell_words::split(replay).unwrap();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    assert!(dir.path().join(arguments[1]).is_file(), "{replay}");
    let again = plimsoll_in(dir.path(), &arguments);
    assert_eq!(again.code, Some(1), "{}{}", again.out, again.err);
    assert!(again.out.contains("THR-1 fails: "), "{}", again.out);
    let sound = plimsoll_in(dir.path(), &["replay", arguments[1]]);
    assert_eq!(sound.code, Some(0), "{}{}", sound.out, sound.err);
    assert!(sound.out.contains("THR-1 holds"), "{}", sound.out);
}

#[test]
fn every_witness_that_a_report_names_is_there_and_fails_when_it_is_replayed() {
    let dir = tempfile::tempdir().unwrap();
    let check = ["check", "--effort", "smoke", "--candidate", "self-counting-throttle", "--json", "report.json"];
    plimsoll_in(dir.path(), &check);
    let text = std::fs::read_to_string(dir.path().join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut seen = 0;
    for row in report["requirements"].as_array().unwrap().iter().filter(|row| row["verdict"] == "fail") {
        let witness = format!("plimsoll-witnesses/{}", row["witness"].as_str().unwrap());
        let ran = plimsoll_in(dir.path(), &["replay", &witness, "--candidate", "self-counting-throttle"]);
        assert_eq!(ran.code, Some(1), "{witness}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains(&format!("{} fails: ", row["id"].as_str().unwrap())), "{witness}: {}", ran.out);
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn the_json_report_has_the_keys_of_format_1() {
    let report = report(&["--candidate", "self-counting-throttle", "--seed", "3"]);
    for key in [
        "format",
        "spec",
        "suite",
        "protocol",
        "candidate",
        "contract",
        "seed",
        "effort",
        "planned",
        "histories",
        "steps",
        "passed",
        "first",
        "requirements",
    ] {
        assert!(report.get(key).is_some(), "{key} is missing");
    }
    assert_eq!((&report["format"], &report["protocol"], &report["seed"]), (&1.into(), &1.into(), &3.into()));
    assert_eq!(
        (&report["effort"], &report["passed"], &report["first"]),
        (&"smoke".into(), &false.into(), &"THR-1".into())
    );
    assert_eq!(report["candidate"]["name"], "self-counting-throttle");
    assert!(report["candidate"]["version"].is_string() && report["contract"]["capabilities"].is_array());
    let rows = report["requirements"].as_array().unwrap();
    for row in rows {
        for key in ["id", "level", "verdict", "exercised", "reason", "witness", "witness_steps"] {
            assert!(row.get(key).is_some(), "{key} is missing: {row}");
        }
        assert!(row.get("timeline").is_none());
    }
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    let all: Vec<&str> = plimsoll::requirements().map(plimsoll::Requirement::id).collect();
    assert_eq!(ids, all, "in the order of the specification");
}

#[test]
fn a_run_can_be_limited_to_some_requirements() {
    let ran = plimsoll(&["check", "--effort", "smoke", "-r", "LAT-2", "--requirement", "LOG-1"]);
    assert_eq!((ran.code, ran.closing_line()), (Some(0), "conformance: 2 passed, 0 failed, 0 skipped"));
}

#[test]
fn what_was_not_asked_for_has_no_witness() {
    for (candidate, asked) in [
        ("self-counting-throttle", &["THR-1"][..]),
        ("self-counting-throttle", &["THR-1", "LAT-1"]),
        ("prefix", &["RED-4"]),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let only: Vec<&str> = asked.iter().flat_map(|id| ["-r", id]).collect();
        let ran =
            plimsoll_in(dir.path(), &[&["check", "--effort", "smoke", "--candidate", candidate], &only[..]].concat());
        assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
        let files: Vec<_> = std::fs::read_dir(dir.path().join("plimsoll-witnesses")).unwrap().collect();
        assert!(!files.is_empty(), "{}", ran.out);
        for file in files {
            let path = file.unwrap().path();
            let witness = plimsoll::Witness::load(&path).unwrap();
            let named = !witness.requirements.is_empty();
            let all = witness.requirements.iter().all(|id| asked.contains(&id.as_str()));
            assert!(named && all, "{asked:?}: {} names {:?}", path.display(), witness.requirements);
        }
    }
}

/// What was found before is still there after a run that was asked for something else.
#[test]
fn a_run_for_one_requirement_leaves_the_witnesses_of_others() {
    let dir = tempfile::tempdir().unwrap();
    let candidate = ["check", "--effort", "smoke", "--candidate", "self-counting-throttle"];
    let witnesses = || {
        let files = std::fs::read_dir(dir.path().join("plimsoll-witnesses")).unwrap().map(|file| file.unwrap().path());
        files.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(plimsoll_in(dir.path(), &candidate).code, Some(1));
    let before = witnesses();
    assert!(!before.is_empty());
    for id in ["THR-3", "THR-4", "VIEW-1"] {
        let ran = plimsoll_in(dir.path(), &[&candidate[..], &["-r", id]].concat());
        assert_eq!(ran.code, Some(0), "{id}: {}", ran.out);
        assert_eq!(witnesses(), before, "{id}");
    }
}

#[test]
fn a_report_does_not_depend_on_the_number_of_jobs() {
    let one = report(&["--jobs", "1", "--candidate", "self-counting-throttle"]);
    assert_eq!(one, report(&["--jobs", "4", "--candidate", "self-counting-throttle"]));
}

#[test]
fn a_profile_comes_with_its_known_failures() {
    let report = report(&["--profile", "cooldown-only"]);
    assert_eq!(report["passed"], true);
    assert_eq!(report["contract"]["latch"], serde_json::Value::Null);
}

#[test]
fn all_profiles_together_exercise_what_is_checked() {
    let dir = tempfile::tempdir().unwrap();
    let reports = dir.path().join("reports");
    let ran = plimsoll(&["check", "--all-profiles", "--effort", "smoke", "--json", reports.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let mut exercised = std::collections::BTreeSet::new();
    for profile in ["reference", "gptme-0.35", "gemini-cli", "latch-only"] {
        let text = std::fs::read_to_string(reports.join(format!("{profile}.json"))).unwrap();
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["passed"], true, "{profile}");
    }
    for file in std::fs::read_dir(&reports).unwrap() {
        let report: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(file.unwrap().path()).unwrap()).unwrap();
        let rows = report["requirements"].as_array().unwrap().iter();
        exercised.extend(rows.filter(|row| row["exercised"] != 0).map(|row| row["id"].as_str().unwrap().to_owned()));
    }
    for requirement in plimsoll::requirements() {
        assert!(exercised.contains(requirement.id()), "{} is exercised under no profile", requirement.id());
        let line = ran.out.lines().find(|line| line.split_whitespace().next() == Some(requirement.id())).unwrap();
        assert_eq!(line.split_whitespace().count(), 8, "{line}");
    }
}

#[test]
fn a_latch_that_is_declared_to_be_for_ever_fails_without_a_step() {
    let report = report(&["--profile", "gemini-cli"]);
    assert_eq!(report["passed"], true);
    let row = report["requirements"].as_array().unwrap().iter().find(|row| row["id"] == "LAT-2").unwrap();
    assert_eq!((&row["verdict"], &row["reason"]), (&"known".into(), &"declared absorbing".into()));
}

#[test]
fn the_incident_is_six_six_one() {
    let ran = plimsoll(&["incident"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let calls = ran.out.lines().find(|line| line.trim_start().starts_with("calls made")).unwrap();
    assert_eq!(calls.split_whitespace().skip(2).collect::<Vec<_>>(), ["6", "6", "1"]);
}

#[test]
fn every_requirement_and_every_built_in_candidate_is_listed_and_explained() {
    let list = plimsoll(&["list"]).out;
    for requirement in plimsoll::requirements() {
        let line = list.lines().find(|line| line.split_whitespace().next() == Some(requirement.id()));
        let breaks = |row: &plimsoll::zoo::Row| row.breaks().contains(&requirement.id());
        let broken_by = plimsoll::zoo::all().filter(|row| breaks(row)).map(|row| row.name());
        let broken_by = broken_by.collect::<Vec<_>>().join(", ");
        let told = |line: &str| line.contains(requirement.level().name()) && line.ends_with(&format!(" {broken_by}"));
        assert!(!broken_by.is_empty() && line.is_some_and(told), "{}", requirement.id());
    }
    let explained = plimsoll(&["explain", "lat-2"]);
    assert!(explained.out.contains("LAT-2") && explained.out.contains("spec/latch.md#lat-2"), "{}", explained.out);
    let zoo = plimsoll(&["zoo"]).out;
    assert!(zoo.starts_with("reference") && plimsoll::zoo::all().all(|row| zoo.contains(row.name())));
}

#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_printed_is_no_result() {
    for arguments in [&["list"][..], &["explain", "THR-1"], &["check", "--effort", "smoke", "-r", "THR-1"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        let output = command.args(arguments).stdout(full).output().unwrap();
        let says = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {says}");
        assert!(says.contains("plimsoll: cannot write to standard output: "), "{arguments:?}: {says}");
    }
}
