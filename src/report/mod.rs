//! What a person sees of a run.

mod quote;
mod text;

pub(crate) use quote::{escaped, shell};
pub use text::TextReport;
