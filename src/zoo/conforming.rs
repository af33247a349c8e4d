//! Sound designs that a naive suite would blame.

use super::contracts::{
    abort_fails, attempt, checkpoint, chunks, cooldown_only, cooldowns, drops, effect, exempting, growth_ignored,
    half_open_timer, kept_latch, latch, latch_only, monotonic, no_notes, noop_fails, reference, three_strikes, view,
    volatile,
};
use super::{Row, rows};
use crate::candidate::{Conversation, Host, Rejection, Restart, Summary};
use crate::contract::{AfterReopen, Attempt, Calls, Contract, Latch, SizeRules, SizeUnit, ViewRules};
use crate::message::{Message, Role};
use crate::model::{Memory, Point, Sound, eligible, standing};
use crate::trace::Action;

pub(super) const ALL: &[Row] = rows! {
    "quiet":
        "It says nothing of what it does."
        kind "status", under reference(),
        {
            fn status(&self, _: &str) -> Option<Message> {
                None
            }
        }

    "quiet-without-notes":
        "It says nothing of what it does, and neither it nor its host has messages for the person only."
        kind "status", under no_notes(),
        {
            fn status(&self, _: &str) -> Option<Message> {
                None
            }
        }

    "counts-tokens":
        "Sizes are tokens, a quarter of the characters, and so is what is enough to summarise."
        kind "attempt", under Contract { size: SizeRules { unit: SizeUnit::Tokens, ..SizeRules::default() }, ..reference() },
        {
            fn is_enough(&self, contract: &Contract, view: &[Message], eligible: &[usize]) -> bool {
                let tokens: usize = eligible.iter().map(|at| view[*at].content.chars().count() / 4).sum();
                eligible.len() >= contract.attempt.eligible_min && tokens >= contract.attempt.eligible_min_size
            }
        }

    "empties-results":
        "Of a result that it trims nothing is left but the mark."
        kind "trim", under reference(),
        {
            fn shorten(&self, _: &str) -> String {
                String::new()
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

    "parsed-summary":
        "It asks for an analysis and a summary, and installs what stands between the tags."
        kind "attempt", under attempt(Attempt {
            answer: "<analysis>so it was</analysis>\n<summary>{text}</summary> and that is all".to_owned(),
            ..Attempt::default()
        }),
        {
            fn refine(&self, _: &Host, summary: Summary) -> Result<Summary, Rejection> {
                let inner = summary.text.split_once("<summary>").and_then(|(_, rest)| rest.split_once("</summary>"));
                let text = inner.map(|(inner, _)| inner.to_owned()).unwrap_or_default();
                Ok(Summary { text, ..summary })
            }
        }

    "summary-in-two-parts":
        "Its summary is two messages that follow one another, and it says so."
        kind "attempt", under view(ViewRules { summaries: 2, ..ViewRules::default() }),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let mut parts = Vec::new();
                for message in conversation.view() {
                    let middle = message.content.chars().count() / 2;
                    let cut = message.content.char_indices().nth(middle).map_or(0, |(at, _)| at);
                    if !message.summary || cut == 0 {
                        parts.push(message.clone());
                        continue;
                    }
                    let (head, tail) = message.content.split_at(cut);
                    parts.extend([head, tail].map(|part| Message::new("", message.role, part).summary()));
                }
                conversation.install(parts);
            }
        }

    "stand-ins-for-results":
        "A trimmed result is an item of its own in the place of the old one, and answers the same call."
        kind "trim", under reference(),
        {
            fn trimmed(&self, conversation: &mut Conversation, _: &mut Memory, _: Point) {
                let stand_in = |message: &Message| {
                    if !message.trimmed || message.is_own() {
                        return message.clone();
                    }
                    let words = Message::new("", message.role, "[old result cleared]");
                    Message { call_id: message.call_id.clone(), trimmed: true, ..words }
                };
                let view = conversation.view().iter().map(stand_in).collect();
                conversation.install(view);
            }
            fn folds(&self, contract: &Contract, view: &[Message], at: usize) -> bool {
                let group = eligible(contract, view);
                let calls = || group.iter().flat_map(|at| &view[*at].calls);
                view[at].summary || calls().any(|call| view[at].call_id.as_ref() == Some(call))
            }
        }

    "rewinds-the-view-it-has":
        "An undo of what came after a compaction leaves the compacted view as it is."
        kind "view", under reference(),
        {
            fn rewinds(&self, conversation: &mut Conversation, to: &str) {
                let view = conversation.view().to_vec();
                let stands = view.iter().position(|message| message.id == to);
                conversation.rewind(to);
                let compacted = view.iter().any(|message| message.is_own() && message.is_visible());
                if let Some(at) = stands.filter(|_| compacted) {
                    conversation.install(view[..=at].to_vec());
                }
            }
        }

    "reports-nothing":
        "It does not say what it did."
        kind "status", under reference(),
        {
            fn reports(&self, _: Action) -> Action {
                Action::Unreported
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

    "one-count-of-failures":
        "Ladder and latch have one count of failures, which is stored; when the cooldown began is not."
        kind "throttle", under kept_latch(),
        {
            fn restarted(&self, contract: &Contract, memory: &mut Memory, restart: &Restart) {
                let failures = memory.throttle.failures;
                Sound.restarted(contract, memory, restart);
                memory.throttle.failures = failures;
            }
        }

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
        kind "latch", under exempting(),
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

    "one-more-try-that-exempts":
        "It tries again in the same step, and lost connections and time-outs are no strike."
        kind "attempt",
        under Contract { latch: exempting().latch, ..attempt(Attempt { calls: Calls::AtMost(2), ..Attempt::default() }) },
        {
            fn tries(&self) -> usize {
                2
            }
        }

    "in-parts":
        "What is longer than the summariser's window is summarised in parts."
        kind "attempt", under chunks(2_000),
        {}

    "one-part-at-a-time":
        "A step summarises as much as the summariser's window takes, and the rest stays for the next."
        kind "attempt", under attempt(Attempt { input_max: Some(4_000), ..Attempt::default() }),
        {}

    "half-of-it-then":
        "When the summariser says that the input is too long, it sends the first half of each message."
        kind "attempt",
        under attempt(Attempt { calls: Calls::AtMost(2), input_max: Some(100_000), ..Attempt::default() }),
        {
            fn after_overflow(&self, input: &[Message]) -> Option<Vec<Message>> {
                let mut shorter = input.to_vec();
                for message in &mut shorter {
                    message.content = message.content.chars().take(message.content.chars().count() / 2).collect();
                }
                Some(shorter)
            }
        }
};
