//! Asks a child and hears its answer. Whatever goes wrong ends the child and becomes a candidate's error.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use super::body::{self, Body};
use super::child::{Child, Heard};
use super::protocol::{Envelope, Fault, LINE_MAX, RpcError, excerpt};
use crate::candidate::Error;
use crate::trace::BreakKind;

/// How many characters of a raw line an error shows.
const SHOWN: usize = 300;

/// What answers a request of the candidate while its own is open.
pub(super) type Answer<'a> = dyn FnMut(&str, Body) -> Result<Outcome, Fault> + 'a;

/// A result, or an error as JSON-RPC carries it.
pub(super) type Outcome = Result<Value, RpcError>;

/// The same as it came from the child.
pub(super) type Reply = Result<Body, RpcError>;

/// Who says a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    Harness,
    Candidate,
}

/// Hears every line, without its end, of both sides.
#[derive(Clone)]
pub(crate) struct Tap(pub(crate) Arc<Hear>);

type Hear = dyn Fn(Speaker, &[u8]) + Send + Sync;

impl std::fmt::Debug for Tap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tap")
    }
}

/// A child and the state of the talk with it.
#[derive(Debug)]
pub(super) struct Connection {
    child: Child,
    /// No other has it.
    number: u64,
    tap: Option<Tap>,
    last_id: u64,
    /// The beginning of the last line that was heard.
    last_line: Vec<u8>,
    /// Why the talk is over.
    lost: Option<Error>,
    /// A request is open: set also while a panic passes through.
    busy: bool,
}

impl Connection {
    /// Starts `command`; nothing is said yet. Once `halted` is set, nobody waits for an answer.
    pub(super) fn open(command: &[String], halted: Arc<AtomicBool>, tap: Option<Tap>) -> std::io::Result<Self> {
        static CONNECTIONS: AtomicU64 = AtomicU64::new(0);
        Child::start(command, halted).map(|child| Self {
            child,
            number: CONNECTIONS.fetch_add(1, Ordering::Relaxed),
            tap,
            last_id: 0,
            last_line: Vec::new(),
            lost: None,
            busy: false,
        })
    }

    /// Whether another request can be sent.
    pub(super) fn is_usable(&self) -> bool {
        self.lost.is_none() && !self.busy
    }

    /// Asks for `method` and waits for the answer until `within` has passed, nested requests included: `answer` answers
    /// them.
    ///
    /// The outer error is the child's end; the inner one is what it answered.
    pub(super) fn ask(
        &mut self,
        method: &str,
        params: &impl Serialize,
        within: Duration,
        answer: &mut Answer<'_>,
    ) -> Result<Reply, Error> {
        self.ask_as(method, within, answer, |line| put(line, params))
    }

    /// Like [`Connection::ask`]; `write` appends the parameters, which are JSON text, to the line.
    pub(super) fn ask_as(
        &mut self,
        method: &str,
        within: Duration,
        answer: &mut Answer<'_>,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<Reply, Error> {
        if let Some(lost) = &self.lost {
            return Err(lost.clone());
        }
        let deadline = Instant::now() + within;
        if let Some(Heard::Line(line) | Heard::Flood(line)) = self.child.overhear() {
            self.keep(&line);
            return Err(self.fault(method, &Fault::new("a line came before anything was asked")));
        }
        self.busy = true;
        self.last_id += 1;
        self.send(request(self.last_id, method, write));
        loop {
            match self.child.hear(deadline) {
                Heard::Line(line) => {
                    self.keep(&line);
                    match self.take(line, answer) {
                        Ok(Some(outcome)) => {
                            self.busy = false;
                            return Ok(outcome);
                        }
                        Ok(None) => {}
                        Err(fault) => return Err(self.fault(method, &fault)),
                    }
                }
                Heard::Flood(head) => {
                    self.keep(&head);
                    let limit = LINE_MAX >> 20;
                    return Err(self.fault(method, &Fault::new(format!("the line is longer than {limit} MiB"))));
                }
                Heard::Late => return Err(self.late(method, within)),
                Heard::Halted => return Err(self.halted(method)),
                Heard::Gone => return Err(self.gone(method)),
            }
        }
    }

    /// Ends the child because of what it answered to `method`.
    pub(super) fn fault(&mut self, method: &str, fault: &Fault) -> Error {
        self.child.kill();
        let error = against(method, fault, &self.last_line);
        self.lost = Some(error.clone());
        error
    }

    /// Which connection it is.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The beginning of the last line that was heard.
    pub(super) fn last_line(&self) -> &[u8] {
        &self.last_line
    }

    /// Ends the child because it does not do what it claims.
    pub(super) fn unsupported(&mut self, sentence: String) -> Error {
        self.child.kill();
        self.lose(BreakKind::Unsupported, sentence)
    }

    /// Says goodbye. The child has `grace` to end by itself.
    pub(super) fn close(mut self, grace: Duration) {
        if self.is_usable() {
            self.send(request(self.last_id + 1, "bye", |line| line.extend_from_slice(b"{}")));
            self.child.hang_up();
            self.child.wait(Instant::now() + grace);
        }
    }

    /// The outcome, if the line is the answer. A request in it is answered.
    fn take(&mut self, line: Vec<u8>, answer: &mut Answer<'_>) -> Result<Option<Reply>, Fault> {
        let envelope = match body::plain_reply(line) {
            Ok((id, result)) if id == self.last_id => return Ok(Some(Ok(result))),
            Ok((id, _)) => Envelope::Reply { id: id.into(), outcome: Ok(Value::Null) },
            Err(line) => Envelope::decode(&line)?,
        };
        match envelope {
            Envelope::Reply { id, outcome } if id == self.last_id => Ok(Some(outcome.map(Body::Value))),
            Envelope::Reply { id, .. } => {
                let due = self.last_id;
                Err(Fault::new(format!(
                    "`id` is {}, and the open request has {due}",
                    excerpt(id.to_string().as_bytes(), 40)
                )))
            }
            Envelope::Request { id, method, params } => {
                let outcome = answer(&method, Body::Value(Value::Object(params)))?;
                self.send(Envelope::Reply { id, outcome }.encode().into_bytes());
                Ok(None)
            }
        }
    }

    fn late(&mut self, method: &str, within: Duration) -> Error {
        self.child.kill();
        let stderr = self.stderr();
        self.lose(BreakKind::Timeout, format!("no answer to `{method}` within {} s{stderr}", within.as_secs_f64()))
    }

    fn halted(&mut self, method: &str) -> Error {
        self.child.kill();
        self.lose(BreakKind::Timeout, format!("the run was interrupted before the candidate answered `{method}`"))
    }

    fn gone(&mut self, method: &str) -> Error {
        let how = match self.child.bury() {
            Some(status) => format!("ended ({status})"),
            None => "closed a pipe without ending".to_owned(),
        };
        let stderr = self.stderr();
        self.lose(BreakKind::Crash, format!("the candidate {how} before it answered `{method}`{stderr}"))
    }

    fn stderr(&self) -> String {
        match self.child.stderr() {
            text if text.is_empty() => String::new(),
            text => format!("; its standard error ends:\n{text}"),
        }
    }

    fn send(&mut self, line: Vec<u8>) {
        if let Some(Tap(hear)) = &self.tap {
            hear(Speaker::Harness, line.trim_ascii_end());
        }
        self.child.send(line);
    }

    /// Notes a line that was heard.
    fn keep(&mut self, line: &[u8]) {
        if let Some(Tap(hear)) = &self.tap {
            hear(Speaker::Candidate, line);
        }
        self.last_line.clear();
        self.last_line.extend_from_slice(&line[..line.len().min(SHOWN * 4 + 1)]);
    }

    fn lose(&mut self, kind: BreakKind, message: String) -> Error {
        let error = Error::broken(kind, message);
        self.lost = Some(error.clone());
        error
    }
}

/// That the answer to `method` is against the protocol; `line` is the one that says it.
pub(super) fn against(method: &str, fault: &Fault, line: &[u8]) -> Error {
    let line = excerpt(line, SHOWN);
    let message = format!("after `{method}`, against the protocol: {fault}; the line: {line}");
    Error::broken(BreakKind::Protocol, message)
}

/// Answers every request with a fault: none may be made outside of a step.
pub(super) fn out_of_step(method: &str, _: Body) -> Result<Outcome, Fault> {
    Err(Fault::new(format!("the candidate asks for {method:?} while no `step` is open")))
}

/// The line of a request. Written straight, since parameters can be large.
fn request(id: u64, method: &str, params: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut line =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":{},\"params\":", Value::from(method)).into_bytes();
    params(&mut line);
    line.extend_from_slice(b"}\n");
    line
}

/// Appends the JSON of `value`.
pub(super) fn put(line: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    // Parameters are structs with named members: they always have a JSON, and a vector takes it.
    let _ = serde_json::to_writer(line, value);
}
