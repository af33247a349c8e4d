//! Histories: what the host does, as plain data.
//!
//! A history is written without ids or contents: messages are [`Draft`]s with a key, and a [`Scribe`] turns them into
//! real messages whose tokens and ids depend on a seed. So a history reads well, shrinks well, and cannot be recognised
//! by its text.

mod check;
mod scribe;

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub use scribe::Scribe;

use crate::contract::{FailureKind, words};
use crate::message::Role;

/// A conversation, by its number in the history. Written `a` to `z`, then `c26`, `c27`, …
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a number with a way to write it")]
pub struct Name(pub u32);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match u8::try_from(self.0) {
            Ok(n) if n < 26 => write!(f, "{}", char::from(b'a' + n)),
            _ => write!(f, "c{}", self.0),
        }
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let number = match text.as_bytes() {
            [letter @ b'a'..=b'z'] => Some(u32::from(letter - b'a')),
            [b'c', ..] => text.get(1..).and_then(|digits| digits.parse().ok()),
            _ => None,
        };
        number.map(Self).ok_or_else(|| de::Error::custom("expected a conversation: a to z, or c and a number"))
    }
}

/// The length of a message's content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Size {
    /// `sizes.small` of the contract.
    #[default]
    Small,
    /// `sizes.large` of the contract.
    Large,
    /// So many characters (at least what the tokens need).
    Chars(usize),
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Small => to.serialize_str("small"),
            Self::Large => to.serialize_str("large"),
            Self::Chars(n) => to.serialize_u64(*n as u64),
        }
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Raw {
            Chars(usize),
            Word(String),
        }
        match Raw::deserialize(from)? {
            Raw::Chars(n) if n <= 4_000_000 => Ok(Self::Chars(n)),
            Raw::Word(word) if word == "small" => Ok(Self::Small),
            Raw::Word(word) if word == "large" => Ok(Self::Large),
            _ => Err(de::Error::custom("expected small, large, or characters up to 4000000")),
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// An external message before it has an id and a content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Draft {
    /// Unique within the history.
    pub key: u32,
    /// Who speaks.
    pub role: Role,
    /// How long the content is.
    #[serde(default, skip_serializing_if = "is_default")]
    pub size: Size,
    /// For the person only.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ui_only: bool,
    /// For the model only.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hidden: bool,
    /// Must survive.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pinned: bool,
    /// Numbers of the calls that it makes, unique within the history.
    #[serde(default, skip_serializing_if = "is_default")]
    pub calls: Vec<u32>,
    /// The call that it answers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub answers: Option<u32>,
    /// A final result follows.
    #[serde(default, skip_serializing_if = "is_default")]
    pub interim: bool,
    /// It has a reasoning block.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reasoning: bool,
    /// Its text has characters of two, three and four bytes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub wide: bool,
}

impl Draft {
    /// A small message with no flags.
    #[must_use]
    pub fn new(key: u32, role: Role) -> Self {
        Self { key, role, ..Self::default() }
    }

    /// Whether the model sees it.
    #[must_use]
    pub fn is_visible(&self) -> bool {
        !self.ui_only
    }
}

words! {
    /// Why the candidate is called.
    StepKind {
        /// After a turn.
        Step => "step",
        /// A person asked for a compaction.
        Force => "force",
        /// The provider has proved that the request does not fit.
        Overflow => "overflow",
    }
}

words! {
    /// The host's verdict on the size of the view.
    Pressure {
        /// It fits.
        None => "none",
        /// Trimming by rule is enough.
        Trim => "trim",
        /// It is not.
        Summarize => "summarize",
    }
}

words! {
    /// What the summariser does when it is called.
    Answer {
        /// A usable, short summary.
        Ok => "ok",
        /// An error: the request was refused.
        Rejected => "rejected",
        /// An error: the input is too long.
        Overflow => "overflow",
        /// An error: no answer in time.
        Timeout => "timeout",
        /// An error: no connection.
        Transport => "transport",
        /// An error: the person interrupted.
        Aborted => "aborted",
        /// No answer: the process ends during the call. A restart follows.
        CutOff => "cut_off",
        /// An empty text.
        Empty => "empty",
        /// White space.
        Blank => "blank",
        /// A text that was cut at the output cap.
        Length => "length",
        /// A refusal.
        Refusal => "refusal",
        /// A text longer than twice everything ever sent.
        Inflated => "inflated",
        /// A text that makes the new view exactly as large as the old.
        Equal => "equal",
        /// A text that makes the new view smaller by less than the declared effect.
        Ineffective => "ineffective",
    }
}

impl Answer {
    /// The kind of failure that it brings about, if any.
    pub(crate) const fn failure(self) -> Option<FailureKind> {
        Some(match self {
            Self::Ok | Self::Aborted => return None,
            Self::Rejected => FailureKind::Rejected,
            Self::Overflow => FailureKind::Overflow,
            Self::Timeout => FailureKind::Timeout,
            Self::Transport => FailureKind::Transport,
            Self::CutOff => FailureKind::Raised,
            Self::Empty => FailureKind::Empty,
            Self::Blank => FailureKind::Blank,
            Self::Length => FailureKind::Length,
            Self::Refusal => FailureKind::Refusal,
            Self::Inflated => FailureKind::Inflated,
            Self::Equal => FailureKind::Equal,
            Self::Ineffective => FailureKind::Ineffective,
        })
    }
}

fn zero(value: &f64) -> bool {
    *value == 0.0
}

/// One call of the candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct StepCommand {
    /// In which conversation.
    pub conversation: Name,
    /// Why.
    #[serde(default = "StepCommand::kind", skip_serializing_if = "StepCommand::is_kind")]
    pub kind: StepKind,
    /// The host's verdict.
    #[serde(default = "StepCommand::pressure", skip_serializing_if = "StepCommand::is_pressure")]
    pub pressure: Pressure,
    /// Seconds that pass before the step, on both clocks.
    #[serde(default, skip_serializing_if = "zero")]
    pub after_s: f64,
    /// What the summariser does, call by call; the last repeats; empty: it answers well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// Messages that arrive during the first summariser call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrived: Vec<Draft>,
}

impl StepCommand {
    fn kind() -> StepKind {
        StepKind::Step
    }
    fn is_kind(kind: &StepKind) -> bool {
        *kind == StepKind::Step
    }
    fn pressure() -> Pressure {
        Pressure::Summarize
    }
    fn is_pressure(pressure: &Pressure) -> bool {
        *pressure == Pressure::Summarize
    }

    /// A plain step at pressure `summarize`, at once, with a summariser that answers well.
    #[must_use]
    pub fn new(conversation: Name) -> Self {
        let (kind, pressure) = (Self::kind(), Self::pressure());
        Self { conversation, kind, pressure, after_s: 0.0, answers: Vec::new(), arrived: Vec::new() }
    }

    /// A person who has interrupted the step does not let a later call of it through.
    pub(crate) fn ends_with_the_abort(&mut self) {
        if let Some(at) = self.answers.iter().position(|answer| *answer == Answer::Aborted) {
            self.answers.truncate(at + 1);
        }
    }

    /// What the summariser does on its `call`-th call, counted from 0.
    #[must_use]
    pub fn answer(&self, call: usize) -> Answer {
        self.answers.get(call).or(self.answers.last()).copied().unwrap_or(Answer::Ok)
    }
}

/// One thing that the host does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Command {
    /// External messages are appended.
    Append {
        /// To which conversation; a new one is created empty.
        conversation: Name,
        /// In this order.
        messages: Vec<Draft>,
    },
    /// The candidate is called.
    Step(StepCommand),
    /// The wall clock is set forward or back; the monotonic clock is not.
    Clock {
        /// Seconds; negative: back.
        wall_by_s: f64,
    },
    /// A person undoes or redoes.
    Rewind {
        /// In which conversation.
        conversation: Name,
        /// The key of the last message that stays.
        to: u32,
    },
    /// The candidate's process ends and starts again.
    Restart {
        /// Members that the stored log lacks, as an older version wrote it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        without: Vec<String>,
    },
    /// Automatic compaction is switched.
    Auto {
        /// On or off.
        on: bool,
    },
    /// The provider reports a usage.
    Usage {
        /// In which conversation.
        conversation: Name,
        /// Its size in tokens.
        tokens: u64,
        /// The key of the last message that it covers.
        upto: u32,
    },
}

impl Command {
    /// The conversation that it concerns, if it concerns one.
    #[must_use]
    pub fn conversation(&self) -> Option<Name> {
        match self {
            Self::Append { conversation, .. }
            | Self::Rewind { conversation, .. }
            | Self::Usage { conversation, .. } => Some(*conversation),
            Self::Step(step) => Some(step.conversation),
            Self::Clock { .. } | Self::Restart { .. } | Self::Auto { .. } => None,
        }
    }
}

/// What the host does, in order, and the seed of its contents.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct History {
    /// The seed of tokens and ids.
    pub seed: u64,
    /// In order.
    pub commands: Vec<Command>,
}

impl History {
    /// A history of `commands`.
    #[must_use]
    pub fn new(seed: u64, commands: Vec<Command>) -> Self {
        Self { seed, commands }
    }

    /// The number of conversations: one more than the greatest that a command names.
    #[must_use]
    pub fn conversations(&self) -> usize {
        self.commands.iter().filter_map(Command::conversation).map(|name| name.0 as usize + 1).max().unwrap_or(0)
    }

    /// Every draft that the host ever sends, with its conversation, in order.
    pub fn drafts(&self) -> impl Iterator<Item = (Name, &Draft)> {
        self.commands.iter().flat_map(|command| {
            let (name, drafts): (_, &[Draft]) = match command {
                Command::Append { conversation, messages } => (*conversation, messages),
                Command::Step(step) => (step.conversation, &step.arrived),
                _ => (Name(0), &[]),
            };
            drafts.iter().map(move |draft| (name, draft))
        })
    }

    /// Whether it is a history that a host can play: keys are unique, calls are answered after they are made, a rewind
    /// goes to a message of its conversation that still stands (or was undone since the last append, step or restart), not
    /// to between a call and its results, and time does not run backwards.
    ///
    /// # Errors
    ///
    /// The first command that cannot be played, counted from 1, and why.
    pub fn check(&self) -> Result<(), String> {
        check::check(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_survive_their_own_json() {
        let line = r#"{"append":{"conversation":"a","messages":[{"key":1,"role":"tool","size":"large","answers":3}]}}"#;
        let command: Command = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&command).unwrap(), line);
        let step: Command = serde_json::from_str(r#"{"step":{"conversation":"c30"}}"#).unwrap();
        assert_eq!(step, Command::Step(StepCommand::new(Name(30))));
    }
}
