//! The bridges: what passes passes, and shallow known-bad candidates are found and made small.
#![cfg(all(feature = "proptest", feature = "quickcheck", feature = "arbitrary", feature = "zoo"))]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "common/engines.rs"]
mod engines;

use arbitrary::{Arbitrary, Unstructured};
use plimsoll::bridge::proptest::{field_cases, histories};
use plimsoll::bridge::{ByDefault, FieldUnder, HistoryUnder, Under};
use plimsoll::{
    Capability, Contract, History, LimitCandidate, LimitCase, ReduceCase, Reference, ReferenceReducer, fuzz,
    replay_at_limit, text_reducer, zoo,
};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestError, TestRunner};
use quickcheck::TestResult;

fn keeps(name: &str, history: &History) -> bool {
    fuzz::guard(|| zoo::find(name).unwrap().make(), history).is_ok()
}

fn loses_nothing(candidate: LimitCandidate, case: &ReduceCase) -> bool {
    let contract = Contract::claiming(&[Capability::Field]);
    let report = replay_at_limit(&contract, &candidate, &LimitCase::Reduce(case.clone()));
    report.finding("RED-3").unwrap().failure.is_none() && report.finding("RED-5").unwrap().failure.is_none()
}

fn prefix() -> LimitCandidate {
    LimitCandidate::Reducer(Box::new(text_reducer(|text, max| text.chars().take(max).collect())))
}

fn reference() -> LimitCandidate {
    LimitCandidate::Reducer(Box::new(ReferenceReducer::default()))
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new_with_rng(
        Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() },
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    )
}

#[test]
fn proptest_finds_a_throttle_that_counts_itself_and_makes_it_small() {
    let strategy = (histories(Contract::default()), 0..10u8);
    let found = runner(400).run(&strategy, |(history, _)| {
        if keeps("self-counting-throttle", &history) {
            Ok(())
        } else {
            Err(proptest::test_runner::TestCaseError::fail("no"))
        }
    });
    let Err(TestError::Fail(_, (history, _))) = found else { panic!("{found:?}") };
    assert!(!keeps("self-counting-throttle", &history) && history.commands.len() <= 4, "{history:?}");
    runner(60)
        .run(&histories(Contract::default()), |history| {
            assert!(fuzz::guard(Reference::default, &history).is_ok());
            Ok(())
        })
        .unwrap();
}

#[test]
fn proptest_finds_a_prefix_and_makes_it_small() {
    let found = runner(400).run(&field_cases(Contract::default()), |case| {
        assert!(loses_nothing(reference(), &case));
        if loses_nothing(prefix(), &case) { Ok(()) } else { Err(proptest::test_runner::TestCaseError::fail("no")) }
    });
    let Err(TestError::Fail(_, case)) = found else { panic!("{found:?}") };
    assert!(case.blocks.len() <= 2 && LimitCase::Reduce(case.clone()).weight() < 12, "{case:?}");
}

#[test]
fn a_tree_that_always_fails_ends_small() {
    let mut tree = histories(Contract::default()).new_tree(&mut runner(1)).unwrap();
    while tree.simplify() {}
    assert!(tree.current().commands.len() <= 2, "{:?}", tree.current());
}

/// The smallest input for which the property fails, as quickcheck shrinks.
fn smallest<A: quickcheck::Arbitrary>(mut value: A, fails: impl Fn(&A) -> bool) -> A {
    while let Some(smaller) = value.shrink().find(&fails) {
        value = smaller;
    }
    value
}

#[test]
fn quickcheck_finds_them_too() {
    fn sound(drawn: HistoryUnder<ByDefault>) -> bool {
        fuzz::guard(Reference::default, &drawn.history).is_ok()
    }
    engines::quickcheck().tests(60).quickcheck(sound as fn(HistoryUnder<ByDefault>) -> bool);
    fn bad(drawn: HistoryUnder<ByDefault>) -> bool {
        keeps("self-counting-throttle", &drawn.history)
    }
    let found = engines::quickcheck().tests(600).quicktest(bad as fn(HistoryUnder<ByDefault>) -> bool);
    assert!(found.is_err_and(|result: TestResult| result.is_failure()));
    let mut random = engines::random();
    let lossy = |drawn: &FieldUnder<ByDefault>| !loses_nothing(prefix(), &drawn.case);
    let drawn = std::iter::repeat_with(|| <FieldUnder<ByDefault> as quickcheck::Arbitrary>::arbitrary(&mut random));
    let found = drawn.take(400).find(lossy).unwrap();
    let case = smallest(found, lossy).case;
    assert!(case.blocks.len() <= 2 && LimitCase::Reduce(case.clone()).weight() < 12, "{case:?}");
}

#[derive(Clone, Debug)]
struct Strikes;

impl Under for Strikes {
    fn contract() -> Contract {
        Contract::from_json(r#"{"capabilities": ["summarize", "latch"], "latch": {"strikes": 3}}"#).unwrap()
    }
}

#[test]
fn arbitrary_is_total_and_short_inputs_give_short_histories() {
    let bytes: Vec<u8> = (0..400u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let mut found = 0;
    for len in 0..bytes.len() {
        let drawn = HistoryUnder::<Strikes>::arbitrary_take_rest(Unstructured::new(&bytes[..len])).unwrap();
        assert_eq!(drawn.history.check(), Ok(()));
        assert!(drawn.history.commands.len() <= 3 + 3 * len, "{len}");
        FieldUnder::<Strikes>::arbitrary(&mut Unstructured::new(&bytes[..len])).unwrap();
    }
    for seed in 0..2_000u32 {
        let bytes: Vec<u8> = (0..40u32).map(|at| ((seed * 41 + at).wrapping_mul(2_654_435_761) >> 17) as u8).collect();
        let drawn = HistoryUnder::<ByDefault>::arbitrary_take_rest(Unstructured::new(&bytes)).unwrap();
        found += usize::from(!keeps("self-counting-throttle", &drawn.history));
    }
    assert!(found > 0);
}
