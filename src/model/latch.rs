//! The failure latch.

use serde::{Deserialize, Serialize};

use super::change::reopens;
use super::throttle::Point;
use crate::contract::{AfterReopen, Latch};

/// Consecutive failures, and where they latched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LatchState {
    pub(crate) strikes: u32,
    pub(crate) latched: Option<Point>,
}

impl LatchState {
    /// Records a failure at `here`. An attempt gets through a latch only when it has reopened, so a failure of a latched
    /// one is the failure of a probe.
    pub(crate) fn fail(&mut self, rules: &Latch, here: Point) {
        let probe = self.latched.is_some();
        if probe && rules.after_reopen == AfterReopen::Fresh {
            *self = Self::default();
        }
        self.strikes += 1;
        if self.strikes >= rules.strikes || (probe && rules.after_reopen == AfterReopen::HalfOpen) {
            self.latched = Some(here);
        }
    }

    /// Whether the latch has reopened: after `growth` messages and `elapsed_s` seconds since it latched.
    pub(crate) fn reopened(rules: &Latch, growth: u64, elapsed_s: f64) -> bool {
        rules.reopen_growth.is_some_and(|n| reopens(growth, n)) || rules.reopen_after_s.is_some_and(|s| elapsed_s >= s)
    }
}
