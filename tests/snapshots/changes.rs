//! How large the diff of a change is: ten parameters of the reference, and the known-bad candidates.
//!
//! The figures are for DESIGN.md: `cargo test --all-features --test snapshots -- --ignored --nocapture measured`

use std::collections::BTreeMap;

use plimsoll::{Contract, NamedHistory, Reference, Suite, Timeline, named_histories, zoo};
use serde_json::Value;
use similar::{DiffOp, TextDiff};

/// Lines that one changed parameter may touch in a snapshot.
const LINES: usize = 3;

/// A parameter, what it is now, and what it becomes.
const CHANGES: &[(&str, &str, &str)] = &[
    ("/latch/reopen_growth", "20", "10"),
    ("/latch/strikes", "1", "2"),
    ("/throttle/cooldown_s", "60", "30"),
    ("/throttle/growth", "\"reopens\"", "\"ignored\""),
    ("/attempt/keep_last", "1", "2"),
    ("/attempt/eligible_min", "4", "6"),
    ("/attempt/abort", "\"ignored\"", "\"failure\""),
    ("/trim/keep_last", "3", "5"),
    ("/overflow/recoveries", "1", "2"),
    ("/change/after_failure", "2", "1"),
];

/// The contract of a history with one parameter changed, where it has there what it usually has.
fn changed(contract: &Contract, (path, from, to): (&str, &str, &str)) -> Option<Contract> {
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let mut json = serde_json::to_value(contract).unwrap();
    let here = json.pointer_mut(path)?;
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

/// What the reference does in one history under a contract.
fn timeline(named: &NamedHistory, contract: &Contract) -> Timeline {
    let made = contract.clone();
    let suite = Suite::new(move || Reference::new(made.clone()));
    suite.timelines(std::slice::from_ref(named)).unwrap().pop().unwrap()
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
        let (old, new) = (timeline(&named, &named.witness.contract), timeline(&named, &contract));
        let lines = touched(&old.text, &new.text);
        if lines > 0 {
            found.insert(named.name, lines);
        }
    }
    found
}

/// Each of its steps stands for itself, and each says how much has been said since.
const EXCEPTED: &str = "incident";

#[test]
fn one_parameter_touches_few_lines() {
    let mut wrong = Vec::new();
    for change in CHANGES {
        let sizes = sizes(*change);
        assert!(!sizes.is_empty(), "no snapshot shows {} at {}", change.0, change.2);
        let large = sizes.iter().filter(|(name, lines)| **lines > LINES && *name != EXCEPTED);
        wrong.extend(
            large.map(|(name, lines)| format!("{} from {} to {}: {lines} in {name}", change.0, change.1, change.2)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "it prints figures for DESIGN.md"]
fn measured() {
    for change in CHANGES {
        let sizes = sizes(*change);
        let (count, most) = (sizes.len(), sizes.values().max().copied().unwrap_or_default());
        let all: usize = sizes.values().sum();
        println!("| `{}` | {} | {} | {count} | {all} | {most} |", &change.0[1..].replace('/', "."), change.1, change.2);
    }
    println!();
    let (mut shown, mut hidden) = (Vec::new(), Vec::new());
    for row in zoo::all().filter(|row| !row.is_conforming()) {
        let make = move || Ok(row.make());
        let contract = row.make().contract();
        let bad = Suite::fallible(row.name(), make).timelines(&named_histories()).unwrap();
        let sound = contract.clone();
        let good = Suite::new(move || Reference::new(sound.clone())).timelines(&named_histories()).unwrap();
        let differing = bad.iter().zip(&good).filter(|(bad, good)| bad.text != good.text);
        let sizes: Vec<usize> = differing.map(|(bad, good)| touched(&good.text, &bad.text)).collect();
        let line = (row.name(), sizes.len(), sizes.iter().copied().min().unwrap_or(0));
        if sizes.is_empty() { hidden.push(line) } else { shown.push(line) }
    }
    println!("{} known-bad candidates show in a snapshot, {} do not: {hidden:?}", shown.len(), hidden.len());
}
