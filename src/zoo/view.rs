//! Bugs in what survives a compaction.

use super::contracts::{alternation, drops, reference};
use super::{Row, rows};
use crate::candidate::Conversation;
use crate::contract::Contract;
use crate::message::{Message, Role};
use crate::model::{Sound, close_groups, eligible, leading, marks, trimmable};

pub(super) const ALL: &[Row] = rows! {
    "pins-are-forgotten":
        "A summary may stand for pinned messages, too."
        breaks "VIEW-1", kind "guidance-or-pinned-lost", under reference(),
        {
            fn eligible(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let unpinned = edited(view, |message| message.pinned = false);
                eligible(contract, &unpinned)
            }
        }

    "one-system-message-is-enough":
        "Of several leading system messages it keeps the first."
        breaks "VIEW-1", kind "guidance-or-pinned-lost", under reference(),
        {
            fn eligible(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let mut found = eligible(contract, view);
                let first = view.iter().position(Message::is_visible).unwrap_or(0);
                found.extend((first + 1..leading(view)).filter(|at| view[*at].is_visible() && !view[*at].pinned));
                found.sort_unstable();
                found
            }
        }

    "what-is-hidden-stands-in-front":
        "A system message leads only where nothing stands before it, what the model does not see included."
        breaks "THR-8" and "VIEW-1", kind "guidance-or-pinned-lost", under reference(),
        {
            fn eligible(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let leads = |message: &&Message| message.role == Role::System && !message.is_own();
                let leading = view.iter().take_while(leads).count();
                let mut view = view.to_vec();
                for message in view.iter_mut().skip(leading).filter(|message| message.role == Role::System) {
                    message.role = Role::Assistant;
                }
                eligible(contract, &view)
            }
        }

    "pins-are-put-back-twice":
        "After each compaction it puts the pinned messages in again, where they stand already."
        breaks "VIEW-1" and "VIEW-7", kind "guidance-or-pinned-lost", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let pinned = conversation.view().iter().filter(|message| message.pinned && message.calls.is_empty());
                let pinned: Vec<Message> = pinned.filter(|message| message.call_id.is_none()).cloned().collect();
                conversation.install([conversation.view(), &pinned].concat());
            }
        }

    "the-latest-request-is-summarised":
        "A summary may stand for the latest message of the person, whose turn is running."
        breaks "VIEW-2", kind "latest-instruction-lost", under reference(),
        {
            fn eligible(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let nobody = edited(view, |message| {
                    if message.role == Role::User {
                        message.role = Role::Assistant;
                    }
                });
                eligible(contract, &nobody)
            }
        }

    "the-latest-request-grows-old":
        "The person's latest message stays as long as it is among the last six of the view."
        breaks "VIEW-2", kind "latest-instruction-lost", under reference(),
        {
            fn eligible(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let mut found = eligible(contract, view);
                let visible = view.iter().enumerate().filter(|(_, message)| message.is_visible());
                let from = visible.map(|(at, _)| at).rev().take(6).last().unwrap_or(0);
                let latest = view.iter().rposition(|m| m.role == Role::User && m.is_visible() && !m.is_own() && !m.pinned);
                found.extend(latest.filter(|at| *at < from));
                found.sort_unstable();
                found
            }
        }

    "a-note-is-the-latest-request":
        "What the person only sees, from the user, passes for the latest request, and the real one is summarised."
        breaks "VIEW-2" and "THR-8", kind "latest-instruction-lost", under reference(),
        {
            fn eligible(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let mut found = eligible(contract, view);
                let user = |message: &Message| message.role == Role::User && !message.is_own();
                let latest = view.iter().rposition(|message| user(message) && message.is_visible() && !message.pinned);
                let note = view.iter().rposition(|message| user(message) && !message.is_visible());
                let last = view.iter().rposition(Message::is_visible);
                found.extend(latest.filter(|at| note > Some(*at) && last > Some(*at)));
                found.sort_unstable();
                found
            }
        }

    "the-latest-request-is-shortened":
        "In the new view the person's latest message is cut to its first line."
        breaks "VIEW-2" and "VIEW-9", kind "latest-instruction-lost", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let mut view = conversation.view().to_vec();
                let latest = view.iter().rposition(|m| m.role == Role::User && m.is_visible() && !m.is_own() && !m.pinned);
                if let Some(at) = latest {
                    let content: String = view[at].content.chars().take(30).collect();
                    view[at].content = content;
                }
                conversation.install(view);
            }
        }

    "results-without-calls":
        "It decides message by message, and a result stays without the call that it answers."
        breaks "VIEW-3", kind "orphan-tool-pair", under reference(),
        {
            fn eligible(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let apart = edited(view, |message| {
                    message.call_id = None;
                    message.calls = Vec::new();
                });
                eligible(contract, &apart)
            }
        }

    "one-of-two-results":
        "Of the results of calls that were made together the view keeps the first."
        breaks "VIEW-3", kind "orphan-tool-pair", under reference(),
        {
            fn eligible(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let mut found = eligible(contract, view);
                for call in view.iter().filter(|message| message.calls.len() > 1) {
                    let results = (0..view.len()).filter(|at| {
                        view[*at].call_id.as_ref().is_some_and(|id| call.calls.contains(id)) && !view[*at].pinned
                    });
                    found.extend(results.skip(1));
                }
                found.sort_unstable();
                found.dedup();
                found
            }
        }

    "thoughts-are-shortened":
        "In the new view every reasoning block is cut to a few words."
        breaks "VIEW-5", kind "sequence-damage", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let view = edited(conversation.view(), |message| {
                    message.reasoning = message.reasoning.take().map(|text| text.chars().take(12).collect());
                });
                conversation.install(view);
            }
        }

    "thoughts-move-on":
        "The reasoning block of a message ends up at the next message of the assistant."
        breaks "VIEW-5", kind "sequence-damage", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let mut kept = None;
                let view = edited(conversation.view(), |message| {
                    if message.role == Role::Assistant && !message.is_own() {
                        std::mem::swap(&mut kept, &mut message.reasoning);
                    }
                });
                conversation.install(view);
            }
        }

    "forgets-the-old-summary":
        "A second summary takes the place of the first, which the summariser is not shown."
        breaks "VIEW-6", kind "coverage-gap-or-overlap", under reference(),
        {
            fn is_sent(&self, message: &Message) -> bool {
                message.is_visible() && !message.is_own()
            }
        }

    "summarises-the-last-few":
        "The summary stands for everything, and the summariser is shown the last five messages of it."
        breaks "VIEW-6" and "LOG-3", kind "coverage-gap-or-overlap", under reference(),
        {
            fn shown(&self, view: &[Message], replaced: &[usize]) -> Vec<usize> {
                let shown = Sound.shown(view, replaced);
                shown[shown.len().saturating_sub(5)..].to_vec()
            }
        }

    "drops-the-newest":
        "A trim drops the newest of the groups that it may drop, and the oldest stays."
        breaks "VIEW-6", kind "coverage-gap-or-overlap", under drops(),
        {
            fn trimmable(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let found = trimmable(contract, view);
                if found.len() > 1 { found[1..].to_vec() } else { found }
            }
        }

    "guidance-goes-first":
        "In the new view pinned messages are moved to the front."
        breaks "VIEW-7", kind "sequence-damage", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let mut view = conversation.view().to_vec();
                view.sort_by_key(|message| !message.pinned);
                conversation.install(view);
            }
        }

    "the-request-goes-last":
        "In the new view the person's latest message stands at the end, after the answers to it."
        breaks "VIEW-7", kind "sequence-damage", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let mut view = conversation.view().to_vec();
                let latest = view.iter().rposition(|m| m.role == Role::User && m.is_visible() && !m.is_own());
                if let Some(at) = latest {
                    let message = view.remove(at);
                    view.push(message);
                }
                conversation.install(view);
            }
        }

    "everything-becomes-instructions":
        "The summary is a system message, and it may stand for all that was said."
        breaks "VIEW-8", kind "sequence-damage", under reference(),
        {
            fn eligible(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let found = eligible(contract, view);
                let user = view.iter().any(|message| message.role == Role::User && message.is_visible());
                let last = view.iter().rposition(|m| m.is_visible() && !m.is_own() && !m.pinned && m.role != Role::System);
                let all = found.iter().copied().chain(last.filter(|at| !user && !found.contains(at)));
                let mut all: Vec<usize> = all.collect();
                let mut kept = marks(view.len(), (0..view.len()).filter(|at| !all.contains(at)));
                close_groups(view, &mut kept);
                all.retain(|at| !kept[*at]);
                all
            }
            fn summary(&self, _: &Contract, text: &str) -> Message {
                Message::new("", Role::System, text).summary()
            }
        }

    "the-user-speaks-twice":
        "It declares that roles alternate, and puts its summary as a user's message before the user's."
        breaks "VIEW-8", kind "sequence-damage", under alternation(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let view = edited(conversation.view(), |message| {
                    if message.summary {
                        message.role = Role::User;
                    }
                });
                conversation.install(view);
            }
        }

    "a-longer-trim":
        "Where little is to be cut, what it writes in its place is longer."
        breaks "VIEW-9", kind "non-idempotent", under reference(),
        {
            fn shorten(&self, content: &str) -> String {
                let kept: String = content.chars().take(1_000).collect();
                format!("{kept} [the rest of this result was taken out to save room]")
            }
        }

    "counts-bytes-and-splits":
        "It cuts after a number of bytes, and what is split is replaced."
        breaks "VIEW-9", kind "character-split", under reference(),
        {
            fn shorten(&self, content: &str) -> String {
                let kept = String::from_utf8_lossy(&content.as_bytes()[..200.min(content.len())]).into_owned();
                format!("{kept} [trimmed]")
            }
        }

    "trims-what-is-trimmed":
        "It takes what it has trimmed for raw matter, and marks it once more at each pass."
        breaks "VIEW-9", kind "non-idempotent", under reference(),
        {
            fn trimmable(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let mut found = trimmable(contract, view);
                let again = |at: &usize| view[*at].trimmed && view[*at].content.chars().count() > 300;
                found.extend((0..view.len()).filter(again));
                found
            }
            fn shorten(&self, content: &str) -> String {
                let keep = content.chars().count() * 4 / 5;
                let kept: String = content.chars().take(keep).collect();
                format!("[shortened] {kept}")
            }
        }

    "a-summary-for-each-compaction":
        "Every compaction adds a summary, and the earlier ones stay."
        breaks "VIEW-10", kind "coverage-gap-or-overlap", under reference(),
        {
            fn folds(&self, _: &Contract, view: &[Message], at: usize) -> bool {
                !view[at].summary
            }
        }

    "pins-on-results-go":
        "What is pinned stays, but for the results of tools."
        breaks "VIEW-1", kind "guidance-or-pinned-lost", under reference(),
        {
            fn eligible(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let loose = |m: &Message| Message { pinned: m.pinned && m.role != Role::Tool, ..m.clone() };
                Sound.eligible(contract, &view.iter().map(loose).collect::<Vec<_>>())
            }
        }

    "large-pins-go":
        "A pinned message of more than a thousand characters is summarised with the rest."
        breaks "VIEW-1", kind "guidance-or-pinned-lost", under reference(),
        {
            fn eligible(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let loose = |m: &Message| Message { pinned: m.pinned && m.content.len() <= 1_000, ..m.clone() };
                Sound.eligible(contract, &view.iter().map(loose).collect::<Vec<_>>())
            }
        }

    "kept-calls-lose-half-a-thought":
        "The reasoning of a call that is kept is shortened when the view is put together."
        breaks "VIEW-5", kind "reasoning-damaged", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let mut view = conversation.view().to_vec();
                for message in view.iter_mut().filter(|message| !message.calls.is_empty()) {
                    if let Some(thought) = &mut message.reasoning {
                        thought.pop();
                    }
                }
                conversation.install(view);
                Sound.installed(conversation);
            }
        }
};

/// A copy of `view` with each message edited.
fn edited(view: &[Message], mut edit: impl FnMut(&mut Message)) -> Vec<Message> {
    let mut view = view.to_vec();
    view.iter_mut().for_each(&mut edit);
    view
}
