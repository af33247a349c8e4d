//! A conformance test suite for context compaction in LLM agents.
//!
//! An agent that talks for long has to shorten what it sends to the model: by rule, or by paying a model for a summary. This
//! crate tests the code that decides when, and what survives. It generates histories, plays them against your
//! implementation, holds what it observes against requirements with permanent ids, and shrinks what breaks one.
//!
//! ```
//! use plimsoll::{Effort, Reference, Suite};
//!
//! let report = Suite::new(Reference::default).effort(Effort::Smoke).run().unwrap();
//! assert!(report.passed());
//! ```
//!
//! Plug in your own with the [`Compactor`] trait and [`conformance_tests!`]; options are on [`Suite`].
//!
//! # Where things are
//!
//! | question | answer |
//! |---|---|
//! | what does a requirement say? | [`requirements`], `spec/` |
//! | what does a candidate declare? | [`Contract`] |
//! | what does a candidate implement? | [`Compactor`], given a [`Conversation`] and a [`Host`]; [`Reducer`], [`Trimmer`], [`Assembler`] at a limit |
//! | what does the host do? | [`History`], a list of [`Command`]s; at a limit one [`LimitCase`] |
//! | what was observed? | [`Trace`] |
//! | what came out? | [`Report`], with a [`Verdict`] a requirement and a [`Witness`] a failure |
//! | how should it be done? | [`Reference`] |
//! | what does a change alter? | [`snapshot_tests!`], [`Suite::timelines`], [`named_histories`] |
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `adapter` | candidates in other languages, as child processes |
//! | `zoo` | known-bad candidates and conforming variants |
//! | `cli` | the command `plimsoll` |
//! | `proptest`, `quickcheck`, `arbitrary` | histories and field cases for a property of your own, in the module `bridge` |

#[cfg(feature = "adapter")]
pub mod adapter;
#[cfg(any(feature = "proptest", feature = "quickcheck", feature = "arbitrary"))]
pub mod bridge;
mod candidate;
mod change;
mod change_play;
#[cfg(feature = "cli")]
pub mod cli;
mod contract;
mod drawing;
mod field;
mod fit_rules;
pub mod fuzz;
mod gauge;
mod gauge_play;
mod generate;
mod heart;
mod history;
mod known;
mod limit_budget;
mod limit_case;
mod limit_check;
mod limit_play;
mod limit_report;
mod limit_rows;
mod limit_run;
mod limit_show;
mod log;
#[doc(hidden)]
pub mod macros;
mod macros_field;
mod macros_fuzz;
#[doc(hidden)]
pub mod macros_snapshot;
mod marker;
mod message;
mod model;
mod oracle;
mod parts;
mod patience;
mod play;
mod regressions;
mod repeat;
mod report;
mod requirement;
mod runner;
mod script;
mod shrink;
mod shrink_change;
mod shrink_gauge;
mod shrink_limit;
mod snapshot;
mod suite;
mod text;
mod trace;
mod turn;
mod unit;
mod unit_cut;
mod verdict;
mod witness;
#[cfg(feature = "zoo")]
pub mod zoo;

pub use candidate::{
    Assembler, ChangeGuard, Changes, Compactor, Conversation, Error, Gauge, Host, LimitCandidate, Offer, Reducer,
    Rejection, Restart, Summary, TextReducer, Trimmer, text_reducer,
};
pub use change::{ChangeAct, ChangeBy, ChangeCase, ChangeEvent, GuardName, GuardedAttempt, GuardedOutcome};
pub use contract::*;
pub use field::{Block, Cut, Infeasible, Reduced, Request};
pub use gauge::{FigureAge, FigureDraft, GaugeCase, GaugeSettings, MeasureCase, Measured, Reported};
pub use generate::{Effort, Share};
pub use history::{Answer, Command, Draft, History, Name, Pressure, Scribe, Size, StepCommand, StepKind};
pub use known::{KnownFailure, KnownFailures, NondeterministicFailure};
pub use limit_budget::LimitBudget;
pub use limit_case::{AssembleCase, BlockDraft, FitCase, LimitCase, PartDraft, ReduceCase};
pub use limit_check::{
    check_assembler, check_at_limit, check_gauge, check_guard, check_reducer, check_trimmer, replay_at_limit,
};
pub use limit_report::{Failure, Finding, LimitBreak, LimitReport};
pub use log::LogFile;
pub use message::{Message, Role, from_json_lines, to_json_lines};
pub use model::{Reference, ReferenceAssembler, ReferenceGauge, ReferenceGuard, ReferenceReducer, ReferenceTrimmer};
pub use parts::Parts;
pub use report::TextReport;
pub use requirement::{Level, Requirement, requirement, requirements};
pub use runner::{Replay, Tick};
pub use snapshot::{NamedHistory, Timeline, named_histories, reference_timelines};
pub use suite::Suite;
pub use text::{Piece, Text};
pub use trace::*;
pub use unit::{Limit, Unit};
pub use verdict::{
    BrokenReport, CandidateInfo, LimitShare, NondeterministicReport, PROTOCOL, RaisedReport, Report, RequirementReport,
    SPEC_EDITION, ShareReport, Tally, Verdict,
};
pub use witness::Witness;
