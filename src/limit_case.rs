//! Cases at a limit, as plain data: what a reducer, a trimmer or an assembler is given. One case is one JSON line.

use serde::{Deserialize, Serialize};

use crate::change::{ChangeAct, ChangeCase};
use crate::contract::{Capability, Contract};
use crate::field::Block;
use crate::gauge::GaugeCase;
use crate::history::{Command, Draft, History, Name, Scribe, Size};
use crate::message::{Message, Role};
use crate::text::Text;

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A case for a part of a candidate that is asked apart from any conversation. A limit can be 0, and a list empty.
///
/// ```
/// use plimsoll::LimitCase;
/// let line = r#"{"reduce":{"blocks":[{"text":{"repeat":"x","times":9}},{"text":"ab","required":true}],"max":4}}"#;
/// let case = LimitCase::from_line(line).unwrap();
/// assert_eq!(case.to_line(), line);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LimitCase {
    /// A field to reduce.
    Reduce(ReduceCase),
    /// Messages to trim.
    Fit(FitCase),
    /// A view to assemble a request from.
    Assemble(AssembleCase),
    /// What happens around a guard.
    Change(ChangeCase),
    /// What a gauge is asked.
    Gauge(GaugeCase),
}

/// A field and its limit, in the contract's `field.unit`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ReduceCase {
    /// The blocks; with `field.structure` `text` one, the whole field.
    pub blocks: Vec<BlockDraft>,
    /// The limit.
    pub max: usize,
}

/// A block, described.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BlockDraft {
    /// What it says.
    pub text: Text,
    /// Whether it must survive.
    #[serde(default, skip_serializing_if = "is_default")]
    pub required: bool,
}

/// Messages and their limit, in the contract's `fit.unit`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FitCase {
    /// What ids and contents are made from.
    pub seed: u64,
    /// The messages.
    pub messages: Vec<Draft>,
    /// The limit.
    pub max: usize,
}

/// A view and the limit of the field, in the contract's `field.unit`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AssembleCase {
    /// The messages of the view.
    pub messages: Vec<PartDraft>,
    /// The limit.
    pub max: usize,
    /// The name of the path; empty where none is declared.
    #[serde(default, skip_serializing_if = "is_default")]
    pub path: String,
}

/// A message of a view, its content described.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PartDraft {
    /// Who speaks.
    pub role: Role,
    /// What it says.
    pub text: Text,
    /// It must survive.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pinned: bool,
    /// The model sees it, the person does not.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hidden: bool,
    /// The person sees it, the model does not.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ui_only: bool,
}

impl LimitCase {
    /// The case as one line of JSON, without the line break.
    #[must_use]
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a case from one line of JSON.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn from_line(line: &str) -> Result<Self, String> {
        let case: Self = serde_json::from_str(line).map_err(|error| format!("not a case: {error}"))?;
        case.check().map(|()| case)
    }

    /// Whether there can be such messages: keys are unique, and calls are answered in order, as in a history.
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    ///
    /// ```
    /// let twice = r#"{"fit":{"seed":1,"messages":[{"key":1,"role":"user"},{"key":1,"role":"user"}],"max":1}}"#;
    /// assert!(plimsoll::LimitCase::from_line(twice).unwrap_err().contains("key 1 is used twice"));
    /// ```
    pub fn check(&self) -> Result<(), String> {
        let messages = match self {
            Self::Fit(case) => &case.messages,
            Self::Gauge(GaugeCase::Measure(case)) => &case.messages,
            Self::Reduce(_) | Self::Assemble(_) | Self::Change(_) | Self::Gauge(GaugeCase::Configure(_)) => {
                return Ok(());
            }
        };
        if messages.is_empty() {
            return Ok(());
        }
        let list = Command::Append { conversation: Name(0), messages: messages.clone() };
        History::new(0, vec![list]).check().map_err(|error| error.replacen("command 1", "the messages", 1))
    }

    /// The capability whose part is asked.
    #[must_use]
    pub fn side(&self) -> Capability {
        match self {
            Self::Reduce(_) => Capability::Field,
            Self::Fit(_) => Capability::Fit,
            Self::Assemble(_) => Capability::Request,
            Self::Change(_) => Capability::Change,
            Self::Gauge(_) => Capability::Gauge,
        }
    }

    /// How large it is: the number that shrinking makes smaller. Texts count by the length of their description.
    #[must_use]
    pub fn weight(&self) -> usize {
        let text = |text: &Text| text.pieces.iter().map(|piece| piece.bytes().min(24)).sum::<usize>();
        match self {
            Self::Reduce(case) => case.blocks.iter().map(|block| 2 + text(&block.text)).sum(),
            Self::Fit(case) => case.messages.len() * 20,
            Self::Assemble(case) => case.messages.iter().map(|message| 2 + text(&message.text)).sum(),
            Self::Change(case) => case.acts.iter().map(act_weight).sum(),
            Self::Gauge(GaugeCase::Measure(case)) => case.messages.len() * 20,
            Self::Gauge(GaugeCase::Configure(_)) => 10,
        }
    }

    /// The bytes of text that it stands for.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Reduce(case) => case.blocks.iter().map(|block| block.text.bytes()).sum(),
            Self::Fit(case) => case.messages.len() * 120,
            Self::Assemble(case) => case.messages.iter().map(|message| message.text.bytes()).sum(),
            Self::Gauge(GaugeCase::Measure(case)) => case.messages.iter().map(draft_bytes).sum(),
            Self::Gauge(GaugeCase::Configure(_)) | Self::Change(_) => 0,
        }
    }
}

fn draft_bytes(draft: &Draft) -> usize {
    match draft.size {
        Size::Chars(chars) => chars,
        Size::Small | Size::Large => 120,
    }
}

fn act_weight(act: &ChangeAct) -> usize {
    match act {
        ChangeAct::Wait(_) => 2,
        ChangeAct::Event { times, .. } => 2 + *times as usize,
        ChangeAct::Attempt(attempt) => 2 + 2 * attempt.during.len(),
    }
}

impl ReduceCase {
    /// A case.
    #[must_use]
    pub fn new(blocks: Vec<BlockDraft>, max: usize) -> Self {
        Self { blocks, max }
    }

    /// The blocks that the candidate gets.
    #[must_use]
    pub fn build(&self) -> Vec<Block> {
        let block = |draft: &BlockDraft| Block { text: draft.text.build(), required: draft.required };
        self.blocks.iter().map(block).collect()
    }
}

impl BlockDraft {
    /// A block.
    #[must_use]
    pub fn new(text: Text, required: bool) -> Self {
        Self { text, required }
    }
}

impl FitCase {
    /// A case.
    #[must_use]
    pub fn new(seed: u64, messages: Vec<Draft>, max: usize) -> Self {
        Self { seed, messages, max }
    }

    /// The messages that the candidate gets.
    #[must_use]
    pub fn build(&self, contract: &Contract) -> Vec<Message> {
        let scribe = Scribe::new(self.seed, contract);
        self.messages.iter().map(|draft| scribe.message(draft)).collect()
    }
}

impl AssembleCase {
    /// A case.
    #[must_use]
    pub fn new(messages: Vec<PartDraft>, max: usize, path: impl Into<String>) -> Self {
        Self { messages, max, path: path.into() }
    }

    /// The messages of the view that the candidate gets, with the ids `m1`, `m2`, …
    #[must_use]
    pub fn build(&self) -> Vec<Message> {
        let message = |(at, draft): (usize, &PartDraft)| {
            let mut message = Message::new(format!("m{}", at + 1), draft.role, draft.text.build());
            message.pinned = draft.pinned;
            message.hidden = draft.hidden;
            message.ui_only = draft.ui_only;
            message
        };
        self.messages.iter().enumerate().map(message).collect()
    }
}
