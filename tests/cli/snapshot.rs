//! `plimsoll snapshot`: files for a repository, written once and compared from then on.

use std::fs;
use std::path::{Path, PathBuf};

use plimsoll::{NamedHistory, Reference, Suite, named_histories, reference_timelines};

use super::{PLIMSOLL, plimsoll_in};

fn texts(dir: &Path) -> Vec<(String, String)> {
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap())
    };
    let mut found: Vec<_> = fs::read_dir(dir).unwrap().map(read).collect();
    found.sort();
    found
}

#[test]
fn what_is_written_stays_as_it_is_while_the_candidate_does() {
    let dir = tempfile::tempdir().unwrap();
    let first = plimsoll_in(dir.path(), &["snapshot", "--out", "there"]);
    assert_eq!(first.code, Some(0), "{}", first.err);
    let mut wanted: Vec<_> = reference_timelines()
        .into_iter()
        .map(|timeline| (timeline.name.clone(), format!("{}\n\n{}", timeline.description, timeline.text)))
        .collect();
    wanted.sort();
    assert_eq!(texts(&dir.path().join("there")), wanted);
    let again = plimsoll_in(dir.path(), &["snapshot", "--out", "there", "--check"]);
    assert_eq!((again.code, again.closing_line().contains(" 0 differ, 0 stale")), (Some(0), true), "{}", again.out);
}

#[test]
fn a_check_writes_beside_what_differs_and_fails() {
    let dir = tempfile::tempdir().unwrap();
    plimsoll_in(dir.path(), &["snapshot", "--out", "there"]);
    let file = dir.path().join("there/no-pressure.txt");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("failed: rejected", "nothing")).unwrap();
    let ran = plimsoll_in(dir.path(), &["snapshot", "--out", "there", "--check"]);
    assert_eq!((ran.code, ran.closing_line().contains(" 1 differ,")), (Some(1), true), "{}", ran.out);
    assert!(ran.err.contains("no-pressure.txt"), "{}", ran.err);
    let new = dir.path().join("there/no-pressure.txt.new");
    assert_eq!(fs::read_to_string(&new).unwrap(), text);
    fs::rename(new, file).unwrap();
    assert_eq!(plimsoll_in(dir.path(), &["snapshot", "--out", "there", "--check"]).code, Some(0));
}

#[test]
fn a_file_of_no_history_fails() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("there")).unwrap();
    fs::write(dir.path().join("there/of-old.txt"), "").unwrap();
    let ran = plimsoll_in(dir.path(), &["snapshot", "--out", "there"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("of-old.txt") && ran.err.contains("delete it"), "{}", ran.err);
}

#[test]
fn a_command_shows_what_the_same_candidate_shows_in_process() {
    let dir = tempfile::tempdir().unwrap();
    let ran = plimsoll_in(dir.path(), &["snapshot", "--out", "there", "--", PLIMSOLL, "serve"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let within = Suite::new(Reference::default).timelines(&named_histories()).unwrap();
    let wanted =
        within.iter().map(|timeline| (timeline.name.clone(), format!("{}\n\n{}", timeline.description, timeline.text)));
    let mut wanted: Vec<_> = wanted.collect();
    wanted.sort();
    assert_eq!(texts(&dir.path().join("there")), wanted);
}

/// A folder with a history of one's own, `silence`.
fn silence(dir: &Path) -> PathBuf {
    let own = dir.join("own");
    fs::create_dir(&own).unwrap();
    let head = r#"{"plimsoll":"history","format":1,"note":"Nobody speaks.","seed":1,"contract":{"capabilities":["summarize"]}}"#;
    fs::write(own.join("silence.jsonl"), format!("{head}\n{{\"step\":{{\"conversation\":\"a\"}}}}\n")).unwrap();
    own
}

#[test]
fn histories_of_ones_own_are_played_besides() {
    let dir = tempfile::tempdir().unwrap();
    let own = silence(dir.path());
    let arguments = ["snapshot", "--out", "there", "--histories", "own", "--candidate", "self-counting-throttle"];
    let ran = plimsoll_in(dir.path(), &arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let text = fs::read_to_string(dir.path().join("there/silence.txt")).unwrap();
    assert!(text.starts_with("Nobody speaks.\n\nhistory   silence\n"), "{text}");
    let bad = fs::read_to_string(dir.path().join("there/own-status-is-no-growth.txt")).unwrap();
    assert!(bad.contains("\n>") && bad.contains("\nbroken    THR-1\n"), "{bad}");

    fs::rename(own.join("silence.jsonl"), own.join("no-pressure.jsonl")).unwrap();
    let ran = plimsoll_in(dir.path(), &arguments);
    assert_eq!(ran.code, Some(3));
    assert!(ran.err.contains("no-pressure.jsonl") && ran.err.contains("this name already"), "{}", ran.err);
}

/// One history more leaves the files of the others as they are, whoever is played.
#[test]
fn a_history_of_ones_own_changes_no_other() {
    let dir = tempfile::tempdir().unwrap();
    silence(dir.path());
    for candidate in ["reference", "self-counting-throttle"] {
        let run = |out: &str, more: &[&str]| {
            let arguments = [&["snapshot", "--candidate", candidate, "--out", out], more].concat();
            let ran = plimsoll_in(dir.path(), &arguments);
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            texts(&dir.path().join(out))
        };
        let without = run(&format!("{candidate}-without"), &[]);
        let mut with = run(&format!("{candidate}-with"), &["--histories", "own"]);
        let own: Vec<_> = with.extract_if(.., |(name, _)| name == "silence").collect();
        assert_eq!(own.len(), 1, "{candidate}");
        assert_eq!(with, without, "{candidate}");
    }
}

#[test]
fn a_name_is_given_once() {
    let named = named_histories();
    let history = |name: &str| NamedHistory::new(name, named[0].witness.clone());
    for (names, taken) in [(["mine", "mine"], "mine"), (["mine", "contract"], "contract")] {
        let error = Suite::new(Reference::default).timelines(&names.map(history)).unwrap_err();
        assert!(error.contains(&format!("`{taken}`")), "{error}");
    }
}
