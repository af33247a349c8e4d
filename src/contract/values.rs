//! Parameters that more than one shape of JSON can say.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::Durability;

/// Seconds of cooldown: one number, or one by consecutive failure, the last repeating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Cooldown {
    /// The same after every attempt.
    Flat(f64),
    /// The n-th after the n-th consecutive failure (a success counts as the first).
    Ladder(Vec<f64>),
}

impl Cooldown {
    /// The seconds after an attempt that leaves `failures` consecutive failures.
    #[must_use]
    pub fn after(&self, failures: u32) -> f64 {
        match self {
            Self::Flat(seconds) => *seconds,
            Self::Ladder(list) => {
                let at = (failures.max(1) as usize - 1).min(list.len().saturating_sub(1));
                list.get(at).copied().unwrap_or(0.0)
            }
        }
    }

    /// The shortest of its steps, in seconds.
    pub(crate) fn shortest(&self) -> f64 {
        match self {
            Self::Flat(seconds) => *seconds,
            Self::Ladder(list) => list.iter().copied().reduce(f64::min).unwrap_or(0.0),
        }
    }

    /// The longest of its steps, in seconds.
    #[must_use]
    pub fn longest(&self) -> f64 {
        match self {
            Self::Flat(seconds) => *seconds,
            Self::Ladder(list) => list.iter().copied().fold(0.0, f64::max),
        }
    }
}

/// A number, or `"any"`: taken per case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Max {
    /// The same in every case.
    Fixed(usize),
    /// Each case has its own.
    Any,
}

impl Serialize for Max {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fixed(max) => to.serialize_u64(*max as u64),
            Self::Any => to.serialize_str("any"),
        }
    }
}

impl<'de> Deserialize<'de> for Max {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match Value::deserialize(from)? {
            Value::String(word) if word == "any" => Ok(Self::Any),
            value => serde_json::from_value(value)
                .map(Self::Fixed)
                .map_err(|_| serde::de::Error::custom("expected a number that is not negative, or \"any\"")),
        }
    }
}

/// How many summariser calls an attempt makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Calls {
    /// At most so many.
    AtMost(u32),
    /// As many as the input needs at `attempt.input_max`.
    Chunks,
}

impl Calls {
    /// Whether an attempt may make more than one.
    pub(crate) fn several(self) -> bool {
        self != Self::AtMost(1)
    }
}

impl Serialize for Calls {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::AtMost(n) => to.serialize_u32(*n),
            Self::Chunks => to.serialize_str("chunks"),
        }
    }
}

impl<'de> Deserialize<'de> for Calls {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match Value::deserialize(from)? {
            Value::String(word) if word == "chunks" => Ok(Self::Chunks),
            value => serde_json::from_value(value)
                .map(Self::AtMost)
                .map_err(|_| serde::de::Error::custom("expected a number of calls, or \"chunks\"")),
        }
    }
}

/// What a restart leaves, for the throttle and for the latch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RestartRules {
    /// What becomes of the cooldown.
    pub throttle: Durability,
    /// What becomes of strikes and latch.
    pub latch: Durability,
}

impl Default for RestartRules {
    fn default() -> Self {
        Self { throttle: Durability::Persistent, latch: Durability::Persistent }
    }
}

impl<'de> Deserialize<'de> for RestartRules {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Both(Durability),
            Each { throttle: Option<Durability>, latch: Option<Durability> },
        }
        let persistent = Durability::Persistent;
        Ok(match Either::deserialize(from)? {
            Either::Both(both) => Self { throttle: both, latch: both },
            Either::Each { throttle, latch } => {
                Self { throttle: throttle.unwrap_or(persistent), latch: latch.unwrap_or(persistent) }
            }
        })
    }
}
