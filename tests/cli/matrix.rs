//! Reports side by side.

use std::path::Path;

use serde_json::Value;

use super::{Ran, plimsoll_in};

const KNOWN: &str = "[[known]]\nid = \"THR-1\"\nreason = \"attempted although the cooldown is running\"\n\
                     note = \"money: a <b>failing</b> call | is made again\"\n";

/// Two reports, `one.json` of the reference and `other.json` of a candidate with a known failure.
fn two(dir: &Path) {
    std::fs::write(dir.join("known.toml"), KNOWN).unwrap();
    let some = ["-r", "THR-1", "-r", "LOG-1", "-r", "FIT-1"];
    let check = ["check", "--quiet", "--effort", "smoke"];
    plimsoll_in(dir, &[&check[..], &some, &["--json", "one.json"]].concat());
    let candidate = ["--candidate", "self-counting-throttle", "--known", "known.toml", "--json", "other.json"];
    let ran = plimsoll_in(dir, &[&check[..], &some, &candidate].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}

fn matrix(dir: &Path, arguments: &[&str]) -> Ran {
    plimsoll_in(dir, &[&["matrix"], arguments].concat())
}

fn edited(dir: &Path, file: &str, edit: impl FnOnce(&mut Value)) {
    let mut report: Value = serde_json::from_str(&std::fs::read_to_string(dir.join("other.json")).unwrap()).unwrap();
    edit(&mut report);
    std::fs::write(dir.join(file), report.to_string()).unwrap();
}

#[test]
fn markdown_has_a_column_a_run_and_the_shortest_history_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    two(dir.path());
    let ran = matrix(dir.path(), &["one.json", "other.json", "--date", "2026-01-02"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    assert!(ran.out.contains(", 2026-01-02."), "{}", ran.out);
    let row = |id: &str| ran.out.lines().find(|line| line.starts_with(&format!("| {id} |"))).unwrap_or_default();
    assert!(row("LOG-1").starts_with("| LOG-1 | + | + |"), "{}", ran.out);
    assert!(row("THR-1").starts_with("| THR-1 | + | F |"), "a known failure is a failure:\n{}", ran.out);
    let found = ran.out.lines().find(|line| line.contains("is made again")).unwrap();
    assert!(found.contains(r"money: a &lt;b&gt;failing&lt;/b&gt; call \| is made again"), "{found}");
    assert!(
        found.contains("attempted although the cooldown is running") && found.contains("step summarize"),
        "{found}"
    );
    assert_eq!(ran.out, matrix(dir.path(), &["one.json", "other.json", "--date", "2026-01-02"]).out);
}

#[test]
fn html_is_one_page_that_asks_for_nothing() {
    let dir = tempfile::tempdir().unwrap();
    two(dir.path());
    edited(dir.path(), "hostile.json", |report| {
        report["candidate"]["name"] = "<script>alert(1)</script>\u{1b}[31m \"a\" 'b' & \u{202e}".into();
    });
    let ran = matrix(dir.path(), &["one.json", "hostile.json", "--html", "page.html", "--markdown", "page.md"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", ""));
    let page = std::fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(page.contains("prefers-color-scheme: dark") && page.contains("default-src 'none'"));
    for outside in ["<script", "http:", "https:", "src=", "@import", "url(", "\u{1b}", "\u{202e}"] {
        assert!(!page.contains(outside), "{outside:?}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    assert!(page.contains("a &lt;b&gt;failing&lt;/b&gt; call | is made again"), "{page}");
    let text = std::fs::read_to_string(dir.path().join("page.md")).unwrap();
    assert!(!text.contains("<script") && !text.contains(['\u{1b}', '\u{202e}']), "{text}");
}

#[test]
fn what_cannot_stand_in_the_table_is_named_with_a_way_out() {
    let dir = tempfile::tempdir().unwrap();
    two(dir.path());
    std::fs::write(dir.path().join("prose.json"), "no JSON").unwrap();
    edited(dir.path(), "format.json", |report| report["format"] = 2.into());
    edited(dir.path(), "none.json", |report| drop(report.as_object_mut().unwrap().remove("format")));
    edited(dir.path(), "suite.json", |report| report["suite"] = "0.0.1".into());
    edited(dir.path(), "spec.json", |report| report["spec"] = "9".into());
    edited(dir.path(), "id.json", |report| report["requirements"][0]["id"] = "LOG-99".into());
    edited(dir.path(), "half.json", |report| drop(report.as_object_mut().unwrap().remove("candidate")));
    for (file, why) in [
        ("prose.json", "not a JSON report"),
        ("format.json", "the report has format 2, and this version reads format 1"),
        ("none.json", "it names no `format`"),
        ("suite.json", "written by plimsoll 0.0.1"),
        ("spec.json", "for specification 9"),
        ("id.json", "no requirement has the id \"LOG-99\""),
        ("half.json", "candidate"),
    ] {
        let ran = matrix(dir.path(), &["one.json", file]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{file}");
        assert!(ran.err.contains(file) && ran.err.contains(why), "{file}: {}", ran.err);
        assert!(ran.err.contains("plimsoll check --json"), "{file}: {}", ran.err);
    }
    let ran = matrix(dir.path(), &["gone.json"]);
    assert!(ran.code == Some(2) && ran.err.contains("gone.json"), "{}", ran.err);
}

#[test]
fn a_witness_that_is_not_there_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    two(dir.path());
    let ran = matrix(dir.path(), &["other.json", "--witness-dir", "elsewhere"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(["other.json", "THR-1", "elsewhere", "--witness-dir"].iter().all(|it| ran.err.contains(it)), "{}", ran.err);
    // A report names a file, not a place.
    edited(dir.path(), "path.json", |report| {
        for row in report["requirements"].as_array_mut().unwrap() {
            if let Some(name) = row["witness"].as_str().map(|name| format!("/somewhere/else/{name}")) {
                row["witness"] = name.into();
            }
        }
    });
    assert_eq!(matrix(dir.path(), &["path.json"]).code, Some(0));
}
