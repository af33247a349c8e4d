//! What a candidate declares about itself. The oracle is computed from it, and so every claim is itself under test.
//!
//! On the wire and in files a contract is JSON: an absent member has its default, and `null` (or `"none"`) says *none*
//! where the parameter allows it. `spec/contract.md` describes every member with its unit and range.

mod check;
mod json;
mod sections;
mod values;
mod vocabulary;

use serde::{Deserialize, Serialize};

use json::none_word;
pub use sections::*;
pub use values::*;
pub(crate) use vocabulary::words;
pub use vocabulary::*;

fn default_latch() -> Option<Latch> {
    Some(Latch::default())
}

/// Everything that a candidate declares about itself.
///
/// ```
/// use plimsoll::{Capability, Contract};
/// let contract = Contract::from_json(r#"{"capabilities": ["summarize", "latch"], "latch": {"strikes": 3}}"#).unwrap();
/// assert!(contract.claims(Capability::Latch));
/// assert_eq!(contract.latch.unwrap().reopen_growth, Some(20));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Contract {
    /// What is claimed.
    pub capabilities: Vec<Capability>,
    /// What its messages have.
    pub messages: Vec<Feature>,
    /// How often it may pay.
    pub throttle: Throttle,
    /// When failures stop it; none: never.
    #[serde(deserialize_with = "none_word", default = "default_latch")]
    pub latch: Option<Latch>,
    /// What an attempt is.
    pub attempt: Attempt,
    /// What a proven overflow allows.
    pub overflow: Overflow,
    /// What trimming shortens.
    pub trim: Trim,
    /// Own messages.
    pub status: Status,
    /// What an installed view looks like.
    pub view: ViewRules,
    /// What a restart leaves.
    pub restart: RestartRules,
    /// Conversations at once.
    pub conversations: ConversationRules,
    /// Who decides on pressure.
    pub pressure: PressureSource,
    /// Sizes of the host's messages.
    pub sizes: Sizes,
    /// How a view's size is counted.
    pub size: SizeRules,
    /// How a field is reduced.
    pub field: FieldRules,
    /// The assembled request.
    pub request: RequestRules,
    /// How messages are trimmed to a limit.
    pub fit: FitRules,
    /// How it measures.
    pub gauge: GaugeRules,
    /// Other guarded operations.
    pub change: ChangeRules,
    /// The budget of a run.
    pub weight: Weight,
    /// When it is stepped.
    pub drive: Drive,
}

impl Default for Contract {
    /// The contract of the reference: all that is checked, every parameter at its default.
    fn default() -> Self {
        use Capability as C;
        Self {
            capabilities: vec![
                C::Summarize,
                C::Throttle,
                C::Latch,
                C::Trim,
                C::Force,
                C::Overflow,
                C::Conversations,
                C::Restart,
                C::Rewind,
                C::Log,
                C::View,
                C::Usage,
                C::Arrivals,
                C::Auto,
                C::Field,
                C::Request,
                C::Fit,
                C::Gauge,
                C::Change,
            ],
            messages: Feature::ALL.to_vec(),
            throttle: Throttle::default(),
            latch: default_latch(),
            attempt: Attempt::default(),
            overflow: Overflow::default(),
            trim: Trim::default(),
            status: Status::default(),
            view: ViewRules::default(),
            restart: RestartRules::default(),
            conversations: ConversationRules::default(),
            pressure: PressureSource::Given,
            sizes: Sizes::default(),
            size: SizeRules::default(),
            field: FieldRules::default(),
            request: RequestRules::default(),
            fit: FitRules::default(),
            gauge: GaugeRules::default(),
            change: ChangeRules::default(),
            weight: Weight::Light,
            drive: Drive::Step,
        }
    }
}

impl Contract {
    /// The most code points, or units of its own, that a declared size may stand for: of a token that somebody else counts nobody
    /// knows more than that it is hardly longer than eight.
    pub(crate) fn at_most(&self, size: usize) -> usize {
        if self.size.unit == SizeUnit::Tokens { size.saturating_mul(8) } else { size }
    }

    /// A contract that claims exactly `capabilities`, every parameter at its default.
    #[must_use]
    pub fn claiming(capabilities: &[Capability]) -> Self {
        Self { capabilities: capabilities.to_vec(), ..Self::default() }
    }

    /// Whether it claims anything that a conversation shows: what a reducer, a trimmer, an assembler, a gauge or a guard
    /// does is asked apart.
    #[must_use]
    pub fn converses(&self) -> bool {
        use Capability as C;
        let apart = |claimed: &Capability| matches!(claimed, C::Field | C::Request | C::Fit | C::Gauge | C::Change);
        !self.capabilities.iter().all(apart)
    }

    /// The same contract for messages that have exactly `features`.
    #[must_use]
    pub fn with_messages(mut self, features: &[Feature]) -> Self {
        self.messages = features.to_vec();
        self
    }

    /// Whether `capability` is claimed.
    #[must_use]
    pub fn claims(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// Whether its messages have `feature`.
    #[must_use]
    pub fn has(&self, feature: Feature) -> bool {
        self.messages.contains(&feature)
    }

    /// The latch, where it is claimed and not none.
    #[must_use]
    pub fn latch(&self) -> Option<&Latch> {
        self.latch.as_ref().filter(|_| self.claims(Capability::Latch))
    }

    /// Whether the latch reopens by time before any cooldown is over.
    pub(crate) fn latch_reopens_early(&self) -> bool {
        let reopens_s = self.latch().and_then(|latch| latch.reopen_after_s);
        reopens_s.zip(self.cooldown()).is_some_and(|(reopens_s, cooldown)| reopens_s <= cooldown.shortest())
    }

    /// Whether nothing is ever forbidden by the latch alone: no growth lifts the cooldown and not the latch.
    pub(crate) fn latch_in_shadow(&self) -> bool {
        let lifted = self.throttle.growth == Growth::Reopens
            && self.latch().is_some_and(|latch| latch.reopen_growth.is_none_or(|growth| growth > 1));
        self.latch_reopens_early() && !lifted
    }

    /// The cooldown, where a throttle is claimed and has one. One of no seconds is none.
    #[must_use]
    pub fn cooldown(&self) -> Option<&Cooldown> {
        let cooldown = self.throttle.cooldown_s.as_ref().filter(|cooldown| cooldown.longest() > 0.0);
        cooldown.filter(|_| self.claims(Capability::Throttle))
    }
}
