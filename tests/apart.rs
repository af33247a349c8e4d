//! What is asked apart from conversations: guards by change and gauges. The references conform, the worked examples
//! conform and their twins do not, and those of the zoo break exactly what they name.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../examples/change/bot.rs"]
mod bot;
#[path = "../examples/change/health.rs"]
mod health;
#[path = "../examples/change/retry.rs"]
mod retry;

use plimsoll::{
    Capability, ChangeGuard, Contract, Effort, LimitBudget, LimitReport, ReferenceGauge, ReferenceGuard, check_gauge,
    check_guard,
};

plimsoll::change_tests!(reference, plimsoll::ReferenceGuard::default);
plimsoll::change_tests!(with_contract, || ReferenceGuard::new(contract(3, 5).change), contract(3, 5));

plimsoll::gauge_tests!(gauge, plimsoll::ReferenceGauge::default);
plimsoll::gauge_tests!(gauge_with_contract, || ReferenceGauge::new(words().gauge), words());

fn words() -> Contract {
    let text = r#"{"capabilities": ["gauge"], "gauge": {"trigger": 200, "target": 50, "counter": "words"}}"#;
    Contract::from_json(text).unwrap()
}

fn contract(after_success: u32, after_failure: u32) -> Contract {
    let text = format!(
        r#"{{"capabilities": ["change"], "change": {{"after_success": {after_success}, "after_failure": {after_failure}}}}}"#
    );
    Contract::from_json(&text).unwrap()
}

fn smoke<G: ChangeGuard + 'static>(make: impl Fn() -> G) -> LimitReport {
    let contract = Contract::claiming(&[Capability::Change]);
    check_guard(&contract, make, &LimitBudget::for_run(&contract, Effort::Smoke, 1))
}

#[test]
fn the_reference_conforms_under_any_numbers() {
    for (after_success, after_failure) in [(1, 1), (1, 2), (2, 1), (7, 20), (100, 3)] {
        let contract = contract(after_success, after_failure);
        let make = || ReferenceGuard::new(contract.change.clone());
        check_guard(&contract, make, &LimitBudget::for_run(&contract, Effort::Smoke, 1)).assert_passed();
    }
    assert!(Contract::from_json(r#"{"capabilities": ["change"], "change": {"after_success": 0}}"#).is_err());
}

#[test]
fn the_worked_examples_conform_and_their_twins_wake_themselves_up() {
    smoke(|| retry::Retry::new(retry::Watches::Lines)).assert_passed();
    smoke(|| bot::Bot::new(bot::Watches::Others)).assert_passed();
    smoke(|| health::Health::new(health::Watches::Findings)).assert_passed();
    assert_eq!(smoke(|| retry::Retry::new(retry::Watches::TimeStamp)).broken(), ["CHG-1", "CHG-3", "CHG-4"]);
    assert_eq!(smoke(|| bot::Bot::new(bot::Watches::Number)).broken(), ["CHG-1"]);
    assert_eq!(smoke(|| health::Health::new(health::Watches::Version)).broken(), ["CHG-1", "CHG-3"]);
}

#[test]
fn the_reference_gauge_conforms_in_every_unit() {
    for unit in ["messages", "tokens", "code_points", "utf8_bytes", "utf16_units"] {
        let gauge = format!(r#"{{"trigger": 300, "target": 120, "unit": "{unit}"}}"#);
        let contract = Contract::from_json(&format!(r#"{{"capabilities": ["gauge"], "gauge": {gauge}}}"#)).unwrap();
        let make = || ReferenceGauge::new(contract.gauge.clone());
        check_gauge(&contract, make, &LimitBudget::for_run(&contract, Effort::Smoke, 1)).assert_passed();
    }
}

#[test]
fn witnesses_are_shortest() {
    let report = smoke(|| bot::Bot::new(bot::Watches::Number));
    let failure = report.finding("CHG-1").unwrap().failure.as_ref().unwrap();
    assert_eq!(failure.reason, "own_change_reopens");
    assert_eq!(
        failure.witness.to_line(),
        r#"{"change":{"guard":"health","acts":[{"attempt":{"outcome":"ok"}},{"event":{"by":"self","relevant":true}},{"attempt":{"outcome":"ok"}}]}}"#
    );
    assert_eq!(
        failure.shown,
        "  guard `health`, reopened by 1 relevant external change after a success, by 2 relevant external changes after a \
         failure\n      1  attempt: ok -> ran (the first)\n      2  a relevant change by self\n      3  attempt: ok -> ran \
         (0 of 1 changes)   <- wrong\n"
    );
}

#[cfg(feature = "zoo")]
mod zoo {
    use plimsoll::zoo::{self, Row};
    use plimsoll::{Capability, Suite, Verdict};

    fn rows() -> impl Iterator<Item = &'static Row> {
        let apart = [Capability::Gauge, Capability::Change];
        zoo::all().filter(move |row| apart.iter().any(|claimed| row.make().contract().capabilities == [*claimed]))
    }

    #[test]
    fn gauges_and_guards_break_exactly_what_they_name() {
        let mut wrong = Vec::new();
        for row in rows() {
            let report = Suite::fallible(row.name(), || Ok(row.make())).seed(3).witness_dir(None).run().unwrap();
            let claimed = report.requirements.iter().filter(|row| row.verdict != Verdict::NotClaimed);
            let claimed: Vec<_> = claimed.filter(|row| row.id != "ISO-4").collect();
            let fails = |row: &&&plimsoll::RequirementReport| matches!(row.verdict, Verdict::Fail | Verdict::Advice);
            let failing: Vec<&str> = claimed.iter().filter(fails).map(|row| row.id.as_str()).collect();
            // What never runs, or always, leaves nothing else to see.
            let unseen = claimed.iter().any(|claim| claim.verdict == Verdict::Vacuous);
            let unseen = unseen && !["never-runs", "always-runs"].contains(&row.name());
            for claim in &claimed {
                println!("{:34} {:5} {:5} {:?}", row.name(), claim.id, claim.exercised, claim.detail);
            }
            if unseen || failing != row.breaks() || report.passed() != row.is_conforming() {
                wrong.push(format!("{}: {failing:?} {:?}", row.name(), report.aborted));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(rows().count() > 36);
    }
}
