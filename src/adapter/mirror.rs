//! What a child says it holds, kept up in the [`Conversation`]s of a case.

use serde_json::{Value, json};

use super::body::Body;
use super::known::{Item, Known};
use super::members::At;
use super::process::Process;
use super::protocol::{Fault, ViewParams};
use super::results::{
    StepResult, SummarizeParams, ViewResult, append_result, step_result, summarize_params, view_result,
};
use crate::candidate::{Conversation, Error, Host, Rejection, Summary};
use crate::contract::Capability;
use crate::message::Message;
use crate::trace::{Action, Input};

impl Process {
    /// What has crossed the wire of this conversation.
    pub(super) fn known(&mut self, conversation: &Conversation) -> &mut Known {
        self.knowledge.of(conversation.id())
    }

    pub(super) fn install(
        &mut self,
        conversation: &mut Conversation,
        items: Vec<Item>,
        new: usize,
    ) -> Result<(), Fault> {
        let view = self.resolve(conversation, items)?;
        show(conversation, view, new);
        Ok(())
    }

    fn resolve(&mut self, conversation: &Conversation, items: Vec<Item>) -> Result<Vec<Message>, Fault> {
        let known = self.known(conversation);
        let mut messages = known.resolve(items, &At::root("result").name("view"))?;
        messages.iter_mut().for_each(|message| known.name(message, "own"));
        known.meet(&messages);
        Ok(messages)
    }

    pub(super) fn take_append(&mut self, conversation: &mut Conversation, result: Body) -> Result<(), Fault> {
        let extra = append_result(result)?;
        self.take_extra(conversation, extra)
    }

    fn take_extra(&mut self, conversation: &mut Conversation, extra: Vec<Message>) -> Result<(), Fault> {
        let known = self.known(conversation);
        for (index, mut message) in extra.into_iter().enumerate() {
            known.name(&mut message, "extra");
            if message.is_own() {
                return Err(Fault::new(format!("`result.extra[{index}].id` is {:?}, an own id", message.id)));
            }
            if known.admit(&message, &At::root("result").name("extra").index(index))? {
                conversation.receive_extra(message);
            }
        }
        Ok(())
    }

    /// `before`: how long the log was before the step.
    pub(super) fn take_step(
        &mut self,
        conversation: &mut Conversation,
        result: Body,
        before: usize,
    ) -> Result<Action, Fault> {
        let StepResult { action, appended, extra, view } = step_result(result)?;
        let known = self.known(conversation);
        for (index, mut message) in appended.into_iter().enumerate() {
            known.name(&mut message, "own");
            if !message.is_own() {
                let says = format!("`result.appended[{index}].id` is {:?}: own ids start with \"own\"", message.id);
                return Err(Fault::new(says));
            }
            if known.admit(&message, &At::root("result").name("appended").index(index))? {
                conversation.append(message);
            }
        }
        self.take_extra(conversation, extra)?;
        if let Some(view) = view {
            let new = conversation.log().len() - before;
            self.install(conversation, view, new)?;
        }
        Ok(action)
    }

    /// Reads the state. None: it is not shown.
    fn state(&mut self, conversation: &Conversation) -> Result<Option<Shown>, Error> {
        if !self.claims(Capability::View) && !self.claims(Capability::Log) {
            return Ok(None);
        }
        self.shown(conversation)
    }

    /// The same, of a candidate that can be asked.
    fn shown(&mut self, conversation: &Conversation) -> Result<Option<Shown>, Error> {
        let result = self.call("view", &ViewParams { conversation: conversation.id().to_owned() })?;
        if self.is_rehearsing() {
            return Ok(None);
        }
        let logged = self.claims(Capability::Log);
        let shown = view_result(result, logged).and_then(|ViewResult { view, log }| {
            let (log, news) = log.map(|log| self.resolve_log(conversation, log)).transpose()?.unzip();
            Ok(Shown { view: self.resolve(conversation, view)?, log, news: news.unwrap_or_default() })
        });
        shown.map(Some).map_err(|fault| self.faulty("view", &fault))
    }

    /// The log, and those of its messages that were not known to be in it.
    fn resolve_log(
        &mut self,
        conversation: &Conversation,
        items: Vec<Item>,
    ) -> Result<(Vec<Message>, Vec<Message>), Fault> {
        let known = self.known(conversation);
        let mut log = known.resolve_any(items, &At::root("result").name("log"))?;
        log.iter_mut().for_each(|message| known.name(message, "own"));
        let news = log.iter().filter(|message| !known.in_log(&message.id)).cloned().collect();
        log.iter().for_each(|message| known.learn(message));
        Ok((log, news))
    }

    /// After a step that raised, before which the log had `before` messages: what the log has that it had not is appended,
    /// and the view is installed if it changed. Without a log, own messages that joined a view without any loss are new.
    pub(super) fn read_after_raise(&mut self, conversation: &mut Conversation, before: usize) -> Result<(), Error> {
        let Some(Shown { view, log, mut news }) = self.state(conversation)? else { return Ok(()) };
        if log.is_none() {
            let old = conversation.view();
            news = view.iter().filter(|message| message.is_own() && !old.contains(message)).cloned().collect();
            if view.len() != old.len() + news.len() || !old.iter().all(|message| view.contains(message)) {
                news.clear();
            }
            let known = self.known(conversation);
            news.iter().for_each(|message| known.learn(message));
        }
        for message in news {
            if message.is_own() { conversation.append(message) } else { conversation.receive_extra(message) }
        }
        let new = conversation.log().len() - before;
        show(conversation, view, new);
        Ok(())
    }

    /// Makes the mirror what the candidate shows.
    pub(super) fn reload(&mut self, conversation: &mut Conversation) -> Result<(), Error> {
        let shown = self.state(conversation)?;
        take(conversation, shown);
        Ok(())
    }

    /// The same for a candidate that [`shows`](Process::shows) it.
    pub(super) fn show(&mut self, conversation: &mut Conversation) -> Result<(), Error> {
        let shown = self.shown(conversation)?;
        take(conversation, shown);
        Ok(())
    }
}

/// Makes `conversation` what is shown of it.
fn take(conversation: &mut Conversation, shown: Option<Shown>) {
    let Some(Shown { view, log, .. }) = shown else { return };
    match log {
        Some(log) if log != conversation.log() => conversation.load(log, view),
        _ if view != conversation.view() => conversation.install(view),
        _ => {}
    }
}

/// A state in full.
struct Shown {
    view: Vec<Message>,
    log: Option<Vec<Message>>,
    /// Messages of the log that were not known to be there.
    news: Vec<Message>,
}

/// Installs `view`, unless the conversation has it already. The last `new` messages of the mirror came in one step, in an
/// order that nothing but a view tells: another order of them is no other view.
fn show(conversation: &mut Conversation, view: Vec<Message>, new: usize) {
    let old = conversation.view();
    if view == old {
        return;
    }
    let base = old.len().saturating_sub(new);
    let same_length = view.len() == old.len();
    if same_length && view[..base] == old[..base] && old[base..].iter().all(|message| view[base..].contains(message)) {
        conversation.reorder_last(old.len() - base, &view[base..]);
    } else {
        conversation.install(view);
    }
}

/// One call of the summariser.
pub(super) fn summarize(known: &mut Known, host: &Host, params: Body) -> Result<Result<Summary, Rejection>, Fault> {
    let items = match summarize_params(params)? {
        SummarizeParams::Text(text) => return Ok(host.ask(|| Input::Text(text))),
        SummarizeParams::Items(items) => known.resolve(items, &At::root("params").name("items"))?,
    };
    known.meet(&items);
    Ok(host.ask(|| Input::Items(items)))
}

/// What goes back; what arrived meanwhile is received at once.
pub(super) fn summary_result(known: &mut Known, conversation: &mut Conversation, summary: Summary) -> Value {
    let mut result = json!({"text": summary.text, "stop": summary.stop});
    if !summary.arrived.is_empty() {
        result["arrived"] = json!(summary.arrived);
        summary.arrived.iter().for_each(|message| known.learn(message));
        conversation.receive(summary.arrived);
    }
    result
}
