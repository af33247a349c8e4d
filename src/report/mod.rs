//! What a person sees of a run.

mod quote;
mod text;
mod timeline;
mod wording;

pub(crate) use quote::{escaped, shell};
pub use text::TextReport;
#[cfg(feature = "cli")]
pub(crate) use timeline::sent;
pub(crate) use timeline::timeline;
