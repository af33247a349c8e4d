//! `plimsoll explain WITNESS --emit`: a witness as a test for a person's own suite.

use serde_json::{Map, Value, json};

use super::screen::{Failure, cannot};
use crate::contract::{Contract, Notice, Structure};
use crate::fit_rules::must_stay;
use crate::limit_case::{AssembleCase, FitCase, LimitCase, ReduceCase};
use crate::requirement::field::last_units;
use crate::requirement::limit::Reply;
use crate::requirement::reduction::Reduction;
use crate::requirement::request::Assembly;
use crate::{Message, Witness};

/// In what form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Rust,
    Python,
    Vector,
}

/// The test, of a witness that stands in a file as `text`. In Python it drives `command`, where there is one.
pub(super) fn emit(witness: &Witness, text: &str, form: Form, command: &[String]) -> Result<String, Failure> {
    match form {
        Form::Rust => Ok(rust(witness, &played(text))),
        Form::Python => Ok(python(witness, &played(text), command)),
        Form::Vector => vector(witness),
    }
}

/// The lines of a witness that are played.
fn played(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("{\"observed\""));
    lines.map(|line| format!("{line}\n")).collect()
}

/// What the test is called: the first requirement and why it broke.
fn name(witness: &Witness, separator: char) -> String {
    let words = [witness.requirements.first().map_or("witness", String::as_str), &witness.reason].join(" ");
    let mut name = String::new();
    for c in words.chars().take(80) {
        match c.is_ascii_alphanumeric() {
            true => name.push(c.to_ascii_lowercase()),
            false if name.ends_with(separator) => {}
            false => name.push(separator),
        }
    }
    name.trim_matches(separator).to_owned()
}

/// What it is about, in one line without anything that could end a comment.
fn about(witness: &Witness) -> String {
    let why = if witness.detail.is_empty() { &witness.reason } else { &witness.detail };
    let ids = witness.requirements.join(", ");
    let text = crate::report::escaped(&why.replace(['\n', '\r'], " "));
    match (ids.as_str(), text.as_str()) {
        ("", "") => "A history that is to break nothing.".to_owned(),
        ("", text) => text.to_owned(),
        (ids, "") => ids.to_owned(),
        (ids, text) => format!("{ids}: {text}"),
    }
}

fn rust(witness: &Witness, text: &str) -> String {
    // As many as no string in it ends with.
    let runs = text.split('"').skip(1).map(|rest| rest.chars().take_while(|c| *c == '#').count() + 1);
    let hashes = "#".repeat(runs.max().unwrap_or(1));
    format!(
        "/// {}\n\
         #[test]\n\
         fn {}() {{\n\
         \x20   // Your candidate; anything that makes a fresh one.\n\
         \x20   let suite = plimsoll::Suite::new(MyCompactor::default);\n\
         \x20   let witness = plimsoll::Witness::parse(WITNESS).unwrap();\n\
         \x20   let replay = suite.replay(&witness).unwrap();\n\
         \x20   assert!(!replay.fails(), \"{{replay}}\");\n\
         \n\
         \x20   const WITNESS: &str = r{hashes}\"{text}\"{hashes};\n\
         }}\n",
        about(witness),
        name(witness, '_'),
    )
}

fn python(witness: &Witness, text: &str, command: &[String]) -> String {
    // A JSON string of ASCII is one in Python, too.
    let quoted = |text: &str| -> String {
        let json = Value::from(text).to_string();
        json.chars()
            .map(|c| match c {
                ' '..='~' => c.to_string(),
                other => other.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
            })
            .collect()
    };
    let lines: String = text.lines().map(|line| format!("    {} \"\\n\"\n", plain(line, &quoted))).collect();
    let command = match command {
        [] => "[sys.executable, \"adapter.py\"]  # your adapter".to_owned(),
        words => format!("[{}]", words.iter().map(|word| plain(word, &quoted)).collect::<Vec<_>>().join(", ")),
    };
    format!(
        "\"\"\"{}\n\n\
         The command `plimsoll` is on the PATH, or PLIMSOLL names it.\n\"\"\"\n\
         import os\n\
         import subprocess\n\
         import sys\n\
         import tempfile\n\
         import unittest\n\
         \n\
         COMMAND = {command}\n\
         WITNESS = (\n{lines})\n\
         \n\
         \n\
         class Regression(unittest.TestCase):\n\
         \x20   def test_{}(self):\n\
         \x20       with tempfile.TemporaryDirectory() as folder:\n\
         \x20           path = os.path.join(folder, \"witness.jsonl\")\n\
         \x20           with open(path, \"w\", encoding=\"utf-8\") as file:\n\
         \x20               file.write(WITNESS)\n\
         \x20           plimsoll = os.environ.get(\"PLIMSOLL\", \"plimsoll\")\n\
         \x20           ran = subprocess.run([plimsoll, \"replay\", path, \"--\", *COMMAND], stdout=subprocess.PIPE,\n\
         \x20                                stderr=subprocess.STDOUT, encoding=\"utf-8\")\n\
         \x20           self.assertEqual(ran.returncode, 0, ran.stdout)\n\
         \n\
         \n\
         if __name__ == \"__main__\":\n\
         \x20   unittest.main()\n",
        about(witness).replace(['\\', '"'], "'"),
        name(witness, '_'),
    )
}

/// A string of Python as a person would write it.
fn plain(text: &str, quoted: &dyn Fn(&str) -> String) -> String {
    let bare = |c: char| (' '..='~').contains(&c) && c != '\'' && c != '\\';
    if text.chars().all(bare) { format!("'{text}'") } else { quoted(text) }
}

/// A file of one vector: what must hold of every answer to the case.
fn vector(witness: &Witness) -> Result<String, Failure> {
    let none =
        |why: &str| cannot(format!("the witness cannot be told as a vector: {why}; --emit rust and --emit python can"));
    let contract = &witness.contract;
    let told = match &witness.case {
        None => return Err(none("a vector is one case at a limit, and this is a history")),
        Some(LimitCase::Reduce(case)) => reduce(case, contract),
        Some(LimitCase::Fit(case)) => fit(case, contract),
        Some(LimitCase::Assemble(case)) => assemble(case, contract).map_err(|why| none(&why))?,
        Some(LimitCase::Change(_)) => return Err(none("there are none of guards")),
        Some(LimitCase::Gauge(_)) => {
            return Err(none("what holds of a gauge's answer depends on how it counts, which the case does not say"));
        }
    };
    let cites: Vec<&str> =
        witness.requirements.iter().map(String::as_str).filter(|id| told.shows.contains(id)).collect();
    if cites.is_empty() {
        let ids = match witness.requirements.as_slice() {
            [] => "it names no requirement".to_owned(),
            ids => format!("what {} asks for is more than a vector can say of this case", ids.join(", ")),
        };
        return Err(none(&ids));
    }
    let mut vector = Map::new();
    vector.insert("name".to_owned(), name(witness, '-').into());
    vector.insert("about".to_owned(), about(witness).into());
    vector.insert("cites".to_owned(), json!(cites));
    let parameters = parameters(contract, told.sections);
    if !parameters.is_empty() {
        vector.insert("contract".to_owned(), parameters.into());
    }
    vector.insert(told.kind.to_owned(), told.input);
    vector.insert("expect".to_owned(), told.expect.into());
    let file = json!({
        "plimsoll": "vectors", "format": 1, "about": "A witness of plimsoll, as a vector.", "vectors": [vector],
    });
    Ok(format!("{}\n", serde_json::to_string_pretty(&file).unwrap_or_default()))
}

/// A case as a vector tells it.
struct Told {
    kind: &'static str,
    input: Value,
    expect: Map<String, Value>,
    /// The requirements that what is expected holds an answer to.
    shows: Vec<&'static str>,
    /// The sections of the contract that it depends on.
    sections: &'static [&'static str],
}

/// The parameters of these sections that are not at their defaults.
fn parameters(contract: &Contract, sections: &[&str]) -> Map<String, Value> {
    let value = |contract: &Contract| serde_json::to_value(contract).unwrap_or_default();
    let (own, usual) = (value(contract), value(&Contract::default()));
    let mut parameters = Map::new();
    for section in sections {
        let members = own[*section].as_object().into_iter().flatten();
        let differing = members.filter(|(name, value)| usual[*section][name.as_str()] != **value);
        let differing: Map<String, Value> = differing.map(|(name, value)| (name.clone(), value.clone())).collect();
        if !differing.is_empty() {
            parameters.insert((*section).to_owned(), differing.into());
        }
    }
    parameters
}

/// What holds of a reduced field, and the requirements that say so: those of a reducer, or of an assembler.
fn field(seen: &Reduction, contract: &Contract, ids: [&'static str; 5]) -> (Map<String, Value>, Vec<&'static str>) {
    let [limit, whole, kept, tail, notice] = ids;
    let rules = &contract.field;
    let (mut expect, mut shows) = (Map::new(), Vec::new());
    let mut say = |name: &str, value: Value, id: &'static str| {
        expect.insert(name.to_owned(), value);
        shows.push(id);
    };
    if seen.is_blank() {
        return (expect, shows);
    }
    say("at_most", seen.max.into(), limit);
    if seen.fits() {
        // Where white space at the ends is free, more than one text is the joined one.
        if seen.facts.least == seen.facts.most {
            say("equals", seen.facts.joined.clone().into(), whole);
        }
        if rules.notice == Notice::Reported {
            say("notice", Value::Null, notice);
        }
        return (expect, shows);
    }
    if seen.facts.required > seen.max {
        // RED-5: the required blocks cannot fit.
        expect.insert("infeasible".to_owned(), true.into());
        return (expect, vec!["RED-5"]);
    }
    let text = rules.structure == Structure::Text;
    let required = seen.blocks.iter().filter(|block| block.required && !text);
    let required: Vec<&str> = required.map(|block| block.text.trim()).filter(|text| !text.is_empty()).collect();
    if !required.is_empty() {
        say("contains", json!(required), kept);
    }
    let end = last_units(&seen.facts.joined, rules);
    let stands = text && !end.is_empty() && seen.max >= 2 * rules.tail + seen.facts.marker;
    if stands && seen.facts.joined.ends_with(end) && rules.join.after.is_empty() {
        say("ends_with", end.into(), tail);
    }
    if rules.notice == Notice::Reported && seen.overflows() {
        let exact = seen.facts.least == seen.facts.most && !rules.join.strip;
        say("notice", if exact { json!({"before": seen.facts.most}) } else { json!({}) }, notice);
    }
    if !seen.feasible() {
        say("infeasible", "allowed".into(), limit);
    } else if kept == "RED-3" {
        shows.push("RED-5");
    }
    (expect, shows)
}

fn reduce(case: &ReduceCase, contract: &Contract) -> Told {
    let seen = Reduction::new(&contract.field, case.build(), case.max, Reply::Infeasible);
    let (expect, shows) = field(&seen, contract, ["RED-1", "RED-2", "RED-3", "RED-4", "RED-6"]);
    Told { kind: "reduce", input: json!(case), expect, shows, sections: &["field"] }
}

fn assemble(case: &AssembleCase, contract: &Contract) -> Result<Told, String> {
    if !case.path.is_empty() {
        return Err("a vector names no path, and this case is of one".to_owned());
    }
    let view = case.build();
    let seen = Assembly::new(contract, view.clone(), case.max, Reply::Infeasible);
    let (expect, shows) = field(&seen.field, contract, ["ASM-1", "ASM-3", "ASM-2", "ASM-2", "ASM-4"]);
    let messages: Vec<Value> = case
        .messages
        .iter()
        .zip(&view)
        .map(|(draft, built)| {
            let mut message = json!(built);
            message["content"] = json!(draft.text);
            message
        })
        .collect();
    Ok(Told {
        kind: "assemble",
        input: json!({"messages": messages, "max": case.max}),
        expect,
        shows,
        sections: &["field"],
    })
}

fn fit(case: &FitCase, contract: &Contract) -> Told {
    let messages = case.build(contract);
    let rules = &contract.fit;
    let ids = |which: &dyn Fn(usize, &Message) -> bool| -> Vec<&str> {
        let chosen = messages.iter().enumerate().filter(|(at, message)| message.is_visible() && which(*at, message));
        chosen.map(|(_, message)| message.id.as_str()).collect()
    };
    let (mut expect, mut shows) = (Map::new(), Vec::new());
    let must = must_stay(&messages);
    let staying = || messages.iter().zip(&must).filter(|(_, must)| **must).map(|(message, _)| message);
    if rules.least_size(staying()) > case.max {
        expect.insert("infeasible".to_owned(), true.into());
        shows.push("FIT-7");
    } else if rules.size(&messages) <= case.max {
        expect.insert("ids".to_owned(), json!(ids(&|_, _| true)));
        // A list that makes no request may be refused, whatever its size.
        expect.insert("infeasible".to_owned(), "allowed".into());
        shows.extend(["FIT-1", "FIT-2"]);
    } else {
        expect.insert("at_most".to_owned(), case.max.into());
        shows.push("FIT-1");
        if rules.size(staying()) <= case.max && must.contains(&true) {
            expect.insert("contains_ids".to_owned(), json!(ids(&|at, _| must[at])));
            shows.extend(["FIT-3", "FIT-4"]);
        }
        expect.insert("infeasible".to_owned(), "allowed".into());
    }
    Told { kind: "fit", input: json!({"messages": messages, "max": case.max}), expect, shows, sections: &["fit"] }
}
