//! The engines that check laws, with a seed that is the same in every run: a law that breaks, breaks for everybody.
#![allow(dead_code, reason = "not every test has both engines")]

use proptest::test_runner::{Config, RngSeed};
use quickcheck::{Gen, QuickCheck};

/// Another seed by `PROPTEST_RNG_SEED`, more cases by `PROPTEST_CASES`.
pub(crate) fn proptest() -> Config {
    let config = Config { failure_persistence: None, ..Config::default() };
    match config.rng_seed {
        RngSeed::Random => Config { rng_seed: RngSeed::Fixed(1), ..config },
        RngSeed::Fixed(_) => config,
    }
}

/// More cases by `QUICKCHECK_TESTS`.
pub(crate) fn quickcheck() -> QuickCheck {
    QuickCheck::new().rng(random())
}

pub(crate) fn random() -> Gen {
    Gen::from_size_and_seed(100, 1)
}
