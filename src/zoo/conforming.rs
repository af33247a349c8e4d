//! Sound designs that a naive suite would blame.

use super::contracts::reference;
use super::{Row, rows};
use crate::message::Message;

pub(super) const ALL: &[Row] = rows! {
    "quiet":
        "It says nothing of what it does."
        kind "status", under reference(),
        {
            fn status(&self, _: &str) -> Option<Message> {
                None
            }
        }
};
