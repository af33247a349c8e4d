//! The conversation that the harness hands over: log, view, and what changed in them.

use crate::message::Message;

/// What changed in a conversation since the harness last looked.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Changes {
    /// Own messages that were appended.
    pub appended: Vec<Message>,
    /// External messages that the candidate's own host added.
    pub extra: Vec<Message>,
    /// Whether another view was installed than the old one and what was appended.
    pub installed: bool,
}

/// A conversation: the log, and the view that the next request is built from.
///
/// The log is append-only. The view is the log until a compaction installs another one.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Conversation {
    id: String,
    log: Vec<Message>,
    /// The view, where it is another one than the log: until then nothing is kept twice.
    view: Option<Vec<Message>>,
    /// Positions in `log` that stand after the last rewind.
    path: Vec<usize>,
    /// Positions that it undid and that a redo can bring back.
    ahead: Vec<usize>,
    own: usize,
    changes: Changes,
}

impl Conversation {
    /// An empty conversation.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Everything ever said, in order.
    #[must_use]
    pub fn log(&self) -> &[Message] {
        &self.log
    }

    /// What the next request is built from, messages for the person included.
    #[must_use]
    pub fn view(&self) -> &[Message] {
        self.view.as_deref().unwrap_or(&self.log)
    }

    /// Whether the view is the log, as nothing has been compacted or undone.
    pub(crate) fn is_whole(&self) -> bool {
        self.view.is_none()
    }

    /// Its log and its view.
    pub(crate) fn into_parts(self) -> (Vec<Message>, Vec<Message>) {
        let view = self.view.unwrap_or_else(|| self.log.clone());
        (self.log, view)
    }

    /// Its log alone.
    pub(crate) fn into_log(self) -> Vec<Message> {
        self.log
    }

    /// Its view alone.
    pub(crate) fn into_view(self) -> Vec<Message> {
        self.view.unwrap_or(self.log)
    }

    /// Appends an own message to log and view. Without an id it gets the next free one: `own1`, `own2`, …
    pub fn append(&mut self, message: Message) {
        let message = self.named(message);
        self.changes.appended.push(message.clone());
        self.push(message);
    }

    /// Installs `view`. Items without an id are own ones and get the next free id.
    pub fn install(&mut self, view: Vec<Message>) {
        self.view = Some(view.into_iter().map(|message| self.named(message)).collect());
        self.changes.installed = true;
    }

    /// Puts the last `count` messages of log and view into the order `last`: the same messages, whose order was not known
    /// when they were noted.
    #[cfg(feature = "adapter")]
    pub(crate) fn reorder_last(&mut self, count: usize, last: &[Message]) {
        for messages in [Some(&mut self.log), self.view.as_mut()].into_iter().flatten() {
            messages.truncate(messages.len().saturating_sub(count));
            messages.extend_from_slice(last);
        }
    }

    /// Appends external messages to log and view.
    pub fn receive(&mut self, messages: Vec<Message>) {
        for message in messages {
            self.push(message);
        }
    }

    /// Appends a message that the candidate's own host added: external, and unknown to the harness.
    pub fn receive_extra(&mut self, message: Message) {
        self.changes.extra.push(message.clone());
        self.push(message);
    }

    /// The view becomes the log up to and including `to`. What was undone before `to` was appended stays out. An unknown
    /// `to` changes nothing.
    pub fn rewind(&mut self, to: &str) {
        let is = |at: &usize| self.log[*at].id == to;
        if let Some(at) = self.path.iter().position(is) {
            let mut undone = self.path.split_off(at + 1);
            undone.append(&mut self.ahead);
            self.ahead = undone;
        } else if let Some(at) = self.ahead.iter().position(is) {
            self.path.extend(self.ahead.drain(..=at));
        } else {
            return;
        }
        self.view = Some(self.path.iter().map(|at| self.log[*at].clone()).collect());
        self.changes.installed = true;
    }

    /// Replaces log and view by what a candidate has loaded from its own store.
    pub fn load(&mut self, log: Vec<Message>, view: Vec<Message>) {
        if log.len() != self.log.len() {
            self.path = (0..log.len()).collect();
            self.ahead.clear();
        }
        self.view = Some(view).filter(|view| *view != log);
        self.log = log;
        self.changes.installed = true;
    }

    /// Takes what changed since the last call.
    #[must_use]
    pub fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes)
    }

    fn named(&mut self, mut message: Message) -> Message {
        if message.id.is_empty() {
            self.own += 1;
            message.id = format!("own{}", self.own);
        }
        message
    }

    fn push(&mut self, message: Message) {
        self.ahead.clear();
        self.path.push(self.log.len());
        if let Some(view) = &mut self.view {
            view.push(message.clone());
        }
        self.log.push(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Role;

    #[test]
    fn a_view_is_kept_beside_the_log_only_where_it_is_another() {
        let said = |id: &str| Message::new(id, Role::User, id);
        let mut conversation = Conversation::new("s1");
        conversation.receive(vec![said("m1"), said("m2")]);
        assert!(conversation.is_whole());
        assert_eq!(conversation.view(), conversation.log());
        conversation.install(vec![said("m2")]);
        conversation.receive(vec![said("m3")]);
        assert!(!conversation.is_whole());
        assert_eq!(conversation.view(), [said("m2"), said("m3")]);
        let log = conversation.log().to_vec();
        conversation.load(log.clone(), log.clone());
        assert!(conversation.is_whole());
        assert_eq!(conversation.into_parts(), (log.clone(), log));
    }
}
