//! Every vector of the gauge loads, and the reference passes it; gauges that look at one thing alone do not pass them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;

use plimsoll::{Contract, Gauge, GaugeSettings, Measured, Message, Pressure, ReferenceGauge, Reported, Role, Text};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    plimsoll: String,
    format: u32,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    name: String,
    about: String,
    cites: Vec<String>,
    contract: serde_json::Map<String, serde_json::Value>,
    measure: Measure,
    expect: Expect,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Measure {
    messages: Vec<MessageText>,
    reported: Option<Reported>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageText {
    id: String,
    role: Role,
    content: Text,
    #[serde(default)]
    ui_only: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    pressure: Vec<Pressure>,
    tokens_at_least: Option<u64>,
}

fn vectors() -> Vec<Vector> {
    let file: File = serde_json::from_str(include_str!("../spec/vectors/gauge.json")).unwrap();
    assert_eq!((file.plimsoll.as_str(), file.format), ("vectors", 1));
    file.vectors
}

impl Vector {
    fn contract(&self) -> Contract {
        let mut json = self.contract.clone();
        json.insert("capabilities".to_owned(), serde_json::json!(["gauge"]));
        Contract::from_value(json.into()).unwrap()
    }

    fn passes(&self, gauge: &mut dyn Gauge) -> bool {
        let messages = self.measure.messages.iter().map(|message| {
            let mut built = Message::new(message.id.clone(), message.role, message.content.build());
            built.ui_only = message.ui_only;
            built
        });
        let messages: Vec<Message> = messages.collect();
        let answer = gauge.measure(&messages, self.measure.reported.as_ref()).unwrap();
        let least = self.expect.tokens_at_least;
        let enough = least.is_none_or(|least| answer.tokens.is_none_or(|tokens| tokens >= least));
        self.expect.pressure.contains(&answer.pressure) && enough
    }
}

/// Looks at one thing alone.
struct Only(fn(&[Message], Option<&Reported>) -> u64);

impl Gauge for Only {
    fn measure(&mut self, messages: &[Message], reported: Option<&Reported>) -> Result<Measured, plimsoll::Error> {
        let size = self.0(messages, reported);
        let pressure = if size >= 8_000 { Pressure::Summarize } else { Pressure::None };
        Ok(Measured::new(pressure, Some(size)))
    }
    fn configure(&mut self, settings: GaugeSettings) -> Result<GaugeSettings, plimsoll::Error> {
        Ok(settings)
    }
}

#[test]
fn the_reference_passes_every_vector() {
    for vector in vectors() {
        let mut gauge = ReferenceGauge::new(vector.contract().gauge);
        assert!(vector.passes(&mut gauge), "{}", vector.name);
        assert!(vector.about.ends_with('.') && !vector.cites.is_empty());
    }
}

#[test]
fn gauges_that_look_at_one_thing_alone_fail() {
    fn seen(messages: &[Message], _: Option<&Reported>) -> u64 {
        messages.iter().filter(|m| m.is_visible()).map(|m| m.content.len().div_ceil(4) as u64).sum()
    }
    fn all(messages: &[Message], _: Option<&Reported>) -> u64 {
        messages.iter().map(|m| m.content.len().div_ceil(4) as u64).sum()
    }
    fn told(messages: &[Message], reported: Option<&Reported>) -> u64 {
        reported.and_then(|reported| reported.tokens).unwrap_or_else(|| seen(messages, None))
    }
    let fails = |size| {
        let vectors = vectors();
        let failed = vectors.iter().filter(|vector| !vector.passes(&mut Only(size)));
        failed.map(|vector| vector.name.clone()).collect::<BTreeSet<_>>()
    };
    assert!(fails(seen).contains("reported-2-13-times-the-count"));
    assert!(fails(told).contains("reported-before-the-compaction") && fails(told).contains("reported-as-zero"));
    assert!(fails(all).contains("what-only-the-person-sees-weighs-nothing"));
}
