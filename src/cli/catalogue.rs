//! `plimsoll list`, `explain` and `zoo`: what there is.

use std::fmt::Write;

use serde::Deserialize;

use super::screen::{Failure, cannot, nearest, print, usage};
use crate::{requirement, zoo};

/// A row of the registry.
#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    level: String,
    chapter: String,
    sentence: String,
    applies_when: String,
    #[serde(default)]
    sources: Vec<String>,
    #[serde(default)]
    implies: Vec<String>,
}

fn rows() -> Result<Vec<Row>, Failure> {
    #[derive(Deserialize)]
    struct File {
        requirements: Vec<Row>,
    }
    let file: Result<File, _> = serde_json::from_str(include_str!("../../spec/requirements.json"));
    file.map(|file| file.requirements).map_err(|error| cannot(format!("spec/requirements.json: {error}")))
}

/// A line a requirement: id, level, chapter, how it is checked, and the built-in candidates that break it.
pub(super) fn list() -> Result<u8, Failure> {
    let mut text = format!("{:<8}{:<8}{:<20}{:<25}broken by\n", "id", "level", "chapter", "check");
    for Row { id, level, chapter, .. } in &rows()? {
        let check = requirement(id).map_or("not checked yet", |requirement| requirement.check.manner());
        let breaking = breaking(id).join(", ");
        // Writing to a string does not fail.
        let _ = writeln!(text, "{id:<8}{level:<8}{:<20}{check:<25}{breaking}", format!("spec/{chapter}"));
    }
    print(&text);
    Ok(0)
}

/// The built-in candidates that break a requirement.
fn breaking(id: &str) -> Vec<&'static str> {
    zoo::all().filter(|row| row.breaks().contains(&id)).map(zoo::Row::name).collect()
}

pub(super) fn explain(id: &str) -> Result<u8, Failure> {
    let id = id.to_ascii_uppercase();
    let rows = rows()?;
    let row = rows.iter().find(|row| row.id == id);
    let Some(Row { id, level, chapter, sentence, applies_when, sources, implies }) = row else {
        let near = nearest(&id, rows.iter().map(|row| row.id.as_str()));
        return Err(usage(format!("no requirement has the id {id:?}{near}; `plimsoll list` shows all")));
    };
    let mut text = format!("{id}  {level}\n\n{sentence}\n\n");
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "{name:<14}{value}");
        }
    };
    line("applies when", applies_when);
    line("check", requirement(id).map_or("not by this version", |requirement| requirement.check.manner()));
    line("seen as", &sources.join(", "));
    line("may break too", &implies.join(", "));
    line("broken by", &breaking(id).join(", "));
    line("read more", &format!("spec/{chapter}#{}", id.to_ascii_lowercase()));
    print(&text);
    Ok(0)
}

pub(super) fn zoo() -> Result<u8, Failure> {
    let width = zoo::all().map(|row| row.name().len()).max().unwrap_or(0) + 2;
    let mut text = format!("{:<width$}conforms: The reference implementation.\n", "reference");
    for row in zoo::all() {
        let breaks =
            if row.is_conforming() { "conforms".to_owned() } else { format!("breaks {}", row.breaks().join(", ")) };
        let _ = writeln!(text, "{:<width$}{breaks}: {}", row.name(), row.sentence());
    }
    print(&text);
    Ok(0)
}
