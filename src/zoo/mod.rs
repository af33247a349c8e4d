//! Candidates whose verdict is known: bad ones that the suite has to reject, by an id that they name, and sound ones that
//! it has to pass.
//!
//! A known-bad candidate is the reference with one decision changed, so that it reads as the bug it is. A conforming one
//! is a design that differs from the reference in what the contract leaves open. Those at a limit are reducers, trimmers
//! and assemblers of a few lines each, and nothing else.
//!
//! ```
//! use plimsoll::{Compactor, zoo};
//! let row = zoo::find("self-counting-throttle").unwrap();
//! assert_eq!(row.breaks()[0], "THR-1");
//! assert_eq!(row.make().name(), row.name());
//! ```

mod change;
mod conforming;
mod conforming_view;
mod contracts;
mod field;
mod field_sound;
mod fit;
mod force;
mod gauge;
mod latch;
mod log;
mod outcome;
mod own;
mod request;
mod state;
mod throttle;
mod view;
mod whole;

use std::fmt;

use crate::candidate::{Assembler, ChangeGuard, Compactor, Gauge, LimitCandidate, Reducer, Trimmer};
use crate::contract::{Capability, ChangeRules, Contract};
use crate::parts::Parts;

/// A candidate and what is known of it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Row {
    name: &'static str,
    sentence: &'static str,
    breaks: &'static [&'static str],
    also: &'static [&'static str],
    kind: &'static str,
    make: Make,
}

/// How a candidate is made; what is none but at a limit, from the contract that it declares.
#[derive(Clone, Copy)]
enum Make {
    Compactor(fn() -> Box<dyn Compactor>),
    Reducer(&'static str, fn(&Contract) -> Box<dyn Reducer>),
    Trimmer(&'static str, fn(&Contract) -> Box<dyn Trimmer>),
    Assembler(&'static str, fn(&Contract) -> Box<dyn Assembler>),
    Gauge(&'static str, fn(&Contract) -> Box<dyn Gauge>),
    Guard(&'static str, fn(&ChangeRules) -> Box<dyn ChangeGuard>),
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row").field("name", &self.name).field("breaks", &self.breaks).finish_non_exhaustive()
    }
}

impl Row {
    /// Its name: small letters, digits and hyphens.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it does, in one sentence.
    #[must_use]
    pub fn sentence(&self) -> &'static str {
        self.sentence
    }

    /// The ids that it breaks, the cause first; empty for a conforming one.
    #[must_use]
    pub fn breaks(&self) -> &'static [&'static str] {
        self.breaks
    }

    /// Ids that may break with them, advice among them; for a conforming one, advice that it does not follow.
    #[must_use]
    pub fn also(&self) -> &'static [&'static str] {
        self.also
    }

    /// The kind of failure that it is an instance of; for a conforming one, the kind of design.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Whether it conforms.
    #[must_use]
    pub fn is_conforming(&self) -> bool {
        self.breaks.is_empty()
    }

    /// A fresh one.
    #[must_use]
    pub fn make(&self) -> Box<dyn Compactor> {
        match (self.make, self.at_limit()) {
            (Make::Compactor(make), _) => make(),
            (Make::Gauge(rules, make), _) => {
                let mut contract = Contract::claiming(&[Capability::Gauge]);
                contract.gauge = serde_json::from_str(rules).unwrap_or_default();
                let gauge = make(&contract);
                Box::new(Parts::new(contract).named(self.name).gauge(gauge))
            }
            (Make::Guard(rules, make), _) => {
                let mut contract = Contract::claiming(&[Capability::Change]);
                contract.change = serde_json::from_str(rules).unwrap_or_default();
                let guard = make(&contract.change);
                Box::new(Parts::new(contract).named(self.name).guard(guard))
            }
            (_, Some((contract, part))) => Box::new(Parts::new(contract).named(self.name).part(part)),
            (_, None) => Box::new(Parts::new(Contract::claiming(&[])).named(self.name)),
        }
    }

    /// What it declares and what it is, where it is a reducer, a trimmer or an assembler and nothing else.
    #[must_use]
    pub fn at_limit(&self) -> Option<(Contract, LimitCandidate)> {
        let contract = |capability: &str, rest: &str| {
            Contract::from_json(&format!(r#"{{"capabilities": ["{capability}"], {rest}}}"#)).unwrap_or_default()
        };
        Some(match self.make {
            Make::Compactor(_) | Make::Gauge(..) | Make::Guard(..) => return None,
            Make::Reducer(rest, make) => {
                let contract = contract("field", rest);
                let made = make(&contract);
                (contract, LimitCandidate::Reducer(made))
            }
            Make::Trimmer(rest, make) => {
                let contract = contract("fit", rest);
                let made = make(&contract);
                (contract, LimitCandidate::Trimmer(made))
            }
            Make::Assembler(rest, make) => {
                let contract = contract("request", rest);
                let made = make(&contract);
                (contract, LimitCandidate::Assembler(made))
            }
        })
    }
}

/// `row`, which makes a row of what does nothing but one thing: `make` makes it from the contract that the JSON `contract`
/// declares.
macro_rules! row_of {
    ($part:ident, $make:ty) => {
        const fn row(
            name: &'static str,
            sentence: &'static str,
            breaks: &'static [&'static str],
            also: &'static [&'static str],
            kind: &'static str,
            contract: &'static str,
            make: $make,
        ) -> Row {
            Row { name, sentence, breaks, also, kind, make: crate::zoo::Make::$part(contract, make) }
        }
    };
}
use row_of;

/// All of them: the known-bad ones in the order of the specification, then the conforming ones.
pub fn all() -> impl Iterator<Item = &'static Row> {
    const AREAS: &[&[Row]] = &[
        log::ALL,
        throttle::ALL,
        latch::ALL,
        outcome::ALL,
        view::ALL,
        state::ALL,
        force::ALL,
        whole::ALL,
        whole::CHEATS,
        field::ROWS,
        fit::ROWS,
        request::ROWS,
        gauge::ROWS,
        own::ALL,
        change::ROWS,
        conforming::ALL,
        conforming_view::ALL,
        field_sound::ROWS,
        fit::SOUND,
        request::SOUND,
        gauge::SOUND,
        own::SOUND,
        change::SOUND,
    ];
    AREAS.iter().flat_map(|area| area.iter())
}

/// The one with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Row> {
    all().find(|row| row.name == name)
}

/// Rows of candidates. Each is the reference under a contract, with the methods in braces instead of its own; `state` is
/// what they remember, as `self.0`.
macro_rules! rows {
    ($(
        $name:literal: $sentence:literal
        $(breaks $id:literal $(and $more:literal)*,)?
        kind $kind:literal, under $contract:expr,
        $(state $state:ty,)?
        { $($methods:tt)* }
    )*) => {
        &[$({
            #[derive(Default)]
            struct This $(($state))?;

            impl crate::model::Behaviour for This { $($methods)* }

            crate::zoo::Row {
                name: $name,
                sentence: $sentence,
                breaks: &[$($id $(, $more)*)?],
                also: &[],
                kind: $kind,
                make: crate::zoo::Make::Compactor(|| Box::new(crate::model::Machine::new($name, $contract, This::default()))),
            }
        }),*]
    };
}
use rows;
