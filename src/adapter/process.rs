//! A child process as a candidate.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use super::case::{Answered, Recording, Script, conversation, rehearsed};
use super::connection::{Answer, Connection, Outcome, out_of_step};
use super::known::{Item, Known};
use super::launcher::{Introduction, Pool};
use super::limit::Held;
use super::members::At;
use super::protocol::{
    AppendParams, AutoParams, Fault, METHOD_NOT_FOUND, RAISED, RestartParams, RewindParams, RpcError, StepParams,
    UsageParams, ViewParams,
};
use super::results::{StepResult, SummarizeParams, ViewResult, read_append, read_rewind};
use crate::candidate::{
    Assembler, ChangeGuard, Compactor, Conversation, Error, Gauge, Host, Reducer, Rejection, Restart, Summary, Trimmer,
};
use crate::contract::{Capability, Contract, PressureSource};
use crate::message::Message;
use crate::trace::{Action, BreakKind, Input};

/// A child process that is lent out for one case: one more [`Compactor`].
///
/// The [`Conversation`]s that it is handed mirror what it says it holds. Once it has broken off, each method gives the
/// same error again. Dropped, it goes back to its [`Launcher`](super::Launcher), or is killed with all that it started.
#[derive(Debug)]
pub struct Process {
    /// None only while it is dropped.
    connection: Option<Connection>,
    introduction: Arc<Introduction>,
    pool: Arc<Pool>,
    known: HashMap<String, Known>,
    /// Its connection, while it is asked at a limit.
    held: Option<Box<Held>>,
    course: Course,
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
    pub(super) fn new(connection: Connection, introduction: Arc<Introduction>, pool: Arc<Pool>) -> Self {
        let course = Course::Fresh;
        Self { connection: Some(connection), introduction, pool, known: HashMap::new(), held: None, course }
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
        match self.ask(method, params, &mut out_of_step)? {
            Err(error) if error.code == METHOD_NOT_FOUND => Err(self.refused(method, &error)),
            outcome => Ok(outcome),
        }
    }

    /// Asks for a method that has no error to answer.
    fn call(&mut self, method: &str, params: &impl Serialize) -> Result<Value, Error> {
        self.request(method, params)?.map_err(|error| self.refused(method, &error))
    }

    fn ask(&mut self, method: &str, params: &impl Serialize, answer: &mut Answer<'_>) -> Result<Outcome, Error> {
        match &mut self.course {
            Course::Rehearsing(script) => {
                script.add(method, params);
                return Ok(rehearsed(method));
            }
            Course::Answered(_) => {
                let params = serde_json::to_value(params).unwrap_or_default();
                return self.recorded(method, conversation(&params).as_deref(), answer);
            }
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
    fn recorded(
        &mut self,
        method: &str,
        conversation: Option<&str>,
        answer: &mut Answer<'_>,
    ) -> Result<Outcome, Error> {
        let Course::Answered(recording) = &mut self.course else { return Err(Error::unsupported(method)) };
        let heard = recording.take(method, conversation).and_then(|Answered { outcome, calls }| {
            calls.into_iter().try_for_each(|params| answer("summarize", params).map(drop))?;
            Ok(outcome)
        });
        heard.map_err(|fault| self.faulty(method, &fault))
    }

    /// Sends what was rehearsed.
    fn send(&mut self, script: Script) -> Result<(), Error> {
        self.known.clear();
        if script.is_long() {
            self.course = Course::Fresh;
            return Ok(());
        }
        let within = self.pool.timeout.saturating_mul(u32::try_from(script.len()).unwrap_or(u32::MAX));
        let asked = self.connection()?.ask_text("case", &script.params(), within, &mut out_of_step);
        let outcome = asked.inspect_err(|error| {
            if error.break_kind() == Some(BreakKind::Timeout) {
                self.pool.single();
            }
        })?;
        let failed = |error: RpcError| Fault::new(format!("`batch` is true, and `case` an error: {}", error.message));
        let recording = outcome.map_err(failed).and_then(|result| script.read(result));
        let recording = recording.map_err(|fault| self.faulty("case", &fault))?;
        self.course = Course::Answered(Box::new(recording));
        self.call("reset", &json!({})).map(drop)
    }

    fn connection(&mut self) -> Result<&mut Connection, Error> {
        if let Some(held) = self.held.take() {
            let mut process = held.release();
            self.connection = process.connection.take();
            self.course = std::mem::replace(&mut process.course, Course::Single);
        }
        self.connection.as_mut().ok_or_else(|| Error::unsupported("a process that is gone"))
    }

    /// The child as it is asked at a limit.
    fn held(&mut self) -> Option<&Held> {
        if self.held.is_none() {
            let connection = self.connection.take()?;
            let mut process = Self::new(connection, Arc::clone(&self.introduction), Arc::clone(&self.pool));
            process.course = std::mem::replace(&mut self.course, Course::Single);
            self.held = Some(Box::new(Held::new(process)));
        }
        self.held.as_deref()
    }

    /// The child forgets this case.
    pub(super) fn reset(&mut self) -> Result<(), Error> {
        self.known.clear();
        self.begin()
    }

    /// The break that an error answered to anything but a step is.
    fn refused(&mut self, method: &str, error: &RpcError) -> Error {
        let sentence = self.without(method, "it answers \"method not found\" to");
        let fault = Fault::new(format!("an error ({}: {})", error.code, error.message));
        match self.connection() {
            Ok(connection) if error.code == METHOD_NOT_FOUND => connection.unsupported(sentence),
            Ok(connection) => connection.fault(method, &fault),
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
        match self.connection() {
            Ok(connection) => connection.fault(method, fault),
            Err(gone) => gone,
        }
    }

    fn claims(&self, capability: Capability) -> bool {
        self.introduction.contract.claims(capability)
    }

    fn known(&mut self, conversation: &Conversation) -> &mut Known {
        self.known.entry(conversation.id().to_owned()).or_default()
    }

    fn install(&mut self, conversation: &mut Conversation, items: Vec<Item>, new: usize) -> Result<(), Fault> {
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

    fn take_append(&mut self, conversation: &mut Conversation, result: Value) -> Result<(), Fault> {
        let extra = read_append(result)?;
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
    fn take_step(&mut self, conversation: &mut Conversation, result: Value, before: usize) -> Result<Action, Fault> {
        let StepResult { action, appended, extra, view } = StepResult::read(result)?;
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
        let result = self.call("view", &ViewParams { conversation: conversation.id().to_owned() })?;
        let logged = self.claims(Capability::Log);
        let shown = ViewResult::read(result, logged).and_then(|ViewResult { view, log }| {
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
    fn read_after_raise(&mut self, conversation: &mut Conversation, before: usize) -> Result<(), Error> {
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
    fn reload(&mut self, conversation: &mut Conversation) -> Result<(), Error> {
        let Some(Shown { view, log, .. }) = self.state(conversation)? else { return Ok(()) };
        match log {
            Some(log) if log != conversation.log() => conversation.load(log, view),
            _ if view != conversation.view() => conversation.install(view),
            _ => {}
        }
        Ok(())
    }
}

/// A state in full.
struct Shown {
    view: Vec<Message>,
    log: Option<Vec<Message>>,
    /// Messages of the log that were not known to be there.
    news: Vec<Message>,
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
            let answer = summarize(&mut known, host, SummarizeParams::read(params)?)?;
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
        let view = read_rewind(result).and_then(|view| view.map_or(Ok(()), |view| self.install(conversation, view, 0)));
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

fn summarize(known: &mut Known, host: &Host, params: SummarizeParams) -> Result<Result<Summary, Rejection>, Fault> {
    let items = match params {
        SummarizeParams::Text(text) => return Ok(host.ask(|| Input::Text(text))),
        SummarizeParams::Items(items) => known.resolve(items, &At::root("params").name("items"))?,
    };
    known.meet(&items);
    Ok(host.ask(|| Input::Items(items)))
}

/// What goes back; what arrived meanwhile is received at once.
fn summary_result(known: &mut Known, conversation: &mut Conversation, summary: Summary) -> Value {
    let mut result = json!({"text": summary.text, "stop": summary.stop});
    if !summary.arrived.is_empty() {
        result["arrived"] = json!(summary.arrived);
        summary.arrived.iter().for_each(|message| known.learn(message));
        conversation.receive(summary.arrived);
    }
    result
}

pub(super) fn rejection_error(rejection: Rejection) -> RpcError {
    let mut error = RpcError::new(RAISED, rejection.to_string());
    error.data = json!({"kind": rejection.kind});
    error
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
