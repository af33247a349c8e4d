//! A child process with its three pipes, none of which can block the harness.

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, Read};
use std::mem;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::os;
use super::pipes::Pipes;
use super::protocol::{LINE_MAX, escape_into};

/// How much of standard error is kept, in bytes.
const TAIL: usize = 2_048;
/// How often a silent child is looked after.
const TICK: Duration = Duration::from_millis(50);
/// How long a child that closed its output has to end by itself, and standard error to be drained after its end.
const GRACE: Duration = Duration::from_millis(500);

/// What a child said, or why it says nothing.
#[derive(Debug)]
pub(super) enum Heard {
    /// One line, without its end.
    Line(Vec<u8>),
    /// The beginning of a line beyond [`LINE_MAX`].
    Flood(Vec<u8>),
    /// Nothing until the deadline.
    Late,
    /// Nothing, and nobody waits for it any longer.
    Halted,
    /// It has ended or closed a pipe.
    Gone,
}

/// A started child, the leader of its own process group. Dropped, it is killed with its group, and reaped.
#[derive(Debug)]
pub(super) struct Child {
    process: std::process::Child,
    pipes: Pipes,
    tail: Arc<Tail>,
    stderr: JoinHandle<()>,
    /// How it ended, once it is reaped; none inside where that is not known.
    reaped: Option<Option<ExitStatus>>,
    /// Set from outside: nobody waits for it any longer.
    halted: Arc<AtomicBool>,
    /// Stands in its environment, and so in that of whatever it starts.
    mark: String,
}

/// The end of its standard error.
#[derive(Debug, Default)]
struct Tail {
    /// The thread that reads it is to end.
    stop: AtomicBool,
    bytes: Mutex<VecDeque<u8>>,
}

impl Child {
    /// Starts `command`: the program, then its arguments. Once `halted` is set, nobody waits for what is still to be heard.
    pub(super) fn start(command: &[String], halted: Arc<AtomicBool>) -> io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or_else(|| io::Error::other("the command is empty"))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        os::lead_group(&mut command);
        let mark = mark();
        // A harness can be a child of a harness: its own mark comes behind that of the other.
        let outer = std::env::var_os(os::MARK).unwrap_or_default();
        command.env(os::MARK, format!("{}{mark}", outer.to_string_lossy()));
        // Held while it starts: whoever ends all of them misses none.
        let mut live = live();
        let mut process = command.spawn()?;
        live.insert(process.id());
        drop(live);
        Self::connect(&mut process).inspect_err(|_| end(&mut process)).map(|(pipes, tail, stderr)| Self {
            process,
            pipes,
            tail,
            stderr,
            reaped: None,
            halted,
            mark,
        })
    }

    fn connect(process: &mut std::process::Child) -> io::Result<(Pipes, Arc<Tail>, JoinHandle<()>)> {
        let missing = || io::Error::other("a standard stream is missing");
        let stdin = process.stdin.take().ok_or_else(missing)?;
        let stdout = process.stdout.take().ok_or_else(missing)?;
        let stderr = process.stderr.take().ok_or_else(missing)?;
        let tail = Arc::new(Tail::default());
        let kept = Arc::clone(&tail);
        let thread = thread::Builder::new().name("adapter stderr".to_owned()).stack_size(256 << 10);
        let stderr = thread.spawn(move || keep_tail(stderr, &kept))?;
        Ok((Pipes::new(stdin, stdout)?, tail, stderr))
    }

    /// Sends a line, which has its end. A child that does not read is noticed by [`Child::hear`].
    pub(super) fn send(&mut self, line: Vec<u8>) {
        self.pipes.send(line);
    }

    /// Waits for a line until `deadline`.
    pub(super) fn hear(&mut self, deadline: Instant) -> Heard {
        loop {
            let now = Instant::now();
            // Lines that are still coming change nothing: they can be endless.
            if self.halted.load(Ordering::Relaxed) {
                return Heard::Halted;
            }
            if now >= deadline {
                return Heard::Late;
            }
            if let Some(heard) = self.pipes.next(deadline.min(now + TICK)) {
                return heard;
            }
            // A grandchild can keep the pipes open; what the child itself said is read to the end.
            if self.pipes.is_deaf() || os::has_ended(&mut self.process) {
                return self.pipes.next(Instant::now() + TICK).unwrap_or(Heard::Gone);
            }
        }
    }

    /// What it said without being asked, if anything.
    pub(super) fn overhear(&mut self) -> Option<Heard> {
        self.pipes.overhear()
    }

    /// Waits until it has ended, at most until `deadline`. It is not reaped.
    pub(super) fn wait(&mut self, deadline: Instant) -> bool {
        while self.reaped.is_none() && !os::has_ended(&mut self.process) {
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(Duration::from_millis(2));
        }
        true
    }

    /// Shows it the end of its input.
    pub(super) fn hang_up(&mut self) {
        self.pipes.hang_up();
    }

    /// Gives it a moment to end by itself, then kills and reaps it. Its exit status, where it ended by itself.
    pub(super) fn bury(&mut self) -> Option<ExitStatus> {
        let ended = self.wait(Instant::now() + GRACE);
        self.kill().filter(|_| ended)
    }

    /// Kills the group, and what has left it where the system tells, and reaps the child.
    pub(super) fn kill(&mut self) -> Option<ExitStatus> {
        if let Some(status) = self.reaped {
            return status;
        }
        os::kill_group(&mut self.process);
        os::kill_strays(&self.mark);
        // Before it is reaped: after that its number can be another's.
        live().remove(&self.process.id());
        let status = self.process.wait().ok();
        self.reaped = Some(status);
        let until = Instant::now() + GRACE;
        while !self.stderr.is_finished() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        self.tail.stop.store(true, Ordering::Relaxed);
        status
    }

    /// The last 2 kB of its standard error, with control characters other than line ends escaped.
    pub(super) fn stderr(&self) -> String {
        let mut tail = self.tail.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(tail.make_contiguous());
        let mut out = String::with_capacity(text.len());
        for character in text.trim_end().chars() {
            if character == '\n' { out.push('\n') } else { escape_into(&mut out, character) }
        }
        out
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The children that have not been reaped.
fn live() -> MutexGuard<'static, BTreeSet<u32>> {
    static LIVE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills every child with its group. For a process that ends at once: from here on none can be started.
#[cfg(feature = "cli")]
pub(crate) fn kill_all() {
    let live = live();
    live.iter().for_each(|leader| os::kill_group_of(*leader));
    os::kill_strays(&format!("/{}-", run()));
    std::mem::forget(live);
}

/// What no other child of any harness has in its environment.
fn mark() -> String {
    static CHILDREN: AtomicU64 = AtomicU64::new(0);
    format!("/{}-{}/", run(), CHILDREN.fetch_add(1, Ordering::Relaxed))
}

/// What no other run is called, though it has the same process id: in another container, or after this one has ended and
/// left something behind.
fn run() -> &'static str {
    static RUN: OnceLock<String> = OnceLock::new();
    RUN.get_or_init(|| format!("{}-{:016x}", std::process::id(), fastrand::u64(..)))
}

/// Kills and reaps a child whose pipes could not be made ready.
fn end(process: &mut std::process::Child) {
    os::kill_group(process);
    live().remove(&process.id());
    // An error says that there is nothing to reap.
    let _ = process.wait();
}

/// Makes lines of what is read.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The beginning of the next one.
    line: Vec<u8>,
}

impl Lines {
    /// Hands on the lines that end in `chunk`, blank ones left out. False: nothing more is to be read, since a line is too
    /// long, or nobody wants them.
    pub(super) fn take(&mut self, mut chunk: &[u8], mut hand_on: impl FnMut(Heard) -> bool) -> bool {
        while let Some(end) = chunk.iter().position(|byte| *byte == b'\n') {
            self.line.extend_from_slice(&chunk[..end]);
            chunk = &chunk[end + 1..];
            let mut whole = mem::take(&mut self.line);
            whole.pop_if(|byte| *byte == b'\r');
            if !whole.iter().all(u8::is_ascii_whitespace) && !hand_on(checked(whole)) {
                return false;
            }
        }
        self.line.extend_from_slice(chunk);
        if self.line.len() > LINE_MAX {
            // Whoever hears this kills the child.
            hand_on(checked(mem::take(&mut self.line)));
            return false;
        }
        true
    }
}

fn checked(mut line: Vec<u8>) -> Heard {
    if line.len() <= LINE_MAX {
        return Heard::Line(line);
    }
    line.truncate(TAIL);
    line.shrink_to_fit();
    Heard::Flood(line)
}

fn keep_tail(mut stderr: impl Read + os::Pipe, kept: &Tail) {
    let mut chunk = vec![0; 16 << 10];
    while os::readable(&stderr, &kept.stop) {
        let read = match stderr.read(&mut chunk) {
            Ok(0) => return,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let mut tail = kept.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(&chunk[read.saturating_sub(TAIL)..read]);
        let surplus = tail.len().saturating_sub(TAIL);
        tail.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_no_other_childs_and_no_other_runs() {
        let (one, other) = (mark(), mark());
        assert_ne!(one, other);
        let run = run();
        assert!(one.starts_with(&format!("/{run}-")) && one.ends_with('/'), "{one}");
        let (pid, random) = run.split_once('-').unwrap();
        assert_eq!((pid, random.len()), (std::process::id().to_string().as_str(), 16), "{run}");
    }
}
