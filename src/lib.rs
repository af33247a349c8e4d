#![doc = "plimsoll"]
#[cfg(feature = "adapter")]
pub mod adapter;
mod candidate;
#[cfg(feature = "cli")]
pub mod cli;
mod contract;
pub mod fuzz;
mod generate;
mod heart;
mod history;
mod history_check;
mod known;
#[doc(hidden)]
pub mod macros;
mod message;
mod model;
mod oracle;
mod play;
mod report;
mod requirement;
mod runner;
mod shrink;
mod suite;
mod trace;
mod unit;
mod verdict;
mod witness;
#[cfg(feature = "zoo")]
pub mod zoo;

pub use candidate::{Changes, Compactor, Conversation, Error, Host, Rejection, Restart, Summary};
pub use contract::*;
pub use generate::{Effort, Share};
pub use history::{Answer, Command, Draft, History, Name, Pressure, Scribe, Size, StepCommand, StepKind};
pub use known::{KnownFailure, KnownFailures};
pub use message::{Message, Role, from_json_lines, to_json_lines};
pub use model::Reference;
pub use report::TextReport;
pub use requirement::{Level, Requirement, requirement, requirements};
pub use runner::{Replay, Tick};
pub use suite::Suite;
pub use trace::*;
pub use unit::{Limit, Unit};
pub use verdict::{BrokenReport, CandidateInfo, PROTOCOL, Report, RequirementReport, SPEC_EDITION, ShareReport, Tally, Verdict};
pub use witness::Witness;
