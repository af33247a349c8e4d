//! What a step does to throttle, latch and recoveries.

use super::judged::{Judged, Outcome};
use super::state::{self, Mark};
use super::{Judge, view};
use crate::contract::{CountsAs, FailureKind};
use crate::history::{Pressure, StepKind};

impl<'t> Judge<'t> {
    /// What the step did to throttle and latch.
    pub(super) fn update(&mut self, judged: &Judged<'t>, now: Mark, enough: bool) {
        let contract = self.contract;
        let after = view::standing(&judged.after);
        let smaller = view::size(&judged.after) < view::size(&judged.before);
        let track = self.track(judged.name);
        let mark = Mark { standing: now.standing.max(after), ..now };
        let abort_fails = state::abort_is_failure(contract);
        let latched_before = track.latch.is_latched();
        let kind = judged.step.kind;
        if let Some(outcome) = judged.outcome {
            track.attempts += 1;
            if kind == StepKind::Step {
                track.own_measure.attempted(contract, &judged.before, now.appended + now.rebrought);
            }
            if outcome == Outcome::Success {
                track.own_measure.settle(contract, &judged.after);
            }
            match outcome {
                Outcome::Success => {
                    track.facts.successes += 1;
                    track.facts.cleared += u32::from(track.latch.has_failed());
                }
                Outcome::Abort => track.facts.aborts += 1,
                Outcome::Failure(_) => {}
            }
            if kind == StepKind::Force {
                track.facts.forced += 1;
            } else {
                track.at_attempt =
                    Some((now.appended, track.ui_only, track.own - judged.event.appended.len() as u64, now.time.0));
                track.facts.last = Some(outcome);
                track.facts.last_raised = judged.event.raised.is_some();
                track.facts.last_installed = judged.replaced;
            }
        }
        let exempt = |kind: &FailureKind| contract.latch().is_some_and(|rules| rules.exempt.contains(kind));
        match (kind, judged.outcome) {
            (StepKind::Step, Some(Outcome::Success)) => {
                track.cooling.start(mark, true);
                track.latch.clear();
            }
            (StepKind::Step, Some(Outcome::Failure(_))) => {
                track.cooling.start(mark, false);
                track.latch.fail_as(contract, judged.failures(), mark);
            }
            (StepKind::Step, Some(Outcome::Abort)) if abort_fails => {
                track.cooling.start(mark, false);
                track.latch.fail(contract, FailureKind::Raised, mark);
            }
            (StepKind::Step, Some(Outcome::Abort)) => track.cooling.may_start(mark, false),
            (StepKind::Force, Some(Outcome::Success)) => {
                track.cooling.may_start(mark, false);
                track.cooling.may_clear();
                track.latch.clear();
            }
            (StepKind::Overflow, Some(Outcome::Success)) => {
                track.cooling.may_start(mark, false);
                track.cooling.may_clear();
                track.latch.clear();
            }
            (StepKind::Overflow, Some(Outcome::Failure(_))) => {
                track.cooling.may_start(mark, true);
                if let Some(kind) = judged.failures().find(|kind| !exempt(kind)) {
                    track.latch.may_fail(contract, kind, mark);
                }
            }
            (StepKind::Overflow, Some(Outcome::Abort)) => {
                track.cooling.may_start(mark, abort_fails);
                if abort_fails {
                    track.latch.may_fail(contract, FailureKind::Raised, mark);
                }
            }
            (StepKind::Step, None) if judged.pressure != Some(Pressure::None) && !enough => {
                track.facts.declines += 1;
                track.cooling.may_start(mark, contract.attempt.noop == CountsAs::Failure);
                if contract.attempt.noop == CountsAs::Failure && judged.pressure != Some(Pressure::Trim) {
                    track.latch.may_fail(contract, FailureKind::NoView, mark);
                }
            }
            _ => {}
        }
        let could_trim = judged.trimmable > 0
            && kind == StepKind::Step
            && judged.pressure.is_some_and(|pressure| pressure != Pressure::None);
        track.facts.chances_latched += u32::from(could_trim);
        if judged.trimmed {
            track.facts.trims += 1;
            track.facts.trims_latched += 1;
            if kind != StepKind::Force {
                track.cooling.may_start(mark, false);
            }
        }
        if kind == StepKind::Overflow && (judged.attempted() || judged.trimmed) {
            track.recovered_at = (track.appended, mark.standing);
            // Whether an interrupted recovery is used up is not said.
            let used = u32::from(judged.outcome != Some(Outcome::Abort));
            track.recoveries = if smaller { (0, 0) } else { (track.recoveries.0 + used, track.recoveries.1 + 1) };
        } else if smaller {
            // Another step made the view smaller: whether that renews the recoveries is not said.
            track.recoveries.0 = 0;
        }
        let latched = track.latch.is_latched();
        let struck = match judged.outcome {
            Some(Outcome::Failure(_)) => judged.failures().any(|kind| !exempt(&kind)),
            Some(Outcome::Abort) => abort_fails,
            Some(Outcome::Success) | None => false,
        };
        if latched && kind != StepKind::Force && ((kind == StepKind::Step && struck) || !latched_before) {
            let own = track.own - judged.event.appended.len() as u64;
            track.at_latch = Some((now.appended, track.ui_only, own, now.time.0));
            track.facts.latchings += 1;
            track.facts.rewinds_latched = 0;
            track.facts.trims_latched = 0;
            track.facts.chances_latched = 0;
        }
    }
}
