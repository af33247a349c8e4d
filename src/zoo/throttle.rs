//! Bugs in the throttle.

use super::contracts::cooldown_only;
use super::{Row, rows};
use crate::message::Message;

pub(super) const ALL: &[Row] = rows! {
    "self-counting-throttle":
        "Its status is for the person only, but its throttle counts every message and compares with the count from before the attempt."
        breaks "THR-1" and "THR-3" and "THR-8", kind "self-trigger", under cooldown_only(),
        {
            fn counts(&self, _: &Message) -> bool {
                true
            }
        }

};
