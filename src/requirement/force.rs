//! FRC: a person's request, and proof.

use super::{Case, Cause, Check, Level, Requirement};
use crate::contract::Capability;
use crate::history::StepKind;
use crate::oracle::{Forbid, Judged, Require};

pub(crate) const ALL: &[Requirement] = &[
    Requirement {
        id: "FRC-1",
        level: Level::Must,
        sentence: "A `force` MUST reach the summariser, whatever the state of throttle, latch and `auto`, if no call is open and enough is surely eligible.",
        chapter: "force.md",
        implies: &[],
        applies: |c| c.claims(Capability::Force),
        check: Check::Decide { exercised: forced, blamed: |b| b.missing(Require::Forced) },
    },
    Requirement {
        id: "FRC-2",
        level: Level::Must,
        sentence: "A forced failure or abort MUST leave the automatic throttle and latch as they were.",
        chapter: "force.md",
        implies: &["LAT-1", "LAT-2", "THR-2"],
        applies: |c| c.claims(Capability::Force) && (c.cooldown().is_some() || c.latch().is_some()),
        check: Check::Decide { exercised: after_forced_failure, blamed: |b| b.gate() && b.has(Cause::Forced) },
    },
    Requirement {
        id: "FRC-3",
        level: Level::Must,
        sentence: "Whatever cooldown and latch say, each proven overflow MUST get a recovery, which is an attempt or a trim that makes the view smaller; there MUST NOT be more than `overflow.recoveries` of them without progress, and growth or a recovery that shrank the view renews the allowance.",
        chapter: "force.md",
        implies: &[],
        applies: |c| c.claims(Capability::Overflow),
        check: Check::Decide {
            exercised: overflowed,
            blamed: |b| b.missing(Require::Overflow) || b.attempted(Forbid::NoRecoveryLeft),
        },
    },
];

fn forced(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    judged.require.contains(&Require::Forced)
}

/// A step that throttle or latch decides, after a forced attempt.
fn after_forced_failure(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    let gated = judged.forbid.iter().any(|reason| matches!(reason, Forbid::Cooling | Forbid::Latched));
    let step = judged.step.kind == StepKind::Step && judged.is_pressed() && !judged.fog;
    step && judged.facts.forced > 0 && (gated || !judged.require.is_empty())
}

fn overflowed(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    judged.require.contains(&Require::Overflow)
}
