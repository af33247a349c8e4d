//! Bugs in who sees what.

use super::contracts::{cooldown_only, reference};
use super::{Row, rows};
use crate::candidate::{Conversation, Restart};
use crate::message::{Message, Role};
use crate::model::{Memory, Point};

pub(super) const ALL: &[Row] = rows! {
    "visible-status":
        "Its status message is sent to the model, too."
        breaks "LOG-1", kind "visibility-leak", under cooldown_only(),
        {
            fn status(&self, text: &str) -> Option<Message> {
                Some(Message::new("", Role::System, text))
            }
        }

    "visible-error":
        "The notice that a compaction failed is sent to the model."
        breaks "LOG-1", kind "visibility-leak", under reference(),
        {
            fn status(&self, text: &str) -> Option<Message> {
                let failed = text.starts_with("compaction failed");
                Some(Message { ui_only: !failed, ..Message::new("", Role::System, text) })
            }
        }

    "visible-done-note":
        "The note that a compaction is done stands at the end of the view that it installed."
        breaks "LOG-1", kind "visibility-leak", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                conversation.append(Message::new("", Role::System, "the conversation was compacted"));
            }
        }

    "sends-what-the-agent-shows":
        "Of the messages for the person it leaves out the notices, and sends the summariser what the agent says in them."
        breaks "LOG-2", kind "visibility-leak", under reference(),
        {
            fn is_sent(&self, message: &Message) -> bool {
                message.is_visible() || (message.role == Role::Assistant && !message.is_own())
            }
        }

    "sends-everything":
        "It sends the summariser the whole log, messages for the person included."
        breaks "LOG-2", kind "visibility-leak", under reference(),
        {
            fn is_sent(&self, _: &Message) -> bool {
                true
            }
        }

    "sends-its-status":
        "It leaves the host's messages for the person out of the summariser's input, but not its own status."
        breaks "LOG-2", kind "visibility-leak", under reference(),
        {
            fn is_sent(&self, message: &Message) -> bool {
                message.is_visible() || message.is_own()
            }
        }

    "sends-notes-for-the-person":
        "It leaves its own status out of the summariser's input, but not the host's messages for the person."
        breaks "LOG-2", kind "visibility-leak", under reference(),
        {
            fn is_sent(&self, message: &Message) -> bool {
                message.is_visible() || !message.is_own()
            }
        }

    "hidden-means-unsent":
        "It takes `hidden` for the opposite of what it says and leaves such messages out of the summariser's input."
        breaks "LOG-3", kind "count-basis-mismatch", under reference(),
        {
            fn is_sent(&self, message: &Message) -> bool {
                message.is_visible() && !message.hidden
            }
        }

    "hidden-leaves-the-view":
        "The view that it installs has no hidden messages."
        breaks "LOG-3", kind "count-basis-mismatch", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let view = conversation.view().iter().filter(|message| !message.hidden).cloned().collect();
                conversation.install(view);
            }
        }

    "rewrites-the-log":
        "What it installs replaces the log, too."
        breaks "LOG-4", kind "raw-log-loss", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let view = conversation.view().to_vec();
                conversation.load(view.clone(), view);
            }
        }

    "unpins-what-it-stored":
        "A pin has had its use once a compaction is done: it is gone from the log, and stays in the view."
        breaks "LOG-4", kind "guidance-or-pinned-lost", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let unpinned = |message: &Message| Message { pinned: false, ..message.clone() };
                let log = conversation.log().iter().map(unpinned).collect();
                conversation.load(log, conversation.view().to_vec());
            }
        }

    "stores-results-as-the-users":
        "After a compaction it writes the log anew, and each tool's result in it is the user's."
        breaks "LOG-4", kind "raw-log-loss", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                let role = |role| if role == Role::Tool { Role::User } else { role };
                let of_the_user = |message: &Message| Message { role: role(message.role), ..message.clone() };
                let log = conversation.log().iter().map(of_the_user).collect();
                conversation.load(log, conversation.view().to_vec());
            }
        }

    "trims-the-log":
        "A trim shortens the stored message, too."
        breaks "LOG-4", kind "raw-log-loss", under reference(),
        {
            fn trimmed(&self, conversation: &mut Conversation, _: &mut Memory, _: Point) {
                let short = |message: &Message| {
                    let view = conversation.view().iter();
                    view.clone().find(|item| item.id == message.id).unwrap_or(message).clone()
                };
                let log = conversation.log().iter().map(short).collect();
                conversation.load(log, conversation.view().to_vec());
            }
        }

    "loses-the-last-line":
        "The last message is not flushed before a restart."
        breaks "LOG-4", kind "raw-log-loss", under reference(),
        {
            fn reloaded(&self, mut messages: Vec<Message>, _: &Restart) -> Vec<Message> {
                messages.pop();
                messages
            }
        }

    "forgets-ui-only":
        "It does not store `ui_only`, so that after a restart the model sees what was for the person."
        breaks "LOG-5" and "LOG-2" and "LOG-4", kind "visibility-leak", under reference(),
        {
            fn reloaded(&self, messages: Vec<Message>, _: &Restart) -> Vec<Message> {
                messages.into_iter().map(|message| Message { ui_only: false, ..message }).collect()
            }
        }

    "forgets-pinned":
        "It does not store `pinned`."
        breaks "LOG-5", kind "guidance-or-pinned-lost", under reference(),
        {
            fn reloaded(&self, messages: Vec<Message>, _: &Restart) -> Vec<Message> {
                messages.into_iter().map(|message| Message { pinned: false, ..message }).collect()
            }
        }

    "old-logs-are-notes":
        "In a log from before `ui_only` existed it takes every system message for a note to the person."
        breaks "LOG-5", kind "visibility-leak", under reference(),
        {
            fn reloaded(&self, messages: Vec<Message>, restart: &Restart) -> Vec<Message> {
                let old = restart.without.iter().any(|member| member == "ui_only");
                let note = |message: &Message| old && message.role == Role::System;
                messages.into_iter().map(|message| Message { ui_only: message.ui_only || note(&message), ..message }).collect()
            }
        }

    "speaks-as-the-user":
        "Its status messages have the role `user`."
        breaks "LOG-6", kind "visibility-leak", under reference(),
        {
            fn status(&self, text: &str) -> Option<Message> {
                Some(Message::new("", Role::User, text).ui_only())
            }
        }

    "asks-to-go-on":
        "After a success it appends a message from the user that asks the model to go on."
        breaks "LOG-6", kind "self-trigger", under reference(),
        {
            fn installed(&self, conversation: &mut Conversation) {
                conversation.append(Message::new("", Role::User, "continue where you left off").ui_only());
            }
        }

    "rewinds-inside-the-summary":
        "It rewinds the compacted view and does nothing when the message is gone from there."
        breaks "LOG-7", kind "raw-log-loss", under reference(),
        {
            fn rewinds(&self, conversation: &mut Conversation, to: &str) {
                let view = conversation.view();
                if let Some(at) = view.iter().position(|message| message.id == to) {
                    conversation.install(view[..=at].to_vec());
                }
            }
        }

    "rewinds-one-too-far":
        "A rewind drops the message that it goes to."
        breaks "LOG-7", kind "raw-log-loss", under reference(),
        {
            fn rewinds(&self, conversation: &mut Conversation, to: &str) {
                conversation.rewind(to);
                let view = conversation.view().iter().filter(|message| message.id != to).cloned().collect();
                conversation.install(view);
            }
        }

    "what-is-undone-is-forgotten":
        "An undo leaves a note in the log, and what is appended ends the redo."
        breaks "LOG-7", kind "raw-log-loss", under reference(),
        {
            fn rewinds(&self, conversation: &mut Conversation, to: &str) {
                conversation.rewind(to);
                conversation.append(Message::new("", Role::System, "undone").ui_only());
            }
        }

    "rewind-brings-back-the-undone":
        "A rewind shows everything in the log up to the message, what was undone before it included."
        breaks "LOG-7", kind "raw-log-loss", under reference(),
        {
            fn rewinds(&self, conversation: &mut Conversation, to: &str) {
                conversation.rewind(to);
                let log = conversation.log();
                let end = log.iter().position(|message| message.id == to).map_or(log.len(), |at| at + 1);
                conversation.install(log[..end].to_vec());
            }
        }
};
