//! The child process as a candidate, and the candidate as a child process.
#![cfg(unix)]

mod misbehaving;
mod served;
