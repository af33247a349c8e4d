//! Lists of known failures: wildcards, what comes and goes, and the file that a run writes.

use std::fs;
use std::path::Path;

use super::{Ran, plimsoll_in};

const CANDIDATE: &[&str] = &["--candidate", "self-counting-throttle"];

/// It fails a requirement, and others that this one is declared to imply.
const FOLDS: &str = "prefix";

/// A run against the candidate that fails THR-1, THR-2 and more, with these options.
fn check(dir: &Path, options: &[&str]) -> Ran {
    plimsoll_in(dir, &[&["check", "--effort", "smoke"][..], options, CANDIDATE].concat())
}

/// The same with this list, of a few requirements.
fn with(list: &str) -> Ran {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("known.toml"), list).unwrap();
    check(dir.path(), &["--known", "known.toml", "-r", "THR-1", "-r", "THR-2", "-r", "LOG-1", "-r", "LAT-1"])
}

#[test]
fn a_wildcard_hides_what_fails_behind_it() {
    for list in ["[[known]]\nid = \"THR-*\"\n", "[[known]]\nid = \"*\"\nwitness = \"any.jsonl\"\n"] {
        let ran = with(list);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("known: THR-1, THR-2"), "{}", ran.out);
    }
}

#[test]
fn what_is_to_be_edited_is_named_with_its_line() {
    let list = "[[known]]\nid = \"THR-*\"\n\n[[known]]\nid = \"LOG-1\"\nwitness = \"log.jsonl\"\n";
    let ran = with(list);
    let says =
        "known.toml, line 4: LOG-1 is listed and its verdict is pass: delete the row, and put its witness log.jsonl";
    assert_eq!(ran.code, Some(1));
    assert!(one_line(&ran.out).contains(says), "{}", ran.out);
    let ran = with("[[known]]\nid = \"THR-*\"\n[[known]]\nid = \"LAT-1\"\n");
    assert!(ran.out.contains("known.toml, line 3: LAT-1 is listed and not claimed: delete the row"), "{}", ran.out);
    let ran = with("[[known]]\nid = \"THR-*\"\n[[known]]\nid = \"THR-1\"\nreason = \"moonshine\"\n");
    let says = "known.toml, line 3: THR-1 fails for another reason than listed: now \"attempted although the cooldown is \
                running\"; look at it, then write reason = \"attempted although the cooldown is running\"";
    assert_eq!(ran.code, Some(1));
    assert!(one_line(&ran.out).contains(says), "{}", ran.out);
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_comes_and_goes_fails_no_run_and_is_told() {
    let ran = with(
        "[[nondeterministic]]\nid = \"THR-1\"\nnote = \"a race\"\n[[nondeterministic]]\nid = \"LOG-1\"\n[[known]]\nid = \"THR-2\"\n",
    );
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(
        one_line(&ran.out).contains(
            "nondeterministic: THR-1 seen, whenever it was played again (if it always is, list it as known), LOG-1"
        ),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("known: THR-1, THR-2"), "{}", ran.out);
    let ran = with("[[nondeterministic]]\nid = \"THR-1\"\n[[known]]\nid = \"THR-1\"\n");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("known.toml: line 1: THR-1 is in both lists"), "{}", ran.err);
}

#[test]
fn a_wildcard_under_which_nothing_fails_is_a_problem() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("known.toml"), "[[known]]\nid = \"*\"\n[[known]]\nid = \"LOG-*\"\n").unwrap();
    let ran = check(dir.path(), &["--known", "known.toml"]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    let says = "known.toml, line 3: LOG-* is listed and nothing that it stands for fails so: delete the row";
    assert!(one_line(&ran.out).contains(says), "{}", ran.out);
}

#[test]
fn a_run_writes_the_list_that_it_passes_with() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("known.toml");
    let ran = check(dir.path(), &["--known", "known.toml", "--bless"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("known.toml: added THR-1: attempted although the cooldown is running"), "{}", ran.out);
    let text = fs::read_to_string(&file).unwrap();
    let first = "[[known]]\nid = \"THR-1\"\nreason = \"attempted although the cooldown is running\"\nsince = \"0.1.0\"\nwitness = \"self-counting-throttle-";
    assert!(text.starts_with(first), "{text}");
    assert_eq!(check(dir.path(), &["--known", "known.toml"]).code, Some(0));
    // What a hand has written stays.
    let by_hand = text.replace("cooldown is running\"", "moon shines\" # really?");
    let by_hand = format!(
        "# The list.\n\n{by_hand}\n# Gone soon.\n[[known]]\nid = \"LOG-1\"\nwitness = \"log.jsonl\"\n# The end.\n"
    );
    fs::write(&file, by_hand).unwrap();
    let ran = check(dir.path(), &["--known", "known.toml", "--bless"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let says = "known.toml: changed THR-1: reason was \"attempted although the moon shines\", and is";
    assert!(
        ran.out.contains(says)
            && ran.out.contains(
                "known.toml: deleted LOG-1: its verdict is pass; put its witness log.jsonl into plimsoll-regressions, so \
                 that it stays mended\n"
            ),
        "{}",
        ran.out
    );
    let expected = text.replace("cooldown is running\"", "cooldown is running\" # really?");
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("# The list.\n\n{expected}# The end.\n"));
    let ran = check(dir.path(), &["--known", "known.toml", "--bless"]);
    assert!(ran.out.starts_with("known.toml: nothing to change\n"), "{}", ran.out);
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_run_that_writes_the_list_reports_as_one_that_is_held_to_it() {
    let dir = tempfile::tempdir().unwrap();
    let folded = |report: &serde_json::Value| {
        let rows = report["requirements"].as_array().unwrap();
        rows.iter().filter(|row| row.get("folded_under").is_some()).count()
    };
    let run = |options: &[&str]| {
        let all =
            [&["check", "--effort", "smoke", "--json", "report.json", "--candidate", FOLDS][..], options].concat();
        let ran = plimsoll_in(dir.path(), &all);
        let report = fs::read_to_string(dir.path().join("report.json")).unwrap();
        (ran.code, serde_json::from_str::<serde_json::Value>(&report).unwrap())
    };
    // It says something of rows that are folded only where some are.
    let (code, plain) = run(&[]);
    assert!(code == Some(1) && folded(&plain) > 0, "{plain}");
    let (code, blessing) = run(&["--known", "known.toml", "--bless"]);
    assert_eq!(code, Some(0));
    let (code, held) = run(&["--known", "known.toml"]);
    assert_eq!(code, Some(0));
    assert_eq!(blessing, held);
}

#[test]
fn what_no_list_can_be_written_from_ends_the_run_before_it_begins() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("torn.toml"), "[[known]]\nid = \"THR-1\"\n[[known]\n").unwrap();
    fs::write(dir.path().join("twice.toml"), "[[known]]\nid = \"THR-1\"\n[[known]]\nid = \"THR-1\"\n").unwrap();
    fs::create_dir(dir.path().join("folder.toml")).unwrap();
    fs::write(dir.path().join("inline.toml"), "known = [\n  # mine\n  {id = \"THR-1\"}, # why\n]\n").unwrap();
    for (name, says) in [
        ("inline.toml", "inline.toml: `known` is one list with comments in it, which would be lost"),
        ("torn.toml", "torn.toml: "),
        ("twice.toml", "twice.toml: line 3: THR-1 is listed twice"),
        ("folder.toml", "folder.toml: "),
        ("nowhere/known.toml", "cannot write nowhere/known.toml: "),
    ] {
        let ran = check(dir.path(), &["--known", name, "--bless"]);
        assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
        assert!(ran.err.contains(says), "{says:?} is not in {}", ran.err);
        // Whatever was played is shown.
        assert_eq!(ran.out, "", "{name}");
    }
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "{left:?}");
}

#[test]
#[cfg(unix)]
fn who_may_read_a_list_stays_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("known.toml");
    fs::write(&path, "").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let ran = check(dir.path(), &["--known", "known.toml", "--bless"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(fs::read_to_string(&path).unwrap().contains("THR-1"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
#[cfg(unix)]
fn a_list_takes_the_place_of_files_alone() {
    use std::os::unix::fs::FileTypeExt;
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("known.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let ran = check(dir.path(), &["--known", "known.toml", "--bless"]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(ran.err.contains("known.toml: it is no file"), "{}", ran.err);
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());

    fs::remove_file(&pipe).unwrap();
    std::os::unix::fs::symlink("nowhere.toml", &pipe).unwrap();
    let ran = check(dir.path(), &["--known", "known.toml", "--bless"]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
    assert!(ran.err.contains("known.toml: it is a link, and what it leads to is not there"), "{}", ran.err);
    assert!(pipe.is_symlink() && !dir.path().join("nowhere.toml").exists());
}

#[test]
fn a_part_of_a_run_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let bless = ["--known", "known.toml", "--bless"];
    for more in
        [&["-r", "THR-1"][..], &["--shard", "1/2", "--results", "r.jsonl"], &["--for", "1s"], &["--all-profiles"]]
    {
        let ran = check(dir.path(), &[&bless[..], more].concat());
        assert_eq!(ran.code, Some(3), "{more:?}: {}{}", ran.out, ran.err);
    }
    assert_eq!(check(dir.path(), &["--bless"]).code, Some(3));
    assert!(!dir.path().join("known.toml").exists());
}

#[cfg(unix)]
#[test]
fn a_candidate_that_breaks_off_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let adapter = r#"
import json, os, sys
for line in sys.stdin:
    ask = json.loads(line)
    if ask["method"] == "step":
        os._exit(1)
    hello = {"protocol": 1, "name": "frail", "version": "1", "contract": {"capabilities": ["summarize"]}}
    result = hello if ask["method"] == "hello" else {}
    print(json.dumps({"jsonrpc": "2.0", "id": ask["id"], "result": result}), flush=True)
"#;
    fs::write(dir.path().join("adapter.py"), adapter).unwrap();
    let list = "# as it was\n[[known]]\nid = \"LOG-1\"\n";
    fs::write(dir.path().join("known.toml"), list).unwrap();
    let bless = ["check", "--effort", "smoke", "--known", "known.toml", "--bless", "--", "python3", "adapter.py"];
    let ran = plimsoll_in(dir.path(), &bless);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("known.toml is not written: the candidate broke off (crash)"), "{}", ran.err);
    assert!(ran.closing_line().starts_with("conformance: "), "{}", ran.out);
    assert_eq!(fs::read_to_string(dir.path().join("known.toml")).unwrap(), list);
}

#[test]
fn every_list_of_the_adapters_can_be_read() {
    let mut read = 0;
    for dir in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/adapters")).unwrap() {
        let Ok(files) = fs::read_dir(dir.unwrap().path()) else { continue };
        for path in files.map(|file| file.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.starts_with("known") && name.ends_with(".toml") {
                plimsoll::KnownFailures::load(&path).unwrap();
                read += 1;
            }
        }
    }
    assert!(read > 10, "{read}");
}
