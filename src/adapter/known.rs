//! The messages of one conversation that both sides know, and how an item of a view refers to them.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::members::At;
use super::protocol::Fault;
use crate::message::Message;

/// An item of a view, as it stands on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A known message, verbatim; `summary` is added to it.
    Known { id: String, summary: bool },
    /// A message in full; the id may be empty.
    Full(Message),
}

/// What has crossed the wire in full. A message of the log stands for its id once and for all, whatever a view makes of
/// it; of an own message that only views have, the latest version does.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// In the order in which they became known; whether each is in the log.
    messages: Vec<(Message, bool)>,
    places: HashMap<String, usize>,
    unnamed: usize,
}

/// What is known of each conversation.
#[derive(Debug, Default)]
pub(super) struct Knowledge(HashMap<String, Known>);

impl Knowledge {
    /// Of this one; nothing yet, where it is new.
    pub(super) fn of(&mut self, conversation: &str) -> &mut Known {
        // Asked for at every request: the name is copied the first time alone.
        if !self.0.contains_key(conversation) {
            self.0.insert(conversation.to_owned(), Known::default());
        }
        self.0.get_mut(conversation).unwrap_or_else(|| unreachable!("it was put there"))
    }
}

impl Known {
    /// Notes a message of the log.
    pub(super) fn learn(&mut self, message: &Message) {
        self.note(message, true);
    }

    /// Notes a message that is new in the log. False: it is there already, the same; another with its id is a fault.
    pub(super) fn admit(&mut self, message: &Message, at: &At<'_>) -> Result<bool, Fault> {
        if !self.in_log(&message.id) {
            self.learn(message);
            return Ok(true);
        }
        if self.get(&message.id) == Some(message) {
            return Ok(false);
        }
        Err(at.name("id").fault(format_args!(" is {:?}, which another message of the log has", message.id)))
    }

    /// Notes the own messages of a view.
    pub(super) fn meet(&mut self, view: &[Message]) {
        for message in view.iter().filter(|message| message.is_own()) {
            if !self.in_log(&message.id) {
                self.note(message, false);
            }
        }
    }

    /// Whether the log has a message with this id.
    pub(super) fn in_log(&self, id: &str) -> bool {
        self.places.get(id).is_some_and(|at| self.messages[*at].1)
    }

    /// The messages that `items` stand for. One without an id gets the id of the known message that it can be told to be:
    /// by its call, by its content, or, where it says `trimmed`, by the first or last word of that content. Otherwise its
    /// id stays empty. An id that is neither known nor own is a fault, unless the message can be told to be a known one: then
    /// the candidate has named it anew.
    pub(super) fn resolve(&self, items: Vec<Item>, at: &At<'_>) -> Result<Vec<Message>, Fault> {
        let messages = self.resolve_any(items, at)?;
        // Who gives messages other ids still holds the same messages.
        let stranger = |message: &Message| {
            let new = !message.id.is_empty() && !message.is_own() && self.get(&message.id).is_none();
            new && self.recognise(message, &HashSet::new()).is_none()
        };
        match messages.iter().position(stranger) {
            Some(index) => Err(unknown(&at.index(index), &messages[index].id)),
            None => Ok(messages),
        }
    }

    /// Like [`Known::resolve`], for a log, in which the candidate's own host can have put messages of any id.
    pub(super) fn resolve_any(&self, items: Vec<Item>, at: &At<'_>) -> Result<Vec<Message>, Fault> {
        let unnamed = items.iter().any(|item| id_of(item).is_none());
        let named = items.iter().filter(|_| unnamed).filter_map(id_of);
        let mut taken: HashSet<String> = named.map(str::to_owned).collect();
        let resolve = |(index, item)| match item {
            Item::Known { id, summary } => {
                let mut message = self.get(&id).cloned().ok_or_else(|| unknown(&at.index(index), &id))?;
                message.summary |= summary;
                Ok(message)
            }
            Item::Full(mut message) => {
                if message.id.is_empty()
                    && let Some(id) = self.recognise(&message, &taken)
                {
                    taken.insert(id.to_owned());
                    message.id = id.to_owned();
                }
                Ok(message)
            }
        };
        items.into_iter().enumerate().map(resolve).collect()
    }

    /// Gives a message without an id one that is free.
    pub(super) fn name(&mut self, message: &mut Message, prefix: &str) {
        while message.id.is_empty() {
            self.unnamed += 1;
            let id = format!("{prefix}.{}", self.unnamed);
            if !self.places.contains_key(&id) {
                message.id = id;
            }
        }
    }

    /// How `message` is written in a view: by its id, where it is a known one, verbatim.
    pub(super) fn shorten(&self, message: &Message) -> Value {
        match self.get(&message.id) {
            Some(known) if known == message => json!({"id": message.id}),
            _ => json!(message),
        }
    }

    fn get(&self, id: &str) -> Option<&Message> {
        self.places.get(id).map(|at| &self.messages[*at].0)
    }

    fn note(&mut self, message: &Message, in_log: bool) {
        match self.places.get(&message.id) {
            Some(at) => {
                let (known, logged) = &mut self.messages[*at];
                *logged = in_log;
                if known != message {
                    known.clone_from(message);
                }
            }
            None => {
                self.places.insert(message.id.clone(), self.messages.len());
                self.messages.push((message.clone(), in_log));
            }
        }
    }

    fn recognise(&self, item: &Message, taken: &HashSet<String>) -> Option<&str> {
        let find = |is: &dyn Fn(&Message) -> bool| {
            let free = self.messages.iter().map(|(message, _)| message).filter(|message| !taken.contains(&message.id));
            free.filter(|message| is(message)).map(|message| message.id.as_str()).next()
        };
        let same_call = |known: &Message| item.call_id.is_some() && known.call_id == item.call_id;
        let same_calls = |known: &Message| !item.calls.is_empty() && known.calls == item.calls;
        find(&|known| same_call(known) && known.content == item.content)
            .or_else(|| find(&|known| same_call(known) && known.interim == item.interim))
            .or_else(|| find(&|known| same_call(known) || same_calls(known)))
            .or_else(|| find(&|known| !item.content.is_empty() && known.content == item.content))
            .or_else(|| find(&|known| item.trimmed && !known.is_own() && has_end(&item.content, &known.content)))
    }
}

fn id_of(item: &Item) -> Option<&str> {
    match item {
        Item::Known { id, .. } => Some(id),
        Item::Full(message) => Some(message.id.as_str()).filter(|id| !id.is_empty()),
    }
}

/// Whether `text` holds the first or last word of `content`.
fn has_end(text: &str, content: &str) -> bool {
    let mut words = content.split_whitespace();
    let (first, last) = (words.next(), words.next_back());
    first.into_iter().chain(last).any(|word| word.len() >= MIN_TOKEN && text.contains(word))
}

/// The shortest word that can be a token of the host.
const MIN_TOKEN: usize = 6;

fn unknown(at: &At<'_>, id: &str) -> Fault {
    at.name("id")
        .fault(format_args!(" is {id:?}, which no message of this conversation has; own ids start with \"own\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Role;

    fn known() -> Known {
        let mut known = Known::default();
        known.learn(&Message::new("m1", Role::User, "a123456z hello a123456z"));
        let mut result = Message::new("m2", Role::Tool, "b123456z result b123456z");
        result.call_id = Some("c1".into());
        known.learn(&result);
        known
    }

    fn resolve(known: &Known, item: Message) -> String {
        known.resolve(vec![Item::Full(item)], &At::root("view")).unwrap()[0].id.clone()
    }

    #[test]
    fn items_without_ids_are_recognised() {
        let known = known();
        let mut cut = Message::new("", Role::Tool, "[cut]");
        assert_eq!(resolve(&known, cut.clone()), "");
        cut.call_id = Some("c1".into());
        assert_eq!(resolve(&known, cut), "m2");
        assert_eq!(resolve(&known, Message::new("", Role::User, "a123456z hello a123456z")), "m1");
        let mut trimmed = Message::new("", Role::User, "a123456z [cut]");
        assert_eq!(resolve(&known, trimmed.clone()), "");
        trimmed.trimmed = true;
        assert_eq!(resolve(&known, trimmed), "m1");
    }

    #[test]
    fn a_message_of_the_log_keeps_its_meaning() {
        let mut known = known();
        let summary = |text| Message::new("own1", Role::System, text);
        known.meet(&[Message::new("m1", Role::User, "cut"), summary("one")]);
        known.meet(&[summary("two")]);
        let item = |id: &str| Item::Known { id: id.into(), summary: false };
        let view = known.resolve(vec![item("m1"), item("own1")], &At::root("view")).unwrap();
        assert_eq!([view[0].content.as_str(), view[1].content.as_str()], ["a123456z hello a123456z", "two"]);
        let fault = known.resolve(vec![item("m9")], &At::root("view")).unwrap_err();
        assert!(fault.to_string().starts_with("`view[0].id` is \"m9\""), "{fault}");
    }

    #[test]
    fn free_ids_are_found() {
        let mut known = known();
        known.learn(&Message::new("own.1", Role::System, ""));
        let mut message = Message::default();
        known.name(&mut message, "own");
        assert_eq!(message.id, "own.2");
    }
}
