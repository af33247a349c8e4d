//! Bugs in what a person asks for, and in what an overflow proves.

use super::contracts::{cooldown_only, reference};
use super::{Row, rows};
use crate::contract::Contract;
use crate::history::{Pressure, StepKind};
use crate::model::{Gates, LatchState, Memory, Outcome, Point, Sound};

pub(super) const ALL: &[Row] = rows! {
    "cooldown-stops-the-person":
        "A person's request has to wait for the cooldown."
        breaks "FRC-1", kind "force-blocked", under reference(),
        {
            fn forces(&self, gates: Gates) -> bool {
                !gates.cooling
            }
        }

    "latch-stops-the-person":
        "A person's request is turned down while the latch is closed."
        breaks "FRC-1", kind "force-blocked", under reference(),
        {
            fn forces(&self, gates: Gates) -> bool {
                !gates.latched
            }
        }

    "forced-failure-starts-the-cooldown":
        "A person's failed request starts the automatic cooldown."
        breaks "FRC-2", kind "latch-wrong-actor", under cooldown_only(),
        {
            fn record_forced(&self, memory: &mut Memory, outcome: Outcome, here: Point) {
                Sound.record_forced(memory, outcome, here);
                memory.throttle.last = Some(here);
            }
        }

    "forced-failure-latches":
        "A person's failed request closes the automatic latch."
        breaks "FRC-2", kind "latch-wrong-actor", under reference(),
        {
            fn record_forced(&self, memory: &mut Memory, outcome: Outcome, here: Point) {
                match outcome {
                    Outcome::Success => memory.latch = LatchState::default(),
                    Outcome::Failure(_) | Outcome::Abort => memory.latch.latched = Some(here),
                }
            }
        }

    "asking-opens-the-latch":
        "A person's request opens the automatic latch, whatever comes of it."
        breaks "FRC-2", kind "latch-wrong-actor", under reference(),
        {
            fn record_forced(&self, memory: &mut Memory, _: Outcome, _: Point) {
                memory.latch = LatchState::default();
            }
        }

    "a-person-needs-pressure":
        "A person's request is turned down where the host sees no pressure."
        breaks "FRC-1", kind "force-blocked", under reference(),
        {
            fn heeds(&self, kind: StepKind, pressure: Pressure) -> bool {
                kind != StepKind::Force || pressure != Pressure::None
            }
        }

    "a-proof-needs-pressure":
        "A proven overflow is not believed where the host sees no pressure."
        breaks "FRC-3", kind "emergency-starved", under reference(),
        {
            fn heeds(&self, kind: StepKind, pressure: Pressure) -> bool {
                kind != StepKind::Overflow || pressure != Pressure::None
            }
        }

    "cooldown-stops-recoveries":
        "The cooldown keeps it from recovering from a proven overflow."
        breaks "FRC-3", kind "emergency-starved", under reference(),
        {
            fn may_recover(&self, contract: &Contract, memory: &mut Memory, growth: u64, gates: Gates) -> bool {
                !gates.cooling && Sound.may_recover(contract, memory, growth, gates)
            }
        }

    "latch-stops-recoveries":
        "The latch keeps it from recovering from a proven overflow."
        breaks "FRC-3", kind "emergency-starved", under reference(),
        {
            fn may_recover(&self, contract: &Contract, memory: &mut Memory, growth: u64, gates: Gates) -> bool {
                !gates.latched && Sound.may_recover(contract, memory, growth, gates)
            }
        }

    "recovers-again-and-again":
        "Every report of an overflow buys another attempt, although nothing has changed."
        breaks "FRC-3", kind "retry-storm", under reference(),
        {
            fn may_recover(&self, _: &Contract, _: &mut Memory, _: u64, _: Gates) -> bool {
                true
            }
        }

    "recovers-once":
        "After one failed recovery there is never another, however the conversation goes on."
        breaks "FRC-3", kind "emergency-starved", under reference(),
        {
            fn may_recover(&self, contract: &Contract, memory: &mut Memory, _: u64, _: Gates) -> bool {
                memory.recoveries < contract.overflow.recoveries
            }
        }
};
