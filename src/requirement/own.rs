//! The candidate that measures for itself: trigger, target, and what it does between them.

use super::{Blame, Case, Cause, Check, Level, Requirement, Seen};
use crate::contract::{Capability, Contract, Feature};
use crate::history::{Pressure, StepKind};
use crate::oracle::own::{Reading, measures};
use crate::oracle::{Judged, Require};
use crate::text::counted;

const CHAPTER: &str = "gauge.md";

fn applies(contract: &Contract) -> bool {
    contract.claims(Capability::Gauge) && measures(contract)
}

pub(super) const MEA_3: Requirement = Requirement {
    id: "MEA-3",
    level: Level::Must,
    sentence: "An applied trim MUST end at or below `target` or leave nothing trimmable, and `target` MUST be below `trigger`.",
    chapter: CHAPTER,
    implies: &[],
    applies: |contract| applies(contract) && contract.claims(Capability::Trim),
    check: Check::Observe(trims_to_the_target),
};

pub(super) const MEA_6: Requirement = Requirement {
    id: "MEA-6",
    level: Level::Must,
    sentence: "Below the trigger an attempt MUST NOT be made and above it one MUST be due, but a summary MUST NOT be bought if trimming alone gets under the target, and a trim that frees nothing MUST NOT be installed.",
    chapter: CHAPTER,
    implies: &[],
    applies: |contract| {
        applies(contract) && (contract.claims(Capability::Summarize) || contract.claims(Capability::Trim))
    },
    check: Check::Both { observe: keeps_to_the_bands, blamed: out_of_band },
};

pub(super) const MEA_7: Requirement = Requirement {
    id: "MEA-7",
    level: Level::Should,
    sentence: "After an installed summary the next attempt SHOULD need growth of at least `trigger` - `target`.",
    chapter: CHAPTER,
    implies: &[],
    applies: |contract| applies(contract) && contract.claims(Capability::Summarize),
    check: Check::Observe(waits_for_growth),
};

pub(super) const MEA_8: Requirement = Requirement {
    id: "MEA-8",
    level: Level::Must,
    sentence: "Where the part that cannot be compacted reaches the trigger by itself, there MUST be at most one attempt until that part changes or the log grows by `reopen_growth` (by 20 where that is none).",
    chapter: CHAPTER,
    implies: &[],
    applies: |contract| {
        let fixed = contract.has(Feature::Pinned) || contract.has(Feature::System);
        applies(contract) && contract.claims(Capability::Summarize) && fixed
    },
    check: Check::Observe(tries_once_under_a_floor),
};

/// The ordinary steps of a candidate that measures for itself, with what the oracle read off the view.
fn steps<'a, 't>(case: &'a Case<'t>) -> impl Iterator<Item = (&'a Judged<'t>, &'a Reading)> {
    let ordinary = case.steps().iter().filter(|judged| judged.step.kind == StepKind::Step);
    ordinary.filter_map(|judged| Some((judged, judged.reading.as_ref()?)))
}

fn trims_to_the_target(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let target = case.contract.gauge.target;
    for (judged, reading) in steps(case).filter(|(judged, _)| judged.trimmed && !judged.attempted()) {
        let short = reading.after.least > target && reading.left > 0;
        let detail = short.then(|| {
            format!(
                "the trim ends at {} where the target is {target}, and {} left",
                reading.after.least,
                counted(reading.left, "trimmable result")
            )
        });
        seen.check(judged.command, "trim stops short", detail);
    }
    seen
}

fn keeps_to_the_bands(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for (judged, reading) in steps(case) {
        let idle = !judged.trimmed && !judged.attempted();
        let altered = !judged.attempted() && judged.changed();
        let freed = judged.sizes.1 < judged.sizes.0 || reading.after.most < reading.size.most;
        if altered && !freed {
            let detail = format!("the trim leaves {} of {} characters", judged.sizes.1, judged.sizes.0);
            seen.check(judged.command, "trim frees nothing", Some(detail));
        } else if judged.pressure == Some(Pressure::Trim) && reading.open && !judged.switched_off() {
            let detail =
                idle.then(|| format!("it did nothing, with {}", counted(judged.trimmable, "trimmable result")));
            seen.check(judged.command, "no trim", detail);
        } else if judged.pressure.is_some() {
            seen.check(judged.command, "out of band", None);
        }
    }
    seen
}

/// An attempt below the trigger or where a trim would do, or none above it: what the size is to blame for. Where messages
/// for the person only make the size, that is THR-8.
fn out_of_band(blame: &Blame<'_>) -> bool {
    if !measures(blame.contract) || blame.has(Cause::UiOnly) {
        return false;
    }
    blame.by_size() || (blame.missing_step() && blame.missing(Require::FirstAttempt))
}

fn waits_for_growth(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let room = case.contract.gauge.trigger.saturating_sub(case.contract.gauge.target);
    for (judged, reading) in steps(case) {
        let Some(growth) = reading.growth.filter(|growth| growth.most < room) else { continue };
        let detail = judged
            .attempted()
            .then(|| format!("{} has been said since the last summary, and {room} is the distance", growth.most));
        seen.check(judged.command, "attempt too soon", detail);
    }
    seen
}

fn tries_once_under_a_floor(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let distance = case.contract.latch().and_then(|latch| latch.reopen_growth).unwrap_or(20);
    for (judged, reading) in steps(case) {
        let Some(since) = reading.floor else { continue };
        let again = since.filter(|growth| judged.attempted() && *growth < distance);
        let detail = again.map(|growth| {
            format!(
                "what cannot be compacted reaches the trigger, and it tried again after growth {growth} of {distance}"
            )
        });
        seen.check(judged.command, "attempts under a floor", detail);
    }
    seen
}
