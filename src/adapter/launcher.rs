//! Starts children and lends them out.

use std::fmt;
use std::mem;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;

use super::connection::{Connection, out_of_step};
use super::process::Process;
use super::protocol::{Fault, VERSION};
use super::results::Hello;
use crate::candidate::Error;
use crate::contract::Contract;
use crate::trace::BreakKind;

/// How long a candidate has to start.
const HELLO: Duration = Duration::from_secs(60);
/// How long it has to end after `bye`.
const BYE: Duration = Duration::from_millis(500);
/// So many failed starts in a row end the run.
const STARTS: u32 = 3;

/// What a candidate said about itself at `hello`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Introduction {
    /// Its name in reports.
    pub name: String,
    /// Its version in reports.
    pub version: String,
    /// What it declares.
    pub contract: Contract,
    /// Members of the contract that no version of the specification knows, with dotted names.
    pub unknown: Vec<String>,
    /// The methods that it has; none: all those of what it claims.
    pub methods: Option<Vec<String>>,
    /// Whether a whole case can go in one line.
    pub batch: bool,
}

/// Starts the children of one command, and keeps those that are not in use. Clones share them.
///
/// The last clone and the last [`Process`] to be dropped say `bye` to the children that are left, and end them.
#[derive(Clone)]
pub struct Launcher {
    pool: Arc<Pool>,
}

/// What the clones of a launcher and its processes share.
pub(super) struct Pool {
    command: Vec<String>,
    pub(super) timeout: Duration,
    hello: Duration,
    halted: Arc<AtomicBool>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Connection>,
    introduction: Option<Arc<Introduction>>,
    failed_starts: u32,
    gave_up: Option<String>,
}

impl Launcher {
    /// A launcher of `command`, the program and its arguments, whose children have `timeout` for each answer, and a
    /// minute, or `timeout` if that is longer, for the first. Nothing is started yet.
    #[must_use]
    pub fn new(command: Vec<String>, timeout: Duration) -> Self {
        Self::of(command, timeout, HELLO.max(timeout), Arc::default())
    }

    /// The same command with another time for `hello`. The new launcher shares no children with this one.
    #[must_use]
    pub fn hello_timeout(self, hello: Duration) -> Self {
        let (command, halted) = (self.pool.command.clone(), Arc::clone(&self.pool.halted));
        Self::of(command, self.pool.timeout, hello, halted)
    }

    /// The same command, of which nobody waits for an answer any longer once `halted` becomes true: the children end
    /// soon after. The new launcher shares no children with this one.
    #[must_use]
    pub fn stop_when(self, halted: Arc<AtomicBool>) -> Self {
        Self::of(self.pool.command.clone(), self.pool.timeout, self.pool.hello, halted)
    }

    /// Whether no clone and no [`Process`] shares its children any longer.
    #[must_use]
    pub fn is_last(&self) -> bool {
        Arc::strong_count(&self.pool) == 1
    }

    fn of(command: Vec<String>, timeout: Duration, hello: Duration, halted: Arc<AtomicBool>) -> Self {
        Self { pool: Arc::new(Pool { command, timeout, hello, halted, state: Mutex::default() }) }
    }

    /// A child that has forgotten every case: one that was given back, or a new one.
    ///
    /// # Errors
    ///
    /// How the child broke off at `hello` or `reset`; after [`Launcher::gave_up`], its sentence.
    pub fn lease(&self) -> Result<Process, Error> {
        if let Some(sentence) = self.gave_up() {
            return Err(Error::broken(BreakKind::Crash, sentence));
        }
        let mut state = self.pool.state();
        let idle = state.idle.pop().zip(state.introduction.clone());
        drop(state);
        let (mut connection, introduction) = match idle {
            Some(idle) => idle,
            None => self.start()?,
        };
        match connection.ask("reset", &json!({}), self.pool.timeout, &mut out_of_step)? {
            Ok(_) => Ok(Process::new(connection, introduction, Arc::clone(&self.pool))),
            Err(error) => {
                let fault = Fault::new(format!("an error ({}: {})", error.code, error.message));
                Err(connection.fault("reset", &fault))
            }
        }
    }

    /// The sentence with which a run ends because the command cannot be started at all, or because three children in a
    /// row failed at `hello`.
    #[must_use]
    pub fn gave_up(&self) -> Option<String> {
        self.pool.state().gave_up.clone()
    }

    fn start(&self) -> Result<(Connection, Arc<Introduction>), Error> {
        let started = Connection::open(&self.pool.command, Arc::clone(&self.pool.halted)).map_err(|error| {
            let sentence = format!("cannot start `{}`: {error}", self.pool.command.join(" "));
            self.pool.state().gave_up.get_or_insert_with(|| sentence.clone());
            Error::broken(BreakKind::Crash, sentence)
        });
        let greeted = started.and_then(|mut connection| self.greet(&mut connection).map(|hello| (connection, hello)));
        let mut state = self.pool.state();
        match &greeted {
            Ok(_) => state.failed_starts = 0,
            Err(error) => {
                state.failed_starts += 1;
                if state.failed_starts >= STARTS {
                    let command = self.pool.command.join(" ");
                    let sentence =
                        format!("`{command}` failed {STARTS} times in a row at `hello`, the last time: {error}");
                    state.gave_up.get_or_insert(sentence);
                }
            }
        }
        greeted
    }

    fn greet(&self, connection: &mut Connection) -> Result<Arc<Introduction>, Error> {
        let params = json!({
            "protocol": [VERSION, VERSION],
            "harness": concat!("plimsoll ", env!("CARGO_PKG_VERSION")),
        });
        let outcome = connection.ask("hello", &params, self.pool.hello, &mut out_of_step)?;
        let hello = outcome
            .map_err(|error| Fault::new(format!("an error ({}: {})", error.code, error.message)))
            .and_then(Hello::read)
            .map_err(|fault| connection.fault("hello", &fault))?;
        let Hello { name, version, contract, unknown, methods, batch } = hello;
        let said = Arc::new(Introduction { name, version, contract, unknown, methods, batch });
        let first = Arc::clone(self.pool.state().introduction.get_or_insert_with(|| Arc::clone(&said)));
        if first.contract != said.contract {
            let fault = Fault::new("`result.contract` differs from that of a child started before");
            return Err(connection.fault("hello", &fault));
        }
        Ok(said)
    }
}

impl fmt::Debug for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launcher").field("command", &self.pool.command).finish_non_exhaustive()
    }
}

impl Pool {
    /// Takes a child back.
    pub(super) fn give_back(&self, connection: Connection) {
        self.state().idle.push(connection);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").finish_non_exhaustive()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for connection in mem::take(&mut self.state().idle) {
            connection.close(BYE);
        }
    }
}
