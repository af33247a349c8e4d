//! Writing to the two standard streams.

use std::io::{self, Write};

/// Why a command ends without a result, and its exit code.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) code: u8,
    pub(super) message: String,
}

/// It could not run.
pub(super) fn cannot(message: impl Into<String>) -> Failure {
    Failure { code: 2, message: message.into() }
}

/// The arguments make no sense.
pub(super) fn usage(message: impl Into<String>) -> Failure {
    Failure { code: 3, message: message.into() }
}

/// Prints `text` to standard output. A reader that has gone away is no reason to fail: the exit code still tells.
pub(super) fn print(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints a line to standard error.
pub(super) fn warn(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Replaces the last line on a terminal's standard error.
pub(super) fn overwrite(line: &str) {
    let mut out = io::stderr().lock();
    let _ = write!(out, "\r\u{1b}[K{line}").and_then(|()| out.flush());
}
