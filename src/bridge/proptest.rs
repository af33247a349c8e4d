//! Strategies for proptest.
//!
//! ```
//! use plimsoll::bridge::proptest::histories;
//! use plimsoll::{Contract, Reference, fuzz};
//! use proptest::prelude::*;
//!
//! proptest! {
//!     #![proptest_config(ProptestConfig::with_cases(16))]
//!     fn the_reference_keeps_its_contract(history in histories(Contract::default()), forced in any::<bool>()) {
//!         let _ = forced; // any other strategy beside it
//!         prop_assert!(fuzz::guard(Reference::default, &history).is_ok());
//!     }
//! }
//! the_reference_keeps_its_contract();
//! ```

use std::fmt;
use std::sync::Arc;

use ::proptest::strategy::{NewTree, Strategy, ValueTree};
use ::proptest::test_runner::TestRunner;

use super::smaller_fields;
use crate::contract::Contract;
use crate::generate::{draw, field};
use crate::history::History;
use crate::limit_case::ReduceCase;
use crate::shrink::plainer;

type Smaller<T> = fn(&T, &Contract) -> Vec<T>;

/// Values for a contract, and how to make one smaller.
pub struct Drawn<T> {
    contract: Arc<Contract>,
    draw: fn(&Contract, u64) -> T,
    smaller: Smaller<T>,
}

/// Histories for a candidate under `contract`, each of which a host can play.
#[must_use]
pub fn histories(contract: Contract) -> Drawn<History> {
    Drawn { contract: Arc::new(contract), draw, smaller: plainer }
}

/// Fields to reduce, as `contract.field` declares them.
///
/// ```
/// use plimsoll::bridge::proptest::field_cases;
/// use plimsoll::{Contract, FieldRules, Limit, Reducer, ReferenceReducer, Unit};
/// use proptest::prelude::*;
///
/// proptest!(|(case in field_cases(Contract::default()))| {
///     let limit = Limit::new(case.max, Unit::CodePoints);
///     if let Ok(reduced) = ReferenceReducer::new(FieldRules::default()).reduce(&case.build(), limit) {
///         prop_assert!(reduced.text.chars().count() <= case.max);
///     }
/// });
/// ```
#[must_use]
pub fn field_cases(contract: Contract) -> Drawn<ReduceCase> {
    Drawn {
        contract: Arc::new(contract),
        draw: |contract, seed| field::draw(&contract.field, seed),
        smaller: smaller_fields,
    }
}

impl<T> Clone for Drawn<T> {
    fn clone(&self) -> Self {
        Self { contract: Arc::clone(&self.contract), draw: self.draw, smaller: self.smaller }
    }
}

impl<T> fmt::Debug for Drawn<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drawn").field("contract", &self.contract).finish_non_exhaustive()
    }
}

impl<T: Clone + fmt::Debug + PartialEq> Strategy for Drawn<T> {
    type Tree = Tree<T>;
    type Value = T;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let seed = ::proptest::num::u64::ANY.new_tree(runner)?.current();
        let value = (self.draw)(&self.contract, seed);
        Ok(Tree { kept: value.clone(), shown: value, edits: None, drawn: self.clone() })
    }
}

/// A value, and the edits that make it smaller. Its shrinking is the suite's.
pub struct Tree<T> {
    /// The smallest one known to fail.
    kept: T,
    /// The one that is tried.
    shown: T,
    /// What is still to be tried of `kept`.
    edits: Option<std::vec::IntoIter<T>>,
    drawn: Drawn<T>,
}

impl<T: fmt::Debug> fmt::Debug for Tree<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl<T: Clone + fmt::Debug + PartialEq> ValueTree for Tree<T> {
    type Value = T;

    fn current(&self) -> T {
        self.shown.clone()
    }

    /// The one that is shown fails: its own edits are next.
    fn simplify(&mut self) -> bool {
        self.kept = self.shown.clone();
        self.edits = Some((self.drawn.smaller)(&self.kept, &self.drawn.contract).into_iter());
        self.complicate()
    }

    /// The one that is shown passes: the next edit of the kept one is tried, and after the last the kept one stands.
    fn complicate(&mut self) -> bool {
        match self.edits.as_mut().and_then(Iterator::next) {
            Some(next) => {
                self.shown = next;
                true
            }
            None => {
                self.shown = self.kept.clone();
                false
            }
        }
    }
}
