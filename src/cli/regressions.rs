//! The witnesses that `plimsoll check` plays before it searches: what was found once is found again, whatever the seed.

use std::path::Path;

use super::candidates::escaped_lines;
use super::screen::{Failure, cannot, warn};
use crate::regressions::{DIR, For, Kept, files};
use crate::report::escaped;
use crate::text::counted;
use crate::{Suite, Witness, requirement};

/// The suite with the witnesses of `dir`, and of the folders in it, that are for its candidate: those that name it, and those
/// that name none. A file that cannot be read, or played under the contract as it is now, is a warning and no lost run.
pub(super) fn first(suite: Suite, dir: Option<&Path>, quiet: bool) -> Result<Suite, Failure> {
    let paths = files(dir.unwrap_or(Path::new(DIR)), dir.is_none()).map_err(|error| {
        cannot(match dir {
            Some(_) => format!("--regressions {error}; mend that, or name another folder of witness files"),
            None => format!("{error}; mend that, or name another folder of witness files with --regressions"),
        })
    })?;
    let paths = paths.unwrap_or_default();
    if paths.is_empty() {
        return Ok(suite);
    }
    let (candidate, contract) = suite.introduced().map_err(|error| cannot(escaped_lines(&error)))?;
    let here = For { name: Some(&candidate.name), part: None, contract: &contract };
    let (mut witnesses, mut of_another) = (Vec::new(), 0);
    for path in &paths {
        match here.keep(path) {
            Kept::Plays(witness) => {
                if let Some(why) = found_for_nothing(&witness) {
                    warn(&format!(
                        "plimsoll: warning: {}: {why}; it is played, and what fails in it is told as new: `plimsoll list` \
                         shows all ids",
                        path.display()
                    ));
                }
                witnesses.push(*witness);
            }
            Kept::OfAnother => of_another += 1,
            Kept::Unreadable(error) => warn(&format!(
                "plimsoll: warning: {}; it is not played: mend the file, or take it out of the folder",
                escaped_lines(&error)
            )),
            Kept::Unfit(why) => warn(&format!(
                "plimsoll: warning: {}: take it out of the folder, or hold the candidate to that contract",
                escaped_lines(&why)
            )),
        }
    }
    if !quiet && witnesses.len() + of_another > 0 {
        let (count, dir) = (counted(witnesses.len(), "witness file"), dir.unwrap_or(Path::new(DIR)).display());
        let others = match of_another {
            0 => String::new(),
            n => format!("; {n} for other candidates than {} left out", escaped_lines(&candidate.name)),
        };
        warn(&format!("plimsoll: {count} of {dir} to be played first{others}"));
    }
    Ok(suite.first(witnesses))
}

/// Why what fails in this witness is not known to have been found before: it names no requirement, or one that there is not.
fn found_for_nothing(witness: &Witness) -> Option<String> {
    let unknown: Vec<&str> =
        witness.requirements.iter().map(String::as_str).filter(|id| requirement(id).is_none()).collect();
    match unknown.as_slice() {
        [] if witness.requirements.is_empty() => Some("its header names no requirement in `requirements`".to_owned()),
        [] => None,
        ids => {
            let ids: Vec<String> = ids.iter().map(|id| escaped(id)).collect();
            Some(format!("its header names {}, and no requirement has that id", ids.join(", ")))
        }
    }
}
