//! Histories: what the host does, as plain data.
//!
//! A history is written without ids or contents: messages are [`Draft`]s with a key, and a [`Scribe`] turns them into
//! real messages whose tokens and ids depend on a seed. So a history reads well, shrinks well, and cannot be recognised
//! by its text.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::contract::{Contract, words};
use crate::message::{Message, Role};

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
    /// goes to a message of its conversation that still stands, not to between a call and its results, and time does not
    /// run backwards.
    ///
    /// # Errors
    ///
    /// The first command that cannot be played, counted from 1, and why.
    pub fn check(&self) -> Result<(), String> {
        crate::history_check::check(self)
    }
}

/// Turns drafts into messages: tokens, ids and contents for one seed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Scribe {
    seed: u64,
    small: usize,
    large: usize,
    tool_role: bool,
}

const SPACE: u64 = 36u64.pow(6);
const WORDS: &str = "the river bends past an old mill where grain was once ground for the valley and children still come to watch \
    the wheel turn slowly under green water while someone counts the boats that carry stone and timber down to the sea ";
const WIDE_WORDS: &str = "größe naïve 目的 記録 🙂 заметка façade 数える 🚢 плотина über 水車 ";

impl Scribe {
    /// A scribe for `seed` and the sizes of `contract`.
    #[must_use]
    pub fn new(seed: u64, contract: &Contract) -> Self {
        let tool_role = contract.has(crate::contract::Feature::ToolRole);
        Self { seed, small: contract.sizes.small, large: contract.sizes.large, tool_role }
    }

    fn mixed(&self, salt: u64) -> u64 {
        let mut z = self.seed.wrapping_add(salt.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The token at both ends of the content of the message with `key`: fixed width, `[a-z0-9]`, none containing another.
    #[must_use]
    pub fn token(&self, key: u32) -> String {
        let step = self.mixed(1) % SPACE;
        // Coprime to 36, so that keys map to tokens one to one.
        let step = step - step % 6 + 5;
        let mut rest = (u64::from(key).wrapping_mul(step).wrapping_add(self.mixed(2) % SPACE)) % SPACE;
        let first = b'a' + (self.mixed(3) % 26) as u8;
        let last = b'0' + (self.mixed(4) % 10) as u8;
        let mut token = String::with_capacity(8);
        token.push(char::from(first));
        for _ in 0..6 {
            token.push(char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[(rest % 36) as usize]));
            rest /= 36;
        }
        token.push(char::from(last));
        token
    }

    /// The id of the message with `key`.
    #[must_use]
    pub fn id(&self, key: u32) -> String {
        let prefix = ["m", "msg-", "x", "e_", "entry", "n"][(self.mixed(5) % 6) as usize];
        format!("{prefix}{}", u64::from(key) * (1 + self.mixed(6) % 7) + self.mixed(7) % 50)
    }

    /// The id of the call with this number.
    #[must_use]
    pub fn call(&self, number: u32) -> String {
        let prefix = ["call_", "c-", "toolu", "t"][(self.mixed(8) % 4) as usize];
        format!("{prefix}{}", u64::from(number) * (1 + self.mixed(9) % 5) + self.mixed(10) % 90)
    }

    /// The id of a conversation.
    #[must_use]
    pub fn conversation(&self, name: Name) -> String {
        let prefix = ["s", "chat-", "conv", "k"][(self.mixed(11) % 4) as usize];
        format!("{prefix}{}", u64::from(name.0) * (1 + self.mixed(12) % 9) + self.mixed(13) % 70)
    }

    /// The message that `draft` stands for.
    #[must_use]
    pub fn message(&self, draft: &Draft) -> Message {
        let token = self.token(draft.key);
        let size = match draft.size {
            Size::Small => self.small,
            Size::Large => self.large,
            Size::Chars(n) => n,
        };
        // A candidate without a role for tool results gets them as what its hosts make of them: system messages.
        let role = if draft.role == Role::Tool && !self.tool_role { Role::System } else { draft.role };
        let mut message = Message::new(self.id(draft.key), role, String::new());
        message.content = self.content(&token, draft.key, size, draft.wide);
        message.ui_only = draft.ui_only;
        message.hidden = draft.hidden;
        message.pinned = draft.pinned;
        message.calls = draft.calls.iter().map(|call| self.call(*call)).collect();
        message.call_id = draft.answers.map(|call| self.call(call));
        message.interim = draft.interim;
        message.reasoning = draft.reasoning.then(|| format!("because {token}z the {} holds", draft.key));
        message
    }

    fn content(&self, token: &str, key: u32, size: usize, wide: bool) -> String {
        let between = size.saturating_sub(2 * token.len() + 2);
        let words = if wide { WIDE_WORDS } else { WORDS };
        let mut content = String::with_capacity(size + if wide { size * 2 } else { 0 });
        content.push_str(token);
        content.push(' ');
        let start = (u64::from(key).wrapping_add(self.mixed(14)) % 60) as usize;
        if wide {
            content.extend(words.chars().cycle().skip(start).take(between));
        } else {
            let mut left = between;
            let mut from = start;
            while left > 0 {
                let part = &words[from..words.len().min(from + left)];
                content.push_str(part);
                left -= part.len();
                from = 0;
            }
        }
        content.push(' ');
        content.push_str(token);
        content
    }

    /// The text of a usable summary that the `call`-th summariser call of the `command`-th command gives.
    #[must_use]
    pub fn summary(&self, command: usize, call: usize) -> String {
        let token = self.summary_token(command, call);
        format!("{token} what was said so far in brief {token}")
    }

    /// The token of that summary.
    #[must_use]
    pub fn summary_token(&self, command: usize, call: usize) -> String {
        format!("{}s", self.token(u32::MAX - (command as u32 * 97 + call as u32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn tokens_are_unique_of_one_width_and_vary_with_the_seed() {
        for seed in 0..50 {
            let scribe = Scribe::new(seed, &Contract::default());
            let tokens: HashSet<_> = (0..3_000).map(|key| scribe.token(key)).collect();
            assert_eq!(tokens.len(), 3_000);
            assert!(tokens.iter().all(|token| token.len() == 8));
            assert_ne!(scribe.token(1), Scribe::new(seed + 1, &Contract::default()).token(1));
        }
    }

    #[test]
    fn contents_have_the_size_asked_for_and_tokens_at_both_ends() {
        let scribe = Scribe::new(3, &Contract::default());
        for (size, chars) in [(Size::Small, 120), (Size::Large, 1_500), (Size::Chars(40), 40)] {
            for wide in [false, true] {
                let content = scribe.message(&Draft { key: 9, size, wide, ..Draft::default() }).content;
                assert_eq!(content.chars().count(), chars);
                assert!(content.starts_with(&scribe.token(9)) && content.ends_with(&scribe.token(9)));
            }
        }
    }

    #[test]
    fn commands_survive_their_own_json() {
        let line = r#"{"append":{"conversation":"a","messages":[{"key":1,"role":"tool","size":"large","answers":3}]}}"#;
        let command: Command = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&command).unwrap(), line);
        let step: Command = serde_json::from_str(r#"{"step":{"conversation":"c30"}}"#).unwrap();
        assert_eq!(step, Command::Step(StepCommand::new(Name(30))));
    }
}
