//! A child process as a candidate.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use super::body::Body;
use super::case::{Answered, Recording, Script, rehearsed, rejection_error};
use super::connection::{Answer, Connection, Reply, against, out_of_step};
use super::known::Knowledge;
use super::launcher::{Introduction, Pool};
use super::limit::Held;
use super::mirror::{summarize, summary_result};
use super::protocol::{
    AppendParams, AutoParams, Fault, METHOD_NOT_FOUND, Params, RestartParams, RewindParams, RpcError, StepParams,
    UsageParams,
};
use super::results::rewind_result;
use crate::candidate::{
    Assembler, ChangeGuard, Compactor, Conversation, Error, Gauge, Host, Reducer, Restart, Trimmer,
};
use crate::contract::{Capability, Contract, PressureSource};
use crate::message::Message;
use crate::trace::{Action, BreakKind};
use crate::turn::{self, Turn};

/// A child process that is lent out for one case: one more [`Compactor`].
///
/// The [`Conversation`]s that it is handed mirror what it says it holds. Once it has broken off, each method gives the
/// same error again. Dropped, it goes back to its [`Launcher`](super::Launcher), or is killed with all that it started.
#[derive(Debug)]
pub struct Process {
    /// None before anything is asked by who takes turns, once a case has been answered, and while it is dropped.
    connection: Option<Connection>,
    /// The turn at the child, as long as it is in use.
    turn: Option<Turn>,
    /// The child that has answered a case and is in use by somebody else.
    left: Option<Left>,
    introduction: Arc<Introduction>,
    pool: Arc<Pool>,
    pub(super) knowledge: Knowledge,
    /// Its connection, while it is asked at a limit.
    held: Option<Box<Held>>,
    course: Course,
}

/// What is left of a child that answered a case.
#[derive(Debug)]
struct Left {
    number: u64,
    /// The beginning of what it said.
    line: Vec<u8>,
    /// How it broke off, if it did.
    lost: Option<Error>,
}

/// How requests reach the child.
#[derive(Debug)]
enum Course {
    /// Each by itself; the child is still to be told that a new case begins.
    Fresh,
    /// Each by itself.
    Single,
    /// Not at all: they are written down.
    Rehearsing(Box<Script>),
    /// They were sent together, and have been answered.
    Answered(Box<Recording>),
}

impl Process {
    /// Without a connection it gets one when it is asked something.
    pub(super) fn new(connection: Option<Connection>, introduction: Arc<Introduction>, pool: Arc<Pool>) -> Self {
        let course = Course::Fresh;
        let (turn, left) = (None, None);
        Self { connection, turn, left, introduction, pool, knowledge: Knowledge::default(), held: None, course }
    }

    /// What the candidate said about itself.
    #[must_use]
    pub fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    /// Asks for any method, with parameters and a result as the protocol has them; the inner error is what the candidate
    /// answers. No summariser is there meanwhile.
    ///
    /// # Errors
    ///
    /// How the candidate broke off; an answer "method not found" is a break too.
    pub fn request(&mut self, method: &str, params: &impl Serialize) -> Result<Result<Value, RpcError>, Error> {
        match self.ask(method, &Plain(params), &mut out_of_step)? {
            Err(error) if error.code == METHOD_NOT_FOUND => Err(self.refused(method, &error)),
            Err(error) => Ok(Err(error)),
            Ok(result) => result.value().map(Ok).map_err(|fault| self.faulty(method, &fault)),
        }
    }

    /// Asks for a method that has no error to answer.
    pub(super) fn call(&mut self, method: &str, params: &impl Params) -> Result<Body, Error> {
        self.ask(method, params, &mut out_of_step)?.map_err(|error| self.refused(method, &error))
    }

    /// Whether what is asked is written down, and answered by nobody.
    pub(super) fn is_rehearsing(&self) -> bool {
        matches!(self.course, Course::Rehearsing(_))
    }

    fn ask(&mut self, method: &str, params: &impl Params, answer: &mut Answer<'_>) -> Result<Reply, Error> {
        match &mut self.course {
            Course::Rehearsing(script) => {
                script.add(method, params);
                return Ok(Ok(rehearsed(method)));
            }
            Course::Answered(_) => return self.recorded(method, params.conversation().as_deref(), answer),
            Course::Fresh => self.begin()?,
            Course::Single => {}
        }
        let timeout = self.pool.timeout;
        let lacks = self.introduction.methods.as_ref().is_some_and(|has| !has.iter().any(|name| name == method));
        if lacks && needs(method).is_some_and(|claims| !claims.is_empty()) {
            let sentence = self.without(method, "`methods` does not list");
            return Err(self.connection()?.unsupported(sentence));
        }
        self.connection()?.ask(method, params, timeout, answer)
    }

    /// Tells the child that a new case begins.
    fn begin(&mut self) -> Result<(), Error> {
        self.course = Course::Single;
        self.call("reset", &json!({})).map(drop)
    }

    /// The answer to a request that was sent with the others of its case.
    fn recorded(&mut self, method: &str, conversation: Option<&str>, answer: &mut Answer<'_>) -> Result<Reply, Error> {
        let Course::Answered(recording) = &mut self.course else { return Err(Error::unsupported(method)) };
        if let Some(lost) = self.left.as_ref().and_then(|left| left.lost.as_ref()) {
            return Err(lost.clone());
        }
        let heard = recording.take(method, conversation).and_then(|Answered { reply, calls }| {
            calls.into_iter().try_for_each(|params| answer("summarize", params).map(drop))?;
            Ok(reply)
        });
        heard.map_err(|fault| self.faulty(method, &fault))
    }

    /// Sends what was rehearsed.
    fn send(&mut self, script: Script) -> Result<(), Error> {
        self.knowledge = Knowledge::default();
        if script.is_long() {
            self.course = Course::Fresh;
            return Ok(());
        }
        let within = self.pool.timeout.saturating_mul(u32::try_from(script.len()).unwrap_or(u32::MAX));
        let asked = self.connection()?.ask_as("case", within, &mut out_of_step, |line| script.write(line));
        let outcome = asked.inspect_err(|error| {
            if error.break_kind() == Some(BreakKind::Timeout) {
                self.pool.single();
            }
        })?;
        let failed = |error: RpcError| Fault::new(format!("`batch` is true, and `case` an error: {}", error.message));
        let recording = outcome.map_err(failed).and_then(|result| script.read(result));
        let recording = recording.map_err(|fault| self.faulty("case", &fault))?;
        self.course = Course::Answered(Box::new(recording));
        self.hand_on();
        self.call("reset", &json!({})).map(drop)
    }

    /// Who takes turns lets the child go as soon as it has answered: what it said is read while it is at work again.
    fn hand_on(&mut self) {
        if self.turn.is_some()
            && let Some(connection) = self.connection.take()
        {
            let (number, line) = (connection.number(), connection.last_line().to_vec());
            self.left = Some(Left { number, line, lost: None });
            self.pool.give_back(connection);
            self.turn = None;
        }
    }

    fn connection(&mut self) -> Result<&mut Connection, Error> {
        if let Some(held) = self.held.take() {
            let mut process = held.release();
            self.connection = process.connection.take();
            self.course = std::mem::replace(&mut process.course, Course::Single);
        }
        if self.connection.is_none() && self.left.is_none() {
            self.turn = turn::take();
            self.connection = Some(self.pool.connection()?.0);
        }
        self.connection.as_mut().ok_or_else(|| Error::unsupported("a process that is gone"))
    }

    /// The child as it is asked at a limit.
    fn held(&mut self) -> Option<&Held> {
        if self.held.is_none() {
            self.connection().ok()?;
            let mut process = Self::new(self.connection.take(), Arc::clone(&self.introduction), Arc::clone(&self.pool));
            process.course = std::mem::replace(&mut self.course, Course::Single);
            self.held = Some(Box::new(Held::new(process)));
        }
        self.held.as_deref()
    }

    /// The child forgets this case.
    pub(super) fn reset(&mut self) -> Result<(), Error> {
        self.knowledge = Knowledge::default();
        self.begin()
    }

    /// The break that an error answered to anything but a step is.
    fn refused(&mut self, method: &str, error: &RpcError) -> Error {
        let fault = Fault::new(format!("an error ({}: {})", error.code, error.message));
        if error.code != METHOD_NOT_FOUND {
            return self.faulty(method, &fault);
        }
        let sentence = self.without(method, "it answers \"method not found\" to");
        if let Some(left) = &mut self.left {
            let error = Error::broken(BreakKind::Unsupported, sentence);
            return self.pool.lost(left.number, left.lost.insert(error));
        }
        match self.connection() {
            Ok(connection) => connection.unsupported(sentence),
            Err(gone) => gone,
        }
    }

    /// The sentence that names the claim behind `method`.
    fn without(&self, method: &str, how: &str) -> String {
        let claims = needs(method).unwrap_or_default();
        let claim = claims.iter().find(|claim| self.introduction.contract.claims(**claim));
        match claim {
            Some(claim) => format!("the candidate claims `{}`, and {how} `{method}`", claim.name()),
            None => format!("every candidate has `{method}`, and {how} it"),
        }
    }

    pub(super) fn faulty(&mut self, method: &str, fault: &Fault) -> Error {
        if let Some(left) = &mut self.left {
            let error = against(method, fault, &left.line);
            return self.pool.lost(left.number, left.lost.insert(error));
        }
        match self.connection() {
            Ok(connection) => connection.fault(method, fault),
            Err(gone) => gone,
        }
    }

    /// Whether it can be asked for the view of a conversation, claimed or not.
    pub(super) fn shows(&self) -> bool {
        let listed = |methods: &Vec<String>| methods.iter().any(|method| method == "view");
        self.claims(Capability::View) || self.introduction.methods.as_ref().is_some_and(listed)
    }

    pub(super) fn claims(&self, capability: Capability) -> bool {
        self.introduction.contract.claims(capability)
    }
}

impl Compactor for Process {
    fn contract(&self) -> Contract {
        self.introduction.contract.clone()
    }

    fn name(&self) -> String {
        self.introduction.name.clone()
    }

    fn version(&self) -> String {
        self.introduction.version.clone()
    }

    fn append(&mut self, conversation: &mut Conversation, messages: Vec<Message>) -> Result<(), Error> {
        let params = AppendParams { conversation: conversation.id().to_owned(), messages };
        let result = self.call("append", &params)?;
        if let Course::Rehearsing(script) = &mut self.course {
            script.grow(params.messages.len());
            conversation.receive(params.messages);
            return Ok(());
        }
        let known = self.known(conversation);
        params.messages.iter().for_each(|message| known.learn(message));
        conversation.receive(params.messages);
        self.take_append(conversation, result).map_err(|fault| self.faulty("append", &fault))
    }

    /// An error that the candidate answers is [`Error::raised`]; the state is read afterwards. Everything else that goes
    /// wrong is a break.
    fn step(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
        let given = self.introduction.contract.pressure == PressureSource::Given;
        let params = StepParams {
            conversation: conversation.id().to_owned(),
            kind: host.kind(),
            pressure: given.then(|| host.pressure()),
            wall_s: host.wall(),
            monotonic_s: host.monotonic(),
        };
        let before = conversation.log().len();
        let mut known = std::mem::take(self.known(conversation));
        let outcome = self.ask("step", &params, &mut |method, params| {
            if method != "summarize" {
                return Err(Fault::new(format!(
                    "the candidate asks for {method:?}, and the harness has `summarize` alone"
                )));
            }
            let answer = summarize(&mut known, host, params)?;
            Ok(answer.map(|summary| summary_result(&mut known, conversation, summary)).map_err(rejection_error))
        });
        *self.known(conversation) = known;
        if let Course::Rehearsing(script) = &mut self.course {
            let (replies, arrived) = host.script();
            script.answers(&replies, arrived);
        }
        match outcome? {
            Ok(result) => self.take_step(conversation, result, before).map_err(|fault| self.faulty("step", &fault)),
            Err(error) if error.code == METHOD_NOT_FOUND => Err(self.refused("step", &error)),
            Err(error) => {
                self.read_after_raise(conversation, before)?;
                Err(Error::raised(error.message))
            }
        }
    }

    fn rewind(&mut self, conversation: &mut Conversation, to: &str) -> Result<(), Error> {
        let params = RewindParams { conversation: conversation.id().to_owned(), to: to.to_owned() };
        let result = self.call("rewind", &params)?;
        conversation.rewind(to);
        let view =
            rewind_result(result).and_then(|view| view.map_or(Ok(()), |view| self.install(conversation, view, 0)));
        view.map_err(|fault| self.faulty("rewind", &fault))
    }

    fn restart(&mut self, conversations: &mut [Conversation], restart: &Restart) -> Result<(), Error> {
        let Restart { wall_s, monotonic_s, without } = restart.clone();
        self.call("restart", &RestartParams { wall_s, monotonic_s, without })?;
        conversations.iter_mut().try_for_each(|conversation| self.reload(conversation))
    }

    fn auto(&mut self, on: bool) -> Result<(), Error> {
        self.call("auto", &AutoParams { on }).map(drop)
    }

    fn usage(&mut self, conversation: &mut Conversation, tokens: u64, upto: &str) -> Result<(), Error> {
        let params = UsageParams { conversation: conversation.id().to_owned(), tokens, upto: upto.to_owned() };
        self.call("usage", &params).map(drop)
    }

    /// Where the candidate takes whole cases.
    fn rehearse(&mut self) -> bool {
        let batch = self.introduction.batch && self.pool.batch();
        if batch {
            self.course = Course::Rehearsing(Box::new(Script::new()));
        }
        batch
    }

    fn perform(&mut self) -> Result<(), Error> {
        match std::mem::replace(&mut self.course, Course::Fresh) {
            Course::Rehearsing(script) => self.send(*script),
            course => {
                self.course = course;
                Ok(())
            }
        }
    }

    /// Over the wire: `gauge` and `configure_gauge`.
    fn gauge(&mut self) -> Option<&mut dyn Gauge> {
        Some(self)
    }

    /// Over the wire: `change` and `attempt`.
    fn guard(&mut self) -> Option<&mut dyn ChangeGuard> {
        Some(self)
    }

    /// Nothing is read where neither the view nor the log is claimed.
    fn read(&mut self, conversation: &mut Conversation) -> Result<(), Error> {
        self.reload(conversation)
    }

    /// Over the wire: `reduce`.
    fn reducer(&mut self) -> Option<&dyn Reducer> {
        self.held().map(|held| held as &dyn Reducer)
    }

    /// Over the wire: `fit`.
    fn trimmer(&mut self) -> Option<&dyn Trimmer> {
        self.held().map(|held| held as &dyn Trimmer)
    }

    /// Over the wire: `assemble`.
    fn assembler(&mut self) -> Option<&dyn Assembler> {
        self.held().map(|held| held as &dyn Assembler)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take().filter(Connection::is_usable) {
            self.pool.give_back(connection);
        }
    }
}

/// The claims that need `method`, most specific first; none: a method that this version does not know.
fn needs(method: &str) -> Option<&'static [Capability]> {
    use Capability as C;
    Some(match method {
        "hello" | "reset" | "append" => &[],
        "step" => &[C::Summarize, C::Trim],
        "view" => &[C::View, C::Log],
        "rewind" => &[C::Rewind],
        "restart" => &[C::Restart],
        "usage" => &[C::Usage],
        "auto" => &[C::Auto],
        "reduce" => &[C::Field],
        "fit" => &[C::Fit],
        "assemble" => &[C::Request],
        "gauge" | "configure_gauge" => &[C::Gauge],
        "change" | "attempt" => &[C::Change],
        _ => return None,
    })
}

/// Parameters that may be about a conversation.
struct Plain<'a, T>(&'a T);

impl<T: Serialize> Serialize for Plain<'_, T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<T: Serialize> Params for Plain<'_, T> {
    fn conversation(&self) -> Option<String> {
        serde_json::to_value(self.0).unwrap_or_default().conversation()
    }
}
