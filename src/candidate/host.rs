//! The harness in the role of the agent around the candidate: clocks, pressure, and the summariser.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::history::{Pressure, StepKind};
use crate::message::Message;
use crate::script::Script;
use crate::trace::{Call, Input, RejectionKind, Reply, Stop};

/// A summary that the host's model gave.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The text; it can be empty.
    pub text: String,
    /// Why it ended.
    pub stop: Stop,
    /// External messages that came in meanwhile. The candidate has to receive them.
    pub arrived: Vec<Message>,
}

impl Summary {
    /// A text that ended as `stop` says. Nothing arrived meanwhile.
    #[must_use]
    pub fn new(text: impl Into<String>, stop: Stop) -> Self {
        Self { text: text.into(), stop, arrived: Vec::new() }
    }

    /// The text, if it can be used: it ended of itself and is not blank. A refusal and a text that was cut are none.
    ///
    /// ```
    /// use plimsoll::{Stop, Summary};
    /// assert_eq!(Summary::new("what was said", Stop::End).usable().as_deref(), Some("what was said"));
    /// assert_eq!(Summary::new("what was s", Stop::Length).usable(), None);
    /// assert_eq!(Summary::new(" ", Stop::End).usable(), None);
    /// ```
    #[must_use]
    pub fn usable(self) -> Option<String> {
        (self.stop == Stop::End && !self.text.trim().is_empty()).then_some(self.text)
    }
}

/// Why the host's model gave no summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejection {
    /// What kind of error it was.
    pub kind: RejectionKind,
}

impl Rejection {
    /// An error of this kind.
    #[must_use]
    pub fn new(kind: RejectionKind) -> Self {
        Self { kind }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the summariser failed: {}", self.kind.name())
    }
}

impl std::error::Error for Rejection {}

#[derive(Debug)]
struct Turn {
    kind: StepKind,
    pressure: Pressure,
    wall_s: f64,
    monotonic_s: f64,
    replies: Replies,
    arrived: Vec<Message>,
    calls: Vec<Call>,
    open: bool,
    caller: Option<Caller>,
}

/// What the summariser answers.
#[derive(Debug)]
enum Replies {
    Given(Vec<Reply>),
    Script(Script),
}

impl Replies {
    fn at(&self, call: usize) -> Option<Reply> {
        match self {
            Self::Given(replies) => replies.get(call).or(replies.last()).cloned(),
            Self::Script(script) => Some(script.reply(call)),
        }
    }
}

/// Asks a summariser that lives elsewhere.
type Ask = dyn FnMut(Input) -> Result<Summary, Rejection> + Send;

struct Caller(Box<Ask>);

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Caller")
    }
}

/// The most summariser calls of one step whose inputs are kept. Later ones are counted and refused.
const CALLS_KEPT: usize = 200;

/// The harness in the role of the agent around the candidate, for one step. It owns the clocks, the pressure, and the
/// summariser, and it counts the calls.
///
/// It can be cloned, sent to other threads, and kept behind an `Arc<dyn Model>` of the agent's own. After the step it
/// answers every call with an error.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Host {
    turn: Arc<Mutex<Turn>>,
}

impl Host {
    /// A host for one step: why it is made, the pressure, and both clocks in seconds. The summariser gives `replies` in
    /// order, the last again and again; `arrived` come in during its first call.
    #[must_use]
    pub fn new(
        kind: StepKind,
        pressure: Pressure,
        clocks: (f64, f64),
        replies: Vec<Reply>,
        arrived: Vec<Message>,
    ) -> Self {
        Self::replying(kind, pressure, clocks, Replies::Given(replies), arrived)
    }

    /// The same, with answers that are put into words as they are asked for.
    pub(crate) fn scripted(
        kind: StepKind,
        pressure: Pressure,
        clocks: (f64, f64),
        script: Script,
        arrived: Vec<Message>,
    ) -> Self {
        Self::replying(kind, pressure, clocks, Replies::Script(script), arrived)
    }

    fn replying(
        kind: StepKind,
        pressure: Pressure,
        clocks: (f64, f64),
        replies: Replies,
        arrived: Vec<Message>,
    ) -> Self {
        let (wall_s, monotonic_s) = clocks;
        let calls = Vec::new();
        let turn = Turn { kind, pressure, wall_s, monotonic_s, replies, arrived, calls, open: true, caller: None };
        Self { turn: Arc::new(Mutex::new(turn)) }
    }

    /// A host for one step, like [`Host::new`], whose summariser is `ask`: it is called once for each call of the
    /// candidate, while the step is open. The calls are recorded too; a summary counts as usable when it ended normally
    /// and says something.
    #[must_use]
    pub fn calling(kind: StepKind, pressure: Pressure, clocks: (f64, f64), ask: Box<Ask>) -> Self {
        let host = Self::new(kind, pressure, clocks, Vec::new(), Vec::new());
        host.with(|turn| turn.caller = Some(Caller(ask)));
        host
    }

    /// Why the candidate is called.
    #[must_use]
    pub fn kind(&self) -> StepKind {
        self.with(|turn| turn.kind)
    }

    /// The verdict on the size of the view. Where the contract's `pressure` is `own` there is none, and this says nothing.
    #[must_use]
    pub fn pressure(&self) -> Pressure {
        self.with(|turn| turn.pressure)
    }

    /// The wall clock, in seconds since an epoch. It can step back.
    #[must_use]
    pub fn wall(&self) -> f64 {
        self.with(|turn| turn.wall_s)
    }

    /// The monotonic clock, in seconds since the process started.
    #[must_use]
    pub fn monotonic(&self) -> f64 {
        self.with(|turn| turn.monotonic_s)
    }

    /// Sends `items` to the model for a summary: exactly what would be sent.
    ///
    /// Where `restart` is claimed, a history may end the process during the call. Then the call does not return: it unwinds
    /// the step, and [`Compactor::restart`](crate::Compactor::restart) is next. Nothing is printed.
    ///
    /// # Errors
    ///
    /// The provider's error, or an abort.
    pub fn summarize(&self, items: &[Message]) -> Result<Summary, Rejection> {
        or_unwind(self.ask(|| Input::Items(items.to_vec())))
    }

    /// Sends one flattened text to the model for a summary. Like [`Host::summarize`] it may not return.
    ///
    /// # Errors
    ///
    /// The provider's error, or an abort.
    pub fn summarize_text(&self, text: &str) -> Result<Summary, Rejection> {
        or_unwind(self.ask(|| Input::Text(text.to_owned())))
    }

    /// Ends the step: takes the calls that were made. The host answers no more.
    #[must_use]
    pub fn close(&self) -> Vec<Call> {
        self.with(|turn| {
            turn.open = false;
            turn.caller = None;
            std::mem::take(&mut turn.calls)
        })
    }

    /// What the summariser will answer, and what will arrive meanwhile.
    #[cfg(feature = "adapter")]
    pub(crate) fn script(&self) -> (Vec<Reply>, Vec<Message>) {
        self.with(|turn| {
            let replies = match &turn.replies {
                Replies::Given(replies) => replies.clone(),
                Replies::Script(script) => script.replies(),
            };
            (replies, turn.arrived.clone())
        })
    }

    /// The call; a process that ends during it is one more error.
    pub(crate) fn ask(&self, input: impl FnOnce() -> Input) -> Result<Summary, Rejection> {
        self.with(|turn| {
            let at = turn.calls.len();
            if let Some(caller) = turn.caller.as_mut() {
                let input = input();
                let kept = if at < CALLS_KEPT { input.clone() } else { Input::Text(String::new()) };
                let answer = (caller.0)(input);
                turn.calls.push(Call { input: kept, reply: recorded(&answer) });
                return answer;
            }
            let rejected = Reply::Rejection(RejectionKind::Rejected);
            let kept = at < CALLS_KEPT;
            let reply = if turn.open && kept { turn.replies.at(at) } else { None }.unwrap_or(rejected);
            let input = if kept { input() } else { Input::Text(String::new()) };
            turn.calls.push(Call { input, reply: reply.clone() });
            match reply {
                Reply::Rejection(kind) => Err(Rejection { kind }),
                Reply::Summary { text, stop, .. } => {
                    Ok(Summary { text, stop, arrived: std::mem::take(&mut turn.arrived) })
                }
            }
        })
    }

    fn with<T>(&self, f: impl FnOnce(&mut Turn) -> T) -> T {
        f(&mut self.turn.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a call unwinds with that the end of the process cuts off.
pub(crate) struct CutOff;

fn or_unwind(answer: Result<Summary, Rejection>) -> Result<Summary, Rejection> {
    match answer {
        Err(Rejection { kind: RejectionKind::CutOff }) => std::panic::resume_unwind(Box::new(CutOff)),
        answer => answer,
    }
}

fn recorded(answer: &Result<Summary, Rejection>) -> Reply {
    match answer {
        Err(rejection) => Reply::Rejection(rejection.kind),
        Ok(summary) => {
            let usable = summary.stop == Stop::End && !summary.text.trim().is_empty();
            Reply::Summary { text: summary.text.clone(), stop: summary.stop, usable }
        }
    }
}
