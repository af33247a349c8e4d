//! The fuzz corpora and all regressions, played by the calls that the fuzz targets make.
#![cfg(all(feature = "adapter", feature = "zoo"))]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use plimsoll::fuzz::{self, Fuzzer, Input};
use plimsoll::{
    Capability, Compactor, Contract, Parts, Reference, ReferenceAssembler, ReferenceReducer, ReferenceTrimmer, zoo,
};

/// The stored inputs of a target.
fn inputs(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let mut inputs = Vec::new();
    for folder in ["corpus", "regressions"] {
        let Ok(entries) = fs::read_dir(root.join(folder).join(target)) else { continue };
        let paths = entries.map(|entry| entry.unwrap().path());
        let paths = paths.filter(|path| path.file_name().is_some_and(|name| name != ".gitkeep"));
        inputs.extend(paths.map(|path| (path.clone(), fs::read(&path).unwrap())));
    }
    inputs.sort();
    assert!(inputs.len() >= 10, "the corpus of {target} is missing");
    inputs
}

fn passes(target: &str, fuzzer: &Fuzzer) {
    for (path, bytes) in inputs(target) {
        if let Err(report) = fuzzer.run(&bytes) {
            panic!("{}: {}", path.display(), plimsoll::TextReport::new(&report));
        }
    }
}

fn fuzzer<C: Compactor + 'static>(input: Input, make: impl Fn() -> C + Send + Sync + 'static) -> Fuzzer {
    Fuzzer::new(input, make).without_witnesses()
}

#[test]
fn guard() {
    passes("guard", &fuzzer(Input::History, Reference::default));
}

#[test]
fn reducer() {
    let contract = Contract::claiming(&[Capability::Field]);
    let make = move || Parts::new(contract.clone()).reducer(ReferenceReducer::default());
    passes("reducer", &fuzzer(Input::Field, make));
}

#[test]
fn trimmer() {
    let contract = Contract::claiming(&[Capability::Fit]);
    let make = move || Parts::new(contract.clone()).trimmer(ReferenceTrimmer::default());
    passes("trimmer", &fuzzer(Input::Fit, make));
}

#[test]
fn assembler() {
    let contract = Contract::claiming(&[Capability::Request]);
    let make = move || Parts::new(contract.clone()).assembler(ReferenceAssembler::default());
    passes("assembler", &fuzzer(Input::Request, make));
}

#[test]
fn trace() {
    for (path, bytes) in inputs("trace") {
        fuzz::trace(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

#[test]
fn protocol() {
    for (_, bytes) in inputs("protocol") {
        fuzz::protocol(&bytes);
    }
}

/// What a dictionary gives a fuzzer stands somewhere in what is written in its format.
#[test]
fn dictionaries() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |folder: &str| -> String {
        let entries = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_file()).map(|path| fs::read_to_string(path).unwrap()).collect()
    };
    let plain = |text: String| text.replace(": ", ":");
    let written = [
        ("trace", plain(read("spec/histories") + &read("spec/cases"))),
        ("protocol", plain(fs::read_to_string(root.join("spec/protocol.schema.json")).unwrap())),
    ];
    for (name, written) in written {
        let path = root.join(format!("fuzz/dictionaries/{name}.dict"));
        let text = fs::read_to_string(&path).unwrap();
        let entries: Vec<String> = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {line}: {error}")))
            .collect();
        assert!(entries.len() > 100, "{name}: {}", entries.len());
        for entry in entries {
            assert!(written.contains(&entry), "{name}: nothing has {entry}");
        }
    }
}

/// Whether the candidate differs from the reference on an input where the contract leaves no choice.
fn differs(name: &str) -> Option<String> {
    let other = || zoo::find(name).unwrap().make();
    inputs("guard").iter().chain(&inputs("differential")).find_map(|(_, bytes)| {
        let history = fuzz::history(&Contract::default(), bytes);
        fuzz::differential(Reference::default, other, &history).err()
    })
}

#[test]
fn differential() {
    // Alike but for what they claim besides.
    let default = |row: &&zoo::Row| {
        let mut contract = row.make().contract();
        contract.capabilities = Contract::default().capabilities;
        contract == Contract::default() && row.make().contract().converses()
    };
    let alike = zoo::all().filter(|row| row.is_conforming()).filter(default);
    let alike: Vec<&str> = alike.map(zoo::Row::name).collect();
    assert!(alike.len() > 10 && alike.contains(&"quiet"), "{alike:?}");
    for name in alike {
        assert_eq!(differs(name), None, "{name}");
    }
    for name in ["self-counting-throttle", "never-latches"] {
        let found = differs(name).unwrap_or_else(|| panic!("{name} is not found"));
        assert!(found.contains("the second is wrong"), "{name}: {found}");
    }
}
