//! A child process as a reducer, a trimmer and an assembler.
//!
//! In a run one child answers a whole case, as it does in a history: [`Held`]. The launcher itself is a candidate too, for
//! one question at a time: each call leases a child that has forgotten the last one.

use std::cell::RefCell;

use serde_json::{Value, json};

use super::known::Known;
use super::launcher::Launcher;
use super::members::{At, Members};
use super::process::Process;
use super::protocol::Fault;
use super::results::read_item;
use crate::candidate::{Assembler, Compactor, Conversation, Error, Reducer, Trimmer};
use crate::field::{Block, Cut, Infeasible, Reduced, Request};
use crate::message::Message;
use crate::unit::Limit;

type Answer<T> = Result<Result<T, Infeasible>, Error>;

/// A child for one case at a limit, asked through a shared reference.
#[derive(Debug)]
pub(super) struct Held(RefCell<Asked>);

#[derive(Debug)]
struct Asked {
    child: Process,
    /// It has a conversation of an earlier question.
    used: bool,
}

impl Held {
    pub(super) fn new(child: Process) -> Self {
        Self(RefCell::new(Asked { child, used: false }))
    }

    pub(super) fn release(self) -> Process {
        self.0.into_inner().child
    }
}

impl Reducer for Held {
    fn reduce(&self, blocks: &[Block], limit: Limit) -> Result<Reduced, Infeasible> {
        self.try_reduce(blocks, limit).unwrap_or(Err(Infeasible))
    }

    fn try_reduce(&self, blocks: &[Block], limit: Limit) -> Answer<Reduced> {
        reduce(&mut self.0.borrow_mut().child, blocks, limit)
    }
}

impl Trimmer for Held {
    fn fit(&self, messages: Vec<Message>, limit: Limit) -> Result<Vec<Message>, Infeasible> {
        self.try_fit(messages, limit).unwrap_or(Err(Infeasible))
    }

    fn try_fit(&self, messages: Vec<Message>, limit: Limit) -> Answer<Vec<Message>> {
        fit(&mut self.0.borrow_mut().child, &messages, limit)
    }
}

impl Assembler for Held {
    fn assemble(&self, view: &[Message], limit: Limit) -> Result<Request, Infeasible> {
        let mut conversation = Conversation::new("a");
        conversation.receive(view.to_vec());
        self.try_assemble("", &mut conversation, limit).unwrap_or(Err(Infeasible))
    }

    fn try_assemble(&self, path: &str, conversation: &mut Conversation, limit: Limit) -> Answer<Request> {
        let mut asked = self.0.borrow_mut();
        // A conversation is built anew for each question; messages are sent as they are, and the child remembers.
        if asked.child.shows() && std::mem::replace(&mut asked.used, true) {
            asked.child.reset()?;
        }
        assemble(&mut asked.child, path, conversation, limit)
    }
}

/// Over the wire: `reduce`. Where there is no answer [`Reducer::reduce`] says *infeasible*; [`Reducer::try_reduce`] tells
/// them apart.
impl Reducer for Launcher {
    fn reduce(&self, blocks: &[Block], limit: Limit) -> Result<Reduced, Infeasible> {
        self.try_reduce(blocks, limit).unwrap_or(Err(Infeasible))
    }

    fn try_reduce(&self, blocks: &[Block], limit: Limit) -> Answer<Reduced> {
        reduce(&mut self.lease()?, blocks, limit)
    }
}

/// Over the wire: `fit`. Where there is no answer [`Trimmer::fit`] says *infeasible*; [`Trimmer::try_fit`] tells them apart.
impl Trimmer for Launcher {
    fn fit(&self, messages: Vec<Message>, limit: Limit) -> Result<Vec<Message>, Infeasible> {
        self.try_fit(messages, limit).unwrap_or(Err(Infeasible))
    }

    fn try_fit(&self, messages: Vec<Message>, limit: Limit) -> Answer<Vec<Message>> {
        fit(&mut self.lease()?, &messages, limit)
    }
}

/// Over the wire: `assemble`, of a conversation where the candidate claims `view` or lists it among its methods, which is read
/// again afterwards; otherwise of the messages themselves. Where there is no answer [`Assembler::assemble`] says *infeasible*.
impl Assembler for Launcher {
    fn assemble(&self, view: &[Message], limit: Limit) -> Result<Request, Infeasible> {
        let mut conversation = Conversation::new("a");
        conversation.receive(view.to_vec());
        self.try_assemble("", &mut conversation, limit).unwrap_or(Err(Infeasible))
    }

    fn try_assemble(&self, path: &str, conversation: &mut Conversation, limit: Limit) -> Answer<Request> {
        assemble(&mut self.lease()?, path, conversation, limit)
    }
}

fn reduce(child: &mut Process, blocks: &[Block], limit: Limit) -> Answer<Reduced> {
    let params = json!({"blocks": blocks, "limit": limit});
    answer(child, "reduce", &params, |members| {
        let mut reduced = Reduced::whole(members.need::<String>("text")?);
        reduced.notice = read_notice(members)?;
        Ok(reduced)
    })
}

fn fit(child: &mut Process, messages: &[Message], limit: Limit) -> Answer<Vec<Message>> {
    let unit = child.introduction().contract.fit.unit;
    let params = json!({"messages": messages, "limit": {"max": limit.max, "unit": unit}});
    let mut known = Known::default();
    messages.iter().for_each(|message| known.learn(message));
    answer(child, "fit", &params, |members| {
        let items = members.list("view", read_item)?.ok_or_else(|| members.missing("view"))?;
        known.resolve_any(items, &At::root("result").name("view"))
    })
}

fn assemble(child: &mut Process, path: &str, conversation: &mut Conversation, limit: Limit) -> Answer<Request> {
    let mut params = json!({"limit": limit});
    if !path.is_empty() {
        params["path"] = Value::from(path);
    }
    if !child.shows() {
        params["messages"] = json!(conversation.view());
        return answer(child, "assemble", &params, read_request);
    }
    let mut mirror = Conversation::new(conversation.id());
    child.append(&mut mirror, conversation.view().to_vec())?;
    params["conversation"] = Value::from(mirror.id());
    let request = answer(child, "assemble", &params, read_request)?;
    child.show(&mut mirror)?;
    *conversation = mirror;
    Ok(request)
}

/// Asks for one method; an error that the candidate answers is [`Error::raised`].
fn answer<T>(
    child: &mut Process,
    method: &str,
    params: &Value,
    read: impl FnOnce(&mut Members<'_>) -> Result<T, Fault>,
) -> Result<Result<T, Infeasible>, Error> {
    let result = child.request(method, params)?.map_err(|error| Error::raised(error.message))?;
    let at = At::root("result");
    let read = Members::of(result, &at).and_then(|mut members| {
        if members.take::<bool>("infeasible")?.unwrap_or(false) {
            return Ok(Err(Infeasible));
        }
        read(&mut members).map(Ok)
    });
    read.map_err(|fault| child.faulty(method, &fault))
}

pub(super) fn read_request(members: &mut Members<'_>) -> Result<Request, Fault> {
    if !members.has("instructions") {
        return Err(members.missing("instructions"));
    }
    let instructions = members.take::<Option<String>>("instructions")?.flatten();
    let sent = members.need::<Vec<String>>("sent")?;
    Ok(Request::new(instructions, sent).with_notice(read_notice(members)?))
}

/// `{"before": 120, "after": 100}`, or null, or absent.
fn read_notice(members: &mut Members<'_>) -> Result<Option<Cut>, Fault> {
    Ok(members.take::<Option<Cut>>("notice")?.flatten())
}
