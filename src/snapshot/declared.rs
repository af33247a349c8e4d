//! What a candidate declares, a parameter a row.

use std::fmt::Write as _;

use serde_json::Value;

use super::Timeline;
use crate::contract::Contract;

/// The contract as a timeline, and what is not played.
pub(super) fn timeline(contract: &Contract, unplayed: &[(&str, String)]) -> Timeline {
    let mut text = String::new();
    for claimed in &contract.capabilities {
        // Writing to a string does not fail, here and below.
        let _ = writeln!(text, "claims      {}", claimed.name());
    }
    for feature in &contract.messages {
        let _ = writeln!(text, "messages    {}", feature.name());
    }
    for (name, value) in parameters(contract) {
        let _ = writeln!(text, "parameter   {name:<26} {value}");
    }
    for (name, why) in unplayed {
        let _ = writeln!(text, "not played  {name}: {why}");
    }
    let description = "What the candidate declares, a parameter a row, and the histories that it does not play.";
    Timeline { name: "contract".to_owned(), description: description.to_owned(), text }
}

/// How `contract` differs from the default, in one line; empty: not at all.
pub(super) fn differences(contract: &Contract) -> String {
    let plain = Contract::default();
    let lacks = plain.capabilities.iter().filter(|claimed| !contract.claims(**claimed)).map(|claimed| claimed.name());
    let lacking = plain.messages.iter().filter(|feature| !contract.has(**feature)).map(|feature| feature.name());
    let without: Vec<&str> = lacks.chain(lacking).collect();
    let usual = parameters(&plain);
    let own = parameters(contract).into_iter().filter(|parameter| !usual.contains(parameter));
    let mut words: Vec<String> = own.map(|(name, value)| format!("{name} {value}")).collect();
    if !without.is_empty() {
        words.push(format!("without {}", without.join(", ")));
    }
    words.join("; ")
}

/// Every parameter by its dotted name, in the order of the names.
fn parameters(contract: &Contract) -> Vec<(String, String)> {
    let mut found = Vec::new();
    flatten("", &serde_json::to_value(contract).unwrap_or_default(), &mut found);
    found.retain(|(name, _)| name != "capabilities" && name != "messages");
    found.sort();
    found
}

fn flatten(name: &str, value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (member, value) in members {
                let name = if name.is_empty() { member.clone() } else { format!("{name}.{member}") };
                flatten(&name, value, found);
            }
        }
        Value::Null => found.push((name.to_owned(), "none".to_owned())),
        Value::String(word) if word.chars().all(|c| c.is_ascii_graphic()) && !word.is_empty() => {
            found.push((name.to_owned(), word.clone()));
        }
        Value::String(text) => found.push((name.to_owned(), format!("\"{}\"", text.escape_default()))),
        Value::Array(words) if words.iter().all(Value::is_string) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            found.push((name.to_owned(), if words.is_empty() { "none".to_owned() } else { words.join(" ") }));
        }
        Value::Array(numbers) if numbers.iter().all(Value::is_number) => {
            let numbers: Vec<String> = numbers.iter().map(number).collect();
            found.push((name.to_owned(), numbers.join(" ")));
        }
        other => found.push((name.to_owned(), number(other))),
    }
}

/// A number without more digits than it needs; anything else as it is in JSON.
fn number(value: &Value) -> String {
    value.as_f64().map_or_else(|| value.to_string(), |number| number.to_string())
}
