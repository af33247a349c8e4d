//! A candidate that is no compactor: a reducer, a trimmer, an assembler, a gauge, a guard, or several of them.

use std::fmt;

use crate::candidate::{
    Assembler, ChangeGuard, Compactor, Conversation, Error, Gauge, Host, LimitCandidate, Reducer, Trimmer,
};
use crate::contract::Contract;
use crate::trace::Action;

/// A reducer, a trimmer, an assembler, a gauge, a guard, or several of them, as a candidate for a [`Suite`](crate::Suite).
///
/// The contract claims `field`, `fit`, `request`, `gauge` or `change`, whichever are there. What is claimed and not there is
/// a break in each case of it; what is there and not claimed is never asked; of two parts of one kind the later stays. A
/// compactor that also has such parts hands them out itself: [`Compactor::reducer`].
///
/// ```
/// use plimsoll::{Contract, Effort, Parts, Suite, text_reducer};
///
/// fn prefix(text: &str, max: usize) -> String {
///     text.chars().take(max).collect()
/// }
/// let text = r#"{"capabilities": ["field"], "field": {"structure": "text", "tail": 4, "notice": "none"}}"#;
/// let contract = Contract::from_json(text).unwrap();
/// let suite = Suite::new(move || Parts::new(contract.clone()).named("prefix").reducer(text_reducer(prefix)));
/// let report = suite.effort(Effort::Smoke).witness_dir(None).run().unwrap();
/// assert_eq!(report.first.as_deref(), Some("RED-4"));
/// ```
#[non_exhaustive]
pub struct Parts {
    name: String,
    contract: Contract,
    reducer: Option<Box<dyn Reducer>>,
    trimmer: Option<Box<dyn Trimmer>>,
    assembler: Option<Box<dyn Assembler>>,
    gauge: Option<Box<dyn Gauge>>,
    guard: Option<Box<dyn ChangeGuard>>,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Parts {
    /// No parts yet, under `contract`. Its name is `parts`.
    #[must_use]
    pub fn new(contract: Contract) -> Self {
        Self {
            name: "parts".to_owned(),
            contract,
            reducer: None,
            trimmer: None,
            assembler: None,
            gauge: None,
            guard: None,
        }
    }

    /// Its name in reports.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// With this reducer.
    #[must_use]
    pub fn reducer(mut self, reducer: impl Reducer + 'static) -> Self {
        self.reducer = Some(Box::new(reducer));
        self
    }

    /// With this trimmer.
    #[must_use]
    pub fn trimmer(mut self, trimmer: impl Trimmer + 'static) -> Self {
        self.trimmer = Some(Box::new(trimmer));
        self
    }

    /// With this assembler.
    #[must_use]
    pub fn assembler(mut self, assembler: impl Assembler + 'static) -> Self {
        self.assembler = Some(Box::new(assembler));
        self
    }

    /// With this gauge.
    #[must_use]
    pub fn gauge(mut self, gauge: impl Gauge + 'static) -> Self {
        self.gauge = Some(Box::new(gauge));
        self
    }

    /// With this guard.
    ///
    /// ```
    /// use plimsoll::{Capability, ChangeRules, Compactor, Contract, GaugeRules, Parts, ReferenceGauge, ReferenceGuard};
    /// let contract = Contract::claiming(&[Capability::Gauge, Capability::Change]);
    /// let gauge = ReferenceGauge::new(GaugeRules::default());
    /// let mut both = Parts::new(contract).gauge(gauge).guard(ReferenceGuard::new(ChangeRules::default()));
    /// assert!(Compactor::gauge(&mut both).is_some() && Compactor::guard(&mut both).is_some());
    /// assert!(Compactor::reducer(&mut both).is_none());
    /// ```
    #[must_use]
    pub fn guard(mut self, guard: impl ChangeGuard + 'static) -> Self {
        self.guard = Some(Box::new(guard));
        self
    }

    /// With this candidate, whichever it is.
    #[must_use]
    pub fn part(mut self, part: LimitCandidate) -> Self {
        match part {
            LimitCandidate::Reducer(reducer) => self.reducer = Some(reducer),
            LimitCandidate::Trimmer(trimmer) => self.trimmer = Some(trimmer),
            LimitCandidate::Assembler(assembler) => self.assembler = Some(assembler),
        }
        self
    }
}

impl Compactor for Parts {
    fn contract(&self) -> Contract {
        self.contract.clone()
    }

    fn step(&mut self, _: &mut Conversation, _: &Host) -> Result<Action, Error> {
        Err(Error::unsupported("step"))
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn reducer(&mut self) -> Option<&dyn Reducer> {
        self.reducer.as_deref()
    }

    fn trimmer(&mut self) -> Option<&dyn Trimmer> {
        self.trimmer.as_deref()
    }

    fn assembler(&mut self) -> Option<&dyn Assembler> {
        self.assembler.as_deref()
    }

    fn gauge(&mut self) -> Option<&mut dyn Gauge> {
        self.gauge.as_deref_mut().map(|gauge| gauge as &mut dyn Gauge)
    }

    fn guard(&mut self) -> Option<&mut dyn ChangeGuard> {
        self.guard.as_deref_mut().map(|guard| guard as &mut dyn ChangeGuard)
    }
}
