//! `plimsoll snapshot`: what a candidate does in the named histories, as files for a repository.

use std::fs;
use std::path::{Path, PathBuf};

use super::SnapshotArgs;
use super::candidates::{Candidate, escaped_lines};
use super::check::interrupted;
use super::files::folder_has_a_name;
use super::screen::{Failure, cannot, print, usage, warn};
use crate::report::escaped;
use crate::snapshot::of_reference;
use crate::{NamedHistory, Timeline, Witness, named_histories};

pub(super) fn snapshot(args: &SnapshotArgs) -> Result<u8, Failure> {
    folder_has_a_name(&args.out, "--out")?;
    args.histories.iter().try_for_each(|dir| folder_has_a_name(dir, "--histories"))?;
    let mut histories = named_histories();
    for dir in &args.histories {
        histories.extend(own(dir, &histories)?);
    }
    let is_reference =
        args.candidate.command.is_empty() && args.candidate.candidate.as_deref().is_none_or(|name| name == "reference");
    let timelines = if is_reference {
        // The reference takes on the contract of each history.
        of_reference(&histories).map_err(|error| cannot(escaped_lines(&error)))?
    } else {
        let candidate = Candidate::of(&args.candidate, None, &interrupted())?;
        let timelines = candidate.suite(args.candidate.timeout).timelines(&histories);
        candidate.let_go();
        timelines.map_err(|error| cannot(escaped_lines(&error)))?
    };
    fs::create_dir_all(&args.out).map_err(|error| cannot(format!("cannot make {}: {error}", args.out.display())))?;
    let mut changed = 0;
    for timeline in &timelines {
        changed += usize::from(written(&args.out, timeline, args.check)?);
    }
    let stale = stale(&args.out, &timelines)?;
    for path in &stale {
        warn(&format!("plimsoll: {} is of no history that was played: delete it", path.display()));
    }
    let what = if args.check { "differ" } else { "changed" };
    print(&format!("snapshot: {} timelines, {changed} {what}, {} stale\n", timelines.len(), stale.len()));
    Ok(u8::from(!stale.is_empty() || (args.check && changed > 0)))
}

/// The histories of a folder, by the names of their files.
fn own(dir: &Path, taken: &[NamedHistory]) -> Result<Vec<NamedHistory>, Failure> {
    let mut found = Vec::new();
    for path in files(dir, ".jsonl")? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if taken.iter().any(|named| named.name == name) || name == "contract" {
            return Err(usage(format!("{}: there is a history with this name already", path.display())));
        }
        let witness = Witness::load(&path).map_err(|error| cannot(escaped_lines(&error)))?;
        if witness.note.is_empty() {
            return Err(cannot(format!("{}: its header has no `note` that says what to look at", path.display())));
        }
        found.push(NamedHistory::new(name, witness));
    }
    Ok(found)
}

/// Writes a timeline where it is not what stands there; whether it is not. `apart`: beside what stands there.
fn written(dir: &Path, timeline: &Timeline, apart: bool) -> Result<bool, Failure> {
    let path = dir.join(format!("{}.txt", timeline.name));
    let new = dir.join(format!("{}.txt.new", timeline.name));
    let text = format!("{}\n\n{}", escaped(&timeline.description), timeline.text);
    if fs::read_to_string(&path).is_ok_and(|old| old.replace("\r\n", "\n") == text) {
        // What an earlier check left there, if anything.
        let _ = fs::remove_file(new);
        return Ok(false);
    }
    let to = if apart { &new } else { &path };
    fs::write(to, text).map_err(|error| cannot(format!("cannot write {}: {error}", to.display())))?;
    if apart {
        warn(&format!("plimsoll: {} is not what is done now: see {}", path.display(), new.display()));
    }
    Ok(true)
}

/// Snapshots of the folder that are of no timeline.
fn stale(dir: &Path, timelines: &[Timeline]) -> Result<Vec<PathBuf>, Failure> {
    let is_claimed = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        timelines.iter().any(|timeline| *name == *format!("{}.txt", timeline.name))
    };
    Ok(files(dir, ".txt")?.into_iter().filter(|path| !is_claimed(path)).collect())
}

fn files(dir: &Path, end: &str) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error: std::io::Error| cannot(format!("cannot read {}: {error}", dir.display()));
    let entries = fs::read_dir(dir).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let paths = entries.into_iter().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = paths.filter(|path| path.to_string_lossy().ends_with(end)).collect();
    found.sort();
    Ok(found)
}
