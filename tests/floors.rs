//! A file uses only files on lower floors.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

/// The floors, from the ground up: a module may use modules on its own floor's left and on lower floors.
const FLOORS: &[(&str, u8)] = &[
    ("unit", 0),
    ("unit_cut", 0),
    ("text", 0),
    ("message", 0),
    ("log", 1),
    ("contract", 2),
    ("change", 2),
    ("field", 2),
    ("fit_rules", 3),
    ("marker", 3),
    ("limit_case", 3),
    ("gauge", 3),
    ("history", 2),
    ("repeat", 3),
    ("trace", 3),
    ("script", 4),
    ("candidate", 10),
    ("parts", 11),
    ("model", 11),
    ("oracle", 20),
    ("requirement", 21),
    ("generate", 20),
    ("shrink", 22),
    ("shrink_limit", 22),
    ("shrink_change", 22),
    ("shrink_gauge", 22),
    ("heart", 23),
    ("turn", 23),
    ("patience", 23),
    ("play", 30),
    ("limit_show", 31),
    ("limit_rows", 31),
    ("limit_play", 31),
    ("change_play", 31),
    ("gauge_play", 31),
    ("limit_report", 31),
    ("limit_budget", 31),
    ("limit_run", 32),
    ("limit_check", 32),
    ("drawing", 29),
    ("verdict", 30),
    ("known", 31),
    ("witness", 31),
    ("runner", 32),
    ("suite", 33),
    ("adapter", 33),
    ("report", 40),
    ("snapshot", 41),
    ("regressions", 41),
    ("macros", 41),
    ("macros_field", 41),
    ("macros_fuzz", 41),
    ("macros_snapshot", 42),
    ("cli", 42),
    ("fuzz", 41),
    ("bridge", 41),
    ("bin", 43),
    ("zoo", 12),
];

/// Uses that look like a climb and are none: the reason stands beside them.
const EXCEPTIONS: &[(&str, &str)] = &[
    // The watch keeps the history that a worker is at.
    ("heart", "generate"),
    // A finding carries its timeline as it is drawn: later it could not be drawn without the candidate.
    ("runner", "report"),
];

fn floor(module: &str) -> Option<u8> {
    FLOORS.iter().find(|(name, _)| *name == module).map(|(_, floor)| *floor)
}

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn files() -> Vec<(String, String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    sources(&root, &mut found);
    found.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let module = name.split(['/', '.']).next().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        (module, name, text)
    };
    found.into_iter().map(read).collect()
}

/// The modules of this crate that a text names.
fn used(text: &str) -> Vec<String> {
    let tests = text.find("#[cfg(test)]").unwrap_or(text.len());
    let code: String =
        text[..tests].lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    code.split("crate::").skip(1).map(name).filter(|module| floor(module).is_some()).collect()
}

#[test]
fn no_file_climbs() {
    let mut wrong = Vec::new();
    for (module, file, text) in files().into_iter().filter(|(module, ..)| module != "lib") {
        let here = floor(&module).unwrap_or_else(|| panic!("src/{file} stands on no floor: give its module one"));
        for other in used(&text) {
            let excepted = EXCEPTIONS.contains(&(module.as_str(), other.as_str()));
            if floor(&other).is_some_and(|there| there > here) && !excepted {
                wrong.push(format!("src/{file} uses {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn monitors_never_see_a_candidate_and_generators_never_see_a_monitor() {
    for (module, file, text) in files() {
        let uses = used(&text);
        let forbidden: &[&str] = match module.as_str() {
            "requirement" | "oracle" => &["candidate", "model", "play", "generate"],
            "generate" | "shrink" | "shrink_limit" | "shrink_change" | "shrink_gauge" => {
                &["candidate", "model", "requirement", "oracle", "play"]
            }
            "adapter" => &["runner", "requirement", "oracle", "generate"],
            _ => &[],
        };
        for module in forbidden {
            assert!(!uses.iter().any(|used| used == module), "src/{file} uses {module}");
        }
    }
}

#[test]
fn files_are_of_one_subject() {
    let long: Vec<String> = files()
        .into_iter()
        .map(|(_, file, text)| (file, text.lines().count()))
        .filter(|(_, lines)| *lines > 550)
        .map(|(file, lines)| format!("src/{file}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}
