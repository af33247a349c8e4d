//! The two pipes by which a child is talked to. Whoever asks writes and reads by itself, and neither can block it: no thread is
//! handed a line.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::time::Instant;

use super::child::{Heard, Lines};
use super::os;

/// So much is read at once.
const CHUNK: usize = 64 << 10;

/// A child's input and output.
#[derive(Debug)]
pub(super) struct Pipes {
    /// None once it is to see the end of its input, or reads no more.
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    /// What it has not taken yet, from here on.
    unsent: (Vec<u8>, usize),
    deaf: bool,
    lines: Lines,
    heard: VecDeque<Heard>,
    chunk: Vec<u8>,
    /// Its output is at its end, or nothing more is read of it.
    over: bool,
}

impl Pipes {
    pub(super) fn new(stdin: ChildStdin, stdout: ChildStdout) -> io::Result<Self> {
        os::never_blocks(&stdin)?;
        os::never_blocks(&stdout)?;
        Ok(Self {
            stdin: Some(stdin),
            stdout,
            unsent: (Vec::new(), 0),
            deaf: false,
            lines: Lines::default(),
            heard: VecDeque::new(),
            chunk: vec![0; CHUNK],
            over: false,
        })
    }

    /// Sends a line, which has its end: as much of it as the child takes at once. The rest follows while it is listened to.
    pub(super) fn send(&mut self, line: Vec<u8>) {
        let (unsent, from) = &mut self.unsent;
        if unsent.len() == *from {
            self.unsent = (line, 0);
        } else {
            unsent.extend_from_slice(&line);
        }
        self.write();
    }

    /// What it says until then, or [`Heard::Gone`] at the end of its output. None: no whole line.
    pub(super) fn next(&mut self, until: Instant) -> Option<Heard> {
        // Whatever the time is, what is there is heard.
        self.write();
        self.read();
        loop {
            if let Some(heard) = self.heard.pop_front() {
                return Some(heard);
            }
            if self.over {
                return Some(Heard::Gone);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let stdin = self.stdin.as_ref().filter(|_| self.unsent.1 < self.unsent.0.len());
            os::wait_for_either(&self.stdout, stdin, left);
            self.write();
            self.read();
        }
    }

    /// What it said without being asked, if anything.
    pub(super) fn overhear(&mut self) -> Option<Heard> {
        if self.heard.is_empty() && !self.over {
            self.read();
        }
        self.heard.pop_front()
    }

    /// Whether it reads no more.
    pub(super) fn is_deaf(&self) -> bool {
        self.deaf
    }

    /// Shows it the end of its input. What it has not taken by then it is not sent any more.
    pub(super) fn hang_up(&mut self) {
        self.stdin = None;
    }

    fn write(&mut self) {
        let (unsent, from) = &mut self.unsent;
        while *from < unsent.len() {
            let Some(stdin) = &mut self.stdin else {
                self.deaf = true;
                return;
            };
            match stdin.write(&unsent[*from..]) {
                Ok(written) => *from += written,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.stdin = None,
            }
        }
        // A long line is not kept for ever.
        self.unsent = (Vec::new(), 0);
    }

    /// Reads what is there, once.
    fn read(&mut self) {
        match self.stdout.read(&mut self.chunk) {
            Ok(0) => self.over = true,
            Ok(read) => {
                self.over = !self.lines.take(&self.chunk[..read], |heard| {
                    self.heard.push_back(heard);
                    true
                });
            }
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
            Err(_) => self.over = true,
        }
    }
}
