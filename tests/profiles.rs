//! Each named contract has a candidate that keeps it, and a neighbour that the same candidate does not keep.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use plimsoll::{Contract, Effort, KnownFailure, KnownFailures, Reference, Report, Suite};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Profile {
    name: String,
    contract: Value,
    #[serde(default)]
    known: Vec<KnownFailure>,
}

#[derive(Deserialize)]
struct File {
    profiles: Vec<Profile>,
}

/// The contract next to it, by one parameter, and an id that the difference breaks.
fn neighbour(profile: &str) -> (&'static str, Value, &'static str) {
    match profile {
        "reference" => ("latch", json!({"reopen_growth": 40}), "LAT-1"),
        "gptme-0.35" => ("latch", json!({"reopen_growth": 40}), "LAT-1"),
        "gemini-cli" => ("gauge", json!({"trigger": 4_000, "target": 3_000}), "MEA-6"),
        "three-strikes" => ("latch", json!({"strikes": 2, "reopen_growth": null, "reopen_after_s": 300}), "LAT-1"),
        "half-open-timer" => ("latch", json!({"reopen_growth": null, "reopen_after_s": 900}), "LAT-1"),
        "cooldown-only" => ("throttle", json!({"cooldown_s": 600}), "THR-1"),
        "latch-only" => ("latch", json!({"reopen_growth": 10}), "LAT-2"),
        other => panic!("{other} has no neighbour here"),
    }
}

fn run(profile: &Profile, judged: Value) -> Report {
    let own = Contract::from_value(profile.contract.clone()).unwrap();
    let suite = Suite::new(move || Reference::new(own.clone()))
        .contract(Contract::from_value(judged).unwrap())
        .effort(Effort::Smoke)
        .known_failures(KnownFailures::new(profile.known.clone()))
        .witness_dir(None);
    suite.run().unwrap()
}

#[test]
fn the_reference_keeps_each_and_not_its_neighbour() {
    let file: File = serde_json::from_str(include_str!("../spec/profiles.json")).unwrap();
    for profile in file.profiles {
        let own = run(&profile, profile.contract.clone());
        assert!(own.passed(), "{}: {:?}", profile.name, own.first);
        let (at, other, id) = neighbour(&profile.name);
        let mut judged = profile.contract.clone();
        judged[at] = other;
        let beside = Profile { known: Vec::new(), ..profile };
        let report = run(&beside, judged);
        let row = report.requirement(id).unwrap();
        assert_eq!(row.verdict, plimsoll::Verdict::Fail, "{}: {:?} first, {id} not", beside.name, report.first);
    }
}
