//! The other end of the protocol: a candidate written in Rust, served over two streams.

use std::io::{self, BufRead, Read, Write};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::case::Answers;
use super::change::{serve_attempt, serve_change};
use super::connection::Outcome;
use super::gauge::{serve_configure, serve_gauge};
use super::known::Known;
use super::protocol::{
    AppendParams, AssembleParams, AutoParams, Envelope, FitParams, INVALID_PARAMS, LINE_MAX, METHOD_NOT_FOUND, RAISED,
    ReduceParams, RestartParams, RewindParams, RpcError, StepParams, UsageParams, VERSION, ViewParams,
};
use super::results::action_word;
use crate::candidate::{Changes, Compactor, Conversation, CutOff, Error, Host, Rejection, Restart, Summary};
use crate::contract::Capability;
use crate::field::Infeasible;
use crate::history::Pressure;
use crate::message::Message;
use crate::trace::{BreakKind, Input, RejectionKind, Stop};
use crate::unit::Limit;

/// Speaks the protocol as a candidate, until `bye` or the end of `input`: `reset` makes a fresh candidate of `factory`.
///
/// The candidate lives in a thread of its own; what it panics with is passed on.
///
/// ```
/// use plimsoll::{Action, Capability, Compactor, Contract, Conversation, Error, Host, adapter};
///
/// struct Never;
///
/// impl Compactor for Never {
///     fn contract(&self) -> Contract {
///         Contract::claiming(&[Capability::View])
///     }
///     fn step(&mut self, _: &mut Conversation, _: &Host) -> Result<Action, Error> {
///         Ok(Action::None)
///     }
/// }
///
/// let input = br#"{"jsonrpc":"2.0","id":1,"method":"reset","params":{}}"#;
/// let mut output = Vec::new();
/// adapter::serve(|| Box::new(Never), &input[..], &mut output).unwrap();
/// assert_eq!(output, b"{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{}}\n");
/// ```
///
/// # Errors
///
/// What reading or writing gave; a line of `input` that is no request, with the reason.
pub fn serve(
    factory: impl Fn() -> Box<dyn Compactor> + Send,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let (to_wire, wishes) = mpsc::channel();
    let (to_candidate, lines) = mpsc::channel();
    thread::scope(|scope| {
        let wire = Arc::new(Wire { wishes: to_wire, lines: Mutex::new(lines), answers: Mutex::default() });
        let served = scope.spawn(move || Server::new(&factory, wire).run());
        // The streams stay in this thread: they need not be `Send`, and a summariser's call can reach them from the other.
        let moved = wishes.iter().try_for_each(|wish| match wish {
            Wish::Say(line) => output.write_all(line.as_bytes()).and_then(|()| output.flush()),
            Wish::Hear => {
                // An error says that the candidate is gone, and then there is no further wish.
                let _ = to_candidate.send(read_line(&mut input)?);
                Ok(())
            }
        });
        drop((wishes, to_candidate));
        match served.join() {
            Ok(served) => moved.and(served),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// What the candidate's side wants of the streams.
enum Wish {
    Say(String),
    Hear,
}

/// The streams, as the candidate's thread reaches them.
pub(super) struct Wire {
    wishes: Sender<Wish>,
    lines: Mutex<Receiver<Option<Vec<u8>>>>,
    /// While a case is played that came in one line: what the summariser answers.
    answers: Mutex<Option<Answers>>,
}

impl Wire {
    fn say(&self, envelope: &Envelope) {
        // An error says that the streams are gone; the next line that is wanted shows it.
        let _ = self.wishes.send(Wish::Say(envelope.encode()));
    }

    /// The next line; none at the end.
    fn hear(&self) -> Option<Vec<u8>> {
        self.wishes.send(Wish::Hear).ok()?;
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).recv().ok().flatten()
    }

    /// From now on the summariser's answers are these; none: the harness is asked. Those that held before.
    pub(super) fn follow(&self, answers: Option<Answers>) -> Option<Answers> {
        mem::replace(&mut *self.answers.lock().unwrap_or_else(PoisonError::into_inner), answers)
    }

    /// Asks the harness for a summary.
    fn summarize(&self, id: u64, params: Value) -> Option<Outcome> {
        let Value::Object(params) = params else { return None };
        if let Some(answers) = &mut *self.answers.lock().unwrap_or_else(PoisonError::into_inner) {
            return Some(answers.call(params));
        }
        let id = Value::from(format!("s{id}"));
        self.say(&Envelope::Request { id: id.clone(), method: "summarize".to_owned(), params });
        match Envelope::decode(&self.hear()?) {
            Ok(Envelope::Reply { id: answered, outcome }) if answered == id => Some(outcome),
            _ => None,
        }
    }
}

pub(super) struct Server<'a> {
    factory: &'a dyn Fn() -> Box<dyn Compactor>,
    pub(super) wire: Arc<Wire>,
    candidate: Box<dyn Compactor>,
    conversations: Vec<Served>,
    asked: Arc<Mutex<Asked>>,
}

/// What became of the summariser's calls.
#[derive(Default)]
struct Asked {
    calls: u64,
    /// Messages arrived during one of this step: the other side cannot know where the candidate put them.
    arrived: bool,
}

struct Served {
    conversation: Conversation,
    known: Arc<Mutex<Known>>,
    /// Changes that no answer could carry yet.
    pending: Changes,
}

impl<'a> Server<'a> {
    fn new(factory: &'a dyn Fn() -> Box<dyn Compactor>, wire: Arc<Wire>) -> Self {
        Self { factory, wire, candidate: factory(), conversations: Vec::new(), asked: Arc::default() }
    }

    fn run(&mut self) -> io::Result<()> {
        while let Some(line) = self.wire.hear() {
            let (id, method, params) = match Envelope::decode(&line) {
                Ok(Envelope::Request { id, method, params }) => (id, method, params),
                Ok(Envelope::Reply { .. }) => return Err(io::Error::other("a reply came, and nothing was asked")),
                Err(fault) => return Err(io::Error::other(fault)),
            };
            let outcome = self.answer(&method, params);
            self.wire.say(&Envelope::Reply { id, outcome });
            if method == "bye" {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn answer(&mut self, method: &str, params: Map<String, Value>) -> Outcome {
        match method {
            "hello" => Ok(self.hello()),
            "reset" => {
                self.candidate = (self.factory)();
                self.conversations.clear();
                Ok(json!({}))
            }
            "append" => self.append(read(params)?),
            "step" => self.step(&read(params)?),
            "view" => self.view(&read(params)?),
            "rewind" => self.rewind(&read(params)?),
            "restart" => self.restart(read(params)?),
            "usage" => {
                let UsageParams { conversation, tokens, upto } = read(params)?;
                let at = self.place(&conversation);
                let served = &mut self.conversations[at];
                done(self.candidate.usage(&mut served.conversation, tokens, &upto))
            }
            "auto" => done(self.candidate.auto(read::<AutoParams>(params)?.on)),
            "reduce" => self.reduce(&read(params)?),
            "fit" => self.fit(read(params)?),
            "assemble" => self.assemble(read(params)?),
            "gauge" => serve_gauge(&mut *self.candidate, &read(params)?),
            "configure_gauge" => serve_configure(&mut *self.candidate, read(params)?),
            "change" => serve_change(&mut *self.candidate, &read(params)?),
            "attempt" => serve_attempt(&mut *self.candidate, read(params)?),
            "case" => self.case(read(params)?),
            "bye" => Ok(json!({})),
            _ => Err(no_method(method)),
        }
    }

    fn hello(&self) -> Value {
        let contract = self.candidate.contract();
        let mut result = json!({
            "protocol": VERSION,
            "name": self.candidate.name(),
            "version": self.candidate.version(),
            "contract": contract,
            "batch": true,
        });
        // In process what an assembler does to its view is seen, claimed or not: so it is here.
        if contract.claims(Capability::Request) && !contract.claims(Capability::View) {
            result["methods"] = json!(METHODS);
        }
        result
    }

    fn append(&mut self, params: AppendParams) -> Outcome {
        let at = self.place(&params.conversation);
        let served = &mut self.conversations[at];
        served.learn(&params.messages);
        self.candidate.append(&mut served.conversation, params.messages).map_err(rpc)?;
        let mut changes = served.conversation.take_changes();
        let extra = mem::take(&mut changes.extra);
        served.learn(&extra);
        served.postpone(changes);
        if extra.is_empty() { Ok(json!({})) } else { Ok(json!({"extra": extra})) }
    }

    fn step(&mut self, params: &StepParams) -> Outcome {
        let at = self.place(&params.conversation);
        let served = &mut self.conversations[at];
        let (wire, known, asked) = (Arc::clone(&self.wire), Arc::clone(&served.known), Arc::clone(&self.asked));
        let ask = Box::new(move |input| ask(&wire, &known, &asked, input));
        let host = Host::calling(
            params.kind,
            params.pressure.unwrap_or(Pressure::None),
            (params.wall_s, params.monotonic_s),
            ask,
        );
        let candidate = &mut self.candidate;
        let stepped = catch_unwind(AssertUnwindSafe(|| candidate.step(&mut served.conversation, &host)));
        drop(host.close());
        let action = stepped.unwrap_or_else(|payload| {
            if payload.is::<CutOff>() { Err(Error::raised("the process ended")) } else { resume_unwind(payload) }
        });
        let mut changes = mem::take(&mut served.pending);
        let new = served.conversation.take_changes();
        let action = action.map_err(rpc)?;
        changes.appended.extend(new.appended);
        let arrived = mem::take(&mut self.asked.lock().unwrap_or_else(PoisonError::into_inner).arrived);
        changes.installed |= new.installed | arrived;
        served.learn(&changes.appended);
        served.learn(&new.extra);
        let view = if changes.installed { served.shortened() } else { Value::Null };
        let mut result = json!({"action": action_word(action), "appended": changes.appended, "view": view});
        if !new.extra.is_empty() {
            result["extra"] = json!(new.extra);
        }
        Ok(result)
    }

    fn view(&mut self, params: &ViewParams) -> Outcome {
        let logged = self.candidate.contract().claims(Capability::Log);
        let at = self.place(&params.conversation);
        let served = &mut self.conversations[at];
        self.candidate.read(&mut served.conversation).map_err(rpc)?;
        let mut result = json!({"view": served.conversation.view()});
        if logged {
            result["log"] = json!(served.conversation.log());
            served.learn(served.conversation.log());
        }
        Ok(result)
    }

    fn rewind(&mut self, params: &RewindParams) -> Outcome {
        let at = self.place(&params.conversation);
        let served = &mut self.conversations[at];
        self.candidate.rewind(&mut served.conversation, &params.to).map_err(rpc)?;
        let changes = served.conversation.take_changes();
        served.postpone(changes);
        Ok(json!({"view": served.shortened()}))
    }

    fn restart(&mut self, params: RestartParams) -> Outcome {
        let restart = Restart::new(params.wall_s, params.monotonic_s, params.without);
        let mut conversations: Vec<_> =
            self.conversations.iter_mut().map(|served| mem::take(&mut served.conversation)).collect();
        let restarted = self.candidate.restart(&mut conversations, &restart);
        for (served, conversation) in self.conversations.iter_mut().zip(conversations) {
            served.conversation = conversation;
            let changes = served.conversation.take_changes();
            served.postpone(changes);
        }
        done(restarted)
    }

    fn reduce(&mut self, params: &ReduceParams) -> Outcome {
        let reducer = self.candidate.reducer().ok_or_else(|| no_method("reduce"))?;
        let reduced = reducer.try_reduce(&params.blocks, params.limit).map_err(rpc)?;
        Ok(reduced.map_or_else(infeasible, |reduced| json!({"text": reduced.text, "notice": reduced.notice})))
    }

    fn fit(&mut self, params: FitParams) -> Outcome {
        let trimmer = self.candidate.trimmer().ok_or_else(|| no_method("fit"))?;
        let mut known = Known::default();
        params.messages.iter().for_each(|message| known.learn(message));
        let limit = Limit::new(params.limit.max, params.limit.unit.unit());
        let left = trimmer.try_fit(params.messages, limit).map_err(rpc)?;
        let view = |left: Vec<Message>| -> Value { left.iter().map(|message| known.shorten(message)).collect() };
        Ok(left.map_or_else(infeasible, |left| json!({"view": view(left)})))
    }

    fn assemble(&mut self, params: AssembleParams) -> Outcome {
        let mut given = Conversation::new("a");
        let conversation = match (&params.conversation, params.messages) {
            (_, Some(messages)) => {
                given.receive(messages);
                &mut given
            }
            (Some(id), None) => {
                let at = self.place(id);
                &mut self.conversations[at].conversation
            }
            (None, None) => {
                return Err(RpcError::new(INVALID_PARAMS, "params: neither `conversation` nor `messages`".to_owned()));
            }
        };
        let assembler = self.candidate.assembler().ok_or_else(|| no_method("assemble"))?;
        let request = assembler.try_assemble(&params.path, conversation, params.limit).map_err(rpc)?;
        Ok(request.map_or_else(infeasible, |request| json!(request)))
    }

    /// Where the conversation is; a new one is made.
    fn place(&mut self, id: &str) -> usize {
        let at = self.conversations.iter().position(|served| served.conversation.id() == id);
        at.unwrap_or_else(|| {
            let (known, pending) = (Arc::default(), Changes::default());
            self.conversations.push(Served { conversation: Conversation::new(id), known, pending });
            self.conversations.len() - 1
        })
    }
}

/// All that can be asked for between `hello` and `bye`.
const METHODS: [&str; 16] = [
    "reset",
    "append",
    "step",
    "view",
    "rewind",
    "restart",
    "usage",
    "auto",
    "reduce",
    "fit",
    "assemble",
    "gauge",
    "configure_gauge",
    "change",
    "attempt",
    "case",
];

impl Served {
    fn learn(&self, messages: &[Message]) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        messages.iter().for_each(|message| known.learn(message));
    }

    /// Keeps changes that the answer cannot carry for the next step: own messages, and with them the view, in which they
    /// already have their place.
    fn postpone(&mut self, changes: Changes) {
        self.pending.installed |= changes.installed | !changes.appended.is_empty();
        self.pending.appended.extend(changes.appended);
    }

    fn shortened(&self) -> Value {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        self.conversation.view().iter().map(|message| known.shorten(message)).collect()
    }
}

/// One call of the summariser. Whatever the harness breaks ends in an error that the candidate sees as no connection.
fn ask(wire: &Wire, known: &Mutex<Known>, asked: &Mutex<Asked>, input: Input) -> Result<Summary, Rejection> {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let params = match input {
        Input::Text(text) => json!({"text": text}),
        Input::Items(items) => json!({"items": items.iter().map(|item| known.shorten(item)).collect::<Value>()}),
    };
    let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
    asked.calls += 1;
    let answer = wire.summarize(asked.calls, params).and_then(|outcome| match outcome {
        Ok(result) => read_summary(&result).map(Ok),
        Err(error) => serde_json::from_value(error.data.get("kind")?.clone()).ok().map(Rejection::new).map(Err),
    });
    let summary = answer.unwrap_or(Err(Rejection::new(RejectionKind::Transport)))?;
    summary.arrived.iter().for_each(|message| known.learn(message));
    asked.arrived |= !summary.arrived.is_empty();
    Ok(summary)
}

fn read_summary(result: &Value) -> Option<Summary> {
    let stop: Stop = serde_json::from_value(result.get("stop")?.clone()).ok()?;
    let mut summary = Summary::new(result.get("text")?.as_str()?, stop);
    if let Some(arrived) = result.get("arrived") {
        summary.arrived = serde_json::from_value(arrived.clone()).ok()?;
    }
    Some(summary)
}

fn read<T: DeserializeOwned>(params: Map<String, Value>) -> Result<T, RpcError> {
    serde_json::from_value(Value::Object(params)).map_err(|e| RpcError::new(INVALID_PARAMS, format!("params: {e}")))
}

fn infeasible(_: Infeasible) -> Value {
    json!({"infeasible": true})
}

fn no_method(method: &str) -> RpcError {
    RpcError::new(METHOD_NOT_FOUND, format!("there is no method {method:?}"))
}

fn done(result: Result<(), Error>) -> Outcome {
    result.map(|()| json!({})).map_err(rpc)
}

fn rpc(error: Error) -> RpcError {
    let unsupported = error.break_kind() == Some(BreakKind::Unsupported);
    RpcError::new(if unsupported { METHOD_NOT_FOUND } else { RAISED }, error.to_string())
}

/// The next line without its end; none at the end of the input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = input.by_ref().take(LINE_MAX as u64 + 2).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok((read > 0).then_some(line))
}
