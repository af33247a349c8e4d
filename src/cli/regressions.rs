//! The witnesses that `plimsoll check` plays before it searches: what was found once is found again, whatever the seed.

use std::fs;
use std::path::{Path, PathBuf};

use super::candidates::escaped_lines;
use super::screen::{Failure, cannot, warn};
use crate::snapshot::adapted;
use crate::{Suite, Witness};

/// The folder, where none is named.
const DIR: &str = "plimsoll-regressions";

/// The suite with the witnesses of `dir`, and of the folders in it, that are for its candidate: those that name it, and those
/// that name none. What cannot be read, or played under the contract as it is now, is a warning and no lost run.
pub(super) fn first(suite: Suite, dir: Option<&Path>) -> Result<Suite, Failure> {
    let mut paths = Vec::new();
    match (files(dir.unwrap_or(Path::new(DIR)), &mut paths), dir) {
        (Ok(()), _) => {}
        // The folder is for whoever wants one.
        (Err(_), None) => return Ok(suite),
        (Err(error), Some(dir)) => {
            return Err(cannot(format!("--regressions {}: {error}; name a folder of witness files", dir.display())));
        }
    }
    if paths.is_empty() {
        return Ok(suite);
    }
    paths.sort();
    let (candidate, contract) = suite.introduced().map_err(|error| cannot(escaped_lines(&error)))?;
    let mut witnesses = Vec::new();
    for path in &paths {
        let witness = match Witness::load(path) {
            Ok(witness) => witness,
            Err(error) => {
                let error = escaped_lines(&error);
                warn(&format!(
                    "plimsoll: warning: {error}; it is not played: mend the file, or take it out of the folder"
                ));
                continue;
            }
        };
        if !witness.candidate.name.is_empty() && witness.candidate.name != candidate.name {
            continue;
        }
        if witness.contract == contract {
            witnesses.push(witness);
            continue;
        }
        match adapted(&witness, &contract) {
            Ok(witness) => witnesses.push(witness),
            Err(why) => warn(&format!(
                "plimsoll: warning: {}: {}; it was found under another contract, and is not played: take it out of the \
                 folder, or hold the candidate to that contract",
                path.display(),
                escaped_lines(&why)
            )),
        }
    }
    Ok(suite.first(witnesses))
}

fn files(dir: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, paths)?;
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            paths.push(path);
        }
    }
    Ok(())
}
