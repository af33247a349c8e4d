//! Lines of the protocol, held to its schema.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::adapter::{Speaker, excerpt};

/// The schema, as the specification publishes it.
const SCHEMA: &str = include_str!("../../spec/protocol.schema.json");

/// How many characters of a line are shown.
const SHOWN: usize = 300;

/// Follows the talk with one candidate.
pub(super) struct Listener {
    schema: Value,
    validators: BTreeMap<String, Validator>,
    /// What each open request asks for, by its speaker and id.
    open: BTreeMap<String, Asked>,
    /// What is wrong, by what is the same wherever it happens; how often it did, and the sentence of the first time.
    faults: BTreeMap<String, (usize, String)>,
}

/// A request that is open.
struct Asked {
    method: String,
    /// Of a case: the methods in it.
    within: Vec<String>,
}

/// Why a value is not what it should be.
struct Wrong {
    /// Which rule is broken, and by which member, whatever its value.
    rule: String,
    says: String,
}

impl Listener {
    /// Fails only where the published schema is none.
    pub(super) fn new() -> Result<Self, String> {
        let schema = serde_json::from_str(SCHEMA).map_err(|error| format!("spec/protocol.schema.json: {error}"))?;
        let mut new = Self { schema, validators: BTreeMap::new(), open: BTreeMap::new(), faults: BTreeMap::new() };
        for name in ["from_harness", "from_candidate"] {
            new.prepare(name)?;
        }
        Ok(new)
    }

    /// What is wrong so far, in sentences.
    pub(super) fn faults(&self) -> impl Iterator<Item = String> {
        self.faults.values().map(|(times, first)| match times {
            1 => first.clone(),
            2 => format!("{first}; and once more"),
            more => format!("{first}; and {} times more", more - 1),
        })
    }

    /// Hears a line. One that is no JSON is a matter of the decoder, which says so.
    pub(super) fn hear(&mut self, speaker: Speaker, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(line) else { return };
        let (side, other) = match speaker {
            Speaker::Harness => ("harness", "candidate"),
            Speaker::Candidate => ("candidate", "harness"),
        };
        let id = message["id"].to_string();
        let asked = message["method"].as_str().map(str::to_owned);
        let whole = self.wrong(&format!("from_{side}"), &message);
        match asked {
            Some(method) => {
                // Of the line as a whole it would only be said that it is none of all that there are.
                let wrong = self.wrong(&format!("{method}_params"), &message["params"]).or(whole);
                self.note(side, &format!("`{method}`, asked: `params"), wrong, line);
                let within = message["params"]["requests"].as_array().into_iter().flatten();
                let within = within.filter_map(|request| request["method"].as_str().map(str::to_owned)).collect();
                self.open.insert(format!("{side} {id}"), Asked { method, within });
            }
            None => {
                let Some(asked) = self.open.remove(&format!("{other} {id}")) else {
                    self.note(side, "a reply: `", whole, line);
                    return;
                };
                self.reply(side, &asked, &message, whole, line);
            }
        }
    }

    fn reply(&mut self, side: &str, asked: &Asked, message: &Value, whole: Option<Wrong>, line: &[u8]) {
        let method = &asked.method;
        let wrong = match message.get("result") {
            Some(result) => self.wrong(&format!("{method}_result"), result).or(whole),
            None if method == "summarize" => self.wrong("summary_error", &message["error"]).or(whole),
            None => whole,
        };
        let bad = wrong.is_some();
        self.note(side, &format!("`{method}`, answered: `result"), wrong, line);
        let Some(entries) = message["result"]["results"].as_array().filter(|_| !bad) else { return };
        for (method, entry) in asked.within.iter().zip(entries) {
            let shown = entry.to_string();
            if let Some(result) = entry.get("result") {
                let wrong = self.wrong(&format!("{method}_result"), result);
                self.note(side, &format!("`{method}` in a case, answered: `result"), wrong, shown.as_bytes());
            }
            if let Some(state) = entry.get("state") {
                let wrong = self.wrong("view_result", state);
                self.note(side, &format!("`{method}` in a case, raised: `state"), wrong, shown.as_bytes());
            }
        }
    }

    fn note(&mut self, side: &str, what: &str, wrong: Option<Wrong>, line: &[u8]) {
        if let Some(Wrong { rule, says }) = wrong {
            let line = excerpt(line, SHOWN);
            let sentence = || format!("the {side}: {what}{says}; the line: {line}");
            self.faults.entry(format!("{side} {what} {rule}")).or_insert_with(|| (0, sentence())).0 += 1;
        }
    }

    /// Why `value` is not what the definition `name` says; the path of the member, a tick, and the reason.
    fn wrong(&mut self, name: &str, value: &Value) -> Option<Wrong> {
        // A method that the protocol does not know has no definition: the line as a whole is wrong.
        self.prepare(name).ok()?;
        let error = self.validators.get(name)?.iter_errors(value).next()?;
        let path = error.instance_path().to_string().replace('/', ".");
        let says = excerpt(error.to_string().as_bytes(), SHOWN);
        // The same member of another item is the same fault.
        let places = path.split('.').filter(|step| step.parse::<usize>().is_err());
        let rule = format!("{} {}", places.collect::<Vec<_>>().join("."), error.schema_path());
        Some(Wrong { rule, says: format!("{path}`: {says}") })
    }

    fn prepare(&mut self, name: &str) -> Result<(), String> {
        if self.validators.contains_key(name) {
            return Ok(());
        }
        let defs = &self.schema["$defs"];
        if defs.get(name).is_none() {
            return Err(format!("spec/protocol.schema.json has no `$defs.{name}`"));
        }
        let alone = json!({"$schema": self.schema["$schema"], "$ref": format!("#/$defs/{name}"), "$defs": defs});
        let validator = jsonschema::validator_for(&alone).map_err(|error| error.to_string())?;
        self.validators.insert(name.to_owned(), validator);
        Ok(())
    }
}
