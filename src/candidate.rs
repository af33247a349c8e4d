//! The seam: what an implementation offers, and what the harness offers it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::candidate_change::ChangeGuard;
use crate::candidate_field::{Assembler, Reducer, Trimmer};
use crate::candidate_gauge::Gauge;
use crate::contract::Contract;
use crate::history::{Pressure, StepKind};
use crate::message::Message;
use crate::trace::{Action, BreakKind, Call, Input, RejectionKind, Reply, Stop};

/// An implementation of throttle, latch and view.
///
/// Two methods are enough for a first verdict. The provided ones suit a candidate that keeps its messages in the
/// [`Conversation`] it is handed; one that owns its log overrides them. A method for a capability that is not claimed is
/// never called. One that also reduces fields, trims messages or assembles requests hands these out in
/// [`reducer`](Compactor::reducer), [`trimmer`](Compactor::trimmer) and [`assembler`](Compactor::assembler); what does
/// nothing else is made of [`Parts`](crate::Parts).
///
/// ```
/// use plimsoll::{Action, Capability, Compactor, Contract, Conversation, Error, Host};
///
/// struct Never;
///
/// impl Compactor for Never {
///     fn contract(&self) -> Contract {
///         Contract::claiming(&[Capability::View])
///     }
///     fn step(&mut self, _: &mut Conversation, _: &Host) -> Result<Action, Error> {
///         Ok(Action::None)
///     }
/// }
/// ```
pub trait Compactor {
    /// What it declares about itself. The same at every call.
    fn contract(&self) -> Contract;

    /// The host calls the candidate once. It may append own messages, install a view, and call the summariser.
    ///
    /// # Errors
    ///
    /// Whatever the candidate's own host would have to handle.
    fn step(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error>;

    /// Its name in reports.
    fn name(&self) -> String {
        let path = std::any::type_name::<Self>();
        path.rsplit("::").next().unwrap_or(path).to_owned()
    }

    /// Its version in reports.
    fn version(&self) -> String {
        "0".to_owned()
    }

    /// External messages arrive between steps. Provided: they are received into the conversation.
    ///
    /// # Errors
    ///
    /// If the candidate cannot take them.
    fn append(&mut self, conversation: &mut Conversation, messages: Vec<Message>) -> Result<(), Error> {
        conversation.receive(messages);
        Ok(())
    }

    /// A person undoes or redoes: the view becomes the log up to and including the message `to`. Provided: the
    /// conversation does it.
    ///
    /// # Errors
    ///
    /// If the candidate cannot rewind.
    fn rewind(&mut self, conversation: &mut Conversation, to: &str) -> Result<(), Error> {
        conversation.rewind(to);
        Ok(())
    }

    /// The process ends and starts again: save, drop all state in memory, load.
    ///
    /// # Errors
    ///
    /// If the candidate cannot be restarted; the default.
    fn restart(&mut self, conversations: &mut [Conversation], restart: &Restart) -> Result<(), Error> {
        let _ = (conversations, restart);
        Err(Error::unsupported("restart"))
    }

    /// Automatic compaction is switched on or off.
    ///
    /// # Errors
    ///
    /// If the candidate has no such switch; the default.
    fn auto(&mut self, on: bool) -> Result<(), Error> {
        let _ = on;
        Err(Error::unsupported("auto"))
    }

    /// The provider has reported the size of the request up to the message `upto`.
    ///
    /// # Errors
    ///
    /// If the candidate takes no usage; the default.
    fn usage(&mut self, conversation: &mut Conversation, tokens: u64, upto: &str) -> Result<(), Error> {
        let _ = (conversation, tokens, upto);
        Err(Error::unsupported("usage"))
    }

    /// Brings `conversation` up to date with what the candidate holds: view and stored log. Provided: nothing, for
    /// candidates that keep their messages there.
    ///
    /// # Errors
    ///
    /// If the state cannot be read.
    fn read(&mut self, conversation: &mut Conversation) -> Result<(), Error> {
        let _ = conversation;
        Ok(())
    }

    /// What reduces a field, for a candidate that claims `field`. Provided: none.
    fn reducer(&mut self) -> Option<&dyn Reducer> {
        None
    }

    /// What trims messages, for a candidate that claims `fit`. Provided: none.
    fn trimmer(&mut self) -> Option<&dyn Trimmer> {
        None
    }

    /// What assembles the request, for a candidate that claims `request`. Provided: none.
    fn assembler(&mut self) -> Option<&dyn Assembler> {
        None
    }

    /// What measures, for a candidate that claims `gauge`. Provided: none.
    fn gauge(&mut self) -> Option<&mut dyn Gauge> {
        None
    }

    /// What guards other operations by change, for a candidate that claims `change`. Provided: none.
    fn guard(&mut self) -> Option<&mut dyn ChangeGuard> {
        None
    }
}

impl<C: Compactor + ?Sized> Compactor for Box<C> {
    fn contract(&self) -> Contract {
        (**self).contract()
    }
    fn step(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
        (**self).step(conversation, host)
    }
    fn name(&self) -> String {
        (**self).name()
    }
    fn version(&self) -> String {
        (**self).version()
    }
    fn append(&mut self, conversation: &mut Conversation, messages: Vec<Message>) -> Result<(), Error> {
        (**self).append(conversation, messages)
    }
    fn rewind(&mut self, conversation: &mut Conversation, to: &str) -> Result<(), Error> {
        (**self).rewind(conversation, to)
    }
    fn restart(&mut self, conversations: &mut [Conversation], restart: &Restart) -> Result<(), Error> {
        (**self).restart(conversations, restart)
    }
    fn auto(&mut self, on: bool) -> Result<(), Error> {
        (**self).auto(on)
    }
    fn usage(&mut self, conversation: &mut Conversation, tokens: u64, upto: &str) -> Result<(), Error> {
        (**self).usage(conversation, tokens, upto)
    }
    fn read(&mut self, conversation: &mut Conversation) -> Result<(), Error> {
        (**self).read(conversation)
    }
    fn reducer(&mut self) -> Option<&dyn Reducer> {
        (**self).reducer()
    }
    fn trimmer(&mut self) -> Option<&dyn Trimmer> {
        (**self).trimmer()
    }
    fn assembler(&mut self) -> Option<&dyn Assembler> {
        (**self).assembler()
    }
    fn gauge(&mut self) -> Option<&mut dyn Gauge> {
        (**self).gauge()
    }
    fn guard(&mut self) -> Option<&mut dyn ChangeGuard> {
        (**self).guard()
    }
}

/// The circumstances of a restart.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Restart {
    /// The wall clock, in seconds.
    pub wall_s: f64,
    /// The monotonic clock, which has begun anew, in seconds.
    pub monotonic_s: f64,
    /// Members that the stored log lacks, as an older version wrote it.
    pub without: Vec<String>,
}

impl Restart {
    /// A restart at these clocks.
    #[must_use]
    pub fn new(wall_s: f64, monotonic_s: f64, without: Vec<String>) -> Self {
        Self { wall_s, monotonic_s, without }
    }
}

/// What changed in a conversation since the harness last looked.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Changes {
    /// Own messages that were appended.
    pub appended: Vec<Message>,
    /// External messages that the candidate's own host added.
    pub extra: Vec<Message>,
    /// Whether another view was installed than the old one and what was appended.
    pub installed: bool,
}

/// A conversation: the log, and the view that the next request is built from.
///
/// The log is append-only. The view is the log until a compaction installs another one.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Conversation {
    id: String,
    log: Vec<Message>,
    view: Vec<Message>,
    /// Positions in `log` that stand after the last rewind.
    path: Vec<usize>,
    /// Positions that it undid and that a redo can bring back.
    ahead: Vec<usize>,
    own: usize,
    changes: Changes,
}

impl Conversation {
    /// An empty conversation.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Everything ever said, in order.
    #[must_use]
    pub fn log(&self) -> &[Message] {
        &self.log
    }

    /// What the next request is built from, messages for the person included.
    #[must_use]
    pub fn view(&self) -> &[Message] {
        &self.view
    }

    /// Appends an own message to log and view. Without an id it gets the next free one: `own1`, `own2`, …
    pub fn append(&mut self, message: Message) {
        let message = self.named(message);
        self.changes.appended.push(message.clone());
        self.push(message);
    }

    /// Installs `view`. Items without an id are own ones and get the next free id.
    pub fn install(&mut self, view: Vec<Message>) {
        self.view = view.into_iter().map(|message| self.named(message)).collect();
        self.changes.installed = true;
    }

    /// Puts the last `count` messages of log and view into the order `last`: the same messages, whose order was not known
    /// when they were noted.
    #[cfg(feature = "adapter")]
    pub(crate) fn reorder_last(&mut self, count: usize, last: &[Message]) {
        for messages in [&mut self.log, &mut self.view] {
            messages.truncate(messages.len().saturating_sub(count));
            messages.extend_from_slice(last);
        }
    }

    /// Appends external messages to log and view.
    pub fn receive(&mut self, messages: Vec<Message>) {
        for message in messages {
            self.push(message);
        }
    }

    /// Appends a message that the candidate's own host added: external, and unknown to the harness.
    pub fn receive_extra(&mut self, message: Message) {
        self.changes.extra.push(message.clone());
        self.push(message);
    }

    /// The view becomes the log up to and including `to`. What was undone before `to` was appended stays out. An unknown
    /// `to` changes nothing.
    pub fn rewind(&mut self, to: &str) {
        let is = |at: &usize| self.log[*at].id == to;
        if let Some(at) = self.path.iter().position(is) {
            let mut undone = self.path.split_off(at + 1);
            undone.append(&mut self.ahead);
            self.ahead = undone;
        } else if let Some(at) = self.ahead.iter().position(is) {
            self.path.extend(self.ahead.drain(..=at));
        } else {
            return;
        }
        self.view = self.path.iter().map(|at| self.log[*at].clone()).collect();
        self.changes.installed = true;
    }

    /// Replaces log and view by what a candidate has loaded from its own store.
    pub fn load(&mut self, log: Vec<Message>, view: Vec<Message>) {
        if log.len() != self.log.len() {
            self.path = (0..log.len()).collect();
            self.ahead.clear();
        }
        self.log = log;
        self.view = view;
        self.changes.installed = true;
    }

    /// Takes what changed since the last call.
    #[must_use]
    pub fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes)
    }

    fn named(&mut self, mut message: Message) -> Message {
        if message.id.is_empty() {
            self.own += 1;
            message.id = format!("own{}", self.own);
        }
        message
    }

    fn push(&mut self, message: Message) {
        self.ahead.clear();
        self.path.push(self.log.len());
        self.view.push(message.clone());
        self.log.push(message);
    }
}

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
    replies: Vec<Reply>,
    arrived: Vec<Message>,
    calls: Vec<Call>,
    open: bool,
    caller: Option<Caller>,
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

    /// The verdict on the size of the view.
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
    /// the step, and [`Compactor::restart`] is next. Nothing is printed.
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
            let reply = turn.replies.get(at).or(turn.replies.last()).cloned();
            let rejected = Reply::Rejection(RejectionKind::Rejected);
            let kept = at < CALLS_KEPT;
            let reply = reply.filter(|_| turn.open && kept).unwrap_or(rejected);
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

/// Why a candidate could not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ErrorKind {
    Raised,
    Broken(BreakKind),
}

impl Error {
    /// An error that the step raised: the run goes on, and the requirements judge it.
    #[must_use]
    pub fn raised(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Raised, message: message.into() }
    }

    /// The candidate has no `method`.
    #[must_use]
    pub fn unsupported(method: &str) -> Self {
        Self::broken(BreakKind::Unsupported, format!("the candidate claims `{method}` and has no method for it"))
    }

    /// The candidate cannot go on with this history.
    #[must_use]
    pub fn broken(kind: BreakKind, message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Broken(kind), message: message.into() }
    }

    /// How the candidate broke off, or none if it merely raised.
    #[must_use]
    pub fn break_kind(&self) -> Option<BreakKind> {
        match self.kind {
            ErrorKind::Raised => None,
            ErrorKind::Broken(kind) => Some(kind),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Self {
        Self::raised(rejection.to_string())
    }
}
