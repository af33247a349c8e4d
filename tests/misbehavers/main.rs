//! Adapters that misbehave, each in one way: what a run says of each, that it ends in time, that it loses nothing else and
//! leaves nothing behind.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod harness;
mod table;
