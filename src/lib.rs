#![doc = "plimsoll"]
#[cfg(feature = "adapter")]
pub mod adapter;
mod candidate;
mod contract;
mod history;
mod history_check;
mod message;
mod trace;
mod unit;

pub use candidate::{Changes, Compactor, Conversation, Error, Host, Rejection, Restart, Summary};
pub use contract::*;
pub use history::{Answer, Command, Draft, History, Name, Pressure, Scribe, Size, StepCommand, StepKind};
pub use message::{Message, Role, from_json_lines, to_json_lines};
pub use trace::*;
pub use unit::{Limit, Unit};
