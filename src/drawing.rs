//! A played history as reports show it: what happened, a row an event. How it is laid out is their affair.

/// A played history, a row an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Drawing {
    pub(crate) rows: Vec<Row>,
    /// Where the candidate broke off, and how.
    pub(crate) broken: Option<String>,
    /// What is visible in the first conversation after its last step.
    pub(crate) visible: Option<i64>,
    pub(crate) cost: Cost,
}

/// What the summariser calls of a history cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) calls: usize,
    pub(crate) chars: usize,
    /// Of these, what the contract forbids.
    pub(crate) forbidden_calls: usize,
    pub(crate) forbidden_chars: usize,
}

/// One event.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Row {
    pub(crate) time: String,
    /// Its name and a colon, where there are several.
    pub(crate) conversation: String,
    pub(crate) body: Body,
    /// What is visible in its conversation afterwards; none where the row is a part of the one above.
    pub(crate) visible: Option<i64>,
    pub(crate) state: StepState,
}

/// What two rows must share to be repeats, but for the numbers of their messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) mark: bool,
    pub(crate) command: String,
    /// The command without the numbers of its messages, where it has some.
    pub(crate) unnumbered: Option<String>,
    /// By how much what is visible has changed.
    pub(crate) change: Option<i64>,
    pub(crate) calls: usize,
    pub(crate) did: String,
    pub(crate) rule: String,
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        fn shared(body: &Body) -> (bool, Option<i64>, usize, [&str; 3]) {
            let command = body.unnumbered.as_ref().unwrap_or(&body.command);
            (body.mark, body.change, body.calls, [command, &body.did, &body.rule])
        }
        shared(self) == shared(other)
    }
}

/// What the gates of a step were before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StepState {
    pub(crate) step: bool,
    pub(crate) cooling: bool,
    pub(crate) latched: bool,
    /// An attempt was made: whether it succeeded.
    pub(crate) attempt: Option<bool>,
}
