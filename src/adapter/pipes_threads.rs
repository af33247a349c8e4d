//! The two pipes by which a child is talked to, where the system cannot say whether one would block: a thread for each.

use std::io::{self, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::Instant;

use super::child::{Heard, Lines};

/// A child's input and output.
#[derive(Debug)]
pub(super) struct Pipes {
    lines: Receiver<Heard>,
    /// None once it is to see the end of its input.
    input: Option<Sender<Vec<u8>>>,
    deaf: Arc<AtomicBool>,
}

impl Pipes {
    pub(super) fn new(stdin: ChildStdin, stdout: ChildStdout) -> io::Result<Self> {
        let (to_lines, lines) = mpsc::sync_channel(1);
        let (input, from_input) = mpsc::channel();
        let deaf = Arc::new(AtomicBool::new(false));
        let noted = Arc::clone(&deaf);
        let named = |name: &str| thread::Builder::new().name(format!("adapter {name}")).stack_size(256 << 10);
        named("stdin").spawn(move || write_lines(stdin, &from_input, &noted))?;
        named("stdout").spawn(move || read_lines(stdout, &to_lines))?;
        Ok(Self { lines, input: Some(input), deaf })
    }

    /// Sends a line, which has its end.
    pub(super) fn send(&mut self, line: Vec<u8>) {
        let sent = self.input.as_ref().is_some_and(|input| input.send(line).is_ok());
        if !sent {
            self.deaf.store(true, Ordering::Relaxed);
        }
    }

    /// What it says until then, or [`Heard::Gone`] at the end of its output. None: no whole line.
    pub(super) fn next(&mut self, until: Instant) -> Option<Heard> {
        match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(heard) => Some(heard),
            Err(RecvTimeoutError::Disconnected) => Some(Heard::Gone),
            Err(RecvTimeoutError::Timeout) => None,
        }
    }

    /// What it said without being asked, if anything.
    pub(super) fn overhear(&mut self) -> Option<Heard> {
        self.lines.try_recv().ok()
    }

    /// Whether it reads no more.
    pub(super) fn is_deaf(&self) -> bool {
        self.deaf.load(Ordering::Relaxed)
    }

    /// Shows it the end of its input.
    pub(super) fn hang_up(&mut self) {
        self.input = None;
    }
}

fn write_lines(mut stdin: impl Write, lines: &Receiver<Vec<u8>>, deaf: &AtomicBool) {
    for line in lines {
        if stdin.write_all(&line).is_err() {
            deaf.store(true, Ordering::Relaxed);
            return;
        }
    }
}

fn read_lines(mut stdout: impl Read, to: &SyncSender<Heard>) {
    let (mut lines, mut chunk) = (Lines::default(), vec![0; 64 << 10]);
    loop {
        match stdout.read(&mut chunk) {
            Ok(0) => return,
            Ok(read) => {
                if !lines.take(&chunk[..read], |heard| to.send(heard).is_ok()) {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
