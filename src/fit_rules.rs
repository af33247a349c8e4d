//! How messages are counted against a limit, and which of them must stay.

use crate::contract::{FitRules, FitUnit};
use crate::message::{Message, Role};
use crate::unit::Unit;

impl FitUnit {
    /// The unit of text behind it: code points for messages and tokens.
    #[must_use]
    pub fn unit(self) -> Unit {
        match self {
            Self::Utf8Bytes => Unit::Utf8Bytes,
            Self::Utf16Units => Unit::Utf16Units,
            Self::CodePoints | Self::Messages | Self::Tokens => Unit::CodePoints,
        }
    }
}

impl FitRules {
    /// The size of the visible ones among `messages`: content and reasoning, and `per_message` each. In tokens each
    /// text is rounded up.
    ///
    /// ```
    /// use plimsoll::{FitRules, FitUnit, Message, Role};
    /// let messages = [Message::new("m1", Role::User, "hello"), Message::new("m2", Role::System, "status").ui_only()];
    /// let mut rules = FitRules::default();
    /// assert_eq!(rules.size(&messages), 1);
    /// rules.unit = FitUnit::Tokens;
    /// assert_eq!(rules.size(&messages), 2);
    /// ```
    #[must_use]
    pub fn size<'a>(&self, messages: impl IntoIterator<Item = &'a Message>) -> usize {
        self.size_rounded(messages, usize::div_ceil)
    }

    /// The least size that a fair count can come to: in tokens each text is rounded down.
    pub(crate) fn least_size<'a>(&self, messages: impl IntoIterator<Item = &'a Message>) -> usize {
        self.size_rounded(messages, |chars, four| chars / four)
    }

    fn size_rounded<'a>(
        &self,
        messages: impl IntoIterator<Item = &'a Message>,
        divide: impl Fn(usize, usize) -> usize,
    ) -> usize {
        let text = |text: &str| match self.unit {
            FitUnit::Messages => 0,
            FitUnit::Tokens if self.counter == "words" => text.split_whitespace().count(),
            FitUnit::Tokens => divide(Unit::CodePoints.len(text), 4),
            unit => unit.unit().len(text),
        };
        let each = if self.unit == FitUnit::Messages { 1 } else { self.per_message };
        let visible = messages.into_iter().filter(|message| message.is_visible());
        visible.map(|m| each + text(&m.content) + m.reasoning.as_deref().map_or(0, text)).sum()
    }
}

/// Whether a turn runs: the last visible message is not an assistant message without calls.
pub(crate) fn turn_runs(messages: &[Message]) -> bool {
    let last = messages.iter().rev().find(|message| message.is_visible());
    last.is_some_and(|last| last.role != Role::Assistant || !last.calls.is_empty())
}

/// Which messages are leading system messages.
pub(crate) fn leading(messages: &[Message]) -> Vec<bool> {
    let mut leads = true;
    let lead = |message: &Message| {
        leads &= !message.is_visible() || message.role == Role::System;
        leads && message.is_visible()
    };
    messages.iter().map(lead).collect()
}

/// Where the latest visible user message stands.
pub(crate) fn latest_user(messages: &[Message]) -> Option<usize> {
    messages.iter().rposition(|message| message.is_visible() && message.role == Role::User)
}

/// Which messages must stay, each by itself: leading system messages, pinned ones, and while a turn runs the latest user
/// message.
pub(crate) fn must_stay(messages: &[Message]) -> Vec<bool> {
    let mut must = leading(messages);
    for (must, message) in must.iter_mut().zip(messages) {
        *must |= message.pinned && message.is_visible();
    }
    if let Some(at) = latest_user(messages).filter(|_| turn_runs(messages)) {
        must[at] = true;
    }
    must
}

/// The number of the group of each message: a call message and its results are one.
pub(crate) fn groups(messages: &[Message]) -> Vec<usize> {
    let mut caller = std::collections::HashMap::new();
    let mut groups = Vec::with_capacity(messages.len());
    for (at, message) in messages.iter().enumerate() {
        let group = message.call_id.as_ref().and_then(|call| caller.get(call)).copied().unwrap_or(at);
        caller.extend(message.calls.iter().map(|call| (call.clone(), at)));
        groups.push(group);
    }
    groups
}
