//! Histories and cases. Never sees a requirement.

pub(crate) mod field;
mod field_small;
pub(crate) mod fit;
pub(crate) mod request;
pub(crate) mod texts;
