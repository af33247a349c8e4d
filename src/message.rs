//! Messages, and their storage as JSON lines.

use serde::{Deserialize, Serialize};

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the four roles of the wire format, which is final")]
pub enum Role {
    /// Instructions and host notices.
    System,
    /// The person.
    #[default]
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

impl Role {
    /// The role's name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_false(value: &bool) -> bool {
    !value
}

/// One message of a conversation, or one item of a view.
///
/// `ui_only` and `hidden` are not opposites: a `ui_only` message is shown to the person and never sent to the model; a
/// `hidden` one is sent to the model and never shown.
///
/// ```
/// use plimsoll::{Message, Role};
/// let status = Message::new("own1", Role::System, "compacting …").ui_only();
/// assert!(!status.is_visible());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// Unique within a conversation. Ids of own messages start with `own`.
    #[serde(default)]
    pub id: String,
    /// Who speaks.
    #[serde(default)]
    pub role: Role,
    /// What the message says.
    #[serde(default)]
    pub content: String,
    /// The person sees it, the model never does.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ui_only: bool,
    /// The model sees it, the person does not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hidden: bool,
    /// It must survive every compaction.
    #[serde(default, skip_serializing_if = "is_false")]
    pub pinned: bool,
    /// On a tool message: the call that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// On an assistant message: the ids of the calls that it makes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// On an assistant message: its reasoning block, which counts for the size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// On a tool message: a result that a final one will follow; its call stays open.
    #[serde(default, skip_serializing_if = "is_false")]
    pub interim: bool,
    /// In a view: the content was shortened.
    #[serde(default, skip_serializing_if = "is_false")]
    pub trimmed: bool,
    /// In a view: this is a summary.
    #[serde(default, skip_serializing_if = "is_false")]
    pub summary: bool,
}

impl Message {
    /// A message with no flags.
    #[must_use]
    pub fn new(id: impl Into<String>, role: Role, content: impl Into<String>) -> Self {
        Self { id: id.into(), role, content: content.into(), ..Self::default() }
    }

    /// The same message, for the person only.
    #[must_use]
    pub fn ui_only(mut self) -> Self {
        self.ui_only = true;
        self
    }

    /// The same message, marked as a summary.
    #[must_use]
    pub fn summary(mut self) -> Self {
        self.summary = true;
        self
    }

    /// Whether the model sees it.
    #[must_use]
    pub fn is_visible(&self) -> bool {
        !self.ui_only
    }

    /// Whether a candidate wrote it: its id starts with `own`.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.id.starts_with("own")
    }
}

/// Writes messages as JSON lines, one a line, in order.
///
/// ```
/// use plimsoll::{Message, Role, from_json_lines, to_json_lines};
/// let log = vec![Message::new("m1", Role::User, "hello\nthere")];
/// assert_eq!(from_json_lines(&to_json_lines(&log)).unwrap(), log);
/// ```
#[must_use]
pub fn to_json_lines(messages: &[Message]) -> String {
    let mut bytes = Vec::new();
    for message in messages {
        // Neither a buffer nor a message can fail to be written.
        let _ = serde_json::to_writer(&mut bytes, message);
        bytes.push(b'\n');
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// Reads messages from JSON lines. Absent members have their defaults, so that a log from before `ui_only` existed
/// loads with it false. Empty lines are skipped.
///
/// # Errors
///
/// The number of the first line that is not a message, and why.
pub fn from_json_lines(text: &str) -> Result<Vec<Message>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| serde_json::from_str(line).map_err(|e| format!("line {}: {e}", at + 1))).collect()
}
