//! What a person sees of a run.

mod quote;
mod text;
mod timeline;
mod wording;

pub(crate) use quote::{escaped, shell};
pub use text::TextReport;
pub(crate) use timeline::{sent, timeline};
