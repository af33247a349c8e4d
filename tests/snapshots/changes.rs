//! How large the diff of a change is: ten parameters of the reference, and the known-bad candidates.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::thread;

use plimsoll::{Contract, NamedHistory, Reference, Suite, Timeline, named_histories, zoo};
use serde_json::Value;
use similar::{DiffOp, TextDiff};

/// Lines that one changed parameter may touch in a snapshot.
const LINES: usize = 3;

/// A parameter, what it is now, and what it becomes.
const CHANGES: &[(&str, &str, &str)] = &[
    ("latch.reopen_growth", "20", "10"),
    ("latch.strikes", "1", "2"),
    ("throttle.cooldown_s", "60", "30"),
    ("throttle.growth", "reopens", "ignored"),
    ("attempt.keep_last", "1", "2"),
    ("attempt.eligible_min", "4", "6"),
    ("attempt.abort", "ignored", "failure"),
    ("trim.keep_last", "3", "5"),
    ("overflow.recoveries", "1", "2"),
    ("change.after_failure", "2", "1"),
];

/// The contract of a history with one parameter changed, where it has there what it usually has.
fn changed(contract: &Contract, (name, from, to): (&str, &str, &str)) -> Option<Contract> {
    let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    let mut json = serde_json::to_value(contract).unwrap();
    let here = json.pointer_mut(&format!("/{}", name.replace('.', "/")))?;
    let same = match (here.as_f64(), value(from).as_f64()) {
        (Some(here), Some(from)) => (here - from).abs() < 1e-9,
        _ => *here == value(from),
    };
    if !same {
        return None;
    }
    *here = value(to);
    Contract::from_value(json).ok()
}

/// What the reference does in `histories` under a contract.
fn timelines(histories: &[NamedHistory], contract: &Contract) -> Vec<Timeline> {
    let made = contract.clone();
    Suite::new(move || Reference::new(made.clone())).timelines(histories).unwrap()
}

/// Lines that a reader of the diff sees touched: of a block that was replaced, the longer side.
fn touched(old: &str, new: &str) -> usize {
    let diff = TextDiff::from_lines(old, new);
    diff.ops()
        .iter()
        .map(|op| if let DiffOp::Equal { .. } = op { 0 } else { op.old_range().len().max(op.new_range().len()) })
        .sum()
}

/// How many lines each change touches in each snapshot that it concerns.
fn sizes(change: (&str, &str, &str)) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for named in named_histories() {
        let Some(contract) = changed(&named.witness.contract, change) else { continue };
        let one = std::slice::from_ref(&named);
        let text = |contract: &Contract| timelines(one, contract).pop().unwrap().text;
        let lines = touched(&text(&named.witness.contract), &text(&contract));
        if lines > 0 {
            found.insert(named.name, lines);
        }
    }
    found
}

#[test]
fn one_parameter_touches_few_lines() {
    let (mut wrong, mut text) = (Vec::new(), String::new());
    let _ = writeln!(
        text,
        "{:<21} {:<8} {:<8} {:>9} {:>6} {:>7}",
        "parameter", "from", "to", "snapshots", "lines", "at most"
    );
    let design = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/DESIGN.md")).unwrap();
    for change in CHANGES {
        let (sizes, (name, from, to)) = (sizes(*change), *change);
        assert!(!sizes.is_empty(), "no snapshot shows {name} at {to}");
        let large = sizes.iter().filter(|(_, lines)| **lines > LINES);
        wrong.extend(large.map(|(named, lines)| format!("{name} from {from} to {to}: {lines} in {named}")));
        let (count, all, most) = (sizes.len(), sizes.values().sum::<usize>(), sizes.values().max().unwrap());
        let _ = writeln!(text, "{name:<21} {from:<8} {to:<8} {count:>9} {all:>6} {most:>7}");
        let row = format!("| `{name}` | {from} | {to} | {most} |");
        if !design.contains(&row) {
            wrong.push(format!("DESIGN.md lacks the row {row}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let look =
        "Ten changes of one parameter: timelines that show it, lines touched in all, and in one timeline at most.";
    super::assert_shows("diff-sizes", look, &text);
}

/// The known-bad candidates that do in some named history what the reference, under the same contract, does not.
pub(super) fn shown() -> BTreeSet<&'static str> {
    let histories = named_histories();
    let bad: Vec<&'static zoo::Row> = zoo::all().filter(|row| !row.is_conforming()).collect();
    let mut sound = BTreeMap::new();
    for row in &bad {
        let contract = row.make().contract();
        let key = serde_json::to_string(&contract).unwrap();
        sound.entry(key).or_insert_with(|| timelines(&histories, &contract));
    }
    let differs = |row: &&'static zoo::Row| {
        let row = *row;
        let key = serde_json::to_string(&row.make().contract()).unwrap();
        let name = row.name();
        let found = Suite::fallible(name, move || Ok(row.make())).timelines(&histories).unwrap();
        found.iter().zip(&sound[&key]).any(|(found, sound)| found.text != sound.text)
    };
    let part = bad.len().div_ceil(thread::available_parallelism().map_or(1, usize::from)).max(1);
    thread::scope(|scope| {
        let parts = bad.chunks(part).map(|rows| {
            scope.spawn(move || rows.iter().copied().filter(differs).map(|row| row.name()).collect::<Vec<_>>())
        });
        let parts: Vec<_> = parts.collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    })
}
