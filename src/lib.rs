#![doc = "plimsoll"]
mod candidate;
mod candidate_field;
mod contract;
mod fit_rules;
mod generate;
mod history;
mod history_check;
mod limit_case;
mod limit_check;
mod limit_play;
mod marker;
mod message;
mod model;
mod requirement;
mod shrink_limit;
mod text;
mod trace;
mod unit;
mod unit_cut;
#[cfg(feature = "zoo")]
mod zoo;

pub use candidate::{Changes, Compactor, Conversation, Error, Host, Rejection, Restart, Summary};
pub use candidate_field::{
    Assembler, Block, Cut, Infeasible, Offer, Reduced, Reducer, Request, TextReducer, Trimmer, text_reducer,
};
pub use contract::*;
pub use history::{Answer, Command, Draft, History, Name, Pressure, Scribe, Size, StepCommand, StepKind};
pub use limit_check::{
    Failure, Finding, LimitBreak, LimitBudget, LimitReport, check_assembler, check_reducer, check_trimmer,
};
pub use limit_case::{AssembleCase, BlockDraft, FitCase, LimitCase, PartDraft, ReduceCase};
pub use message::{Message, Role, from_json_lines, to_json_lines};
pub use model::{ReferenceAssembler, ReferenceReducer, ReferenceTrimmer};
pub use text::{Piece, Text};
pub use trace::*;
pub use unit::{Limit, Unit};
#[cfg(feature = "zoo")]
pub use zoo::{LimitRow, limit_variants, limit_zoo};
