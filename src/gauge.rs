//! The gauge as plain data: what the provider reports, what a gauge answers, and cases of both.

use serde::{Deserialize, Serialize};

use crate::contract::{Contract, FitRules, FitUnit, GaugeRules, words};
use crate::history::{Draft, Pressure, Scribe, Size};
use crate::message::{Message, Role};

/// What the provider has said of the size of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reported {
    /// The tokens; none or 0: it did not say.
    pub tokens: Option<u64>,
    /// The id of the last message of that request. After a compaction it may be gone.
    pub upto: String,
}

impl Reported {
    /// A figure for the request that ended with the message `upto`.
    #[must_use]
    pub fn new(tokens: Option<u64>, upto: impl Into<String>) -> Self {
        Self { tokens, upto: upto.into() }
    }
}

/// What a gauge says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Measured {
    /// Whether there is pressure.
    pub pressure: Pressure,
    /// The size in the gauge's unit; none: it does not know.
    pub tokens: Option<u64>,
}

impl Measured {
    /// An answer.
    #[must_use]
    pub fn new(pressure: Pressure, tokens: Option<u64>) -> Self {
        Self { pressure, tokens }
    }
}

/// How a gauge is set, in its unit. A caller can set anything, negative numbers too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GaugeSettings {
    /// The size from which on there is pressure.
    pub trigger: i64,
    /// The size that it is brought down to.
    pub target: i64,
    /// The most that a request can hold.
    pub limit: i64,
}

impl GaugeSettings {
    /// Settings.
    #[must_use]
    pub fn new(trigger: i64, target: i64, limit: i64) -> Self {
        Self { trigger, target, limit }
    }

    /// Whether they can work: 0 < target < trigger, and the trigger not above the limit.
    ///
    /// ```
    /// use plimsoll::GaugeSettings;
    /// assert!(GaugeSettings::new(8_000, 6_000, 10_000).are_sane());
    /// assert!(!GaugeSettings::new(8_000, 8_000, 10_000).are_sane());
    /// ```
    #[must_use]
    pub fn are_sane(&self) -> bool {
        0 < self.target && self.target < self.trigger && self.trigger <= self.limit
    }
}

words! {
    /// How old a reported figure is.
    FigureAge {
        /// It is for the request up to the last message.
        Current => "current",
        /// It is from before a compaction: its last message is gone.
        Stale => "stale",
    }
}

/// A figure of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FigureDraft {
    /// The tokens; none: unknown.
    pub tokens: Option<u64>,
    /// How old it is.
    pub age: FigureAge,
}

/// What a gauge is asked. One case is one JSON line.
///
/// ```
/// use plimsoll::LimitCase;
/// let line = r#"{"gauge":{"configure":{"trigger":8000,"target":8000,"limit":10000}}}"#;
/// assert_eq!(LimitCase::from_line(line).unwrap().to_line(), line);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GaugeCase {
    /// To measure messages.
    Measure(MeasureCase),
    /// To be set.
    Configure(GaugeSettings),
}

/// Messages to measure, and what the provider has reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MeasureCase {
    /// What ids and contents are made from.
    pub seed: u64,
    /// The messages.
    pub messages: Vec<Draft>,
    /// What the provider has reported.
    pub reported: FigureDraft,
}

impl MeasureCase {
    /// A case.
    #[must_use]
    pub fn new(seed: u64, messages: Vec<Draft>, tokens: Option<u64>, age: FigureAge) -> Self {
        Self { seed, messages, reported: FigureDraft { tokens, age } }
    }

    /// The messages that the candidate gets.
    #[must_use]
    pub fn build(&self, contract: &Contract) -> Vec<Message> {
        let scribe = Scribe::new(self.seed, contract);
        self.messages.iter().map(|draft| scribe.message(draft)).collect()
    }

    /// The figure that the candidate gets with them.
    #[must_use]
    pub fn figure(&self, messages: &[Message]) -> Reported {
        let last = messages.iter().rfind(|message| message.is_visible()).map(|message| message.id.as_str());
        let upto = match self.reported.age {
            FigureAge::Current => last.unwrap_or("none"),
            FigureAge::Stale => "gone",
        };
        Reported::new(self.reported.tokens, upto)
    }
}

impl GaugeRules {
    /// How it counts.
    #[must_use]
    pub fn counting(&self) -> FitRules {
        FitRules { unit: self.unit, counter: self.counter.clone(), ..FitRules::default() }
    }
}

/// Messages of about `size` in the unit of the gauge, in so many messages where the unit leaves that open.
pub(crate) fn drafts_of(contract: &Contract, size: usize, count: usize) -> Vec<Draft> {
    let role = |at: usize| if at.is_multiple_of(2) { Role::User } else { Role::Assistant };
    let (count, each) = match contract.gauge.unit {
        FitUnit::Messages => (size, contract.sizes.small),
        // One word of the host's has about eight characters; the exact size is counted once the messages are made.
        FitUnit::Tokens if contract.gauge.counter == "words" => (count, 8 * size / count.max(1)),
        FitUnit::Tokens => (count, 4 * size / count.max(1)),
        _ => (count, size / count.max(1)),
    };
    let draft = |at: usize| {
        let mut draft = Draft::new(at as u32 + 1, role(at));
        draft.size = Size::Chars(each.min(4_000_000));
        draft
    };
    (0..count.min(20_000)).map(draft).collect()
}
