//! Candidates in any language: a child process that speaks JSON-RPC 2.0 over its standard streams, one message a line.
//!
//! [`Launcher`] starts children and lends them out one case at a time; a [`Process`] is one more implementation of
//! [`Compactor`](crate::Compactor). [`serve`] is the other end: it speaks the protocol for a candidate written in Rust.
//!
//! ```no_run
//! use std::time::Duration;
//! use plimsoll::Compactor;
//! use plimsoll::adapter::Launcher;
//!
//! let command = ["python3", "adapter.py"].map(String::from).to_vec();
//! let launcher = Launcher::new(command, Duration::from_secs(5));
//! let candidate = launcher.lease()?;
//! println!("{} {}", candidate.name(), candidate.version());
//! # Ok::<(), plimsoll::Error>(())
//! ```

mod body;
mod case;
mod change;
mod child;
mod connection;
mod decode;
mod gauge;
mod known;
mod launcher;
mod limit;
mod members;
mod mirror;
mod os;
#[cfg_attr(not(unix), path = "pipes_threads.rs")]
mod pipes;
mod process;
mod protocol;
mod results;
mod serve;
mod serve_case;
mod surrogate;

#[cfg(feature = "cli")]
pub(crate) use child::kill_all;
#[cfg(feature = "cli")]
pub(crate) use connection::{Speaker, Tap};
pub(crate) use decode::decode_anything;
pub use launcher::{Introduction, Launcher};
pub use process::Process;
#[cfg(feature = "cli")]
pub(crate) use protocol::excerpt;
pub use protocol::{Envelope, Fault, LINE_MAX, RpcError, VALUES_MAX, VERSION};
pub use serve::serve;
