//! A whole case in one line: what is to be asked is written down first, and what was answered is read out afterwards.
//!
//! A [`Script`] is made while a case is rehearsed, in which nothing is sent. What came back for it is a [`Recording`], from
//! which the case is then played as if each request had been sent by itself.

use std::collections::VecDeque;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::body::{self, Body};
use super::connection::{self, Outcome, put};
use super::members::{At, Members};
use super::protocol::{Fault, LINE_MAX, Params, RAISED, RpcError, VALUES_MAX};
use crate::candidate::Rejection;
use crate::message::Message;
use crate::trace::{RejectionKind, Reply, Stop};

/// A case of more bytes than this is sent line by line.
const BYTES_MAX: usize = 4 << 20;
/// The members of a message, and of what is around it.
const MEMBERS: usize = 14;

/// The requests of a case, as they will be sent.
#[derive(Debug)]
pub(super) struct Script {
    requests: Vec<u8>,
    /// Each with the conversation that it is about.
    methods: Vec<(String, Option<String>)>,
    /// For each step, as a member of the object `steps`.
    answers: Vec<u8>,
    /// Messages that the candidate has been given so far, in all conversations.
    messages: usize,
    /// What comes back if each answer lists all messages: values, and bytes.
    values: usize,
    bytes: usize,
}

impl Script {
    /// A case that begins with `reset`.
    pub(super) fn new() -> Self {
        let (requests, answers) = (Vec::new(), Vec::new());
        let mut script = Self { requests, methods: Vec::new(), answers, messages: 0, values: 0, bytes: 0 };
        script.add("reset", &json!({}));
        script
    }

    /// The next request.
    pub(super) fn add(&mut self, method: &str, params: &impl Params) {
        if !self.methods.is_empty() {
            self.requests.push(b',');
        }
        self.requests.extend_from_slice(b"{\"method\":");
        put(&mut self.requests, method);
        self.requests.extend_from_slice(b",\"params\":");
        put(&mut self.requests, params);
        self.requests.push(b'}');
        self.methods.push((method.to_owned(), params.conversation()));
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
        let comma = if self.answers.is_empty() { "" } else { "," };
        self.answers.extend_from_slice(format!("{comma}\"{step}\":[").as_bytes());
        for (at, reply) in replies.iter().enumerate() {
            if at > 0 {
                self.answers.push(b',');
            }
            match reply {
                Reply::Rejection(kind) => put(&mut self.answers, &Refused::new(*kind)),
                Reply::Summary { text, stop, .. } => {
                    put(&mut self.answers, &Scripted { text, stop: *stop, arrived: std::mem::take(&mut arrived) });
                }
            }
        }
        self.answers.push(b']');
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

    /// Appends the parameters of `case`.
    pub(super) fn write(&self, line: &mut Vec<u8>) {
        line.reserve(self.requests.len() + self.answers.len() + 512);
        line.extend_from_slice(b"{\"requests\":[");
        line.extend_from_slice(&self.requests);
        line.extend_from_slice(b"],\"summaries\":{\"default\":");
        put(line, &Refused::new(RejectionKind::Rejected));
        line.extend_from_slice(b",\"steps\":{");
        line.extend_from_slice(&self.answers);
        line.extend_from_slice(b"}}}");
    }

    /// Reads the result of `case`.
    pub(super) fn read(self, result: Body) -> Result<Recording, Fault> {
        let (results, calls) = match body::case(&result) {
            Some(read) => read,
            None => read_case(result.value()?)?,
        };
        let at = At::root("result");
        if results.len() != self.methods.len() {
            let (has, due) = (results.len(), self.methods.len());
            return Err(at.name("results").fault(format_args!(" has {has} items for {due} requests")));
        }
        let mut entries: Vec<Entry> = self.methods.into_iter().zip(results).map(Entry::new).collect();
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

/// A summary that the summariser will give.
#[derive(Serialize)]
struct Scripted<'a> {
    text: &'a str,
    stop: Stop,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    arrived: Vec<Message>,
}

/// An error that it will give.
#[derive(Serialize)]
struct Refused {
    error: RpcError,
}

impl Refused {
    fn new(kind: RejectionKind) -> Self {
        Self { error: rejection_error(Rejection::new(kind)) }
    }
}

/// A summariser's error, as JSON-RPC carries it.
pub(super) fn rejection_error(rejection: Rejection) -> RpcError {
    let mut error = RpcError::new(RAISED, rejection.to_string());
    error.data = json!({"kind": rejection.kind});
    error
}

/// The result of `case`, member by member.
fn read_case(result: Value) -> Result<body::Case, Fault> {
    let at = At::root("result");
    let mut members = Members::of(result, &at)?;
    let results = members.list("results", read_entry)?.ok_or_else(|| members.missing("results"))?;
    let calls = members.list("summarize_calls", read_call)?.ok_or_else(|| members.missing("summarize_calls"))?;
    Ok((results, calls))
}

/// What came back for a case.
#[derive(Debug)]
pub(super) struct Recording {
    entries: VecDeque<Entry>,
    /// The state after a request that raised, until the next one that is no view, and which conversation's that is.
    state: Option<(Option<String>, Body)>,
}

#[derive(Debug)]
struct Entry {
    method: String,
    conversation: Option<String>,
    reply: connection::Reply,
    state: Option<Body>,
    /// The parameters of its summariser's calls.
    calls: Vec<Body>,
}

impl Entry {
    fn new(((method, conversation), (reply, state)): ((String, Option<String>), body::Entry)) -> Self {
        Self { method, conversation, reply, state, calls: Vec::new() }
    }
}

/// What was answered to one request, and what the summariser was asked meanwhile.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) reply: connection::Reply,
    pub(super) calls: Vec<Body>,
}

impl Recording {
    /// What was answered to the next request, which is one of `method` about `conversation`. A view after a request that raised
    /// is the state beside its error, and views that nobody has asked for any more are left out.
    pub(super) fn take(&mut self, method: &str, conversation: Option<&str>) -> Result<Answered, Fault> {
        let is_view = method == "view";
        // Until the next request nothing has changed: it is that conversation's view however often it is asked for.
        if is_view && let Some((_, state)) = self.state.as_ref().filter(|(of, _)| of.as_deref() == conversation) {
            return Ok(Answered { reply: Ok(state.clone()), calls: Vec::new() });
        }
        let unasked =
            |entry: &Entry| entry.method == "view" && !(is_view && entry.conversation.as_deref() == conversation);
        while self.entries.front().is_some_and(unasked) {
            self.entries.pop_front();
        }
        let entry = self.entries.pop_front().filter(|entry| entry.method == method);
        let Some(Entry { conversation, reply, state, calls, .. }) = entry else {
            return Err(Fault::new(if is_view {
                "a step that raised has no `state` beside its `error`: what `view` would answer".to_owned()
            } else {
                format!("the case was rehearsed without this `{method}`")
            }));
        };
        if !is_view {
            self.state = state.map(|state| (conversation, state));
        }
        Ok(Answered { reply, calls })
    }
}

fn read_entry(value: Value, at: &At<'_>) -> Result<body::Entry, Fault> {
    let mut members = Members::of(value, at)?;
    match (members.value("result"), members.value("error").filter(|error| !error.is_null())) {
        (Some(result), None) => Ok((Ok(Body::Value(result)), None)),
        (None, Some(error)) => Ok((Err(RpcError::read(error)?), members.value("state").map(Body::Value))),
        (Some(_), Some(_)) => Err(at.fault(" has both `result` and `error`")),
        (None, None) => Err(at.fault(" has neither `result` nor `error`")),
    }
}

fn read_call(value: Value, at: &At<'_>) -> Result<(usize, Body), Fault> {
    let mut members = Members::of(value, at)?;
    Ok((members.need("request")?, Body::Value(Value::Object(members.need("params")?))))
}

/// What a rehearsal takes for the answer.
pub(super) fn rehearsed(method: &str) -> Body {
    Body::Value(match method {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn view(name: &str) -> Value {
        json!({"view": [], "log": [], "of": name})
    }

    /// A step of `b` raises; views of both are read at the end, and that of `b` after the error, too.
    #[test]
    fn a_view_after_an_error_is_its_state_and_the_others_keep_their_places() {
        for arrivals in [false, true] {
            let mut script = Script::new();
            script.add("step", &json!({"conversation": "b"}));
            let mut results = vec![
                json!({"result": {}}),
                json!({"error": {"code": -32000, "message": "no"}, "state": view("b, raised")}),
            ];
            if arrivals {
                // The rehearsal has read the view after messages that were to arrive.
                script.add("view", &json!({"conversation": "b"}));
                results.push(json!({"result": view("b, unasked")}));
            }
            for name in ["a", "b"] {
                script.add("view", &json!({"conversation": name}));
                results.push(json!({"result": view(name)}));
            }
            let mut recording = script.read(Body::Value(json!({"results": results, "summarize_calls": []}))).unwrap();
            assert!(recording.take("reset", None).unwrap().reply.is_ok());
            assert!(recording.take("step", Some("b")).unwrap().reply.is_err());
            for (asked, is) in [("b", "b, raised"), ("b", "b, raised"), ("a", "a"), ("b", "b, raised")] {
                let answered = recording.take("view", Some(asked)).unwrap();
                assert_eq!(answered.reply.unwrap().value().unwrap()["of"], is, "arrivals: {arrivals}");
            }
            assert!(recording.take("view", Some("a")).is_err(), "there is no more of it");
        }
    }
}
