//! ISO and CLK: state and time.

use super::{Case, Cause, Check, Level, Requirement};
use crate::contract::{Capability, Clock, Contract};
use crate::history::{Pressure, StepKind};
use crate::oracle::{Forbid, Judged};

pub(crate) const ALL: &[Requirement] = &[
    Requirement {
        id: "ISO-1",
        level: Level::Must,
        sentence: "Attempts and failures in one conversation MUST NOT throttle, latch or release another.",
        chapter: "isolation.md",
        implies: &["THR-3"],
        applies: |c| c.claims(Capability::Conversations) && c.claims(Capability::Summarize),
        check: Check::Decide {
            exercised: beside_others,
            blamed: |b| {
                b.gate()
                    && b.has(Cause::OtherConversation)
                    && (b.judged.facts.others > 0 || !b.attempted(Forbid::Cooling))
            },
        },
    },
    Requirement {
        id: "ISO-3",
        level: Level::Must,
        sentence: "A restart, wherever it happens, MUST affect throttle and latch as `restart` declares, and MUST NOT affect the log.",
        chapter: "isolation.md",
        implies: &["THR-2", "THR-4", "LAT-1", "LAT-2"],
        applies: |c| c.claims(Capability::Restart) && (c.cooldown().is_some() || c.latch().is_some()),
        check: Check::Decide { exercised: after_restart, blamed: |b| b.gate() && b.has(Cause::Restart) },
    },
    Requirement {
        id: "ISO-4",
        level: Level::Must,
        sentence: "The same history twice MUST give the same decisions.",
        chapter: "isolation.md",
        implies: &[
            "THR-2", "THR-4", "THR-5", "THR-8", "LAT-1", "LAT-2", "LAT-4", "LAT-5", "LAT-10", "OUT-4", "OUT-7",
            "ISO-1", "ISO-3", "FRC-1", "FRC-2", "FRC-3",
        ],
        applies: Contract::converses,
        check: Check::Compare { exercised: any, blamed: |_| false },
    },
    Requirement {
        id: "CLK-1",
        level: Level::Must,
        sentence: "A wall clock that steps back MUST NOT block attempts for longer than one cooldown (or `reopen_after_s`, where that is longer), counted in monotonic time from the first step that the candidate makes afterwards.",
        chapter: "isolation.md",
        implies: &["THR-4", "LAT-2"],
        applies: timed,
        check: Check::Decide { exercised: after_clock_step, blamed: |b| b.missing_step() && b.has(Cause::ClockStep) },
    },
    Requirement {
        id: "CLK-2",
        level: Level::Must,
        sentence: "When monotonic time begins anew after a restart, the remaining cooldown MUST lie in [0, cooldown].",
        chapter: "isolation.md",
        implies: &["ISO-3"],
        applies: |c| c.claims(Capability::Restart) && c.cooldown().is_some() && c.throttle.clock == Clock::Monotonic,
        check: Check::Decide {
            exercised: due_after_restart,
            blamed: |b| b.missing_step() && b.has(Cause::Restart) && b.contract.throttle.clock == Clock::Monotonic,
        },
    },
];

fn timed(contract: &Contract) -> bool {
    contract.cooldown().is_some() || contract.latch().is_some_and(|latch| latch.reopen_after_s.is_some())
}

fn judged_gate(judged: &Judged<'_>) -> bool {
    let gated = judged.forbid.iter().any(|reason| matches!(reason, Forbid::Cooling | Forbid::Latched));
    judged.step.kind == StepKind::Step
        && judged.step.pressure == Pressure::Summarize
        && !judged.fog
        && (gated || !judged.require.is_empty())
}

/// A step that throttle or latch decides, after attempts in other conversations.
fn beside_others(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    judged_gate(judged) && judged.facts.others > 0
}

fn after_restart(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    judged_gate(judged) && judged.facts.restarts > 0
}

fn any(_: &Case<'_>, _: &Judged<'_>) -> bool {
    true
}

fn after_clock_step(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    judged.facts.clock_steps > 0 && !judged.require.is_empty()
}

fn due_after_restart(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    judged.facts.restarts > 0 && !judged.require.is_empty()
}
