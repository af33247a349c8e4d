//! Known-bad candidates, each with the ids that it breaks, and conforming variants.

mod field;
mod field_sound;
mod fit;
mod limit_row;
mod request;

pub use limit_row::{LimitRow, limit_variants, limit_zoo};
