//! Contracts that the rows declare.

use crate::contract::{
    AfterReopen, Attempt, Calls, Capability, Clock, Contract, Cooldown, CountsAs, Durability, FailureKind, Feature,
    Growth, Latch, RestartRules, Status, StatusKind, Throttle, Trim, TrimHow, ViewRules,
};

/// The reference's, without what is asked apart from conversations: everything that a compactor can claim, every parameter at its default.
pub(super) fn reference() -> Contract {
    let apart = [Capability::Field, Capability::Fit, Capability::Request, Capability::Gauge, Capability::Change];
    let mut contract = Contract::default();
    contract.capabilities.retain(|claimed| !apart.contains(claimed));
    contract
}

/// Without `capability`.
pub(super) fn less(capability: Capability, mut contract: Contract) -> Contract {
    contract.capabilities.retain(|claimed| *claimed != capability);
    contract
}

/// A throttle without a latch.
pub(super) fn cooldown_only() -> Contract {
    Contract { latch: None, ..less(Capability::Latch, reference()) }
}

/// A throttle without a latch that says nothing about growth.
pub(super) fn unspecified() -> Contract {
    Contract { throttle: Throttle { growth: Growth::Unspecified, ..Throttle::default() }, ..cooldown_only() }
}

/// A latch without a throttle.
pub(super) fn latch_only() -> Contract {
    Contract {
        throttle: Throttle { cooldown_s: None, ..Throttle::default() },
        ..less(Capability::Throttle, reference())
    }
}

/// A throttle that runs its time whatever arrives.
pub(super) fn growth_ignored() -> Contract {
    Contract { throttle: Throttle { growth: Growth::Ignored, ..Throttle::default() }, ..reference() }
}

/// A throttle that reads the monotonic clock.
pub(super) fn monotonic() -> Contract {
    Contract { throttle: Throttle { clock: Clock::Monotonic, ..Throttle::default() }, ..reference() }
}

/// A cooldown of these seconds, by consecutive failure.
pub(super) fn cooldowns(seconds: &[f64]) -> Contract {
    let cooldown_s = match seconds {
        [one] => Cooldown::Flat(*one),
        list => Cooldown::Ladder(list.to_vec()),
    };
    Contract { throttle: Throttle { cooldown_s: Some(cooldown_s), ..Throttle::default() }, ..reference() }
}

/// Another latch.
pub(super) fn latch(latch: Latch) -> Contract {
    Contract { latch: Some(latch), ..reference() }
}

/// Lost connections and time-outs are no strike.
pub(super) fn exempting() -> Contract {
    latch(Latch { exempt: vec![FailureKind::Timeout, FailureKind::Transport], ..Latch::default() })
}

/// No message is for the person only.
pub(super) fn no_notes() -> Contract {
    let mut contract = reference();
    contract.messages.retain(|feature| *feature != Feature::UiOnly);
    contract
}

/// The prompt and the answer of an attempt are messages like any other.
pub(super) fn checkpoint() -> Contract {
    Contract { status: Status { visible: vec![StatusKind::Checkpoint] }, ..reference() }
}

/// Three failures in a row latch.
pub(super) fn three_strikes() -> Contract {
    latch(Latch { strikes: 3, ..Latch::default() })
}

/// Three strikes, and as many again once it has reopened.
pub(super) fn fresh_strikes() -> Contract {
    latch(Latch { strikes: 3, after_reopen: AfterReopen::Fresh, ..Latch::default() })
}

/// One failure latches, and time alone reopens.
pub(super) fn half_open_timer() -> Contract {
    latch(Latch { reopen_growth: None, reopen_after_s: Some(300.0), ..Latch::default() })
}

/// Other attempts.
pub(super) fn attempt(attempt: Attempt) -> Contract {
    Contract { attempt, ..reference() }
}

/// Declining for lack of matter counts as a failure.
pub(super) fn noop_fails() -> Contract {
    attempt(Attempt { noop: CountsAs::Failure, ..Attempt::default() })
}

/// An abort counts as a failure.
pub(super) fn abort_fails() -> Contract {
    attempt(Attempt { abort: CountsAs::Failure, ..Attempt::default() })
}

/// An abort counts as a failure, and each failure makes the cooldown longer.
pub(super) fn patient_aborts() -> Contract {
    Contract { attempt: abort_fails().attempt, ..cooldowns(&[10.0, 60.0, 300.0]) }
}

/// Each failure makes the cooldown longer, three latch, and a restart leaves the latch alone.
pub(super) fn kept_latch() -> Contract {
    let restart = RestartRules { throttle: Durability::Volatile, latch: Durability::Persistent };
    Contract { restart, latch: three_strikes().latch, ..cooldowns(&[10.0, 60.0, 300.0]) }
}

/// A success makes the view smaller by this fraction.
pub(super) fn effect(min_effect: f64) -> Contract {
    attempt(Attempt { min_effect, ..Attempt::default() })
}

/// A trim drops whole groups; no one rewinds, and there is no throttle.
pub(super) fn drops() -> Contract {
    let trim = Trim { how: TrimHow::Drop, ..Trim::default() };
    Contract { trim, ..less(Capability::Rewind, latch_only()) }
}

/// As many calls as the input needs, for a summariser that takes so much.
pub(super) fn chunks(input_max: usize) -> Contract {
    attempt(Attempt { calls: Calls::Chunks, input_max: Some(input_max), ..Attempt::default() })
}

/// Another view.
pub(super) fn view(view: ViewRules) -> Contract {
    Contract { view, ..reference() }
}

/// Roles alternate in an installed view.
pub(super) fn alternation() -> Contract {
    view(ViewRules { alternation: true, ..ViewRules::default() })
}

/// Nothing of throttle and latch survives a restart.
pub(super) fn volatile() -> Contract {
    Contract { restart: RestartRules { throttle: Durability::Volatile, latch: Durability::Volatile }, ..reference() }
}
