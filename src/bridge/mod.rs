//! Bridges to property-based testing libraries: histories and field cases for a property of your own, drawn from the grammar
//! that the suite searches and made smaller by its shrinker.
//!
//! | feature | what it has |
//! |---|---|
//! | `proptest` | [`proptest::histories`], [`proptest::field_cases`]: strategies, for a contract |
//! | `quickcheck` | `Arbitrary` for [`HistoryUnder`] and [`FieldUnder`] |
//! | `arbitrary` | `Arbitrary` for the same two; short inputs give short histories |
//!
//! The two types name their contract by a type, since `Arbitrary` has no parameters; [`ByDefault`] is the reference's.

#[cfg(feature = "arbitrary")]
mod arbitrary;
#[cfg(feature = "proptest")]
pub mod proptest;
#[cfg(feature = "quickcheck")]
mod quickcheck;

use std::fmt;
use std::marker::PhantomData;

use crate::contract::Contract;
use crate::history::History;
use crate::limit_case::ReduceCase;

/// A contract that a type stands for.
///
/// ```
/// use plimsoll::Contract;
/// use plimsoll::bridge::Under;
///
/// #[derive(Clone, Debug)]
/// struct Mine;
///
/// impl Under for Mine {
///     fn contract() -> Contract {
///         Contract::from_json(r#"{"capabilities": ["summarize", "latch"], "latch": {"strikes": 3}}"#).unwrap()
///     }
/// }
/// assert_eq!(Mine::contract().latch.unwrap().strikes, 3);
/// ```
pub trait Under {
    /// The contract.
    fn contract() -> Contract;
}

/// The reference's contract, every parameter at its default.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ByDefault;

impl Under for ByDefault {
    fn contract() -> Contract {
        Contract::default()
    }
}

/// A history for a candidate under the contract of `C`.
pub struct HistoryUnder<C> {
    /// What the host does; it can be played as it is.
    pub history: History,
    under: PhantomData<fn() -> C>,
}

/// A field to reduce under the rules of `C`'s contract.
pub struct FieldUnder<C> {
    /// The blocks and the limit, in the unit of the contract.
    pub case: ReduceCase,
    under: PhantomData<fn() -> C>,
}

impl<C> HistoryUnder<C> {
    fn new(history: History) -> Self {
        Self { history, under: PhantomData }
    }
}

impl<C> FieldUnder<C> {
    fn new(case: ReduceCase) -> Self {
        Self { case, under: PhantomData }
    }
}

impl<C> Clone for HistoryUnder<C> {
    fn clone(&self) -> Self {
        Self::new(self.history.clone())
    }
}

impl<C> Clone for FieldUnder<C> {
    fn clone(&self) -> Self {
        Self::new(self.case.clone())
    }
}

impl<C> fmt::Debug for HistoryUnder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.history.fmt(f)
    }
}

impl<C> fmt::Debug for FieldUnder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.case.fmt(f)
    }
}

/// All cases that are one edit smaller.
#[cfg(any(feature = "proptest", feature = "quickcheck"))]
fn smaller_fields(case: &ReduceCase, contract: &Contract) -> Vec<ReduceCase> {
    use crate::limit_case::LimitCase;
    let fields = crate::shrink_limit::smaller(&LimitCase::Reduce(case.clone()), contract);
    let fields = fields.filter_map(|case| match case {
        LimitCase::Reduce(case) => Some(case),
        _ => None,
    });
    fields.collect()
}
