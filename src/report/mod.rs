//! What a person sees of a run.

mod areas;
mod forms;
mod html;
mod kinds;
#[cfg(feature = "cli")]
mod matrix;
mod quote;
mod row_words;
mod rows;
mod steps;
mod text;
mod timeline;
mod told;
mod wording;

pub(crate) use forms::Forms;
#[cfg(feature = "cli")]
pub(crate) use matrix::Matrix;
pub(crate) use quote::{escaped, shell};
pub(crate) use rows::rows;
pub(crate) use steps::steps;
pub use text::TextReport;
#[cfg(feature = "cli")]
pub(crate) use timeline::BROKEN_HERE;
#[cfg(feature = "cli")]
pub(crate) use timeline::sent;
pub(crate) use timeline::timeline;
