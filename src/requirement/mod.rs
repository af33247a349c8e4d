//! One monitor a requirement, next to its sentence.

mod alignment;
pub(crate) mod field;
mod field_loss;
pub(crate) mod fit;
pub(crate) mod limit;
pub(crate) mod reduction;
pub(crate) mod request;
