//! The child process as a candidate, and the candidate as a child process.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod golden;
mod misbehaving;
mod pool;
mod script;
mod served;
