//! What a run at a limit may cost.

use crate::contract::{Contract, Weight};
use crate::generate::Effort;

/// How much a run may cost. The cases end with whichever of `cases` and `bytes` comes first; what no case has exercised by
/// then is vacuous.
///
/// ```
/// use plimsoll::{Contract, Effort, LimitBudget};
/// let smoke = LimitBudget::for_run(&Contract::default(), Effort::Smoke, 7);
/// assert!(smoke.cases < LimitBudget::default().cases && smoke.seed == 7);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitBudget {
    /// What the random cases are made from.
    pub seed: u64,
    /// The most cases that are played, shrinking not counted.
    pub cases: u64,
    /// The most bytes of text that the cases stand for, in all.
    pub bytes: usize,
    /// The blocks or messages up to which the small scope is played whole, at most 4; a quarter of the cases is random
    /// whatever it is.
    pub small: usize,
    /// The most cases that are tried to make one failure smaller.
    pub shrinks: u64,
}

impl Default for LimitBudget {
    /// For a candidate in this process: the small scope of up to three, and 3,000 random cases.
    fn default() -> Self {
        Self { seed: 1, cases: 12_000, bytes: 48 << 20, small: 3, shrinks: 2_000 }
    }
}

impl LimitBudget {
    /// The same, with another seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The whole small scope, and 20,000 random cases.
    #[must_use]
    pub fn thorough() -> Self {
        Self { cases: 100_000, bytes: 1 << 30, small: 4, ..Self::default() }
    }
}

impl LimitBudget {
    /// The budget of a run of this effort, with this contract.
    #[must_use]
    pub fn for_run(contract: &Contract, effort: Effort, seed: u64) -> Self {
        let light = match effort {
            Effort::Smoke => Self { cases: 2_000, small: 1, bytes: 8 << 20, shrinks: 500, ..Self::default() },
            Effort::Nightly => Self::thorough(),
            Effort::Default => Self::default(),
        };
        let heavy = Self { cases: light.cases / 15, shrinks: light.shrinks / 10, small: 1, ..light };
        let budget = if contract.weight == Weight::Heavy { heavy } else { light };
        budget.with_seed(seed)
    }
}
