//! What is allowed at a step: the reasons that forbid an attempt, and those that require one.

use super::Judge;
use super::judged::{Forbid, Require};
use super::state::{Mark, Open, Permit};
use super::view::{self, Item};
use crate::contract::{Capability, CountsAs, Pending};
use crate::history::{Name, Pressure, StepCommand, StepKind};

impl<'t> Judge<'t> {
    /// Whether the wall clock has stepped and only CLK-1 speaks. The time runs from the first step at which the candidate has
    /// reason to look at the clock.
    pub(super) fn fog(&mut self, name: Name, now_s: f64, wait: f64, asked: bool) -> bool {
        let track = self.track(name);
        match track.fog {
            None => false,
            Some(None) => {
                if asked {
                    track.fog = Some(Some(now_s + wait));
                }
                wait > 0.0
            }
            Some(Some(until)) if now_s < until => true,
            Some(Some(_)) => {
                track.fog = None;
                false
            }
        }
    }

    /// Why an attempt is forbidden at this step.
    pub(super) fn forbid(
        &self,
        step: &StepCommand,
        pressure: Option<Pressure>,
        before: &[Item<'t>],
        now: &Mark,
        open_call: bool,
        trimmable: usize,
    ) -> Vec<Forbid> {
        let contract = self.contract;
        let track = &self.tracks[step.conversation.0 as usize];
        let mut forbid = Vec::new();
        if open_call && contract.attempt.pending == Pending::Never {
            forbid.push(Forbid::OpenCall);
        }
        if step.kind != StepKind::Force && !self.auto {
            forbid.push(Forbid::AutoOff);
        }
        if step.kind == StepKind::Step {
            match pressure {
                Some(Pressure::None) => forbid.push(Forbid::PressureNone),
                Some(Pressure::Trim) if trimmable > 0 => forbid.push(Forbid::TrimEnough),
                Some(Pressure::Trim | Pressure::Summarize) | None => {}
            }
            if contract
                .cooldown()
                .is_some_and(|cooldown| track.cooling.forbids(cooldown, contract.throttle.growth, now))
            {
                forbid.push(Forbid::Cooling);
            }
            if track.latch.forbids(contract, now) {
                forbid.push(Forbid::Latched);
            }
        }
        if step.kind == StepKind::Overflow && track.recoveries.0 >= contract.overflow.recoveries {
            forbid.push(Forbid::NoRecoveryLeft);
        }
        if view::maybe_eligible(before).next().is_none() {
            forbid.push(Forbid::NothingEligible);
        }
        forbid
    }

    /// Why an attempt is required, where nothing forbids it.
    pub(super) fn require(&self, step: &StepCommand, due: bool, now: &Mark) -> Vec<Require> {
        let contract = self.contract;
        let track = &self.tracks[step.conversation.0 as usize];
        match step.kind {
            StepKind::Force if contract.claims(Capability::Force) => vec![Require::Forced],
            StepKind::Overflow
                if contract.claims(Capability::Overflow) && track.recoveries.1 < contract.overflow.recoveries =>
            {
                vec![Require::Overflow]
            }
            StepKind::Step if due => {
                let Some(open) = track.latch.permits(contract, now) else { return Vec::new() };
                let permit = match contract.cooldown() {
                    Some(cooldown) => track.cooling.permits(cooldown, contract.throttle.growth, now),
                    // Without a cooldown only the latch speaks, and after an attempt that left the view as it is there is
                    // nothing new to try.
                    None => Some(if track.attempts == 0 { Permit::NoAttemptYet } else { Permit::CooldownOver }),
                };
                let mut reasons = match permit {
                    None => return Vec::new(),
                    Some(Permit::NoAttemptYet) => vec![Require::FirstAttempt],
                    // A cooldown that something else may have started is no reason before there was an attempt.
                    Some(_) if track.attempts == 0 && contract.attempt.noop == CountsAs::Ignored => {
                        vec![Require::FirstAttempt]
                    }
                    Some(Permit::CooldownOver) => vec![Require::CooldownOver],
                    Some(Permit::Grown) => vec![Require::Grown],
                };
                if open == Open::Reopened {
                    reasons.push(Require::Reopened);
                }
                reasons
            }
            _ => Vec::new(),
        }
    }
}
