//! What throttle and latch of a candidate can be, after what was seen of it.
//!
//! Where the contract leaves a choice, all choices are kept: a decision is forbidden when every possible state forbids
//! it, and required when every possible state permits it.

use crate::contract::{AfterReopen, Contract, Cooldown, CountsAs, FailureKind, Growth};

/// A moment in a conversation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mark {
    /// The earliest and the latest second at which the candidate can have it.
    pub(crate) time: (f64, f64),
    /// Visible external messages appended so far.
    pub(crate) appended: u64,
    /// Visible external messages that rewinds have brought back so far.
    pub(crate) rebrought: u64,
    /// Rewinds so far.
    pub(crate) rewinds: u64,
    /// The most visible external messages that stood in the view just before or just after.
    pub(crate) standing: u64,
}

impl Mark {
    /// The least and the most growth from this mark to `now`.
    pub(crate) fn growth(&self, now: &Self) -> (u64, u64) {
        let appended = now.appended - self.appended;
        (appended, appended + (now.rebrought - self.rebrought))
    }

    /// The least and the most seconds from this mark to `now`.
    fn elapsed(&self, now: &Self) -> (f64, f64) {
        (now.time.0 - self.time.1, now.time.1 - self.time.0)
    }
}

/// Whether `elapsed` seconds, summed up from floating numbers, have reached `limit`; doubt goes to the candidate.
fn surely_reached(elapsed: f64, limit: f64) -> bool {
    elapsed >= limit + slack(limit)
}

fn surely_below(elapsed: f64, limit: f64) -> bool {
    elapsed < limit - slack(limit)
}

fn slack(limit: f64) -> f64 {
    if limit.fract() == 0.0 { 0.0 } else { 1e-5 }
}

/// A cooldown that may be running.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Start {
    pub(crate) mark: Mark,
    /// The least and the most consecutive failures that it counts.
    pub(crate) failures: (u32, u32),
}

/// The cooldowns that may be running; `None` among them: perhaps none is.
#[derive(Clone, Debug)]
pub(crate) struct Cooling {
    pub(crate) starts: Vec<Option<Start>>,
    failures: (u32, u32),
}

impl Default for Cooling {
    fn default() -> Self {
        Self { starts: vec![None], failures: (0, 0) }
    }
}

impl Cooling {
    /// It is as at the start, but for the failures, where what keeps their count may outlive it.
    pub(crate) fn forget(&mut self, count_may_stay: bool) {
        let most = if count_may_stay { self.failures.1 } else { 0 };
        *self = Self { failures: (0, most), ..Self::default() };
    }

    /// An unforced attempt that certainly starts it.
    pub(crate) fn start(&mut self, mark: Mark, success: bool) {
        self.failures = if success { (0, 0) } else { (self.failures.0 + 1, self.failures.1 + 1) };
        self.starts = vec![Some(Start { mark, failures: self.failures })];
    }

    /// Something that may start it; `failed`: it may count as a failure, too.
    pub(crate) fn may_start(&mut self, mark: Mark, failed: bool) {
        if failed {
            self.failures.1 += 1;
        }
        self.starts.push(Some(Start { mark, failures: self.failures }));
        if self.starts.len() > 6 {
            // Between the oldest and the newest no start makes a difference.
            self.starts.remove(2);
        }
    }

    /// Something that may end it.
    pub(crate) fn may_clear(&mut self) {
        self.failures.0 = 0;
        if !self.starts.contains(&None) {
            self.starts.push(None);
        }
    }

    /// The process has begun anew and its monotonic clock with it: any part of the cooldown may be left.
    pub(crate) fn forget_time(&mut self, now: &Mark) {
        for start in self.starts.iter_mut().flatten() {
            start.mark.time = (f64::NEG_INFINITY, now.time.1);
        }
    }

    /// Whether an attempt now is inside every cooldown that may be running, and growth does not lift it.
    pub(crate) fn forbids(&self, cooldown: &Cooldown, growth: Growth, now: &Mark) -> bool {
        self.starts.iter().all(|start| {
            start.is_some_and(|start| {
                let seconds = cooldown.after(start.failures.0.max(1)).min(cooldown.after(start.failures.1.max(1)));
                let inside = surely_below(start.mark.elapsed(now).1, seconds);
                let unchanged = start.mark.growth(now).1 == 0 && start.mark.rewinds == now.rewinds;
                inside && (growth == Growth::Ignored || unchanged)
            })
        })
    }

    /// Whether no cooldown stands in the way: none was started, or it is over. Else, whether growth has lifted it.
    pub(crate) fn permits(&self, cooldown: &Cooldown, growth: Growth, now: &Mark) -> Option<Permit> {
        let mut permit = Permit::NoAttemptYet;
        for start in self.starts.iter().flatten() {
            let seconds = cooldown.after(start.failures.0.max(1)).max(cooldown.after(start.failures.1.max(1)));
            let over = surely_reached(start.mark.elapsed(now).0, seconds);
            let grown = start.mark.growth(now).0 > 0 && now.standing > start.mark.standing;
            if over {
                permit = permit.max(Permit::CooldownOver);
            } else if growth == Growth::Reopens && grown {
                permit = Permit::Grown;
            } else {
                return None;
            }
        }
        Some(permit)
    }

    /// Seconds that the longest cooldown has left at least, for display.
    pub(crate) fn left(&self, cooldown: &Cooldown, now: &Mark) -> Option<f64> {
        let left = |start: &Start| cooldown.after(start.failures.0.max(1)) - start.mark.elapsed(now).0;
        self.starts.iter().flatten().map(left).fold(None, |most: Option<f64>, s| Some(most.map_or(s, |m| m.max(s))))
    }
}

/// Why no cooldown stands in the way of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Permit {
    /// None was ever started.
    NoAttemptYet,
    /// It is over.
    CooldownOver,
    /// Growth has lifted it.
    Grown,
}

/// A state of the latch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Strikes {
    pub(crate) count: u32,
    pub(crate) latched: Option<Latched>,
}

/// A latch that has closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Latched {
    pub(crate) mark: Mark,
    /// The fewest visible external messages seen in the view since, at a step that counts.
    pub(crate) floor: u64,
}

/// The states that the latch may be in.
#[derive(Clone, Debug)]
pub(crate) struct LatchStates {
    pub(crate) states: Vec<Strikes>,
}

impl Default for LatchStates {
    fn default() -> Self {
        Self { states: vec![Strikes { count: 0, latched: None }] }
    }
}

/// Why the latch does not stand in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Open {
    /// It never closed, or a success opened it.
    NotLatched,
    /// It has reopened by growth or time.
    Reopened,
}

impl LatchStates {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    fn failed(contract: &Contract, state: Strikes, kind: FailureKind, mark: Mark) -> Strikes {
        let Some(rules) = contract.latch() else { return state };
        if rules.exempt.contains(&kind) {
            return state;
        }
        let probe = state.latched.is_some();
        let count = if probe && rules.after_reopen == AfterReopen::Fresh { 1 } else { state.count + 1 };
        let closes = count >= rules.strikes || (probe && rules.after_reopen == AfterReopen::HalfOpen);
        let latched = closes.then_some(Latched { mark, floor: mark.standing });
        Strikes { count, latched }
    }

    /// An unforced attempt failed.
    pub(crate) fn fail(&mut self, contract: &Contract, kind: FailureKind, mark: Mark) {
        let exempt = contract.latch().is_some_and(|rules| rules.exempt.contains(&kind));
        for state in self.states.clone() {
            let at = self.states.iter().position(|other| *other == state).unwrap_or(0);
            self.states[at] = Self::failed(contract, state, kind, mark);
            // Whether a probe that failed in an exempt way is used up is nobody's business.
            if exempt && let Some(latched) = &state.latched {
                self.states.push(Strikes { latched: Some(Latched { mark, ..*latched }), ..state });
            }
        }
        self.tidy();
    }

    /// An unforced attempt failed, by one of these kinds.
    pub(crate) fn fail_as(&mut self, contract: &Contract, kinds: impl Iterator<Item = FailureKind>, mark: Mark) {
        let exempt = |kind: &FailureKind| contract.latch().is_some_and(|rules| rules.exempt.contains(kind));
        let (exempt, strikes): (Vec<_>, Vec<_>) = kinds.partition(exempt);
        let states = std::mem::take(&mut self.states);
        for kind in exempt.first().into_iter().chain(strikes.first()) {
            let mut failed = Self { states: states.clone() };
            failed.fail(contract, *kind, mark);
            self.states.extend(failed.states);
        }
        self.tidy();
    }

    /// Something that may count as a failure.
    pub(crate) fn may_fail(&mut self, contract: &Contract, kind: FailureKind, mark: Mark) {
        let new: Vec<Strikes> = self.states.iter().map(|state| Self::failed(contract, *state, kind, mark)).collect();
        self.states.extend(new);
        self.tidy();
    }

    /// The process has begun anew and its monotonic clock with it.
    pub(crate) fn forget_time(&mut self, now: &Mark) {
        for latched in self.states.iter_mut().filter_map(|state| state.latched.as_mut()) {
            latched.mark.time = (f64::NEG_INFINITY, now.time.1);
        }
    }

    /// A step at which an implementation can see how much stands in the view.
    pub(crate) fn look(&mut self, standing: u64) {
        for latched in self.states.iter_mut().filter_map(|state| state.latched.as_mut()) {
            latched.floor = latched.floor.min(standing);
        }
    }

    /// Whether the latch forbids an attempt now.
    pub(crate) fn forbids(&self, contract: &Contract, now: &Mark) -> bool {
        let Some(rules) = contract.latch() else { return false };
        self.states.iter().all(|state| {
            state.latched.is_some_and(|latched| {
                let grown = rules.reopen_growth.is_some_and(|n| latched.mark.growth(now).1 >= n);
                let due = rules.reopen_after_s.is_some_and(|s| !surely_below(latched.mark.elapsed(now).1, s));
                !grown && !due
            })
        })
    }

    /// Why the latch does not stand in the way, if it does not in any state.
    pub(crate) fn permits(&self, contract: &Contract, now: &Mark) -> Option<Open> {
        let Some(rules) = contract.latch() else { return Some(Open::NotLatched) };
        let mut open = Open::NotLatched;
        for latched in self.states.iter().filter_map(|state| state.latched) {
            let net = now.standing.saturating_sub(latched.floor);
            let grown = rules.reopen_growth.is_some_and(|n| latched.mark.growth(now).0 >= n && net >= n);
            let due = rules.reopen_after_s.is_some_and(|s| surely_reached(latched.mark.elapsed(now).0, s));
            if !grown && !due {
                return None;
            }
            open = Open::Reopened;
        }
        Some(open)
    }

    /// Whether it is latched in every possible state.
    pub(crate) fn is_latched(&self) -> bool {
        self.states.iter().all(|state| state.latched.is_some())
    }

    /// Whether a failure may stand in it.
    pub(crate) fn has_failed(&self) -> bool {
        self.states.iter().any(|state| state.count > 0 || state.latched.is_some())
    }

    fn tidy(&mut self) {
        let mut kept: Vec<Strikes> = Vec::with_capacity(self.states.len());
        for state in &self.states {
            if !kept.contains(state) {
                kept.push(*state);
            }
        }
        if kept.len() > 24 {
            // Too many to follow: from now on only what an open and the newest closed latch agree on.
            let newest = kept.iter().rev().find(|state| state.latched.is_some()).copied();
            kept = newest.into_iter().chain([Strikes { count: 0, latched: None }]).collect();
        }
        self.states = kept;
    }
}

/// What an abort counts as.
pub(crate) fn abort_is_failure(contract: &Contract) -> bool {
    contract.attempt.abort == CountsAs::Failure
}
