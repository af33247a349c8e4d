//! What is covered by what: the file to look at to see what a change took away.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use plimsoll::{named_histories, requirements, zoo};
use serde_json::Value;

use super::changes::shown;
use super::common::plimsoll;

/// How many vectors cite each requirement.
fn vectors() -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("spec/vectors")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        for vector in file["vectors"].as_array().into_iter().flatten() {
            for id in vector["cites"].as_array().unwrap() {
                *found.entry(id.as_str().unwrap().to_owned()).or_default() += 1;
            }
        }
    }
    found
}

/// How each requirement is checked, as `plimsoll list` says.
fn checks() -> BTreeMap<String, String> {
    let list = plimsoll(&["list"]);
    let at = list.lines().next().unwrap().find("check").unwrap();
    let end = list.lines().next().unwrap().find("broken by").unwrap();
    let row = |line: &str| {
        let id = line.split_whitespace().next().unwrap().to_owned();
        (id, line.get(at..end.min(line.len())).unwrap_or_default().trim().to_owned())
    };
    list.lines().skip(1).map(row).collect()
}

#[test]
fn coverage() {
    let (vectors, checks, named, shown) = (vectors(), checks(), named_histories(), shown());
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{:<8} {:<7} {:<24} {:>3} {:>5} {:>7}  histories and cases",
        "id", "level", "check", "bad", "shown", "vectors"
    );
    for requirement in requirements() {
        let id = requirement.id();
        let bad: Vec<&str> = zoo::all().filter(|row| row.breaks().contains(&id)).map(|row| row.name()).collect();
        let seen = bad.iter().filter(|name| shown.contains(*name)).count();
        let about = named.iter().filter(|named| named.witness.requirements.iter().any(|other| other == id));
        let about: Vec<&str> = about.map(|named| named.name.as_str()).collect();
        let row = format!(
            "{id:<8} {:<7} {:<24} {:>3} {seen:>5} {:>7}  {}",
            requirement.level().name(),
            checks[id],
            bad.len(),
            vectors.get(id).copied().unwrap_or_default(),
            about.join(", ")
        );
        let _ = writeln!(text, "{}", row.trim_end());
    }
    let hidden = zoo::all().filter(|row| !row.is_conforming() && !shown.contains(row.name()));
    text.push_str("\nknown-bad candidates that no timeline shows\n");
    hidden.for_each(|row| {
        let _ = writeln!(text, "{}", row.name());
    });
    let look = "A requirement a row: known-bad candidates that break it, those that a timeline shows, vectors that cite it, \
                histories that are about it.";
    super::assert_shows("coverage", look, &text);
}
