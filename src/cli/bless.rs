//! `plimsoll check --bless`: writes the file of known failures as a run shows them.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::bless_edit::{Edited, can_be_edited, edited};
use super::screen::{Failure, cannot};
use crate::KnownFailures;
use crate::runner::hold_to;
use crate::verdict::Report;

/// Whether what stands at `path` can be read, and a list be written there: asked before a run, which would be lost otherwise.
pub(super) fn ready(path: &Path) -> Result<(), Failure> {
    replaceable(path)?;
    let (list, _) = Written::read(path)?;
    edits(path, can_be_edited(&list.text))?;
    let (_, part) = target(path);
    // It was only a question.
    fs::write(&part, "").and_then(|()| fs::remove_file(&part)).map_err(|error| {
        cannot(format!(
            "cannot write {}: {error}; name a file in a folder that is there and can be written with --known",
            path.display()
        ))
    })
}

/// The text of a list with its lines as they end on every machine, and how they end in the file.
#[derive(Debug, Default)]
struct Written {
    text: String,
    carriage_returns: bool,
}

impl Written {
    /// What stands at `path`, nothing where there is no file, and the lists in it.
    fn read(path: &Path) -> Result<(Self, KnownFailures), Failure> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(cannot(format!("{}: {error}", path.display()))),
        };
        let lists = KnownFailures::read(path, &text).map_err(cannot)?;
        Ok((Self::of(&text), lists))
    }

    fn of(text: &str) -> Self {
        // A file that mixes them is written as most of its lines are.
        let carriage_returns = text.matches("\r\n").count() * 2 > text.matches('\n').count();
        Self { text: text.replace("\r\n", "\n"), carriage_returns }
    }

    /// `text` with lines that end as those of the file.
    fn with(&self, text: &str) -> String {
        if self.carriage_returns { text.replace('\n', "\r\n") } else { text.to_owned() }
    }
}

fn edits<T>(path: &Path, outcome: Result<T, impl std::fmt::Display>) -> Result<T, Failure> {
    outcome.map_err(|why| cannot(format!("{}: {why}", path.display())))
}

/// Writes `path` as `report` shows, which is of a whole run and was held to no list, and holds the report to what stands
/// there then. What was changed, a line each; or why nothing was, and the report is held to the file as it is.
pub(super) fn bless(path: &Path, report: &mut Report) -> Result<String, Failure> {
    let new = !path.exists();
    // Read again: somebody may have written there while the run went on.
    let (before, old) = Written::read(path)?;
    if let Some(why) = refused(report) {
        hold_to(&old, report);
        return Err(cannot(format!("{} is not written: {why}", path.display())));
    }
    let Edited { text, changes } = edits(path, edited(&before.text, report))?;
    let text = before.with(&text);
    let list = KnownFailures::read(path, &text).map_err(cannot)?;
    if new || !changes.is_empty() {
        written(path, &text).map_err(|error| cannot(format!("cannot write {}: {error}", path.display())))?;
    }
    hold_to(&list, report);
    let name = path.display();
    Ok(match changes.as_slice() {
        [] if new => format!("{name}: created, nothing fails\n"),
        [] => format!("{name}: nothing to change\n"),
        changes => changes.iter().map(|change| format!("{name}: {change}\n")).collect(),
    })
}

/// Why a run tells too little to write a list from.
fn refused(report: &Report) -> Option<String> {
    if let Some(broken) = report.broken.first() {
        return Some(format!(
            "the candidate broke off ({}), and what it would have failed is not known",
            broken.verdict.name()
        ));
    }
    let why = report.aborted.as_ref().or(report.cut_short.as_ref())?;
    Some(format!("the run was not finished: {}", crate::report::escaped(why)))
}

/// The file that is written, and the one beside it that takes its place.
fn target(path: &Path) -> (PathBuf, PathBuf) {
    // What a link points to is written, and the link stays.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let part = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
    (path, part)
}

/// The list takes the place of what stands at `path`: of a file, and never of a device or a pipe.
fn replaceable(path: &Path) -> Result<(), Failure> {
    match fs::metadata(path) {
        Ok(there) if !there.is_file() => Err(cannot(format!(
            "cannot write {}: it is no file, and the list would take its place; name a file with --known",
            path.display()
        ))),
        // The list would take the place of the link.
        Err(_) if fs::symlink_metadata(path).is_ok() => Err(cannot(format!(
            "cannot write {}: it is a link, and what it leads to is not there; mend or remove it, or name another file \
             with --known",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Writes the file whole or not at all.
fn written(path: &Path, text: &str) -> std::io::Result<()> {
    let (path, part) = target(path);
    let done = fs::write(&part, text).and_then(|()| {
        // Who may read the file stays as it is.
        if let Ok(there) = fs::metadata(&path) {
            fs::set_permissions(&part, there.permissions())?;
        }
        fs::rename(&part, &path)
    });
    if done.is_err() {
        // Half a file is of no use to anyone.
        let _ = fs::remove_file(&part);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::super::bless_edit::tests::{OLD, after, report};
    use super::*;

    #[test]
    fn lines_end_as_they_did() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("known.toml");
        for failing in [&[("THR-2", "x")][..], &[("THR-1", "new"), ("THR-2", "x"), ("THR-3", "y")], &[]] {
            fs::write(&path, OLD.replace('\n', "\r\n")).unwrap();
            ready(&path).unwrap();
            bless(&path, &mut report(failing)).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), after(OLD, failing).replace('\n', "\r\n"));
        }
    }

    #[test]
    fn a_run_that_tells_too_little_writes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("known.toml");
        for spoil in
            [(|report: &mut Report| report.aborted = Some("interrupted".to_owned())) as fn(&mut Report), |report| {
                report.cut_short = Some("too many".to_owned())
            }]
        {
            let mut report = report(&[("THR-1", "a")]);
            spoil(&mut report);
            let failure = bless(&path, &mut report).unwrap_err();
            assert!(failure.code == 2 && failure.message.contains("the run was not finished"), "{}", failure.message);
            assert!(!path.exists());
        }
    }
}
