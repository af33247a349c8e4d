//! Traces: what was observed while a history was played, as plain data.

use serde::{Deserialize, Serialize};

use crate::contract::{FailureKind, words};
use crate::history::{History, Name};
use crate::message::Message;

words! {
    /// The strongest thing that a step did.
    Action {
        /// Nothing.
        None => "none",
        /// It shortened by rule.
        Trim => "trim",
        /// It installed a view with a summary.
        Summarize => "summarize",
        /// The candidate does not say.
        Unreported => "unreported",
    }
}

words! {
    /// Why a summary ended.
    Stop {
        /// Normally.
        End => "end",
        /// At the output cap.
        Length => "length",
        /// In a refusal.
        Refusal => "refusal",
    }
}

words! {
    /// Why a summariser call gave no summary.
    RejectionKind {
        /// The provider refused the request.
        Rejected => "rejected",
        /// The input is too long.
        Overflow => "overflow",
        /// No answer in time.
        Timeout => "timeout",
        /// No connection.
        Transport => "transport",
        /// The person interrupted.
        Aborted => "aborted",
        /// None came: the process ended during the call.
        CutOff => "cut_off",
    }
}

/// What a summariser call gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reply {
    /// A text, and why it ended.
    Summary {
        /// The text; it can be empty.
        text: String,
        /// Why it ended.
        stop: Stop,
        /// Whether it was made to be usable: it ended normally and says something.
        usable: bool,
    },
    /// An error.
    Rejection(RejectionKind),
}

impl Reply {
    /// The kind of failure that this answer is, if it is one by itself. An abort is not a failure.
    #[must_use]
    pub fn failure(&self) -> Option<FailureKind> {
        match self {
            Self::Rejection(RejectionKind::Rejected) => Some(FailureKind::Rejected),
            Self::Rejection(RejectionKind::Overflow) => Some(FailureKind::Overflow),
            Self::Rejection(RejectionKind::Timeout) => Some(FailureKind::Timeout),
            Self::Rejection(RejectionKind::Transport) => Some(FailureKind::Transport),
            Self::Rejection(RejectionKind::Aborted) => None,
            Self::Rejection(RejectionKind::CutOff) => Some(FailureKind::Raised),
            Self::Summary { stop: Stop::Length, .. } => Some(FailureKind::Length),
            Self::Summary { stop: Stop::Refusal, .. } => Some(FailureKind::Refusal),
            Self::Summary { text, .. } if text.is_empty() => Some(FailureKind::Empty),
            Self::Summary { text, .. } if text.trim().is_empty() => Some(FailureKind::Blank),
            Self::Summary { .. } => None,
        }
    }

    /// Whether the person interrupted.
    #[must_use]
    pub fn is_abort(&self) -> bool {
        matches!(self, Self::Rejection(RejectionKind::Aborted))
    }

    /// Whether it is a summary that can be used as it stands.
    pub(crate) fn is_usable(&self) -> bool {
        matches!(self, Self::Summary { usable: true, .. })
    }
}

/// What went into a summariser call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Input {
    /// The messages that would be sent.
    Items(Vec<Message>),
    /// The same, flattened to one text.
    Text(String),
}

/// One summariser call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Call {
    /// What went in.
    pub input: Input,
    /// What came out.
    pub reply: Reply,
}

/// What one command led to.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// Seconds since the history began, restarts or not.
    pub elapsed_s: f64,
    /// The wall clock.
    pub wall_s: f64,
    /// The monotonic clock, which begins anew at a restart.
    pub monotonic_s: f64,
    /// What the step reports; none for other commands and for a step that raised.
    pub action: Option<Action>,
    /// The error that the step raised.
    pub raised: Option<String>,
    /// Summariser calls, in order.
    pub calls: Vec<Call>,
    /// Own messages that now stand in the log.
    pub appended: Vec<Message>,
    /// External messages that the candidate's own host added.
    pub extra: Vec<Message>,
    /// The states that were read: the view where it is not merely the old one and what was appended.
    pub states: Vec<State>,
}

impl Event {
    /// Whether the process ended during a summariser call.
    #[must_use]
    pub fn cut_off(&self) -> bool {
        self.calls.iter().any(|call| matches!(call.reply, Reply::Rejection(RejectionKind::CutOff)))
    }

    /// Whether messages that arrive during a summariser call have reached the candidate: they come with a text.
    #[must_use]
    pub fn delivered(&self) -> bool {
        self.calls.iter().any(|call| matches!(call.reply, Reply::Summary { .. }))
    }
}

/// A conversation's state as the candidate shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct State {
    /// Which conversation.
    pub conversation: Name,
    /// The view, in full.
    pub view: Vec<Message>,
    /// The log, where it was shown.
    pub log: Option<Vec<Message>>,
}

words! {
    /// How a candidate broke off.
    BreakKind {
        /// It panicked, exited, or closed its pipe.
        Crash => "crash",
        /// It did not answer in time.
        Timeout => "timeout",
        /// Its answer does not follow the protocol.
        Protocol => "protocol_error",
        /// It does not support what it claims.
        Unsupported => "unsupported",
        /// The harness is at fault.
        Harness => "harness_error",
    }
}

/// Where and how the candidate broke off.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Broken {
    /// The command, counted from 0.
    pub command: usize,
    /// How.
    pub kind: BreakKind,
    /// What is known about it.
    pub message: String,
}

/// A history and what was observed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trace {
    /// What the host did.
    pub history: History,
    /// The external messages, in the order of [`History::drafts`].
    pub externals: Vec<(Name, u32, Message)>,
    /// One for each command that was played.
    pub events: Vec<Event>,
    /// The states at the end, where every command was played.
    pub finals: Vec<State>,
    /// Where it broke off, if it did.
    pub broken: Option<Broken>,
}

impl Trace {
    /// The number of summariser calls.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.events.iter().map(|event| event.calls.len()).sum()
    }
}
