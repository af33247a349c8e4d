//! The reference under many contracts: whatever is declared, it passes, and every claimed MUST is exercised.

use fastrand::Rng;
use serde_json::{Value, json};

use super::Examiner;
use crate::candidate::Compactor;
use crate::contract::{Contract, Weight};
use crate::generate::{Budget, Effort, Share, plan};
use crate::message::Message;
use crate::model::{Behaviour, Machine, Reference};
use crate::requirement::{Check, Level, Requirement, requirements};

/// One of the values.
fn of(rng: &mut Rng, values: &[Value]) -> Value {
    values[rng.usize(..values.len())].clone()
}

/// Each of the words with this chance in ten.
fn some(rng: &mut Rng, words: &[&str], tenths: u8) -> Vec<Value> {
    words.iter().filter(|_| rng.u8(..10) < tenths).map(|word| json!(word)).collect()
}

/// A contract that somebody might declare.
fn contract(seed: u64) -> Value {
    let rng = &mut Rng::with_seed(seed);
    let mut capabilities = some(
        rng,
        &[
            "throttle",
            "latch",
            "trim",
            "force",
            "overflow",
            "conversations",
            "restart",
            "rewind",
            "log",
            "view",
            "usage",
            "arrivals",
            "auto",
        ],
        6,
    );
    capabilities.push(json!("summarize"));
    let kinds = ["rejected", "overflow", "timeout", "transport", "empty", "blank", "length", "refusal", "inflated"];
    let mut messages = some(rng, &["ui_only", "hidden", "pinned", "reasoning", "system", "tool_role"], 7);
    if rng.u8(..4) > 0 {
        messages.push(json!("calls"));
        messages.extend(some(rng, &["parallel_calls", "interim"], 6));
    }
    if messages.contains(&json!("system")) {
        messages.extend(some(rng, &["many_system"], 5));
    }
    let cooldown =
        of(rng, &[json!(60), json!(60), json!(null), json!(0), json!(1), json!(90.5), json!(3_600), json!([30, 120])]);
    let exempt = if cooldown.is_null() || cooldown == 0 { Vec::new() } else { some(rng, &kinds, 1) };
    let growth = of(rng, &[json!(20), json!(1), json!(3), json!(10), json!(50), json!(null)]);
    let after = of(rng, &[json!(null), json!(300), json!(600)]);
    let latch = match rng.u8(..8) {
        0 => json!(null),
        _ => json!({
            "strikes": of(rng, &[json!(1), json!(1), json!(2), json!(3), json!(5)]),
            // Not for ever.
            "reopen_growth": if growth.is_null() && after.is_null() { json!(20) } else { growth },
            "reopen_after_s": after,
            "exempt": exempt,
            "after_reopen": of(rng, &[json!("half_open"), json!("fresh")]),
        }),
    };
    let calls = of(rng, &[json!(1), json!(1), json!(2), json!(3), json!("chunks")]);
    let input_max = if calls == "chunks" { json!(4_000) } else { json!(null) };
    json!({
        "capabilities": capabilities,
        "messages": messages,
        "throttle": {
            "cooldown_s": cooldown,
            "growth": of(rng, &[json!("reopens"), json!("ignored"), json!("unspecified")]),
            "clock": of(rng, &[json!("wall"), json!("monotonic")]),
        },
        "latch": latch,
        "attempt": {
            "calls": calls,
            "input_max": input_max,
            "min_effect": of(rng, &[json!(0.0), json!(0.0), json!(0.1), json!(0.3)]),
            "abort": of(rng, &[json!("ignored"), json!("failure")]),
            "noop": of(rng, &[json!("ignored"), json!("failure")]),
            "pending": of(rng, &[json!("never"), json!("host")]),
            "keep_last": of(rng, &[json!(1), json!(2), json!(4), json!(8)]),
            "eligible_min": of(rng, &[json!(4), json!(1), json!(8)]),
            "eligible_min_size": of(rng, &[json!(400), json!(0), json!(2_000)]),
        },
        "overflow": {"recoveries": of(rng, &[json!(1), json!(2), json!(3)])},
        "trim": {
            "min_chars": of(rng, &[json!(1_000), json!(600), json!(200)]),
            "keep_last": of(rng, &[json!(3), json!(1), json!(5)]),
            "how": of(rng, &[json!("marker"), json!("drop")]),
        },
        "status": {"visible": some(rng, &["checkpoint", "reminder"], 2)},
        "view": {
            "latest_user": of(rng, &[json!("verbatim"), json!("covered")]),
            "summaries": of(rng, &[json!(1), json!(2), json!(3)]),
            "alternation": rng.u8(..4) == 0,
        },
        "restart": of(rng, &[
            json!("persistent"),
            json!("volatile"),
            json!({"throttle": "volatile", "latch": "persistent"}),
            json!({"throttle": "persistent", "latch": "volatile"}),
        ]),
        "conversations": {"max": of(rng, &[json!(1_000), json!(2), json!(7)])},
        "size": {
            "unit": of(rng, &[json!("code_points"), json!("utf8_bytes"), json!("utf16_units")]),
            "per_message": of(rng, &[json!(0), json!(0), json!(4)]),
        },
        "drive": of(rng, &[json!("step"), json!("step"), json!("turn")]),
    })
}

/// The same, of a candidate that measures for itself.
fn own(seed: u64) -> Value {
    let mut contract = contract(seed);
    let rng = &mut Rng::with_seed(seed);
    let gauge = |unit: &str, counter: &str, trigger: u64, target: u64| json!({"unit": unit, "counter": counter, "trigger": trigger, "target": target});
    let gauge = of(
        rng,
        &[
            gauge("tokens", "chars/4", 6_000, 4_000),
            gauge("tokens", "words", 5_000, 4_000),
            gauge("code_points", "chars/4", 24_000, 15_000),
            gauge("utf8_bytes", "chars/4", 100_000, 50_000),
            gauge("messages", "chars/4", 120, 60),
        ],
    );
    if gauge["unit"] == "messages" {
        contract["trim"]["how"] = json!("drop");
    }
    if let Some(capabilities) = contract["capabilities"].as_array_mut() {
        capabilities.push(json!("gauge"));
    }
    contract["pressure"] = json!("own");
    contract["gauge"] = gauge;
    contract
}

struct Quiet;

impl Behaviour for Quiet {
    fn status(&self, _: &str) -> Option<Message> {
        None
    }
}

/// What is wrong with the reference under the contract, said by the suite.
fn blamed(contract: &Contract, seed: u64) -> Vec<String> {
    let claimed: Vec<&'static Requirement> = requirements()
        .filter(|requirement| requirement.applies(contract) && requirement.check.side().is_none())
        .collect();
    // One in three says nothing of what it does.
    let make = || {
        let quiet = seed.is_multiple_of(3);
        Ok(if quiet {
            Box::new(Machine::new("quiet", contract.clone(), Quiet)) as Box<dyn Compactor>
        } else {
            Box::new(Reference::new(contract.clone()))
        })
    };
    let examiner = Examiner { contract, make: &make, requirements: &claimed };
    let mut exercised = vec![0; claimed.len()];
    let mut wrong = Vec::new();
    let budget = Budget { crowd: 60, ..Budget::new(Effort::Smoke, Weight::Light) };
    let planned = plan(contract, seed, budget, Vec::new());
    let directed = planned.scan(0, |others, planned| {
        *others += usize::from(planned.share != Share::Directed && planned.share != Share::Exhaustive);
        (*others <= 150).then_some(planned)
    });
    for planned in directed.filter(|planned| planned.share != Share::Exhaustive) {
        if let Err(why) = planned.history.check() {
            wrong.push(format!(
                "no host plays this: {why} in {:?} {}",
                planned.share,
                planned.target.unwrap_or_default()
            ));
        }
        let examined = examiner.examine(&planned);
        for (suspect, _) in &examined.suspects {
            let id = match suspect {
                super::Suspect::Observed(at, _) | super::Suspect::Differed(at) => claimed[*at].id,
                _ => "",
            };
            let binds = claimed.iter().all(|other| other.id != id || other.level == Level::Must);
            if binds && wrong.len() < 3 {
                wrong.push(format!("{id} {suspect:?} in {:?} {}", planned.share, planned.target.unwrap_or_default()));
            }
        }
        exercised.iter_mut().zip(examined.exercised).for_each(|(sum, more)| *sum += more);
        let directed_is_over = planned.share != Share::Directed;
        if directed_is_over && wrong.len() > 2 {
            break;
        }
    }
    let vacuous = claimed.iter().zip(&exercised).filter(|(requirement, exercised)| {
        **exercised == 0 && requirement.level == Level::Must && !matches!(requirement.check, Check::Compare { .. })
    });
    wrong.extend(vacuous.map(|(requirement, _)| format!("{} is vacuous", requirement.id)));
    wrong
}

/// The reference under so many contracts, from `PLIMSOLL_SWEEP` on, or `PLIMSOLL_SWEEP_COUNT` of them.
fn sweep(contract: fn(u64) -> Value, count: u64) {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let from = number("PLIMSOLL_SWEEP").unwrap_or(0);
    let count = number("PLIMSOLL_SWEEP_COUNT").unwrap_or(count);
    let mut failing = Vec::new();
    for seed in from..from + count {
        let declared = contract(seed);
        let Ok(contract) = Contract::from_value(declared.clone()) else { continue };
        let wrong = blamed(&contract, seed);
        if !wrong.is_empty() {
            failing.push(format!("{seed}: {}\n   {declared}", wrong.join("; ")));
        }
    }
    assert!(failing.is_empty(), "{} of {count}:\n{}", failing.len(), failing.join("\n"));
}

#[test]
fn the_reference_passes_whatever_it_declares() {
    sweep(contract, 60);
}

#[test]
fn so_it_does_where_it_measures_for_itself() {
    sweep(own, 6);
}
