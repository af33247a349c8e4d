//! THR: the throttle.

use super::{Blame, Case, Cause, Check, Level, Requirement, Seen};
use crate::contract::{Calls, Capability, Contract, Feature, Growth, PressureSource, StatusKind};
use crate::history::{Pressure, StepKind};
use crate::oracle::view::Item;
use crate::oracle::{Forbid, Judged, Outcome, Require};
use crate::text::counted;

pub(crate) const ALL: &[Requirement] = &[
    Requirement {
        id: "THR-1",
        level: Level::Must,
        sentence: "A cooldown MUST NOT be lifted by anything that the attempt which started it appended, installed or trimmed.",
        chapter: "throttle.md",
        implies: &["THR-2"],
        applies: |c| c.cooldown().is_some(),
        check: Check::Decide { exercised: unchanged_inside, blamed: lifted_by_itself },
    },
    Requirement {
        id: "THR-2",
        level: Level::Must,
        sentence: "Every unforced attempt that succeeded or failed MUST start the cooldown, one that raised an error included.",
        chapter: "throttle.md",
        implies: &[],
        applies: |c| c.cooldown().is_some(),
        check: Check::Decide {
            exercised: unchanged_inside,
            blamed: |b| {
                b.attempted(Forbid::Cooling)
                    && b.plain()
                    && !b.grown_in_vain()
                    && (b.after_failure() || b.own_messages() == 0)
            },
        },
    },
    Requirement {
        id: "THR-3",
        level: Level::Must,
        sentence: "A cooldown MUST NOT be lifted by `ui_only` messages or by messages of another conversation.",
        chapter: "throttle.md",
        implies: &["THR-2", "THR-8"],
        applies: |c| c.cooldown().is_some() && (c.has(Feature::UiOnly) || c.claims(Capability::Conversations)),
        check: Check::Decide {
            exercised: foreign_inside,
            blamed: |b| {
                b.attempted(Forbid::Cooling)
                    && (b.has(Cause::UiOnly) || b.has(Cause::OtherConversation) || b.has(Cause::ManyConversations))
            },
        },
    },
    Requirement {
        id: "THR-4",
        level: Level::Must,
        sentence: "Once the cooldown is over (elapsed >= cooldown), the next step at pressure `summarize` with no latch in the way MUST attempt.",
        chapter: "throttle.md",
        implies: &[],
        applies: |c| c.cooldown().is_some(),
        check: Check::Decide {
            exercised: due,
            blamed: |b| {
                b.missing_step()
                    && b.bare()
                    && !b.by_size()
                    && !b.missing(Require::Grown)
                    && (b.trials.later_helps || !(b.missing(Require::Reopened) || b.judged.facts.strikes > 0))
            },
        },
    },
    Requirement {
        id: "THR-5",
        level: Level::Must,
        sentence: "Growth inside the cooldown MUST have the effect that `throttle.growth` declares: `reopens` lifts the cooldown, `ignored` does not.",
        chapter: "throttle.md",
        implies: &["THR-2"],
        applies: |c| c.cooldown().is_some() && c.throttle.growth != Growth::Unspecified,
        check: Check::Decide {
            exercised: grown_inside,
            blamed: |b| b.bare() && (b.grown_in_vain() || (b.missing(Require::Grown) && !b.missing(Require::Reopened))),
        },
    },
    Requirement {
        id: "THR-6",
        level: Level::Must,
        sentence: "At pressure `none` a step of kind `step` MUST NOT call the summariser, and at pressure `trim` with something surely trimmable it MUST trim and MUST NOT summarise.",
        chapter: "throttle.md",
        implies: &[],
        applies: |c| c.claims(Capability::Summarize) && c.pressure == PressureSource::Given,
        check: Check::Both {
            observe: trims_when_enough,
            blamed: |b| b.attempted(Forbid::PressureNone) || b.attempted(Forbid::TrimEnough),
        },
    },
    Requirement {
        id: "THR-7",
        level: Level::Must,
        sentence: "One step MUST NOT make more summariser calls than `attempt.calls` declares.",
        chapter: "throttle.md",
        implies: &[],
        applies: |c| c.claims(Capability::Summarize),
        check: Check::Observe(calls_are_declared),
    },
    Requirement {
        id: "THR-8",
        level: Level::Must,
        sentence: "Adding or removing `ui_only` messages of whatever size at whatever place in a history MUST NOT alter any decision or any provider view, and with `pressure` `own` too such messages MUST NOT count as size, as savings or as kept tail.",
        chapter: "throttle.md",
        implies: &[],
        applies: |c| c.has(Feature::UiOnly) && (c.claims(Capability::Summarize) || c.claims(Capability::Trim)),
        check: Check::Compare {
            exercised: ui_only_before,
            blamed: |b| (b.gate() || b.by_size()) && b.has(Cause::UiOnly),
        },
    },
    Requirement {
        id: "THR-9",
        level: Level::Must,
        sentence: "While `auto` is off the summariser MUST NOT be called unforced on any path, and `force` MUST still work.",
        chapter: "throttle.md",
        implies: &[],
        applies: |c| c.claims(Capability::Auto),
        check: Check::Decide {
            exercised: auto_off,
            blamed: |b| b.attempted(Forbid::AutoOff) || (b.missing(Require::Forced) && b.has(Cause::AutoSwitch)),
        },
    },
    Requirement {
        id: "THR-10",
        level: Level::Should,
        sentence: "While the cooldown runs, a step under pressure with something surely trimmable SHOULD trim.",
        chapter: "throttle.md",
        implies: &[],
        applies: |c| c.cooldown().is_some() && c.claims(Capability::Trim),
        check: Check::Observe(trims_while_cooling),
    },
    Requirement {
        id: "THR-11",
        level: Level::Should,
        sentence: "At pressure `none` a step SHOULD leave the view as it is.",
        chapter: "throttle.md",
        implies: &[],
        applies: |c| c.claims(Capability::View) && c.pressure == PressureSource::Given,
        check: Check::Observe(leaves_the_view),
    },
];

fn ordinary(judged: &Judged<'_>) -> bool {
    judged.step.kind == StepKind::Step && !judged.fog
}

/// An own message, or what the attempt trimmed, stands between a cooldown and the attempt inside it.
fn lifted_by_itself(blame: &Blame<'_>) -> bool {
    let own = blame.own_messages() > 0 || blame.has(Cause::Trim);
    blame.attempted(Forbid::Cooling) && blame.plain() && own && !blame.grown_in_vain() && !blame.particular_failure()
}

/// A step inside the cooldown of an attempt, with nothing new.
fn unchanged_inside(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    ordinary(judged) && judged.forbid.contains(&Forbid::Cooling) && judged.facts.growth == 0 && judged.is_pressed()
}

/// A step inside the cooldown, with nothing new but what does not count.
fn foreign_inside(case: &Case<'_>, judged: &Judged<'_>) -> bool {
    unchanged_inside(case, judged) && (judged.facts.ui_only > 0 || judged.facts.others > 0)
}

/// A step that has to attempt because no cooldown is in the way.
fn due(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    ordinary(judged) && judged.require.iter().any(|reason| matches!(reason, Require::CooldownOver))
}

fn grown_inside(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    let forbidden = judged.forbid.contains(&Forbid::Cooling) && judged.facts.growth > 0;
    ordinary(judged) && (judged.require.contains(&Require::Grown) || forbidden)
}

fn ui_only_before(case: &Case<'_>, judged: &Judged<'_>) -> bool {
    let commands = &case.judgement.trace.history.commands[..judged.command];
    (judged.is_pressed() || judged.reading.is_some())
        && commands.iter().any(|command| match command {
            crate::history::Command::Append { conversation, messages } => {
                *conversation == judged.name && messages.iter().any(|draft| draft.ui_only)
            }
            _ => false,
        })
}

fn auto_off(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    judged.forbid.contains(&Forbid::AutoOff) && judged.is_pressed()
}

fn trims_when_enough(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for judged in case.steps().iter().filter(|judged| judged.step.kind == StepKind::Step && !judged.switched_off()) {
        match judged.step.pressure {
            Pressure::None => seen.check(judged.command, "attempt without pressure", None),
            Pressure::Trim if judged.trimmable > 0 => {
                let idle = !judged.trimmed && !judged.attempted();
                let detail =
                    idle.then(|| format!("it did not trim, with {}", counted(judged.trimmable, "trimmable result")));
                seen.check(judged.command, "no trim", detail);
            }
            Pressure::Trim | Pressure::Summarize => {}
        }
    }
    seen
}

fn calls_are_declared(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for judged in case.steps().iter().filter(|judged| judged.attempted()) {
        let made = judged.event.calls.len();
        let most = declared_calls(case.contract, judged);
        let detail = (made > most).then(|| format!("{made} summariser calls in one step, {most} declared"));
        seen.check(judged.command, "too many calls", detail);
    }
    seen
}

/// The summariser calls that one step may make.
fn declared_calls(contract: &Contract, judged: &Judged<'_>) -> usize {
    match (contract.attempt.calls, contract.attempt.input_max) {
        (Calls::AtMost(n), _) => n as usize,
        (Calls::Chunks, max) => {
            // As many as the input needs, where no two neighbours fit together: twice the quotient, and one to merge.
            let sizes = judged.before.iter().filter(|item| item.visible).map(|item| item.size + 1);
            2 * (sizes.sum::<usize>() / max.unwrap_or(usize::MAX).max(1)) + 2
        }
    }
}

fn trims_while_cooling(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let cooling = |judged: &&Judged<'_>| !judged.switched_off() && judged.forbid.contains(&Forbid::Cooling);
    for judged in case.steps().iter().filter(cooling) {
        if judged.is_pressed_at_all() && judged.trimmable > 0 && !judged.attempted() {
            let detail = (!judged.trimmed).then(|| {
                format!(
                    "the cooldown runs, and it did not trim, with {}",
                    counted(judged.trimmable, "trimmable result")
                )
            });
            seen.check(judged.command, "no trim while cooling", detail);
        }
    }
    seen
}

/// What the model sees. Own items may have another id whenever the view is put together.
fn visible<'a>(view: &'a [Item<'_>]) -> impl Iterator<Item = (Option<usize>, &'a str)> {
    view.iter().filter(|item| item.visible).map(|item| (item.external(), item.message.content.as_str()))
}

fn leaves_the_view(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let none = |judged: &&Judged<'_>| ordinary(judged) && judged.step.pressure == Pressure::None;
    for judged in case.steps().iter().filter(none) {
        // A checkpoint that was asked for before may be answered, and installed, at any later step.
        let summary = |item: &&Item<'_>| item.is_own() && item.visible && item.message.summary;
        let stood = |id: &str| judged.before.iter().any(|item| item.message.id == id);
        let answered = case.contract.status.visible.contains(&StatusKind::Checkpoint)
            && judged.after.iter().filter(summary).any(|item| !stood(&item.message.id));
        let same = || visible(&judged.before).eq(visible(&judged.after));
        let changed = judged.outcome != Some(Outcome::Success) && !same();
        let changed = changed && !answered;
        let detail = changed.then(|| "the view changed at pressure none".to_owned());
        seen.check(judged.command, "view changed", detail);
    }
    seen
}
