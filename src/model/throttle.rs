//! The cooldown between attempts.

use serde::{Deserialize, Serialize};

use crate::contract::Clock;

/// Both clocks at a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Now {
    pub(crate) wall_s: f64,
    pub(crate) monotonic_s: f64,
}

impl Now {
    pub(crate) fn read(self, clock: Clock) -> f64 {
        match clock {
            Clock::Monotonic => self.monotonic_s,
            Clock::Wall => self.wall_s,
        }
    }
}

/// A moment in a conversation: how long the log was, and what the clock said.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// Messages in the log. The log is append-only, so what stands after them came later.
    pub(crate) log: usize,
    /// Visible messages of the host in the view. The reference does not need it; who counts net growth does.
    pub(crate) standing: u64,
    /// The clock that the contract names, in seconds.
    pub(crate) clock_s: f64,
}

impl Point {
    /// Seconds since then. A clock that has stepped back starts the point anew, so that nothing waits for it to catch up.
    pub(crate) fn elapsed(&mut self, now_s: f64) -> f64 {
        self.clock_s = self.clock_s.min(now_s);
        now_s - self.clock_s
    }
}

/// The last attempt that counts, and how many consecutive ones have failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ThrottleState {
    pub(crate) last: Option<Point>,
    pub(crate) failures: u32,
}
