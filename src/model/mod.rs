//! The reference implementation: what the contract asks for, as plainly as it can be said.
//!
//! [`behaviour`] holds the decisions, one short method each; [`compactor`] the order in which a step takes them;
//! [`latch`] and [`throttle`] the two pieces of state. A known-bad candidate is the same machine with one decision
//! changed.

mod alternate;
mod behaviour;
mod change;
mod compactor;
mod field;
mod fit;
mod gauge;
mod latch;
mod own;
mod request;
mod select;
mod throttle;

#[cfg(any(test, feature = "zoo"))]
pub(crate) use behaviour::Behaviour;
#[cfg(feature = "zoo")]
pub(crate) use behaviour::{Gates, Outcome, Sound};
pub use change::ReferenceGuard;
pub(crate) use compactor::Machine;
#[cfg(feature = "zoo")]
pub(crate) use compactor::Memory;
pub use field::ReferenceReducer;
pub use fit::ReferenceTrimmer;
pub use gauge::ReferenceGauge;
#[cfg(feature = "zoo")]
pub(crate) use latch::LatchState;
pub use request::ReferenceAssembler;
#[cfg(feature = "zoo")]
pub(crate) use select::{close_groups, eligible, leading, marks, open_call, size, standing, trimmable};
#[cfg(feature = "zoo")]
pub(crate) use throttle::{Point, ThrottleState};

#[cfg(not(feature = "zoo"))]
use behaviour::Sound;

use crate::candidate::{
    Assembler, ChangeGuard, Compactor, Conversation, Error, Gauge, Host, Reducer, Restart, Trimmer,
};
use crate::contract::Contract;
use crate::message::Message;
use crate::trace::Action;

/// The reference compactor, with the reference reducer, trimmer, assembler, gauge and guard: conforms to every requirement under any
/// contract that it is given.
///
/// ```
/// use plimsoll::{Compactor, Reference};
/// assert_eq!(Reference::default().name(), "reference");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Reference {
    machine: Machine,
}

impl Reference {
    /// The reference under `contract`.
    #[must_use]
    pub fn new(contract: Contract) -> Self {
        Self { machine: Machine::new("reference", contract, Sound) }
    }
}

impl Default for Reference {
    fn default() -> Self {
        Self::new(Contract::default())
    }
}

impl Compactor for Reference {
    fn contract(&self) -> Contract {
        self.machine.contract()
    }
    fn step(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
        self.machine.step(conversation, host)
    }
    fn name(&self) -> String {
        self.machine.name()
    }
    fn version(&self) -> String {
        self.machine.version()
    }
    fn restart(&mut self, conversations: &mut [Conversation], restart: &Restart) -> Result<(), Error> {
        self.machine.restart(conversations, restart)
    }
    fn append(&mut self, conversation: &mut Conversation, messages: Vec<Message>) -> Result<(), Error> {
        self.machine.append(conversation, messages)
    }
    fn auto(&mut self, on: bool) -> Result<(), Error> {
        self.machine.auto(on)
    }
    fn usage(&mut self, conversation: &mut Conversation, tokens: u64, upto: &str) -> Result<(), Error> {
        self.machine.usage(conversation, tokens, upto)
    }
    fn reducer(&mut self) -> Option<&dyn Reducer> {
        self.machine.reducer()
    }
    fn trimmer(&mut self) -> Option<&dyn Trimmer> {
        self.machine.trimmer()
    }
    fn assembler(&mut self) -> Option<&dyn Assembler> {
        self.machine.assembler()
    }
    fn gauge(&mut self) -> Option<&mut dyn Gauge> {
        self.machine.gauge()
    }
    fn guard(&mut self) -> Option<&mut dyn ChangeGuard> {
        self.machine.guard()
    }
}
