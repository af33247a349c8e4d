//! A harness that fails is not the candidate.

use super::*;
use crate::model::Reference;
use crate::requirement::{Check, Level};
use crate::trace::BreakKind;

static PANICS: Requirement = Requirement {
    id: "THR-7",
    level: Level::Must,
    sentence: "",
    chapter: "",
    implies: &[],
    applies: |_| true,
    check: Check::Observe(|_| panic!("a monitor went wrong")),
};

fn setup() -> Setup {
    Setup {
        candidate: CandidateInfo::default(),
        contract: Contract::default(),
        make: Arc::new(|| Ok(Box::new(Reference::default()))),
        seed: 0,
        effort: Effort::Smoke,
        jobs: 2,
        pairs: false,
        only: vec!["THR-7".to_owned()],
        strict: false,
        deadline: None,
        witness_dir: None,
        source: String::new(),
        known: None,
        progress: None,
        stop: Arc::default(),
        gave_up: None,
        until: Vec::new(),
        given: None,
        first: Vec::new(),
        shard: Shard::WHOLE,
        found_before: std::collections::BTreeSet::new(),
        alone: None,
        results: None,
        recorded: None,
    }
}

#[test]
fn an_interruption_is_the_reason_whatever_breaks_off_in_it() {
    let stopped = Setup { gave_up: Some(Arc::new(|| Some("it did not start".to_owned()))), ..setup() };
    assert_eq!(stopped.ended().as_deref(), Some("it did not start"));
    stopped.stop.store(true, Ordering::Relaxed);
    assert_eq!(stopped.ended().as_deref(), Some("the run was interrupted"));
    assert_eq!(setup().ended(), None);
}

#[test]
fn a_harness_that_panics_is_not_the_candidate_and_the_run_goes_on() {
    let setup = setup();
    let mut tally = Tally { exercised: vec![0], ..Tally::default() };
    let ended = search(&setup, &[&PANICS], Budget::new(Effort::Smoke, setup.contract.weight), &mut tally, None);
    assert_eq!(ended, None);
    let (histories, message, _) = &tally.broken[&BreakKind::Harness];
    assert!(*histories > 1 && message.contains("a monitor went wrong"), "{message}");
    assert_eq!(Verdict::of_break(BreakKind::Harness), Verdict::HarnessError);
    let mut aborted = None;
    let budget = Budget::new(Effort::Smoke, setup.contract.weight);
    let found = findings::work_out(&setup, &[&PANICS], budget, &tally.raised, &[], None, &mut aborted);
    assert!(aborted.is_none() && found.len() == 1 && found[0].reason.contains("harness"), "{aborted:?} {found:?}");
}
