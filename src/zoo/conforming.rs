//! Sound designs that a naive suite would blame.

use super::contracts::{
    abort_fails, attempt, checkpoint, cooldown_only, cooldowns, drops, effect, growth_ignored, half_open_timer, latch,
    latch_only, monotonic, noop_fails, reference, three_strikes, volatile,
};
use super::{Row, rows};
use crate::candidate::{Conversation, Host, Rejection, Summary};
use crate::contract::{AfterReopen, Attempt, Calls, Contract, FailureKind, Latch, Trim, TrimHow};
use crate::message::{Message, Role};
use crate::model::{Point, Sound, standing, trimmable};

pub(super) const ALL: &[Row] = rows! {
    "quiet":
        "It says nothing of what it does."
        kind "status", under reference(),
        {
            fn status(&self, _: &str) -> Option<Message> {
                None
            }
        }

    "checkpoint":
        "Prompt and answer of an attempt are messages like any other, and it says so."
        kind "status", under checkpoint(),
        {
            fn asks(&self, _: &Contract, conversation: &mut Conversation) {
                conversation.append(Message::new("", Role::User, "summarise the conversation so far"));
            }
            fn status(&self, _: &str) -> Option<Message> {
                None
            }
        }

    "user-role-summary":
        "Its summary is a message from the user."
        kind "status", under reference(),
        {
            fn summary(&self, _: &Contract, text: &str) -> Message {
                Message::new("", Role::User, text).summary()
            }
        }

    "framed-summary":
        "Its summary stands between two lines of its own."
        kind "status", under reference(),
        {
            fn summary(&self, _: &Contract, text: &str) -> Message {
                Message::new("", Role::System, format!("<summary>\n{text}\n</summary>")).summary()
            }
        }

    "monotonic-clock":
        "Its throttle reads the monotonic clock."
        kind "throttle", under monotonic(),
        {}

    "cooldown-only":
        "It has a throttle and no latch."
        kind "throttle", under cooldown_only(),
        {}

    "growth-ignored":
        "Growth does nothing to its cooldown."
        kind "throttle", under growth_ignored(),
        {}

    "exclusive-boundary":
        "At exactly sixty seconds it still cools, and it says so."
        kind "throttle", under cooldowns(&[60.001]),
        {
            fn is_cooling(&self, elapsed_s: f64, _: f64) -> bool {
                elapsed_s <= 60.0
            }
        }

    "ladder":
        "From the second failure in a row on it waits five minutes instead of one."
        kind "throttle", under Contract { latch: None, ..cooldowns(&[60.0, 300.0]) },
        {}

    "latched-ladder":
        "It waits longer after each failure, and three of them latch."
        kind "throttle", under Contract { latch: three_strikes().latch, ..cooldowns(&[10.0, 60.0, 300.0]) },
        {}

    "latch-only":
        "It has a latch and no throttle."
        kind "latch", under latch_only(),
        {}

    "three-strikes":
        "Three failures in a row latch."
        kind "latch", under three_strikes(),
        {}

    "half-open-timer":
        "One failure latches, and every five minutes one probe is let through."
        kind "latch", under half_open_timer(),
        {}

    "growth-or-time":
        "Three failures latch, and either growth or time reopens."
        kind "latch", under latch(Latch { strikes: 3, reopen_after_s: Some(300.0), ..Latch::default() }),
        {}

    "fresh-after-reopening":
        "After reopening it takes two failures again to latch."
        kind "latch", under latch(Latch { strikes: 2, after_reopen: AfterReopen::Fresh, ..Latch::default() }),
        {}

    "exempt-kinds":
        "Lost connections and time-outs start the cooldown, and are no strike."
        kind "latch", under latch(Latch { exempt: vec![FailureKind::Timeout, FailureKind::Transport], ..Latch::default() }),
        {}

    "net-growth":
        "It measures growth by what stands in the view, less the smallest such number that it has seen since."
        kind "growth", under reference(),
        {
            fn growth(&self, conversation: &Conversation, point: &mut Point, _: &dyn Fn(&Message) -> bool) -> u64 {
                let standing = standing(conversation.view());
                point.standing = point.standing.min(standing);
                standing - point.standing
            }
        }

    "net-growth-while-trims-drop":
        "It measures growth by what stands in the view, and trims drop some of it."
        kind "growth", under drops(),
        {
            fn growth(&self, conversation: &Conversation, point: &mut Point, _: &dyn Fn(&Message) -> bool) -> u64 {
                let standing = standing(conversation.view());
                point.standing = point.standing.min(standing);
                standing - point.standing
            }
        }

    "volatile":
        "Throttle and latch live in memory, and it says so."
        kind "restart", under volatile(),
        {}

    "abort-fails":
        "An abort counts as a failure."
        kind "outcome", under abort_fails(),
        {}

    "noop-fails":
        "Declining for lack of matter counts as a failure."
        kind "outcome", under noop_fails(),
        {}

    "a-fifth-at-least":
        "A summary that saves less than a fifth of the view is a failure."
        kind "outcome", under effect(0.2),
        {}

    "two-calls":
        "It has every draft checked by a second call, and says so."
        kind "attempt", under attempt(Attempt { calls: Calls::AtMost(2), ..Attempt::default() }),
        {
            fn refine(&self, host: &Host, summary: Summary) -> Result<Summary, Rejection> {
                match Sound.unusable(&summary) {
                    Some(_) => Ok(summary),
                    None => host.summarize(&[Message::new("own-draft", Role::Assistant, summary.text)]),
                }
            }
        }

    "one-more-try":
        "When the first call fails it makes a second one in the same step, and says so."
        kind "attempt", under attempt(Attempt { calls: Calls::AtMost(2), ..Attempt::default() }),
        {
            fn tries(&self) -> usize {
                2
            }
        }

    "long-tail":
        "The last five messages stay as they are."
        kind "attempt", under attempt(Attempt { keep_last: 5, ..Attempt::default() }),
        {}

    "tail-by-size":
        "The last third of the view stays as it is."
        kind "attempt", under attempt(Attempt { keep_size: 0.34, ..Attempt::default() }),
        {}

    "trims-first":
        "Before it asks for a summary it trims what it can."
        kind "trim", under reference(),
        {
            fn asks(&self, contract: &Contract, conversation: &mut Conversation) {
                let mut view = conversation.view().to_vec();
                for at in trimmable(contract, &view) {
                    view[at].content = self.shorten(&view[at].content);
                    view[at].trimmed = true;
                }
                conversation.install(view);
            }
        }

    "drop-trimmer":
        "A trim drops whole call groups."
        kind "trim", under Contract { trim: Trim { how: TrimHow::Drop, ..Trim::default() }, ..reference() },
        {}

    "thrifty-trimmer":
        "It trims only where that saves a fifth of the view, and never the newest results."
        kind "trim", under Contract { trim: Trim { min_saving: 0.2, keep_size: 2_000, ..Trim::default() }, ..reference() },
        {}
};
