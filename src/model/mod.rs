//! The reference: pure, and small enough to read in one sitting.

mod field;
mod fit;
mod request;

pub use field::ReferenceReducer;
pub use fit::ReferenceTrimmer;
pub use request::ReferenceAssembler;
pub(crate) use request::blocks_of;
