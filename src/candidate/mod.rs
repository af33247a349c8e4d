//! The seam: what an implementation offers, and what the harness offers it.

mod change;
mod conversation;
mod field;
mod gauge;
mod host;

use std::fmt;

pub use change::ChangeGuard;
pub use conversation::{Changes, Conversation};
pub use field::{Assembler, LimitCandidate, Offer, Reducer, TextReducer, Trimmer, text_reducer};
pub use gauge::Gauge;
pub(crate) use host::CutOff;
pub use host::{Host, Rejection, Summary};

use crate::contract::Contract;
use crate::message::Message;
use crate::trace::{Action, BreakKind};

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

    /// For candidates that are far away: whether it wants to be told a history as a whole before that is played. If so, it is
    /// called as the history goes, and only notes what it will be asked, until [`perform`](Compactor::perform); then the
    /// history is played. Provided: no.
    fn rehearse(&mut self) -> bool {
        false
    }

    /// The rehearsal is over. Provided: nothing.
    ///
    /// # Errors
    ///
    /// If the history as a whole cannot be taken: it is played again, without a rehearsal.
    fn perform(&mut self) -> Result<(), Error> {
        Ok(())
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
    fn rehearse(&mut self) -> bool {
        (**self).rehearse()
    }
    fn perform(&mut self) -> Result<(), Error> {
        (**self).perform()
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
