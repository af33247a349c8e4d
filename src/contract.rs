//! What a candidate declares about itself. The oracle is computed from it, and so every claim is itself under test.
//!
//! On the wire and in files a contract is JSON: an absent member has its default, and `null` (or `"none"`) says *none*
//! where the parameter allows it. `spec/contract.md` describes every member with its unit and range.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::unit::Unit;

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident => $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ::serde::Serialize, ::serde::Deserialize)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* #[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// All values, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word that stands for it in contracts and on the wire.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}
pub(crate) use words;

words! {
    /// A part of the contract that a candidate can claim as a whole.
    Capability {
        /// It pays a model to summarise.
        Summarize => "summarize",
        /// It limits how often it does so.
        Throttle => "throttle",
        /// It stops after failures.
        Latch => "latch",
        /// It shortens by rule.
        Trim => "trim",
        /// A person can ask for a compaction.
        Force => "force",
        /// It recovers when the provider has proved that a request does not fit.
        Overflow => "overflow",
        /// It serves several conversations at once.
        Conversations => "conversations",
        /// It survives a restart of its process.
        Restart => "restart",
        /// Its conversations can be rewound.
        Rewind => "rewind",
        /// It can show its stored log.
        Log => "log",
        /// It can show its view.
        View => "view",
        /// It takes the usage that a provider reports.
        Usage => "usage",
        /// Messages can arrive while a summary is made.
        Arrivals => "arrivals",
        /// Automatic compaction can be switched off.
        Auto => "auto",
        /// It reduces a field to a limit.
        Field => "field",
        /// It assembles the request.
        Request => "request",
        /// It trims messages to a limit.
        Fit => "fit",
        /// It measures sizes.
        Gauge => "gauge",
        /// It guards other operations by change.
        Change => "change",
    }
}

words! {
    /// A feature that a candidate's messages have. The host sends only these.
    Feature {
        /// Messages for the person only.
        UiOnly => "ui_only",
        /// Messages for the model only.
        Hidden => "hidden",
        /// Messages that must survive.
        Pinned => "pinned",
        /// Tool calls with ids.
        Calls => "calls",
        /// Several calls in one message.
        ParallelCalls => "parallel_calls",
        /// Reasoning blocks.
        Reasoning => "reasoning",
        /// A leading system message.
        System => "system",
        /// More system messages than the leading one.
        ManySystem => "many_system",
        /// A role for tool results.
        ToolRole => "tool_role",
        /// Results that a final one follows.
        Interim => "interim",
    }
}

words! {
    /// How an attempt that did not succeed ended.
    FailureKind {
        /// The provider refused the request.
        Rejected => "rejected",
        /// The summariser's input was too long.
        Overflow => "overflow",
        /// No answer in time.
        Timeout => "timeout",
        /// No connection.
        Transport => "transport",
        /// The summary was empty.
        Empty => "empty",
        /// The summary was white space.
        Blank => "blank",
        /// The summary was cut at the output cap.
        Length => "length",
        /// The model refused.
        Refusal => "refusal",
        /// The summary made the view larger.
        Inflated => "inflated",
        /// The summary made the view neither larger nor smaller.
        Equal => "equal",
        /// The view became smaller by less than the declared effect.
        Ineffective => "ineffective",
        /// The step itself raised an error.
        Raised => "raised",
        /// The answer was usable, and no view was installed.
        NoView => "no_view",
    }
}

words! {
    /// What growth inside the cooldown does to it.
    Growth {
        /// It lifts the cooldown.
        Reopens => "reopens",
        /// It does not.
        Ignored => "ignored",
        /// The candidate says nothing about it.
        Unspecified => "unspecified",
    }
}

words! {
    /// Which clock the throttle reads.
    Clock {
        /// Seconds since an epoch; a person can set it back.
        Wall => "wall",
        /// Seconds since the process started; begins anew with it.
        Monotonic => "monotonic",
    }
}

words! {
    /// What the first attempt after reopening is.
    AfterReopen {
        /// A probe: one failure latches again.
        HalfOpen => "half_open",
        /// A fresh start: the strikes count from zero.
        Fresh => "fresh",
    }
}

words! {
    /// What an event that is neither success nor plain failure counts as.
    CountsAs {
        /// Nothing.
        Ignored => "ignored",
        /// A failure.
        Failure => "failure",
    }
}

words! {
    /// Who sees to it that nothing is compacted while a call is open.
    Pending {
        /// The candidate never attempts then.
        Never => "never",
        /// The host never steps then.
        Host => "host",
    }
}

words! {
    /// How trimming shortens.
    TrimHow {
        /// The content is cut and marked.
        Marker => "marker",
        /// Whole groups leave, oldest first.
        Drop => "drop",
    }
}

words! {
    /// Kinds of own message that are visible on purpose.
    StatusKind {
        /// The prompt and answer of an attempt played through the normal turn.
        Checkpoint => "checkpoint",
        /// A reminder to the model.
        Reminder => "reminder",
    }
}

words! {
    /// What becomes of the latest user message between turns.
    LatestUser {
        /// It stays as it is.
        Verbatim => "verbatim",
        /// A summary may cover it.
        Covered => "covered",
    }
}

words! {
    /// What a restart leaves of some state.
    Durability {
        /// All of it.
        Persistent => "persistent",
        /// Nothing.
        Volatile => "volatile",
    }
}

words! {
    /// Who decides that a view is too large.
    PressureSource {
        /// The host's verdict does.
        Given => "given",
        /// The candidate measures for itself.
        Own => "own",
    }
}

words! {
    /// How a field is structured.
    Structure {
        /// Blocks, each required or removable.
        Blocks => "blocks",
        /// One text.
        Text => "text",
    }
}

words! {
    /// How a reducer says that it cut something.
    Notice {
        /// As a value beside the text.
        Reported => "reported",
        /// By the marker in the text.
        Marker => "marker",
        /// Not at all.
        None => "none",
    }
}

words! {
    /// What a trimmer's limit counts.
    FitUnit {
        /// Messages.
        Messages => "messages",
        /// Tokens, as `fit.counter` says.
        Tokens => "tokens",
        /// Code points.
        CodePoints => "code_points",
        /// UTF-8 bytes.
        Utf8Bytes => "utf8_bytes",
        /// UTF-16 units.
        Utf16Units => "utf16_units",
    }
}

words! {
    /// How large a run's budget is.
    Weight {
        /// A candidate that takes microseconds a step.
        Light => "light",
        /// One that takes tens of milliseconds.
        Heavy => "heavy",
    }
}

words! {
    /// When the candidate's host steps it.
    Drive {
        /// After every message.
        Step => "step",
        /// Only after a user message.
        Turn => "turn",
    }
}

/// Reads `null` and `"none"` as none.
fn none_word<'de, D: Deserializer<'de>, T: serde::de::DeserializeOwned>(from: D) -> Result<Option<T>, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(None),
        Value::String(word) if word == "none" => Ok(None),
        value => serde_json::from_value(value).map(Some).map_err(serde::de::Error::custom),
    }
}

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

    /// The longest of them.
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

macro_rules! section {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $field:ident : $type:ty = $default:expr,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        #[non_exhaustive]
        pub struct $name { $($(#[$doc])* pub $field: $type,)+ }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl $name {
            const MEMBERS: &'static [&'static str] = &[$(stringify!($field)),+];
        }
    };
}

section! {
    /// How often the candidate may pay for a summary.
    Throttle {
        /// Seconds between attempts; none: no cooldown.
        #[serde(deserialize_with = "none_word")]
        cooldown_s: Option<Cooldown> = Some(Cooldown::Flat(60.0)),
        /// What growth inside the cooldown does.
        growth: Growth = Growth::Reopens,
        /// Which clock is read.
        clock: Clock = Clock::Wall,
    }
}

section! {
    /// When failures stop the attempts.
    Latch {
        /// Consecutive failures that latch.
        strikes: u32 = 1,
        /// Visible external messages that reopen; none: growth never does.
        #[serde(deserialize_with = "none_word")]
        reopen_growth: Option<u64> = Some(20),
        /// Seconds that reopen; none: time never does.
        #[serde(deserialize_with = "none_word")]
        reopen_after_s: Option<f64> = None,
        /// Kinds of failure that are no strike.
        exempt: Vec<FailureKind> = Vec::new(),
        /// What the first attempt after reopening is.
        after_reopen: AfterReopen = AfterReopen::HalfOpen,
    }
}

section! {
    /// What an attempt is, and when there is enough to summarise.
    Attempt {
        /// Summariser calls of one step.
        calls: Calls = Calls::AtMost(1),
        /// The fraction of the size by which a success makes the view smaller.
        min_effect: f64 = 0.0,
        /// What an abort counts as.
        abort: CountsAs = CountsAs::Ignored,
        /// What declining for lack of matter counts as.
        noop: CountsAs = CountsAs::Ignored,
        /// Who keeps attempts away from open calls.
        pending: Pending = Pending::Never,
        /// Messages of the tail that are never summarised.
        keep_last: usize = 1,
        /// Size of the tail that is never summarised: units when at least 1, else a fraction of the view.
        keep_size: f64 = 0.0,
        /// Eligible messages from which on an attempt is due.
        eligible_min: usize = 4,
        /// Their size, from which on an attempt is due.
        eligible_min_size: usize = 400,
        /// The greatest summariser input, in size units; none: no limit.
        #[serde(deserialize_with = "none_word")]
        input_max: Option<usize> = None,
        /// The kinds of failure that its summariser can show.
        outcomes: Vec<FailureKind> = FailureKind::ALL.to_vec(),
        /// A usable summary, with `{text}` where the text goes.
        answer: String = "{text}".to_owned(),
    }
}

section! {
    /// What a proven overflow allows.
    Overflow {
        /// Recoveries for each proven overflow without progress.
        recoveries: u32 = 1,
    }
}

section! {
    /// What trimming by rule shortens.
    Trim {
        /// Characters above which a tool result is trimmable.
        min_chars: usize = 1_000,
        /// Visible messages at the end that are never trimmed.
        keep_last: usize = 3,
        /// Size of the newest results that are never trimmed.
        keep_size: usize = 0,
        /// The least that a trim saves: units when at least 1, else a fraction of the view.
        min_saving: f64 = 0.0,
        /// How it shortens.
        how: TrimHow = TrimHow::Marker,
    }
}

section! {
    /// Own messages.
    Status {
        /// Kinds that are visible on purpose.
        #[serde(deserialize_with = "list_or_none")]
        visible: Vec<StatusKind> = Vec::new(),
    }
}

section! {
    /// What an installed view looks like.
    ViewRules {
        /// What becomes of the latest user message between turns.
        latest_user: LatestUser = LatestUser::Verbatim,
        /// Summaries that stand in a view at once.
        summaries: usize = 1,
        /// Whether roles alternate.
        alternation: bool = false,
    }
}

section! {
    /// Conversations served at once.
    ConversationRules {
        /// Live ones that the candidate keeps apart.
        max: usize = 1_000,
    }
}

section! {
    /// Sizes of the messages that the host makes, in characters.
    Sizes {
        /// An ordinary message.
        small: usize = 120,
        /// A massive one.
        large: usize = 1_500,
    }
}

section! {
    /// How the size of a view is counted.
    SizeRules {
        /// The unit of content and reasoning.
        unit: SizeUnit = SizeUnit::CodePoints,
        /// What each message adds.
        per_message: usize = 0,
    }
}

words! {
    /// The unit of a view's size.
    SizeUnit {
        /// Code points.
        CodePoints => "code_points",
        /// UTF-8 bytes.
        Utf8Bytes => "utf8_bytes",
        /// UTF-16 units.
        Utf16Units => "utf16_units",
        /// Tokens: only gross inflation can be judged.
        Tokens => "tokens",
    }
}

impl SizeUnit {
    /// The text unit that stands for it: tokens are estimated from code points.
    #[must_use]
    pub fn unit(self) -> Unit {
        match self {
            Self::Utf8Bytes => Unit::Utf8Bytes,
            Self::Utf16Units => Unit::Utf16Units,
            Self::CodePoints | Self::Tokens => Unit::CodePoints,
        }
    }
}

section! {
    /// How blocks become a field.
    Join {
        /// What stands between two parts.
        separator: String = "\n\n".to_owned(),
        /// Whether empty parts are left out.
        skip_empty: bool = true,
        /// Whether white space at the ends of parts and whole is free.
        strip: bool = false,
        /// What stands before the whole.
        before: String = String::new(),
        /// What stands after the whole.
        after: String = String::new(),
    }
}

section! {
    /// How a field is reduced.
    FieldRules {
        /// What the limit counts.
        unit: Unit = Unit::CodePoints,
        /// The limit.
        max: Max = Max::Any,
        /// Blocks or one text.
        structure: Structure = Structure::Blocks,
        /// The marker of a cut, `{n}` a number; none: no marker.
        #[serde(deserialize_with = "none_word")]
        marker: Option<String> = None,
        /// For `text`: units of trailing guidance that survive.
        tail: usize = 0,
        /// How a cut is announced.
        notice: Notice = Notice::Reported,
        /// How blocks become a field.
        join: Join = Join::default(),
    }
}

section! {
    /// The assembled request.
    RequestRules {
        /// Names of the ways a request is built; empty: one way without a name.
        paths: Vec<String> = Vec::new(),
    }
}

section! {
    /// How messages are trimmed to a limit.
    FitRules {
        /// What the limit counts.
        unit: FitUnit = FitUnit::Messages,
        /// What a token is: `chars/4` or `words`.
        counter: String = "chars/4".to_owned(),
        /// The limit.
        max: Max = Max::Any,
        /// What each message adds.
        per_message: usize = 0,
    }
}

section! {
    /// How the candidate measures.
    GaugeRules {
        /// The size from which on it compacts.
        trigger: usize = 8_000,
        /// The size that it compacts to, below the trigger.
        target: usize = 6_000,
        /// What both count.
        unit: FitUnit = FitUnit::Tokens,
        /// What a token is: `chars/4` or `words`.
        counter: String = "chars/4".to_owned(),
    }
}

section! {
    /// Other operations that are guarded by change.
    ChangeRules {
        /// Relevant external changes that reopen after a success.
        after_success: u32 = 1,
        /// Relevant external changes that reopen after a failure.
        after_failure: u32 = 2,
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

fn list_or_none<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<StatusKind>, D::Error> {
    none_word(from).map(Option::unwrap_or_default)
}

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

const SECTIONS: &[(&str, &[&str])] = &[
    ("throttle", Throttle::MEMBERS),
    ("latch", Latch::MEMBERS),
    ("attempt", Attempt::MEMBERS),
    ("overflow", Overflow::MEMBERS),
    ("trim", Trim::MEMBERS),
    ("status", Status::MEMBERS),
    ("view", ViewRules::MEMBERS),
    ("restart", &["throttle", "latch"]),
    ("conversations", ConversationRules::MEMBERS),
    ("sizes", Sizes::MEMBERS),
    ("size", SizeRules::MEMBERS),
    ("field", FieldRules::MEMBERS),
    ("request", RequestRules::MEMBERS),
    ("fit", FitRules::MEMBERS),
    ("gauge", GaugeRules::MEMBERS),
    ("change", ChangeRules::MEMBERS),
    ("capabilities", &[]),
    ("messages", &[]),
    ("pressure", &[]),
    ("weight", &[]),
    ("drive", &[]),
];

impl Contract {
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

    /// Reads a contract from JSON and checks it. A JSON contract must name its `capabilities`.
    ///
    /// # Errors
    ///
    /// Which member is missing, ill-typed or out of range, and what it may be.
    pub fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|e| format!("the contract is not JSON: {e}")).and_then(Self::from_value)
    }

    /// Reads a contract from a JSON value and checks it, like [`Contract::from_json`].
    ///
    /// # Errors
    ///
    /// Which member is missing, ill-typed or out of range, and what it may be.
    pub fn from_value(value: Value) -> Result<Self, String> {
        if value.get("capabilities").is_none() {
            return Err("the contract names no `capabilities`: list what the candidate claims".to_owned());
        }
        let read = read_sections(&value)?;
        read.check()?;
        Ok(read)
    }

    /// The members of a JSON contract that no version of the specification knows, with dotted names. They are ignored,
    /// as the protocol demands, and worth a word to their author.
    #[must_use]
    pub fn unknown_members(value: &Value) -> Vec<String> {
        let mut unknown = Vec::new();
        let Some(object) = value.as_object() else { return unknown };
        for (name, member) in object {
            let Some((_, members)) = SECTIONS.iter().find(|(section, _)| section == name) else {
                unknown.push(name.clone());
                continue;
            };
            let inner = member.as_object().into_iter().flat_map(|inner| inner.keys());
            unknown.extend(inner.filter(|key| !members.contains(&key.as_str())).map(|key| format!("{name}.{key}")));
            if name == "field"
                && let Some(join) = member.get("join").and_then(Value::as_object)
            {
                let keys = join.keys().filter(|key| !Join::MEMBERS.contains(&key.as_str()));
                unknown.extend(keys.map(|key| format!("field.join.{key}")));
            }
        }
        unknown
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

    /// The cooldown, where a throttle is claimed and has one.
    #[must_use]
    pub fn cooldown(&self) -> Option<&Cooldown> {
        self.throttle.cooldown_s.as_ref().filter(|_| self.claims(Capability::Throttle))
    }

    /// Whether the contract is free of contradictions.
    ///
    /// # Errors
    ///
    /// The first contradiction, by the name of the member.
    pub fn check(&self) -> Result<(), String> {
        let fail = |text: &str| Err(text.to_owned());
        let bad = |seconds: f64| !(seconds.is_finite() && (0.0..=1e9).contains(&seconds));
        match &self.throttle.cooldown_s {
            Some(Cooldown::Flat(s)) if bad(*s) => return fail("throttle.cooldown_s must be a number of seconds >= 0"),
            Some(Cooldown::Ladder(list)) if list.is_empty() || list.iter().any(|s| bad(*s)) => {
                return fail("throttle.cooldown_s must be seconds >= 0, or a list of them that is not empty");
            }
            _ => {}
        }
        if let Some(latch) = &self.latch {
            if latch.strikes == 0 {
                return fail("latch.strikes must be at least 1");
            }
            if latch.reopen_growth.is_some_and(|n| n == 0 || n > 100_000) {
                return fail("latch.reopen_growth must be from 1 to 100000, or null for none");
            }
            if latch.reopen_after_s.is_some_and(bad) {
                return fail("latch.reopen_after_s must be a number of seconds >= 0, or null for none");
            }
            if !latch.exempt.is_empty() && self.claims(Capability::Latch) && self.cooldown().is_none() {
                return fail("latch.exempt needs a cooldown: without one an exempt failure is repeated at once");
            }
            if latch.strikes > 1_000 {
                return fail("latch.strikes must be at most 1000");
            }
        }
        if !(0.0..1.0).contains(&self.attempt.min_effect) {
            return fail("attempt.min_effect must be a fraction from 0 to below 1");
        }
        if self.attempt.calls == Calls::AtMost(0) {
            return fail("attempt.calls must be at least 1, or \"chunks\"");
        }
        if self.attempt.calls == Calls::Chunks && self.attempt.input_max.is_none() {
            return fail("attempt.calls = \"chunks\" needs attempt.input_max");
        }
        if !self.attempt.answer.contains("{text}") {
            return fail("attempt.answer must contain {text}");
        }
        if !(self.attempt.keep_size.is_finite() && self.attempt.keep_size >= 0.0) {
            return fail("attempt.keep_size must be a size, or a fraction of the view, and not negative");
        }
        if self.sizes.small < 40 || self.sizes.large < self.sizes.small || self.sizes.large > 1_000_000 {
            return fail("sizes must be 40 <= small <= large <= 1000000 characters");
        }
        let takes = [self.change.after_success, self.change.after_failure];
        if self.claims(Capability::Change) && takes.iter().any(|n| !(1..=1_000).contains(n)) {
            return fail("change.after_success and change.after_failure must be from 1 to 1000");
        }
        if self.gauge.target >= self.gauge.trigger && self.claims(Capability::Gauge) {
            return fail("gauge.target must be below gauge.trigger");
        }
        let marks = self.claims(Capability::Field) || self.claims(Capability::Request);
        if marks && self.field.notice == Notice::Marker && self.field.marker.as_deref().is_none_or(str::is_empty) {
            return fail("field.notice = \"marker\" needs field.marker: the marker is the notice");
        }
        if self.has(Feature::ParallelCalls) && !self.has(Feature::Calls) {
            return fail("messages: parallel_calls needs calls");
        }
        if self.has(Feature::Interim) && !self.has(Feature::Calls) {
            return fail("messages: interim needs calls");
        }
        for (needs, word) in
            [(Capability::Throttle, "throttle"), (Capability::Latch, "latch"), (Capability::Force, "force")]
        {
            if self.claims(needs) && !self.claims(Capability::Summarize) {
                return Err(format!("capabilities: {word} needs summarize"));
            }
        }
        Ok(())
    }
}

/// Reads each section on its own, so that an error can name it.
fn read_sections(value: &Value) -> Result<Contract, String> {
    let object = value.as_object().ok_or("the contract is not a JSON object")?;
    for (name, member) in object {
        let mut alone = serde_json::Map::new();
        alone.insert(name.clone(), member.clone());
        if let Err(error) = serde_json::from_value::<Contract>(Value::Object(alone)) {
            return Err(format!("contract.{name}: {error}"));
        }
    }
    serde_json::from_value(value.clone()).map_err(|e| format!("contract: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_is_the_default_and_null_is_none() {
        let absent = Contract::from_json(r#"{"capabilities": []}"#).unwrap();
        assert_eq!(absent.latch, Some(Latch::default()));
        for none in [r#"{"capabilities": [], "latch": null}"#, r#"{"capabilities": [], "latch": "none"}"#] {
            assert_eq!(Contract::from_json(none).unwrap().latch, None);
        }
        let latch = r#"{"capabilities": [], "latch": {"reopen_growth": null}, "throttle": {"cooldown_s": null}}"#;
        let read = Contract::from_json(latch).unwrap();
        assert_eq!(read.latch.unwrap().reopen_growth, None);
        assert_eq!(read.throttle.cooldown_s, None);
    }

    #[test]
    fn a_contract_survives_its_own_json() {
        for text in [
            r#"{"capabilities": ["summarize"], "latch": null, "throttle": {"cooldown_s": [60, 300]}}"#,
            r#"{"capabilities": ["field"], "field": {"max": 1048576, "structure": "text", "marker": "[{n} cut]"}}"#,
            r#"{"capabilities": ["summarize"], "restart": "volatile", "attempt": {"calls": "chunks", "input_max": 9}}"#,
        ] {
            let once = Contract::from_json(text).unwrap();
            let twice = Contract::from_json(&serde_json::to_string(&once).unwrap()).unwrap();
            assert_eq!(once, twice);
        }
    }

    #[test]
    fn errors_name_the_member() {
        for (text, names) in [
            (r#"{"capabilities": ["field"], "field": {"notice": "marker"}}"#, "field.marker"),
            (r"{}", "capabilities"),
            (r#"{"capabilities": ["sumarize"]}"#, "contract.capabilities"),
            (r#"{"capabilities": [], "latch": {"strikes": 0}}"#, "latch.strikes"),
            (r#"{"capabilities": [], "throttle": {"cooldown_s": "soon"}}"#, "contract.throttle"),
            (r#"{"capabilities": ["throttle"]}"#, "throttle needs summarize"),
        ] {
            let error = Contract::from_json(text).unwrap_err();
            assert!(error.contains(names), "{error}");
        }
    }

    #[test]
    fn unknown_members_are_found() {
        let value = serde_json::json!({"throtle": {}, "latch": {"strike": 1}, "field": {"join": {"sep": ""}}});
        assert_eq!(Contract::unknown_members(&value), ["field.join.sep", "latch.strike", "throtle"]);
    }
}
