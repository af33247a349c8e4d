//! VIEW: what survives a compaction.

use super::{Case, Check, Level, Requirement};
use crate::contract::{Capability, Feature, Pending};
use crate::history::{Pressure, StepKind};
use crate::oracle::{Forbid, Judged};

pub(crate) const ALL: &[Requirement] = &[
    Requirement {
        id: "VIEW-4",
        level: Level::Must,
        sentence: "An attempt MUST NOT be made while a call is open.",
        chapter: "view.md",
        implies: &[],
        applies: |c| c.claims(Capability::View) && c.claims(Capability::Summarize) && c.has(Feature::Calls) && c.attempt.pending == Pending::Never,
        check: Check::Decide { exercised: under_open_call, blamed: |b| { b.attempted(Forbid::OpenCall) } },
    },
];

/// A step under pressure, with a call open and nothing else in the way.
fn under_open_call(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    let pressed = judged.step.kind != StepKind::Step || judged.step.pressure == Pressure::Summarize;
    pressed && judged.forbid == [Forbid::OpenCall]
}
