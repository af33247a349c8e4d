//! Why a wrong decision was wrong: the causes that stand in the shortest witness and could not be removed from it.

use std::collections::BTreeSet;

use crate::contract::{Contract, FailureKind, Growth};
use crate::history::{Answer, Command, History, StepKind};
use crate::oracle::own::{Reading, measures};
use crate::oracle::{Forbid, Judged, Outcome, Require, Wrong};
use crate::text::counted;

/// Something in a witness that shrinking could not remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cause {
    UiOnly,
    OtherConversation,
    ManyConversations,
    Rewind,
    Restart,
    ClockStep,
    Abort,
    Forced,
    ForcedSuccess,
    OverflowStep,
    Trim,
    SecondLatching,
    /// A success that cleared strikes or a latch.
    EarlierSuccess,
    Declined,
    AutoSwitch,
}

/// What further plays of the witness have shown, where the witness alone does not tell two causes apart.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trials {
    /// A step that comes later makes the attempt that is missing: time was in the way.
    pub(crate) later_helps: bool,
    /// With one own message more and one message of the host less the decision is the same: own messages count.
    pub(crate) own_counts: Option<bool>,
    /// With a larger log and nothing else the attempt that is missing is made: the size was measured too small.
    pub(crate) size_helps: bool,
}

/// A wrong decision with the witness that it was shrunk to.
#[derive(Debug)]
pub(crate) struct Blame<'t> {
    pub(crate) contract: &'t Contract,
    pub(crate) history: &'t History,
    pub(crate) judged: &'t Judged<'t>,
    pub(crate) wrong: &'t Wrong,
    pub(crate) causes: BTreeSet<Cause>,
    pub(crate) trials: Trials,
}

impl<'t> Blame<'t> {
    pub(crate) fn new(
        contract: &'t Contract,
        history: &'t History,
        steps: &'t [Judged<'t>],
        judged: &'t Judged<'t>,
        wrong: &'t Wrong,
    ) -> Self {
        let causes = causes(history, steps, judged);
        Self { contract, history, judged, wrong, causes, trials: Trials::default() }
    }

    pub(crate) fn has(&self, cause: Cause) -> bool {
        self.causes.contains(&cause)
    }

    /// Nothing that the host did, besides appending, failing and stepping, stands in the witness.
    pub(crate) fn plain(&self) -> bool {
        let aside = |cause: &&Cause| {
            !matches!(
                cause,
                Cause::SecondLatching | Cause::EarlierSuccess | Cause::Trim | Cause::Declined | Cause::OverflowStep
            )
        };
        self.causes.iter().filter(aside).count() == 0
    }

    /// Nothing that the table of causes knows of.
    pub(crate) fn bare(&self) -> bool {
        self.causes.iter().all(|cause| *cause == Cause::OverflowStep)
    }

    /// The latch was shrunk away from: by a rewind or by a trim.
    pub(crate) fn shrunk(&self) -> bool {
        self.has(Cause::Rewind) || self.has(Cause::Trim)
    }

    /// Growth inside a cooldown that ignores it.
    pub(crate) fn grown_in_vain(&self) -> bool {
        self.contract.throttle.growth == Growth::Ignored
            && self.attempted(Forbid::Cooling)
            && self.judged.facts.growth > 0
    }

    /// An attempt that this reason forbids.
    pub(crate) fn attempted(&self, reason: Forbid) -> bool {
        matches!(self.wrong, Wrong::Attempted(reasons) if reasons.contains(&reason))
    }

    /// An attempt is missing that this reason requires.
    pub(crate) fn missing(&self, reason: Require) -> bool {
        matches!(self.wrong, Wrong::Missing(reasons) if reasons.contains(&reason))
    }

    /// An attempt is missing from a step that is neither forced nor an overflow.
    pub(crate) fn missing_step(&self) -> bool {
        matches!(self.wrong, Wrong::Missing(_)) && self.judged.step.kind == StepKind::Step
    }

    /// Throttle or latch decided wrongly at an ordinary step.
    pub(crate) fn gate(&self) -> bool {
        self.missing_step() || self.attempted(Forbid::Cooling) || self.attempted(Forbid::Latched)
    }

    /// The size decided wrongly.
    pub(crate) fn by_size(&self) -> bool {
        self.attempted(Forbid::PressureNone) || self.attempted(Forbid::TrimEnough) || self.trials.size_helps
    }

    /// Own messages stand between the last attempt, its own included, and the wrong decision.
    pub(crate) fn own_messages(&self) -> u64 {
        self.judged.facts.own
    }

    /// The last unforced attempt failed.
    pub(crate) fn after_failure(&self) -> bool {
        matches!(self.judged.facts.last, Some(Outcome::Failure(_)))
    }

    /// Own messages make up the growth that is missing.
    pub(crate) fn counted_own(&self) -> bool {
        let facts = &self.judged.facts;
        let needed = self.contract.latch().and_then(|latch| latch.reopen_growth);
        let made_up = needed.is_some_and(|n| facts.latch_growth.unwrap_or(0) + facts.latch_own >= n);
        made_up && self.trials.own_counts != Some(false)
    }

    /// The last attempt installed a view that saved too little, and took that for a success.
    pub(crate) fn installed_too_little(&self) -> bool {
        let kind = self.judged.facts.last;
        self.judged.facts.last_installed
            && matches!(kind, Some(Outcome::Failure(kind)) if kind == FailureKind::Ineffective)
    }

    /// The last attempt raised, or a kind of failure stands in the witness that a plain rejection cannot replace.
    pub(crate) fn particular_failure(&self) -> bool {
        if self.judged.facts.last_raised {
            return true;
        }
        // Where the candidate's summariser is never rejected, there is no plain failure.
        if !self.contract.attempt.outcomes.contains(&FailureKind::Rejected) {
            return false;
        }
        let answers = self.history.commands[..self.judged.command].iter().filter_map(|command| match command {
            Command::Step(step) => Some(step.answers.iter()),
            _ => None,
        });
        answers.flatten().any(|answer| !matches!(answer, Answer::Ok | Answer::Rejected | Answer::Aborted))
    }
}

fn causes(history: &History, steps: &[Judged<'_>], judged: &Judged<'_>) -> BTreeSet<Cause> {
    let mut causes = BTreeSet::new();
    let facts = &judged.facts;
    if history.drafts().any(|(_, draft)| draft.ui_only) {
        causes.insert(Cause::UiOnly);
    }
    let others: BTreeSet<_> =
        history.commands.iter().filter_map(Command::conversation).filter(|name| *name != judged.name).collect();
    if others.len() > 50 {
        causes.insert(Cause::ManyConversations);
    } else if !others.is_empty() {
        causes.insert(Cause::OtherConversation);
    }
    for command in &history.commands[..judged.command] {
        match command {
            Command::Rewind { .. } => causes.insert(Cause::Rewind),
            Command::Restart { .. } => causes.insert(Cause::Restart),
            Command::Clock { .. } => causes.insert(Cause::ClockStep),
            Command::Auto { .. } => causes.insert(Cause::AutoSwitch),
            Command::Step(step) if step.kind == StepKind::Overflow => causes.insert(Cause::OverflowStep),
            _ => false,
        };
    }
    for earlier in
        steps.iter().filter(|earlier| earlier.command < judged.command && earlier.step.kind == StepKind::Force)
    {
        let success = earlier.outcome == Some(Outcome::Success);
        causes.insert(if success { Cause::ForcedSuccess } else { Cause::Forced });
    }
    let aborted = |command: &Command| matches!(command, Command::Step(step) if step.answers.contains(&Answer::Aborted));
    if history.commands[..judged.command].iter().any(aborted) {
        causes.insert(Cause::Abort);
    }
    for (there, cause) in [
        (facts.trims > 0, Cause::Trim),
        (facts.latchings > 1, Cause::SecondLatching),
        (facts.cleared > 0, Cause::EarlierSuccess),
        (facts.declines > 0, Cause::Declined),
    ] {
        if there {
            causes.insert(cause);
        }
    }
    causes
}

/// The decision against the rule, in one sentence with numbers.
pub(crate) fn sentence(judged: &Judged<'_>, wrong: &Wrong, contract: &Contract) -> String {
    let facts = &judged.facts;
    let calls = judged.event.calls.len();
    match wrong {
        Wrong::Attempted(reasons) => {
            let why: Vec<String> = reasons.iter().map(|reason| forbidden(*reason, judged, contract)).collect();
            format!("it made {} where {}", counted(calls, "summariser call"), why.join(", and "))
        }
        Wrong::Missing(reasons) => {
            let why: Vec<String> = reasons
                .iter()
                .map(|reason| match (reason, facts.since_s) {
                    (Require::CooldownOver, Some(s)) => format!("the cooldown is over ({s} s since the last attempt)"),
                    (Require::Reopened, _) => format!(
                        "the latch has reopened (growth {} and {} s since it closed)",
                        facts.latch_growth.unwrap_or_default(),
                        facts.latch_since_s
                    ),
                    (Require::Grown, _) => format!("growth of {} has lifted the cooldown", facts.growth),
                    _ => reason.words().to_owned(),
                })
                .collect();
            let (messages, size) = (counted(judged.eligible, "eligible message"), judged.eligible_size);
            let measured = judged.reading.as_ref();
            let measured = measured.map_or(String::new(), |reading| format!(", {}", of_trigger(reading, contract)));
            format!(
                "it made no attempt although {}{measured} and there is room: {messages}, {size} in size",
                why.join(", ")
            )
        }
    }
}

fn forbidden(reason: Forbid, judged: &Judged<'_>, contract: &Contract) -> String {
    let facts = &judged.facts;
    match reason {
        Forbid::Cooling => {
            let left = facts.cooldown_left_s.unwrap_or_default();
            format!("the cooldown runs for another {left} s and growth is {}", facts.growth)
        }
        Forbid::Latched => {
            let growth = facts.latch_growth.unwrap_or_default();
            match contract.latch().and_then(|latch| latch.reopen_growth) {
                Some(n) => format!("the latch is closed and growth is {growth} of {n}"),
                None => format!("the latch is closed since {} s", facts.latch_since_s),
            }
        }
        other => match &judged.reading {
            Some(reading) => format!("{}: {}", other.words(), of_trigger(reading, contract)),
            None => other.words().to_owned(),
        },
    }
}

/// The size that was measured, beside the trigger.
fn of_trigger(reading: &Reading, contract: &Contract) -> String {
    let (least, most) = (reading.size.least, reading.size.most);
    let size = if least == most { least.to_string() } else { format!("{least} to {most}") };
    format!("the log measures {size} and the trigger is {}", contract.gauge.trigger)
}

/// The id for a wrong decision that no cause explains and no rule of throttle or latch covers: what the contract claims
/// that comes nearest to what stood in the way, or to what made it due.
pub(crate) fn fallback(contract: &Contract, blame: &Blame<'_>) -> Option<&'static str> {
    let order: &[&str] = match blame.wrong {
        _ if measures(contract) && blame.by_size() => &["MEA-6"],
        Wrong::Attempted(reasons) if reasons.contains(&Forbid::Cooling) => &["THR-2", "LAT-1", "ISO-1"],
        Wrong::Attempted(_) => &["LAT-1", "THR-2", "ISO-1"],
        Wrong::Missing(reasons) if reasons.contains(&Require::Reopened) && !blame.trials.later_helps => {
            &["LAT-2", "THR-4", "OUT-7"]
        }
        Wrong::Missing(_) => &["THR-4", "LAT-2", "OUT-7"],
    };
    order.iter().copied().find(|id| super::requirement(id).is_some_and(|requirement| requirement.applies(contract)))
}
