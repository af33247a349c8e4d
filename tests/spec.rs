//! Holds the specification's text, its registry and the checks together.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

fn spec() -> Value {
    serde_json::from_str(include_str!("../spec/requirements.json")).unwrap()
}

fn rows(spec: &Value) -> Vec<&Value> {
    spec["requirements"].as_array().unwrap().iter().collect()
}

#[test]
fn every_check_quotes_its_row() {
    let spec = spec();
    assert_eq!(spec["spec"], plimsoll::SPEC_EDITION);
    for requirement in plimsoll::requirements() {
        let row = rows(&spec).into_iter().find(|row| row["id"] == requirement.id());
        let row = row.unwrap_or_else(|| panic!("{} has no row in spec/requirements.json", requirement.id()));
        assert_eq!(row["sentence"], requirement.sentence(), "{}", requirement.id());
        assert_eq!(row["level"], requirement.level().name(), "{}", requirement.id());
        assert_eq!(row["chapter"], requirement.chapter(), "{}", requirement.id());
        let implies: Vec<&str> = row["implies"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
        assert_eq!(implies, requirement.implies(), "{}", requirement.id());
    }
}

#[test]
fn checked_rows_are_those_that_have_a_check() {
    let spec = spec();
    let stated: Vec<&str> =
        rows(&spec).into_iter().filter(|row| row["checked"] == true).map(|row| row["id"].as_str().unwrap()).collect();
    let checked: Vec<&str> = plimsoll::requirements().map(plimsoll::Requirement::id).collect();
    assert_eq!(stated, checked, "spec/requirements.json and the registry differ, or stand in another order");
}

#[test]
fn chapters_state_every_sentence_once() {
    let spec = spec();
    for row in rows(&spec) {
        let id = row["id"].as_str().unwrap();
        let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec").join(row["chapter"].as_str().unwrap());
        let text = fs::read_to_string(&chapter).unwrap();
        let line = format!("> **{}.** {}", row["level"].as_str().unwrap(), row["sentence"].as_str().unwrap());
        assert_eq!(text.matches(&line).count(), 1, "{id} in {}", chapter.display());
        assert_eq!(text.matches(&format!("\n### {id}\n")).count(), 1, "{id} in {}", chapter.display());
    }
}

#[test]
fn implications_name_requirements_and_have_no_circle() {
    let spec = spec();
    let ids: BTreeSet<&str> = rows(&spec).into_iter().map(|row| row["id"].as_str().unwrap()).collect();
    let implied = |id: &str| -> Vec<String> {
        let spec = self::spec();
        let row = rows(&spec).into_iter().find(|row| row["id"] == id).cloned().unwrap();
        row["implies"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
    };
    for id in &ids {
        let (mut seen, mut next) = (BTreeSet::new(), implied(id));
        while let Some(below) = next.pop() {
            assert!(ids.contains(below.as_str()), "{id} implies {below}, which does not exist");
            assert_ne!(&below, id, "{id} implies itself");
            if seen.insert(below.clone()) {
                next.extend(implied(&below));
            }
        }
    }
}

#[test]
fn profiles_are_contracts() {
    let text = include_str!("../spec/profiles.json");
    let profiles: Value = serde_json::from_str(text).unwrap();
    for row in profiles["profiles"].as_array().unwrap() {
        let contract = plimsoll::Contract::from_value(row["contract"].clone());
        assert!(contract.is_ok(), "{}: {contract:?}", row["name"]);
        assert_eq!(plimsoll::Contract::unknown_members(&row["contract"]), Vec::<String>::new(), "{}", row["name"]);
    }
    let reference = &profiles["profiles"][0];
    assert_eq!(reference["name"], "reference");
    assert_eq!(plimsoll::Contract::from_value(reference["contract"].clone()).unwrap(), plimsoll::Contract::default());
}

#[test]
fn the_kinds_of_failure_are_those_of_the_chapter() {
    let kinds: Value = serde_json::from_str(include_str!("../spec/kinds.json")).unwrap();
    let kinds = kinds["kinds"].as_array().unwrap().iter();
    let listed: Vec<String> = kinds
        .map(|kind| format!("| `{}` | {} |", kind["kind"].as_str().unwrap(), kind["sentence"].as_str().unwrap()))
        .collect();
    let chapter = include_str!("../spec/outside.md");
    let chapter = chapter.split("## Kinds of failure").nth(1).unwrap().split("Parts of a kind").next().unwrap();
    let rows: Vec<&str> = chapter.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(listed.len(), rows.len(), "spec/kinds.json and spec/outside.md have other kinds");
    for (listed, row) in listed.iter().zip(rows) {
        assert!(row.starts_with(listed.as_str()), "spec/kinds.json has {listed}, and spec/outside.md {row}");
    }
}
