//! A whole case in one line: what is to be asked is written down first, and what was answered is read out afterwards.
//!
//! A [`Script`] is made while a case is rehearsed, in which nothing is sent. What came back for it is a [`Recording`], from
//! which the case is then played as if each request had been sent by itself.

use std::collections::VecDeque;
use std::fmt::Write;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::connection::Outcome;
use super::members::{At, Members};
use super::process::rejection_error;
use super::protocol::{Fault, LINE_MAX, RAISED, RpcError, VALUES_MAX};
use crate::candidate::Rejection;
use crate::message::Message;
use crate::trace::{RejectionKind, Reply};

/// A case of more bytes than this is sent line by line.
const BYTES_MAX: usize = 4 << 20;
/// The members of a message, and of what is around it.
const MEMBERS: usize = 14;

/// The requests of a case, as they will be sent.
#[derive(Debug)]
pub(super) struct Script {
    requests: String,
    methods: Vec<String>,
    /// For each step, as a member of the object `steps`.
    answers: String,
    /// Messages that the candidate has been given so far, in all conversations.
    messages: usize,
    /// What comes back if each answer lists all messages: values, and bytes.
    values: usize,
    bytes: usize,
}

impl Script {
    /// A case that begins with `reset`.
    pub(super) fn new() -> Self {
        let (requests, answers) = (String::new(), String::new());
        let mut script = Self { requests, methods: Vec::new(), answers, messages: 0, values: 0, bytes: 0 };
        script.add("reset", &json!({}));
        script
    }

    /// The next request.
    pub(super) fn add(&mut self, method: &str, params: &impl Serialize) {
        if !self.methods.is_empty() {
            self.requests.push(',');
        }
        // Parameters are structs with named members: they always have a JSON.
        let params = serde_json::to_string(params).unwrap_or_default();
        // Writing to a text cannot fail.
        let _ = write!(self.requests, "{{\"method\":{},\"params\":{params}}}", Value::from(method));
        self.methods.push(method.to_owned());
        let lists = match method {
            "view" => 2,
            "step" | "rewind" => 1,
            _ => 0,
        };
        self.values += lists * self.messages * MEMBERS;
        self.bytes += lists * self.requests.len();
    }

    /// So many messages more are there.
    pub(super) fn grow(&mut self, messages: usize) {
        self.messages += messages;
    }

    /// What the summariser will answer in the request that was added last. Beyond that it refuses.
    pub(super) fn answers(&mut self, replies: &[Reply], mut arrived: Vec<Message>) {
        let step = self.methods.len().saturating_sub(1);
        self.messages += arrived.len();
        let answers: Value = replies.iter().map(|reply| scripted(reply, &mut arrived)).collect();
        let comma = if self.answers.is_empty() { "" } else { "," };
        let _ = write!(self.answers, "{comma}\"{step}\":{answers}");
    }

    /// How many requests there are.
    pub(super) fn len(&self) -> usize {
        self.methods.len()
    }

    /// Whether it, or what comes back for it, may be too much for one line.
    pub(super) fn is_long(&self) -> bool {
        let long = self.requests.len() + self.answers.len() > BYTES_MAX;
        long || self.values > VALUES_MAX / 2 || self.bytes > LINE_MAX / 2
    }

    /// The parameters of `case`.
    pub(super) fn params(&self) -> String {
        let refused = error_answer(&rejection_error(Rejection::new(RejectionKind::Rejected)));
        let (requests, answers) = (&self.requests, &self.answers);
        format!("{{\"requests\":[{requests}],\"summaries\":{{\"default\":{refused},\"steps\":{{{answers}}}}}}}")
    }

    /// Reads the result of `case`.
    pub(super) fn read(self, result: Value) -> Result<Recording, Fault> {
        let at = At::root("result");
        let mut members = Members::of(result, &at)?;
        let results = members.list("results", read_entry)?.ok_or_else(|| members.missing("results"))?;
        if results.len() != self.methods.len() {
            let (has, due) = (results.len(), self.methods.len());
            return Err(at.name("results").fault(format_args!(" has {has} items for {due} requests")));
        }
        let mut entries: Vec<Entry> = self.methods.into_iter().zip(results).map(Entry::new).collect();
        let calls = members.list("summarize_calls", read_call)?.ok_or_else(|| members.missing("summarize_calls"))?;
        let mut last = 0;
        for (index, (request, params)) in calls.into_iter().enumerate() {
            let list = at.name("summarize_calls");
            let (here, steps) = (list.index(index), entries.len());
            let entry = entries.get_mut(request).filter(|entry| entry.method == "step" && request >= last);
            let entry = entry.ok_or_else(|| {
                here.name("request").fault(format_args!(
                    " is {request}: a step among the {steps} requests is due, and none before the last one named"
                ))
            })?;
            last = request;
            entry.calls.push(params);
        }
        Ok(Recording { entries: entries.into(), state: None })
    }
}

fn scripted(reply: &Reply, arrived: &mut Vec<Message>) -> Value {
    match reply {
        Reply::Rejection(kind) => error_answer(&rejection_error(Rejection::new(*kind))),
        Reply::Summary { text, stop, .. } => {
            let mut answer = json!({"text": text, "stop": stop});
            if !arrived.is_empty() {
                answer["arrived"] = json!(std::mem::take(arrived));
            }
            answer
        }
    }
}

fn error_answer(error: &RpcError) -> Value {
    json!({"error": error})
}

/// What came back for a case.
#[derive(Debug)]
pub(super) struct Recording {
    entries: VecDeque<Entry>,
    /// The state after a request that raised, until the next one.
    state: Option<Value>,
}

#[derive(Debug)]
struct Entry {
    method: String,
    outcome: Outcome,
    state: Option<Value>,
    /// The parameters of its summariser's calls.
    calls: Vec<Map<String, Value>>,
}

impl Entry {
    fn new((method, (outcome, state)): (String, (Outcome, Option<Value>))) -> Self {
        Self { method, outcome, state, calls: Vec::new() }
    }
}

/// What was answered to one request, and what the summariser was asked meanwhile.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) outcome: Outcome,
    pub(super) calls: Vec<Map<String, Value>>,
}

impl Recording {
    /// What was answered to the next request, which is one of `method`. Views that nobody has asked for any more are left
    /// out; a view after a request that raised is the state beside its error.
    pub(super) fn take(&mut self, method: &str) -> Result<Answered, Fault> {
        if method == "view" && self.entries.front().is_none_or(|entry| entry.method != "view") {
            let state = self.state.clone().ok_or_else(|| {
                Fault::new("a step that raised has no `state` beside its `error`: what `view` would answer")
            })?;
            return Ok(Answered { outcome: Ok(state), calls: Vec::new() });
        }
        while method != "view" && self.entries.front().is_some_and(|entry| entry.method == "view") {
            self.entries.pop_front();
        }
        let entry = self.entries.pop_front().filter(|entry| entry.method == method);
        let Entry { outcome, state, calls, .. } =
            entry.ok_or_else(|| Fault::new(format!("the case was rehearsed without this `{method}`")))?;
        if method != "view" {
            self.state = state;
        }
        Ok(Answered { outcome, calls })
    }
}

fn read_entry(value: Value, at: &At<'_>) -> Result<(Outcome, Option<Value>), Fault> {
    let mut members = Members::of(value, at)?;
    match (members.value("result"), members.value("error").filter(|error| !error.is_null())) {
        (Some(result), None) => Ok((Ok(result), None)),
        (None, Some(error)) => Ok((Err(RpcError::read(error)?), members.value("state"))),
        (Some(_), Some(_)) => Err(at.fault(" has both `result` and `error`")),
        (None, None) => Err(at.fault(" has neither `result` nor `error`")),
    }
}

fn read_call(value: Value, at: &At<'_>) -> Result<(usize, Map<String, Value>), Fault> {
    let mut members = Members::of(value, at)?;
    Ok((members.need("request")?, members.need("params")?))
}

/// What a rehearsal takes for the answer.
pub(super) fn rehearsed(method: &str) -> Outcome {
    Ok(match method {
        "step" => json!({"action": null, "appended": [], "view": null}),
        "view" => json!({"view": [], "log": []}),
        "rewind" => json!({"view": null}),
        _ => json!({}),
    })
}

/// The answers of a case, as the candidate's side reads them.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// Of the request that is open, in order.
    next: VecDeque<Value>,
    default: Value,
    calls: Vec<Map<String, Value>>,
}

impl Answers {
    /// Answers for one request of a case, out of its member `summaries`.
    pub(super) fn of(summaries: &Value, request: usize) -> Self {
        let next = summaries.get("steps").and_then(|steps| steps.get(request.to_string())).and_then(Value::as_array);
        let next = next.map(|answers| answers.iter().cloned().collect()).unwrap_or_default();
        Self { next, default: summaries.get("default").cloned().unwrap_or_default(), calls: Vec::new() }
    }

    /// One call.
    pub(super) fn call(&mut self, params: Map<String, Value>) -> Outcome {
        self.calls.push(params);
        let answer = self.next.pop_front().unwrap_or_else(|| self.default.clone());
        match answer.get("error") {
            Some(error) => Err(RpcError::read(error.clone()).unwrap_or_else(|fault| {
                // Whatever it is, it is no summary.
                RpcError::new(RAISED, fault.to_string())
            })),
            None => Ok(answer),
        }
    }

    /// The calls that were made, each with the index of its request.
    pub(super) fn made(self, request: usize) -> impl Iterator<Item = Value> {
        self.calls.into_iter().map(move |params| json!({"request": request, "params": params}))
    }
}
