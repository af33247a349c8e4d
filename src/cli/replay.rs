//! `plimsoll replay`.

use std::path::Path;

use super::CandidateArgs;
use super::candidates::{Candidate, escaped_lines};
use super::check::interrupted;
use super::screen::{Failure, cannot, print};
use crate::Witness;

pub(super) fn replay(path: &Path, args: &CandidateArgs) -> Result<u8, Failure> {
    let witness = Witness::load(path).map_err(|error| cannot(escaped_lines(&error)))?;
    let candidate = Candidate::of(args, Some(&witness.contract), &interrupted())?;
    let replay = candidate.suite(args.timeout).replay(&witness).map_err(|error| cannot(escaped_lines(&error)))?;
    print(&replay.to_string());
    candidate.let_go();
    Ok(u8::from(replay.fails()))
}
