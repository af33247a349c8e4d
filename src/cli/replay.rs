//! `plimsoll replay`.

use std::path::Path;

use super::CandidateArgs;
use super::candidates::{Candidate, escaped_lines};
use super::check::interrupted;
use super::explain::another;
use super::files::is_no_folder;
use super::screen::{Failure, cannot, print};
use crate::report::escaped;
use crate::{Witness, zoo};

pub(super) fn replay(path: &Path, args: &CandidateArgs) -> Result<u8, Failure> {
    is_no_folder(path)?;
    let witness = Witness::load(path).map_err(|error| cannot(escaped_lines(&error)))?;
    let found_in = witness.candidate.name.as_str();
    let unnamed = args.candidate.is_none() && args.command.is_empty();
    if unnamed && !["", "reference"].contains(&found_in) && zoo::find(found_in).is_none() {
        // That another candidate passes says nothing of it.
        return Err(cannot(format!(
            "the witness was found in {} {}, which is not built in: it {}; --candidate reference lets the reference play",
            escaped(found_in),
            escaped(&witness.candidate.version),
            escaped(&another(path))
        )));
    }
    let candidate = Candidate::of(args, Some(&witness.contract), &interrupted())?;
    let replay = candidate.suite(args.timeout).replay(&witness).map_err(|error| cannot(escaped_lines(&error)))?;
    // Beside the verdict, so that nobody takes it for the verdict of another candidate.
    if unnamed {
        let found_in = match found_in {
            "" => String::new(),
            name => format!("; the witness was found in {} {}", escaped(name), escaped(&witness.candidate.version)),
        };
        print(&format!("no candidate is named: the built-in reference plays{found_in}\n\n"));
    }
    print(&replay.to_string());
    candidate.let_go();
    Ok(u8::from(replay.fails()))
}
