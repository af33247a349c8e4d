//! What `examples/ci` has for a workflow: scripts that are played here, and what no workflow may do.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/ci")
}

fn git(dir: &Path, arguments: &[&str]) {
    let names = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
    let ran = Command::new("git").args(names).args(arguments).current_dir(dir).output().unwrap();
    assert!(ran.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

/// What the script prints of a repository in which `change` was made after a commit.
fn timelines(change: impl Fn(&Path)) -> String {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "--quiet"]);
    fs::write(dir.path().join("a.snap"), "old\n").unwrap();
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "--quiet", "-m", "first"]);
    change(dir.path());
    let ran =
        Command::new("bash").arg(examples().join("timelines.sh")).arg("HEAD").current_dir(dir.path()).output().unwrap();
    assert!(ran.status.success(), "{:?}: {}", ran.status, String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn what_differs_comes_first_and_nothing_is_said_of_nothing() {
    assert_eq!(timelines(|_| {}), "");
    let text = timelines(|dir| {
        fs::write(dir.join("a.snap"), "new\n").unwrap();
        fs::write(dir.join("b.snap.new"), "pending\n").unwrap();
    });
    assert!(text.starts_with("### 1 timeline(s) changed\n"), "{text}");
    assert!(
        text.contains("\n-old\n+new\n") && text.contains("### Not accepted yet") && text.contains("+pending"),
        "{text}"
    );
}

/// A file that is new and empty, or one that is only moved, is no error either.
#[test]
fn a_change_without_a_row_is_no_error() {
    let text = timelines(|dir| {
        fs::write(dir.join("empty.snap"), "").unwrap();
        git(dir, &["add", "."]);
    });
    assert!(text.starts_with("### 1 timeline(s) changed\n"), "{text}");
}

#[test]
fn a_large_difference_is_cut_at_a_line_and_its_block_closed() {
    let row = format!("{}\n", "x".repeat(99));
    for pending in [false, true] {
        let text = timelines(|dir| {
            fs::write(dir.join(if pending { "a.snap.new" } else { "a.snap" }), row.repeat(3_000)).unwrap()
        });
        assert!(text.len() > 50_000 && text.len() <= 65_536, "{} characters", text.len());
        assert!(text.ends_with("\n```\n\nThere is more: see the files of the pull request.\n"));
        assert_eq!(text.lines().filter(|line| line.starts_with("```")).count(), 2);
        let cut = |line: &str| line.starts_with("+x") && line.len() != 100;
        assert!(!text.lines().any(cut));
    }
}

#[test]
fn a_workflow_checks_out_what_it_installs_and_hides_no_failure() {
    let mut seen = 0;
    for entry in fs::read_dir(examples()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "yml") {
            continue;
        }
        seen += 1;
        let text = fs::read_to_string(&path).unwrap();
        let count = |part: &str| text.matches(part).count();
        assert!(count("--path plimsoll ") <= count("          path: plimsoll\n"), "{}", path.display());
        assert!(!text.contains("|| true") && !text.contains("--edit-last"), "{}", path.display());
        // An adapter's repository has no Rust of its own.
        assert!(!(text.contains("CANDIDATE") && text.contains("nextest")), "{}", path.display());
    }
    assert!(seen >= 4, "{seen}");
}
