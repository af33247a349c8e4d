//! `plimsoll replay`.

use std::path::Path;

use super::CandidateArgs;
use super::candidates::{Candidate, escaped_lines};
use super::check::interrupted;
use super::screen::{Failure, cannot, print};
use crate::Witness;
use crate::report::escaped;

pub(super) fn replay(path: &Path, args: &CandidateArgs) -> Result<u8, Failure> {
    let witness = Witness::load(path).map_err(|error| cannot(escaped_lines(&error)))?;
    let candidate = Candidate::of(args, Some(&witness.contract), &interrupted())?;
    let replay = candidate.suite(args.timeout).replay(&witness).map_err(|error| cannot(escaped_lines(&error)))?;
    if args.candidate.is_none() && args.command.is_empty() {
        let found_in = match witness.candidate.name.as_str() {
            "" => String::new(),
            name => format!("; the witness was found in {} {}", escaped(name), escaped(&witness.candidate.version)),
        };
        // Beside the verdict, so that nobody takes it for the verdict of another candidate.
        print(&format!("no candidate is named: the built-in reference plays{found_in}\n\n"));
    }
    print(&replay.to_string());
    candidate.let_go();
    Ok(u8::from(replay.fails()))
}
