//! What goes into a reduction and an assembled request, and what comes out.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::message::{Message, Role};

/// A part of a field. It comes from one message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Block {
    /// What it says; it can be empty.
    pub text: String,
    /// Whether it must survive verbatim.
    #[serde(default)]
    pub required: bool,
}

impl Block {
    /// A block that must survive.
    #[must_use]
    pub fn required(text: impl Into<String>) -> Self {
        Self { text: text.into(), required: true }
    }

    /// A block that may be cut or left out.
    #[must_use]
    pub fn removable(text: impl Into<String>) -> Self {
        Self { text: text.into(), required: false }
    }
}

/// A field after reduction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reduced {
    /// The field. Where a candidate outside Rust has cut a character in two, its halves stand here as U+FFFD.
    pub text: String,
    /// Said exactly when something was cut.
    #[serde(default)]
    pub notice: Option<Cut>,
}

impl Reduced {
    /// A field that fitted.
    #[must_use]
    pub fn whole(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A field that was cut from `before` to `after`, both in the unit of the limit.
    #[must_use]
    pub fn cut(text: impl Into<String>, before: usize, after: usize) -> Self {
        Self { notice: Some(Cut::new(before, after)), ..Self::whole(text) }
    }
}

/// The notice that a field was cut: its sizes in the unit of the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cut {
    /// The length of the joined field.
    pub before: usize,
    /// The length of what is left of it, markers included.
    pub after: usize,
}

impl Cut {
    /// A notice with these sizes.
    #[must_use]
    pub fn new(before: usize, after: usize) -> Self {
        Self { before, after }
    }
}

/// A request, as far as it is judged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Request {
    /// The field that the limit is about; none if there is none.
    pub instructions: Option<String>,
    /// The ids of all messages that reach the model in any field. Those that the reduction dropped whole are left out.
    pub sent: Vec<String>,
    /// Said exactly when something was cut.
    #[serde(default)]
    pub notice: Option<Cut>,
}

impl Request {
    /// A request in which nothing was cut.
    #[must_use]
    pub fn new(instructions: Option<String>, sent: Vec<String>) -> Self {
        Self { instructions, sent, ..Self::default() }
    }

    /// The same request, with the notice of a cut.
    #[must_use]
    pub fn with_notice(mut self, notice: Option<Cut>) -> Self {
        self.notice = notice;
        self
    }
}

/// The answer that what must stay cannot fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Infeasible;

impl Infeasible {
    /// The answer.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl fmt::Display for Infeasible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what must stay does not fit the limit")
    }
}

impl std::error::Error for Infeasible {}

/// Whether the field is made from this message.
pub(crate) fn in_field(message: &Message) -> bool {
    message.is_visible() && message.role == Role::System
}

/// The blocks of the field: the visible system messages in order, pinned ones required.
pub(crate) fn blocks_of(view: &[Message]) -> Vec<Block> {
    let block = |message: &Message| Block { text: message.content.clone(), required: message.pinned };
    view.iter().filter(|message| in_field(message)).map(block).collect()
}
