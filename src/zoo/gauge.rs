//! Gauges: bad ones as they come about, and sound ones of other designs than the reference.

use super::{Row, row_of};
use crate::candidate::{Error, Gauge};
use crate::contract::Contract;
use crate::gauge::{GaugeSettings, Measured, Reported};
use crate::history::Pressure;
use crate::message::Message;
use crate::model::ReferenceGauge;

row_of!(Gauge, fn(&Contract) -> Box<dyn Gauge>);

/// In the order of the specification.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("counts-for-itself", "It counts characters and never looks at what the provider reports.",
        &["MEA-1"], &[], "count-basis-mismatch", "{}", |contract| measuring(contract, |known| known.local)),
    row("takes-the-smaller", "It takes the smaller of its own count and the provider's figure.",
        &["MEA-1", "MEA-4"], &[], "count-basis-mismatch", "{}", |contract| measuring(contract, |known| {
            known.local.min(known.figure.filter(|_| known.is_about_these).unwrap_or(known.local))
        })),
    row("meets-in-the-middle", "It takes the mean of its own count and the provider's figure.",
        &["MEA-1"], &[], "count-basis-mismatch", "{}", |contract| measuring(contract, |known| {
            if known.is_about_these && known.figure > Some(0) { known.local.midpoint(known.figure.unwrap_or(0)) } else { known.local }
        })),
    row("keeps-the-old-figure", "It uses the last figure of the provider, whatever has become of the messages since.",
        &["MEA-2"], &[], "stale-measure-retrigger", "{}", |contract| measuring(contract, |known| {
            known.figure.filter(|figure| *figure > 0).unwrap_or(known.local)
        })),
    row("takes-the-greater-of-old-and-new", "It takes the greater of its own count and any figure, old ones too.",
        &["MEA-2"], &[], "stale-measure-retrigger", r#"{"trigger": 2000, "target": 1000}"#, |contract| measuring(contract, |known| {
            known.local.max(known.figure.unwrap_or(0))
        })),
    row("zero-is-empty", "It takes a report of 0 tokens at its word.",
        &["MEA-4"], &[], "bad-measure-or-config", "{}", |contract| measuring(contract, |known| {
            known.figure.filter(|_| known.is_about_these).unwrap_or(known.local)
        })),
    row("null-is-zero", "It reads an absent figure as 0.",
        &["MEA-4"], &[], "bad-measure-or-config", "{}", |contract| measuring(contract, |known| {
            match (known.is_reported && known.is_about_these, known.figure) {
                (true, None) => 0,
                (true, Some(figure)) if figure > 0 => figure,
                _ => known.local,
            }
        })),
    row("accepts-any-settings", "It takes every setting as it comes.",
        &["MEA-5"], &[], "bad-measure-or-config", "{}", |contract| setting(contract, |_, settings| Ok(settings))),
    row("refuses-without-a-word", "It refuses what cannot work, and does not say what is wrong.",
        &["MEA-5"], &[], "bad-measure-or-config", "{}", |contract| setting(contract, |_, settings| {
            if settings.are_sane() { Ok(settings) } else { Err(Error::raised("invalid configuration")) }
        })),
    row("answers-one-and-keeps-another", "It answers settings that could work, and goes on with what it had.",
        &["MEA-5"], &[], "bad-measure-or-config", "{}", |contract| setting(contract, |_, settings| Ok(GaugeSettings {
            trigger: 2 * settings.trigger.max(20_000), target: 10_000, limit: i64::MAX,
        }))),
];

/// In no order.
#[rustfmt::skip]
pub(super) const SOUND: &[Row] = &[
    row("greater-of-both", "It takes the greater of its own count and a figure about these very messages.",
        &[], &[], "sound", "{}", |contract| measuring(contract, |known| {
            known.local.max(known.figure.filter(|_| known.is_about_these).unwrap_or(0))
        })),
    row("counts-code-points", "It counts code points, and has no use for a figure in tokens.",
        &[], &[], "sound", r#"{"unit": "code_points", "trigger": 50000, "target": 20000}"#, |contract| measuring(contract, |known| known.local)),
    row("counts-messages", "It counts messages.",
        &[], &[], "sound", r#"{"unit": "messages", "trigger": 80, "target": 40}"#, |contract| measuring(contract, |known| known.local)),
    row("counts-words", "A token is a word to it.",
        &[], &[], "sound", r#"{"counter": "words", "trigger": 4000, "target": 3000}"#, |contract| Box::new(ReferenceGauge::new(contract.gauge.clone()))),
    row("says-no-size", "It says whether there is pressure, and never how much.",
        &[], &[], "sound", "{}", |contract| Box::new(Silent(ReferenceGauge::new(contract.gauge.clone())))),
    row("mends-its-settings", "It makes settings that cannot work into some that can, and answers them.",
        &[], &[], "sound", "{}", |contract| Box::new(Mending(ReferenceGauge::new(contract.gauge.clone())))),
];

/// What there is to know of a list.
struct Known {
    local: u64,
    is_reported: bool,
    figure: Option<u64>,
    is_about_these: bool,
}

type Size = fn(&Known) -> u64;
type Set = fn(&mut ReferenceGauge, GaugeSettings) -> Result<GaugeSettings, Error>;

/// The reference with another size.
struct Measuring {
    reference: ReferenceGauge,
    trigger: u64,
    size: Size,
}

fn measuring(contract: &Contract, size: Size) -> Box<dyn Gauge> {
    let reference = ReferenceGauge::new(contract.gauge.clone());
    Box::new(Measuring { reference, trigger: contract.gauge.trigger as u64, size })
}

impl Gauge for Measuring {
    fn measure(&mut self, messages: &[Message], reported: Option<&Reported>) -> Result<Measured, Error> {
        let local = self.reference.measure(messages, None)?.tokens.unwrap_or_default();
        let is_about_these =
            reported.is_some_and(|reported| messages.iter().any(|message| message.id == reported.upto));
        let (is_reported, figure) = (reported.is_some(), reported.and_then(|reported| reported.tokens));
        let size = (self.size)(&Known { local, is_reported, figure, is_about_these });
        let pressure = if size >= self.trigger { Pressure::Summarize } else { Pressure::None };
        Ok(Measured::new(pressure, Some(size)))
    }

    fn configure(&mut self, settings: GaugeSettings) -> Result<GaugeSettings, Error> {
        let settings = self.reference.configure(settings)?;
        self.trigger = settings.trigger.unsigned_abs();
        Ok(settings)
    }
}

/// The reference with other manners when it is set.
struct Setting {
    reference: ReferenceGauge,
    set: Set,
}

fn setting(contract: &Contract, set: Set) -> Box<dyn Gauge> {
    Box::new(Setting { reference: ReferenceGauge::new(contract.gauge.clone()), set })
}

impl Gauge for Setting {
    fn measure(&mut self, messages: &[Message], reported: Option<&Reported>) -> Result<Measured, Error> {
        self.reference.measure(messages, reported)
    }

    fn configure(&mut self, settings: GaugeSettings) -> Result<GaugeSettings, Error> {
        (self.set)(&mut self.reference, settings)
    }
}

struct Silent(ReferenceGauge);

impl Gauge for Silent {
    fn measure(&mut self, messages: &[Message], reported: Option<&Reported>) -> Result<Measured, Error> {
        Ok(Measured { tokens: None, ..self.0.measure(messages, reported)? })
    }

    fn configure(&mut self, settings: GaugeSettings) -> Result<GaugeSettings, Error> {
        self.0.configure(settings)
    }
}

struct Mending(ReferenceGauge);

impl Gauge for Mending {
    fn measure(&mut self, messages: &[Message], reported: Option<&Reported>) -> Result<Measured, Error> {
        self.0.measure(messages, reported)
    }

    fn configure(&mut self, settings: GaugeSettings) -> Result<GaugeSettings, Error> {
        let limit = if settings.limit > 0 { settings.limit.max(2) } else { 10_000 };
        let trigger = settings.trigger.clamp(2, limit);
        self.0.configure(GaugeSettings { trigger, target: settings.target.clamp(1, trigger - 1), limit })
    }
}
