//! Starts children and lends them out.

use std::collections::BTreeSet;
use std::fmt;
use std::mem;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;

use super::connection::{Connection, Tap, out_of_step};
use super::process::Process;
use super::protocol::{Fault, VERSION};
use super::results::Hello;
use crate::candidate::Error;
use crate::contract::Contract;
use crate::trace::BreakKind;
use crate::turn;

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
    /// Whole cases go in one line, where the candidate takes them.
    batch: AtomicBool,
    tap: Option<Tap>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Connection>,
    /// Children that answered against the protocol, which was noticed when they were in use again.
    condemned: BTreeSet<u64>,
    introduction: Option<Arc<Introduction>>,
    failed_starts: u32,
    gave_up: Option<String>,
}

impl Launcher {
    /// A launcher of `command`, the program and its arguments, whose children have `timeout` for each answer, and a
    /// minute, or `timeout` if that is longer, for the first. Nothing is started yet.
    #[must_use]
    pub fn new(command: Vec<String>, timeout: Duration) -> Self {
        let (hello, batch) = (HELLO.max(timeout), AtomicBool::new(true));
        let pool = Pool { command, timeout, hello, halted: Arc::default(), batch, tap: None, state: Mutex::default() };
        Self { pool: Arc::new(pool) }
    }

    /// The same command with another time for `hello`. The new launcher shares no children with this one.
    #[must_use]
    pub fn hello_timeout(self, hello: Duration) -> Self {
        self.with(|pool| pool.hello = hello)
    }

    /// The same command, of which nobody waits for an answer any longer once `halted` becomes true: the children end
    /// soon after. The new launcher shares no children with this one.
    #[must_use]
    pub fn stop_when(self, halted: Arc<AtomicBool>) -> Self {
        self.with(|pool| pool.halted = halted)
    }

    /// The same command, to which every request is sent by itself, whatever it takes. The new launcher shares no children
    /// with this one.
    #[must_use]
    pub fn line_by_line(self) -> Self {
        self.with(|pool| pool.batch = AtomicBool::new(false))
    }

    /// The same command; `tap` hears every line. The new launcher shares no children with this one.
    #[cfg(feature = "cli")]
    pub(crate) fn tapped(self, tap: Tap) -> Self {
        self.with(|pool| pool.tap = Some(tap))
    }

    /// Whether no clone and no [`Process`] shares its children any longer.
    #[must_use]
    pub fn is_last(&self) -> bool {
        Arc::strong_count(&self.pool) == 1
    }

    /// The same but for this change, with children of its own.
    fn with(self, change: impl FnOnce(&mut Pool)) -> Self {
        let Pool { command, timeout, hello, halted, batch, tap, .. } = &*self.pool;
        let mut pool = Pool {
            command: command.clone(),
            timeout: *timeout,
            hello: *hello,
            halted: Arc::clone(halted),
            batch: AtomicBool::new(batch.load(Ordering::Relaxed)),
            tap: tap.clone(),
            state: Mutex::default(),
        };
        change(&mut pool);
        Self { pool: Arc::new(pool) }
    }

    /// A child for a new case: one that was given back, or a new one. The first thing that it is asked is to forget every
    /// case before.
    ///
    /// # Errors
    ///
    /// How the child broke off at `hello`; after [`Launcher::gave_up`], its sentence.
    pub fn lease(&self) -> Result<Process, Error> {
        if let Some(sentence) = self.gave_up() {
            return Err(Error::broken(BreakKind::Crash, sentence));
        }
        let introduction = self.pool.state().introduction.clone();
        // Who takes turns waits for a child when it is asked something, and not before.
        if let Some(introduction) = introduction.filter(|_| turn::takes_turns()) {
            return Ok(Process::new(None, introduction, Arc::clone(&self.pool)));
        }
        let (connection, introduction) = self.pool.connection()?;
        Ok(Process::new(Some(connection), introduction, Arc::clone(&self.pool)))
    }

    /// The sentence with which a run ends because the command cannot be started at all, or because three children in a
    /// row failed at `hello`.
    #[must_use]
    pub fn gave_up(&self) -> Option<String> {
        self.pool.state().gave_up.clone()
    }
}

impl Pool {
    /// A child that is not in use, or a new one.
    pub(super) fn connection(&self) -> Result<(Connection, Arc<Introduction>), Error> {
        loop {
            let mut state = self.state();
            let Some((idle, introduction)) = state.idle.pop().zip(state.introduction.clone()) else { break };
            if !state.condemned.remove(&idle.number()) {
                return Ok((idle, introduction));
            }
            drop(state);
            drop(idle);
        }
        self.start()
    }

    fn start(&self) -> Result<(Connection, Arc<Introduction>), Error> {
        let started = Connection::open(&self.command, Arc::clone(&self.halted), self.tap.clone()).map_err(|error| {
            let sentence =
                format!("cannot start `{}`: {error}{}", self.command.join(" "), way_out(self.command.first()));
            self.state().gave_up.get_or_insert_with(|| sentence.clone());
            Error::broken(BreakKind::Crash, sentence)
        });
        let greeted = started.and_then(|mut connection| self.greet(&mut connection).map(|hello| (connection, hello)));
        let mut state = self.state();
        match &greeted {
            Ok(_) => state.failed_starts = 0,
            Err(error) => {
                state.failed_starts += 1;
                if state.failed_starts >= STARTS {
                    let command = self.command.join(" ");
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
        let outcome = connection.ask("hello", &params, self.hello, &mut out_of_step)?;
        let hello = outcome
            .map_err(|error| Fault::new(format!("an error ({}: {})", error.code, error.message)))
            .and_then(|result| Hello::read(result.value()?))
            .map_err(|fault| connection.fault("hello", &fault))?;
        let Hello { name, version, contract, unknown, methods, batch } = hello;
        let said = Arc::new(Introduction { name, version, contract, unknown, methods, batch });
        let first = Arc::clone(self.state().introduction.get_or_insert_with(|| Arc::clone(&said)));
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
    /// The child with this number is to be asked nothing more, because of `error`: it is ended as soon as nobody uses it.
    pub(super) fn lost(&self, number: u64, error: &Error) -> Error {
        self.state().condemned.insert(number);
        error.clone()
    }

    /// Whether whole cases go in one line, where the candidate takes them.
    pub(super) fn batch(&self) -> bool {
        self.batch.load(Ordering::Relaxed)
    }

    /// From now on every request is sent by itself: what a late answer in a case costs is the time of all its requests.
    pub(super) fn single(&self) {
        self.batch.store(false, Ordering::Relaxed);
    }

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

/// What to do about a command that cannot be started, where it is a script that was meant.
fn way_out(program: Option<&String>) -> String {
    let Some(program) = program.filter(|program| Path::new(program).is_file()) else { return String::new() };
    format!(
        "; the file {program} is there, and is no program by itself: put its interpreter in front, as in `python3 {program}`"
    )
}
