//! LAT: the failure latch.

use super::{Case, Cause, Check, Level, Requirement, Seen};
use crate::contract::{AfterReopen, Capability, Contract, CountsAs, Feature, FitUnit, Latch, PressureSource};
use crate::history::StepKind;
use crate::oracle::{Forbid, Judged, Outcome, Require};
use crate::text::counted;

pub(crate) const ALL: &[Requirement] = &[
    Requirement {
        id: "LAT-1",
        level: Level::Must,
        sentence: "After `strikes` consecutive failures a step MUST NOT attempt until growth reaches `reopen_growth` or `reopen_after_s` is due; at `reopen_growth` - 1 it is not yet.",
        chapter: "latch.md",
        implies: &[],
        applies: |c| c.latch().is_some(),
        check: Check::Decide {
            exercised: closed,
            blamed: |b| b.attempted(Forbid::Latched) && !b.attempted(Forbid::Cooling) && b.bare() && !b.counted_own(),
        },
    },
    Requirement {
        id: "LAT-2",
        level: Level::Must,
        sentence: "When growth and net growth have reached `reopen_growth`, or `reopen_after_s` is due, the next step at pressure `summarize` with no cooldown in the way MUST attempt, so that no latch is for ever.",
        chapter: "latch.md",
        implies: &[],
        applies: |c| c.latch().is_some(),
        check: Check::Decide {
            exercised: reopened,
            blamed: |b| {
                b.bare()
                    && !b.by_size()
                    && !b.trials.later_helps
                    && (b.missing(Require::Reopened) || (b.missing_step() && b.contract.cooldown().is_none()))
            },
        },
    },
    Requirement {
        id: "LAT-3",
        level: Level::Must,
        sentence: "Every kind of failure that is not in `latch.exempt` MUST be a strike, an attempt that raised an error and one that returned without a view included.",
        chapter: "latch.md",
        implies: &["LAT-1"],
        applies: |c| c.latch().is_some(),
        check: Check::Decide {
            exercised: after_any_failure,
            blamed: |b| {
                let missing = b.missing_step() && !b.has(Cause::Abort);
                (b.attempted(Forbid::Latched) || missing) && b.particular_failure()
            },
        },
    },
    Requirement {
        id: "LAT-4",
        level: Level::Must,
        sentence: "With `after_reopen` `half_open`, a failure after reopening MUST latch again, with a full new distance.",
        chapter: "latch.md",
        implies: &["LAT-1"],
        applies: |c| reopens(c, |_| true) && half_open(c),
        check: Check::Decide {
            exercised: latched_again,
            blamed: |b| b.has(Cause::SecondLatching) && (b.attempted(Forbid::Latched) || b.missing(Require::Reopened)),
        },
    },
    Requirement {
        id: "LAT-5",
        level: Level::Must,
        sentence: "A success, forced or not, MUST clear the strikes and the latch.",
        chapter: "latch.md",
        implies: &["LAT-2", "LAT-10"],
        applies: |c| c.latch().is_some(),
        check: Check::Decide {
            exercised: after_success,
            blamed: |b| {
                b.has(Cause::EarlierSuccess)
                    && (b.missing_step() || b.attempted(Forbid::Latched))
                    && (b.plain() || b.has(Cause::ForcedSuccess))
            },
        },
    },
    Requirement {
        id: "LAT-6",
        level: Level::Must,
        sentence: "`ui_only` messages and own messages MUST NOT count as growth towards reopening.",
        chapter: "latch.md",
        implies: &["LAT-1", "THR-8"],
        applies: |c| reopens(c, |latch| latch.reopen_growth.is_some()),
        check: Check::Decide {
            exercised: closed_with_others,
            blamed: |b| b.attempted(Forbid::Latched) && (b.has(Cause::UiOnly) || (b.bare() && b.counted_own())),
        },
    },
    Requirement {
        id: "LAT-7",
        level: Level::Must,
        sentence: "Shrinking the view, by a rewind or a trim, MUST NOT push reopening away for ever.",
        chapter: "latch.md",
        implies: &["LAT-2"],
        applies: |c| {
            reopens(c, |latch| latch.reopen_growth.is_some())
                && (c.claims(Capability::Rewind) || c.claims(Capability::Trim))
        },
        check: Check::Decide {
            exercised: reopened_after_shrinking,
            blamed: |b| b.missing(Require::Reopened) && b.shrunk(),
        },
    },
    Requirement {
        id: "LAT-8",
        level: Level::Must,
        sentence: "A trim MUST NOT open the latch and MUST NOT raise the base from which its growth is counted.",
        chapter: "latch.md",
        implies: &["LAT-1", "LAT-2"],
        applies: |c| c.latch().is_some() && c.claims(Capability::Trim),
        check: Check::Decide {
            exercised: trimmed_while_closed,
            blamed: |b| {
                b.has(Cause::Trim) && (b.attempted(Forbid::Latched) || b.missing(Require::Reopened)) && b.plain()
            },
        },
    },
    Requirement {
        id: "LAT-9",
        level: Level::Must,
        sentence: "While latched, a step under pressure with something surely trimmable MUST trim.",
        chapter: "latch.md",
        implies: &[],
        applies: |c| c.latch().is_some() && c.claims(Capability::Trim),
        check: Check::Observe(trims_while_latched),
    },
    Requirement {
        id: "LAT-10",
        level: Level::Must,
        sentence: "Fewer than `strikes` consecutive failures MUST NOT latch.",
        chapter: "latch.md",
        implies: &["THR-4", "THR-5"],
        applies: |c| reopens_or_not(c, |latch| latch.strikes >= 2),
        check: Check::Decide {
            exercised: few_strikes,
            blamed: |b| {
                b.missing_step()
                    && b.bare()
                    && b.judged.facts.strikes > 0
                    && !b.missing(Require::Reopened)
                    && !b.trials.later_helps
            },
        },
    },
    Requirement {
        id: "LAT-11",
        level: Level::Must,
        sentence: "When `reopen_after_s` is due exactly one probe MUST be let through, and its failure MUST latch again for the full time.",
        chapter: "latch.md",
        implies: &["LAT-4"],
        applies: |c| reopens(c, |latch| latch.reopen_after_s.is_some()) && half_open(c),
        check: Check::Decide {
            exercised: probed,
            blamed: |b| b.has(Cause::SecondLatching) && (b.attempted(Forbid::Latched) || b.missing(Require::Reopened)),
        },
    },
    Requirement {
        id: "LAT-12",
        level: Level::Must,
        sentence: "Declining for lack of matter MUST have the effect that `attempt.noop` declares, and MUST NOT be a success.",
        chapter: "latch.md",
        implies: &["LAT-1", "LAT-2"],
        applies: |c| c.latch().is_some() && !counts_messages(c),
        check: Check::Decide {
            exercised: after_declining,
            blamed: |b| b.has(Cause::Declined) && b.gate() && !(b.missing(Require::Reopened) && b.shrunk()),
        },
    },
    Requirement {
        id: "LAT-13",
        level: Level::Must,
        sentence: "An abort MUST have the effect that `attempt.abort` declares, and MUST NOT be a success.",
        chapter: "latch.md",
        implies: &["LAT-1", "LAT-2", "THR-2"],
        applies: |c| c.latch().is_some() || c.cooldown().is_some(),
        check: Check::Decide { exercised: after_abort, blamed: |b| b.has(Cause::Abort) && b.gate() },
    },
];

fn reopens(contract: &Contract, rule: fn(&Latch) -> bool) -> bool {
    contract
        .latch()
        .is_some_and(|latch| (latch.reopen_growth.is_some() || latch.reopen_after_s.is_some()) && rule(latch))
}

fn reopens_or_not(contract: &Contract, rule: fn(&Latch) -> bool) -> bool {
    contract.latch().is_some_and(rule)
}

fn half_open(contract: &Contract) -> bool {
    contract.latch().is_some_and(|latch| latch.after_reopen == AfterReopen::HalfOpen)
}

fn ordinary(judged: &Judged<'_>) -> bool {
    judged.step.kind == StepKind::Step && judged.is_pressed() && !judged.fog
}

/// A step under pressure that the closed latch forbids to attempt, and only the latch, unless a cooldown always does, too.
fn closed(case: &Case<'_>, judged: &Judged<'_>) -> bool {
    let alone = judged.forbid == [Forbid::Latched];
    let shadowed = case.contract.latch_in_shadow() && judged.forbid == [Forbid::Cooling, Forbid::Latched];
    ordinary(judged) && (alone || shadowed)
}

fn reopened(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    judged.require.contains(&Require::Reopened)
}

fn after_any_failure(case: &Case<'_>, judged: &Judged<'_>) -> bool {
    closed(case, judged) && matches!(judged.facts.last, Some(Outcome::Failure(_)))
}

fn latched_again(case: &Case<'_>, judged: &Judged<'_>) -> bool {
    judged.facts.latchings >= 2 && (closed(case, judged) || reopened(case, judged))
}

fn after_success(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    ordinary(judged) && judged.facts.cleared > 0 && !judged.require.is_empty()
}

fn closed_with_others(case: &Case<'_>, judged: &Judged<'_>) -> bool {
    // Where a message is never for the person only, one that says nothing has nothing to count.
    let quiet = !case.contract.has(Feature::UiOnly) && judged.facts.latch_own == 0;
    closed(case, judged) && (quiet || judged.facts.latch_ui_only + judged.facts.latch_own > 0)
}

fn reopened_after_shrinking(case: &Case<'_>, judged: &Judged<'_>) -> bool {
    reopened(case, judged) && (judged.facts.rewinds_latched > 0 || judged.facts.trims_latched > 0)
}

fn trimmed_while_closed(case: &Case<'_>, judged: &Judged<'_>) -> bool {
    judged.facts.trims_latched + judged.facts.chances_latched > 0 && (closed(case, judged) || reopened(case, judged))
}

fn few_strikes(case: &Case<'_>, judged: &Judged<'_>) -> bool {
    let strikes = case.contract.latch().map_or(1, |latch| latch.strikes);
    ordinary(judged) && !judged.require.is_empty() && (1..strikes).contains(&judged.facts.strikes)
}

fn probed(case: &Case<'_>, judged: &Judged<'_>) -> bool {
    latched_again(case, judged)
}

/// Where messages are what is measured, too many of them are never too few to summarise.
fn counts_messages(contract: &Contract) -> bool {
    contract.pressure == PressureSource::Own && contract.gauge.unit == FitUnit::Messages
}

fn after_declining(case: &Case<'_>, judged: &Judged<'_>) -> bool {
    let declared =
        case.contract.attempt.noop == CountsAs::Failure || !judged.require.is_empty() || closed(case, judged);
    ordinary(judged) && judged.facts.declines > 0 && declared
}

fn after_abort(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    ordinary(judged) && judged.facts.aborts > 0
}

fn trims_while_latched(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let latched = |judged: &&Judged<'_>| {
        !judged.switched_off() && judged.forbid.contains(&Forbid::Latched) && judged.step.kind == StepKind::Step
    };
    for judged in case.steps().iter().filter(latched) {
        if judged.is_pressed_at_all() && judged.trimmable > 0 && !judged.attempted() {
            let detail = (!judged.trimmed).then(|| {
                format!(
                    "the latch is closed, and it did not trim, with {}",
                    counted(judged.trimmable, "trimmable result")
                )
            });
            seen.check(judged.command, "no trim while latched", detail);
        }
    }
    // Who trims in the step that failed, too, may have nothing left to trim for as long as the latch is closed.
    let failed = |judged: &&Judged<'_>| ordinary(judged) && matches!(judged.outcome, Some(Outcome::Failure(_)));
    seen.exercised += case.steps().iter().filter(failed).filter(|judged| judged.trimmed).count() as u64;
    seen
}
