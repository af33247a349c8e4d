//! The gauge: where the size comes from that everything else takes as given.

use super::limit::{Ruling, breaks_if};
use super::{Check, Level, Requirement, own};
use crate::contract::{Capability, Contract, FitUnit};
use crate::gauge::{FigureAge, FigureDraft, GaugeSettings, Measured};
use crate::history::Pressure;
use crate::message::Message;

/// The rows, in the order of the specification.
pub(super) const ALL: &[Requirement] = &[MEA_1, MEA_2, own::MEA_3, MEA_4, MEA_5, own::MEA_6, own::MEA_7, own::MEA_8];

const CHAPTER: &str = "gauge.md";

fn applies(contract: &Contract) -> bool {
    contract.claims(Capability::Gauge)
}

/// What a gauge was asked, and what it answered.
#[derive(Clone, Debug)]
pub(crate) enum Gauged {
    Measured(Measuring),
    Configured(Configuring),
}

/// Messages, and the gauge's answers.
#[derive(Clone, Debug)]
pub(crate) struct Measuring {
    pub(crate) count: usize,
    /// The least and the most that the declared counter can make of the messages.
    pub(crate) least: u64,
    pub(crate) most: u64,
    pub(crate) reported: FigureDraft,
    pub(crate) answer: Measured,
    /// The answer for the same messages with nothing reported.
    pub(crate) alone: Measured,
}

/// Settings, and what became of them.
#[derive(Clone, Debug)]
pub(crate) struct Configuring {
    pub(crate) asked: GaugeSettings,
    /// What is in force, or the text of the refusal.
    pub(crate) answer: Result<GaugeSettings, String>,
    /// The pressure for messages below the target that is in force now, and above the trigger; none where such messages
    /// cannot be made.
    pub(crate) below: Option<Pressure>,
    pub(crate) above: Option<Pressure>,
}

impl Measuring {
    pub(crate) fn new(
        contract: &Contract,
        messages: &[Message],
        reported: FigureDraft,
        answers: [Measured; 2],
    ) -> Self {
        let counting = contract.gauge.counting();
        let [answer, alone] = answers;
        let (least, most) = (counting.least_size(messages) as u64, counting.size(messages) as u64);
        Self { count: messages.len(), least, most, reported, answer, alone }
    }

    /// The reported figure, where there is one of this age.
    fn figure(&self, age: FigureAge) -> Option<u64> {
        self.reported.tokens.filter(|tokens| *tokens > 0 && self.reported.age == age)
    }

    fn numbers(&self, contract: &Contract) -> Vec<(&'static str, usize)> {
        let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let mut numbers = vec![("local", number(self.most)), ("trigger", contract.gauge.trigger)];
        numbers.extend(self.reported.tokens.map(|n| ("reported", number(n))));
        numbers.extend(self.answer.tokens.map(|n| ("answered", number(n))));
        numbers
    }
}

fn measured(seen: &Gauged) -> Option<&Measuring> {
    match seen {
        Gauged::Measured(seen) => Some(seen),
        Gauged::Configured(_) => None,
    }
}

const MEA_1: Requirement = Requirement {
    id: "MEA-1",
    level: Level::Must,
    sentence: "A figure that the provider has reported up to the last message MUST govern: a local estimate 2.13 times too \
        low MUST NOT delay the trigger.",
    chapter: CHAPTER,
    implies: &[],
    applies: |contract| applies(contract) && contract.gauge.unit == FitUnit::Tokens,
    check: Check::Gauge(figure_governs),
};

fn figure_governs(seen: &Gauged, contract: &Contract) -> Ruling {
    let trigger = contract.gauge.trigger as u64;
    let Some(seen) = measured(seen) else { return Ruling::Silent };
    match seen.figure(FigureAge::Current) {
        Some(figure) if figure > trigger && seen.most < trigger => {
            let numbers = seen.numbers(contract);
            if seen.answer.pressure == Pressure::None {
                return breaks_if(true, "trigger_delayed", &numbers);
            }
            breaks_if(seen.answer.tokens.is_some_and(|tokens| tokens < figure), "figure_overruled", &numbers)
        }
        _ => Ruling::Silent,
    }
}

const MEA_2: Requirement = Requirement {
    id: "MEA-2",
    level: Level::Must,
    sentence: "After an installed compaction the figure from before it MUST NOT be used again.",
    chapter: CHAPTER,
    implies: &["MEA-6"],
    applies,
    check: Check::Gauge(old_figure_is_gone),
};

fn old_figure_is_gone(seen: &Gauged, contract: &Contract) -> Ruling {
    let (trigger, target) = (contract.gauge.trigger as u64, contract.gauge.target as u64);
    let Some(seen) = measured(seen) else { return Ruling::Silent };
    let Some(figure) = seen.figure(FigureAge::Stale) else { return Ruling::Silent };
    let numbers = seen.numbers(contract);
    if figure > trigger && 2 * seen.most <= target {
        if seen.answer.pressure != Pressure::None {
            return breaks_if(true, "old_figure_triggers", &numbers);
        }
        return breaks_if(seen.answer.tokens == Some(figure), "old_figure_answered", &numbers);
    }
    if figure < target && seen.least > trigger && seen.alone.pressure != Pressure::None {
        return breaks_if(seen.answer.pressure == Pressure::None, "old_figure_delays", &numbers);
    }
    Ruling::Silent
}

const MEA_4: Requirement = Requirement {
    id: "MEA-4",
    level: Level::Must,
    sentence: "An unknown size (null or 0) MUST be treated as unknown: the answer is null or the local estimate, and never a \
        smaller figure.",
    chapter: CHAPTER,
    implies: &[],
    applies,
    check: Check::Gauge(unknown_is_not_small),
};

fn unknown_is_not_small(seen: &Gauged, contract: &Contract) -> Ruling {
    let Some(seen) = measured(seen) else { return Ruling::Silent };
    if seen.reported.tokens.is_some_and(|tokens| tokens > 0)
        || seen.reported.age != FigureAge::Current
        || seen.least == 0
    {
        return Ruling::Silent;
    }
    let numbers = seen.numbers(contract);
    let smaller = match (seen.answer.tokens, seen.alone.tokens) {
        (Some(tokens), Some(estimate)) => tokens < estimate,
        (Some(tokens), None) => tokens == 0,
        (None, _) => false,
    };
    if smaller {
        return breaks_if(true, "smaller_than_the_estimate", &numbers);
    }
    breaks_if(rank(seen.answer.pressure) < rank(seen.alone.pressure), "unknown_delays", &numbers)
}

fn rank(pressure: Pressure) -> u8 {
    match pressure {
        Pressure::None => 0,
        Pressure::Trim => 1,
        Pressure::Summarize => 2,
    }
}

const MEA_5: Requirement = Requirement {
    id: "MEA-5",
    level: Level::Must,
    sentence: "A configuration whose `target` is not below its `trigger`, or whose limit is zero or negative, MUST be refused \
        by name, or a sane one MUST be answered and then be in force.",
    chapter: CHAPTER,
    implies: &[],
    applies,
    check: Check::Gauge(nonsense_is_refused),
};

fn nonsense_is_refused(seen: &Gauged, _: &Contract) -> Ruling {
    let Gauged::Configured(Configuring { asked, answer, below, above }) = seen else { return Ruling::Silent };
    let (order, limit) = (asked.target >= asked.trigger, asked.limit <= 0);
    if !order && !limit {
        return Ruling::Silent;
    }
    let wrong = below.is_some_and(|pressure| pressure != Pressure::None) || *above == Some(Pressure::None);
    match answer {
        Err(text) => {
            let text = text.to_ascii_lowercase();
            let named =
                (order && (text.contains("target") || text.contains("trigger"))) || (limit && text.contains("limit"));
            if !named {
                return breaks_if(true, "refused_without_a_name", &[]);
            }
            breaks_if(wrong, "refused_and_in_force", &[])
        }
        Ok(settings) if !settings.are_sane() => breaks_if(true, "nonsense_accepted", &[]),
        Ok(_) => breaks_if(wrong, "answered_and_not_in_force", &[]),
    }
}
