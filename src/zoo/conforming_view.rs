//! Sound designs of what is kept and what is trimmed, that a naive suite would blame.

use super::contracts::{alternation, attempt, reference, unspecified, view, volatile};
use super::{Row, rows};
use crate::candidate::Conversation;
use crate::contract::{Attempt, Contract, FailureKind, LatestUser, Trim, TrimHow, ViewRules};
use crate::message::{Message, Role};
use crate::model::{Outcome, Sound, close_groups, leading, marks, trimmable};
use crate::trace::Action;
use std::cell::{Cell, RefCell};

pub(super) const ALL: &[Row] = rows! {
    "long-tail":
        "The last five messages stay as they are."
        kind "attempt", under attempt(Attempt { keep_last: 5, ..Attempt::default() }),
        {}

    "tail-by-size":
        "The last third of the view stays as it is."
        kind "attempt", under attempt(Attempt { keep_size: 0.34, ..Attempt::default() }),
        {}

    "trims-anew":
        "What it stores of a trim is nothing: after a restart the results are whole, until they are trimmed again."
        kind "trim", under reference(),
        {
            fn stored(&self, log: &[Message], mut view: Vec<Message>) -> Vec<Message> {
                for item in view.iter_mut().filter(|item| item.trimmed) {
                    if let Some(sent) = log.iter().find(|message| message.id == item.id) {
                        item.clone_from(sent);
                    }
                }
                view
            }
        }

    "trims-first":
        "Before it asks for a summary it trims what it can."
        kind "trim", under reference(), state Cell<bool>,
        {
            fn asks(&self, contract: &Contract, conversation: &mut Conversation) {
                let mut view = conversation.view().to_vec();
                let trimmable = trimmable(contract, &view);
                for at in &trimmable {
                    view[*at].content = self.shorten(&view[*at].content);
                    view[*at].trimmed = true;
                }
                conversation.install(view);
                self.0.set(!trimmable.is_empty());
            }
            fn reports_attempt(&self, outcome: Outcome) -> Action {
                let rest = if self.0.get() { Action::Trim } else { Action::None };
                if outcome == Outcome::Success { Action::Summarize } else { rest }
            }
        }

    "bare":
        "Nothing stays but guidance, one summary and the latest user message."
        kind "view", under reference(),
        {
            fn eligible(&self, _: &Contract, view: &[Message]) -> Vec<usize> {
                all_but_guidance(view, true)
            }
        }

    "bare-between-turns":
        "Once a turn is over its summary stands for the user message, too, and it says so."
        kind "view", under view(ViewRules { latest_user: LatestUser::Covered, ..ViewRules::default() }),
        {
            fn eligible(&self, _: &Contract, view: &[Message]) -> Vec<usize> {
                let last = view.iter().rfind(|message| message.is_visible() && !message.is_own());
                let over = last.is_some_and(|message| message.role == Role::Assistant && message.calls.is_empty());
                all_but_guidance(view, !over)
            }
        }

    "three-summaries":
        "Up to three summaries stand in the view; then one takes the place of all."
        kind "view", under view(ViewRules { summaries: 3, ..ViewRules::default() }),
        {
            fn folds(&self, _: &Contract, view: &[Message], _: usize) -> bool {
                view.iter().filter(|message| message.summary).count() >= 3
            }
        }

    "rolling-summary":
        "The old summary is not summarised again: the new one begins with its text."
        kind "view", under reference(), state RefCell<String>,
        {
            fn asks(&self, _: &Contract, conversation: &mut Conversation) {
                let old = conversation.view().iter().filter(|message| message.summary);
                self.0.replace(old.map(|message| format!("{}\n", message.content)).collect());
            }
            fn is_sent(&self, message: &Message) -> bool {
                message.is_visible() && !message.summary
            }
            fn summary(&self, _: &Contract, text: &str) -> Message {
                Message::new("", Role::Assistant, format!("{}{text}", self.0.borrow())).summary()
            }
        }

    "alternating-roles":
        "Roles alternate in its view, whatever it takes, and it says so."
        kind "view", under alternation(),
        {}

    "alternating-roles-while-trims-drop":
        "Roles alternate in what a summary leaves, and a trim drops what it may."
        kind "view", under Contract { trim: Trim { how: TrimHow::Drop, ..Trim::default() }, ..alternation() },
        {}

    "drops-reasoning":
        "A compaction takes all reasoning blocks out of the view."
        kind "view", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let mut view = conversation.view().to_vec();
                view.iter_mut().for_each(|message| message.reasoning = None);
                conversation.install(view);
            }
        }

    "keeps-and-summarises":
        "The summariser is shown the whole view, and what need not go stays."
        kind "view", under reference(),
        {
            fn shown(&self, view: &[Message], _: &[usize]) -> Vec<usize> {
                (0..view.len()).filter(|at| view[*at].is_visible()).collect()
            }
        }

    "frames-of-its-own":
        "Its summary stands between two messages of its own."
        kind "view", under reference(),
        {
            fn fruitless(&self, contract: &Contract, old: &[Message], new: &[Message]) -> Option<FailureKind> {
                Sound.fruitless(contract, old, &framed(new))
            }
            fn installed(&self, conversation: &mut Conversation) {
                conversation.install(framed(conversation.view()));
            }
        }

    "new-ids":
        "What a compaction leaves in the view gets an id of the candidate's own."
        kind "view", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let mut view = conversation.view().to_vec();
                view.iter_mut().filter(|message| !message.is_own()).for_each(|message| {
                    let id = message.id.trim_start_matches("kept-");
                    message.id = format!("kept-{id}");
                });
                conversation.install(view);
            }
        }

    "drop-trimmer":
        "A trim drops whole call groups."
        kind "trim", under Contract { trim: Trim { how: TrimHow::Drop, ..Trim::default() }, ..reference() },
        {}

    "growth-lifts-and-it-says-nothing":
        "It claims nothing about growth inside the cooldown; three messages lift it."
        kind "growth", under unspecified(),
        {
            fn growth_lifts(&self, _: &Contract, growth: u64) -> bool {
                growth >= 3
            }
        }

    "growth-lifts-in-memory-only":
        "It claims nothing about growth inside the cooldown, forgets all at a restart, and one message lifts it."
        kind "growth", under Contract { restart: volatile().restart, ..unspecified() },
        {
            fn growth_lifts(&self, _: &Contract, growth: u64) -> bool {
                growth > 0
            }
        }

    "thrifty-trimmer":
        "It trims only where that saves a fifth of the view, and never the newest results."
        kind "trim", under Contract { trim: Trim { min_saving: 0.2, keep_size: 2_000, ..Trim::default() }, ..reference() },
        {}
};

/// Everything but leading system messages, pinned ones, and, if `latest`, the latest user message; whole call groups.
fn all_but_guidance(view: &[Message], latest: bool) -> Vec<usize> {
    let user = view.iter().rposition(|m| m.role == Role::User && m.is_visible() && !m.is_own());
    let pinned = (0..view.len()).filter(|at| view[*at].pinned);
    let mut stays = marks(view.len(), (0..leading(view)).chain(pinned).chain(user.filter(|_| latest)));
    close_groups(view, &mut stays);
    let may = |at: &usize| view[*at].is_visible() && !view[*at].is_own() && !stays[*at];
    (0..view.len()).filter(may).collect()
}

/// The view with a question before the summary and a remark after it.
fn framed(view: &[Message]) -> Vec<Message> {
    let mut view = view.to_vec();
    if let Some(at) = view.iter().rposition(|message| message.summary) {
        view.insert(at + 1, Message::new("", Role::Assistant, "I remember."));
        view.insert(at, Message::new("", Role::User, "What was said so far?"));
    }
    view
}
