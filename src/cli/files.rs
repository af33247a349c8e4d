//! Files that a run will write: looked at before it, so that nothing is lost after it, and nothing of somebody else's.

use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, ErrorKind};
use std::path::Path;

use serde::Deserialize;

use super::screen::{Failure, cannot};

/// Whether `what` can be written to `path` with the option `option`: a new file, or a report or results that plimsoll wrote
/// before.
pub(super) fn can_be_written(path: &Path, what: &str, option: &str) -> Result<(), Failure> {
    can_replace(path, what, option, is_ours)
}

/// Whether the folder `dir` of the option `option` has a name: who means a standard stream would find a folder called `-`.
pub(super) fn folder_has_a_name(dir: &Path, option: &str) -> Result<(), Failure> {
    if dir == Path::new("-") {
        return Err(cannot(format!("{option} - names no folder: name one; one that is called so is ./-")));
    }
    Ok(())
}

/// Whether `path` is no folder: that cannot be read as a file.
pub(super) fn is_no_folder(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(cannot(format!("{} is a folder: name a file in it", path.display())));
    }
    Ok(())
}

/// A form of the report.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) option: &'static str,
    pub(super) what: &'static str,
    /// What every such file of ours begins with, and what it has besides.
    marks: &'static [&'static str],
}

/// The forms, in the order of their options.
pub(super) const FORMS: [Form; 5] = [
    Form {
        option: "--html",
        what: "the page",
        marks: &["<!DOCTYPE html>", "<meta name=\"generator\" content=\"plimsoll\">"],
    },
    Form { option: "--summary", what: "the summary", marks: &["## plimsoll: ", "**conformance: "] },
    Form { option: "--junit", what: "the JUnit report", marks: &["<?xml ", "<testsuites name=\"plimsoll: "] },
    Form { option: "--badge", what: "the badge", marks: &["{", "\"label\":\"plimsoll: "] },
    Form { option: "--sarif", what: "the SARIF report", marks: &["{", "\"name\": \"plimsoll\""] },
];

/// The same for a form of the report: it has the marks of such a form of an earlier run.
pub(super) fn form_can_be_written(path: &Path, form: &Form) -> Result<(), Failure> {
    let is_ours = |path: &Path| {
        let text = fs::read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        text.starts_with(form.marks[0]) && form.marks.iter().all(|mark| text.contains(mark))
    };
    can_replace(path, form.what, form.option, is_ours)
}

/// The same for the tables of `plimsoll power`.
pub(super) fn tables_can_be_written(path: &Path) -> Result<(), Failure> {
    let is_ours = |path: &Path| fs::read_to_string(path).is_ok_and(|text| text.starts_with(super::power_table::TITLE));
    can_replace(path, "the tables", "--markdown", is_ours)
}

fn can_replace(path: &Path, what: &str, option: &str, is_ours: impl Fn(&Path) -> bool) -> Result<(), Failure> {
    let refused = |error: std::io::Error| {
        cannot(format!("cannot write {what} to {}: {error}; name another file with {option}", path.display()))
    };
    if path == Path::new("-") {
        // Who means the standard output would look for it there in vain.
        return Err(cannot(format!("{option} - names no file: name one, or /dev/stdout")));
    }
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(refused(ErrorKind::IsADirectory.into())),
        // Standard output that goes to a file: to write the file is to lose what was printed.
        Ok(there) if there.is_file() && (path.starts_with("/dev") || path.starts_with("/proc")) => Err(cannot(
            format!("{} is the file that this command prints to: name another file with {option}", path.display()),
        )),
        Ok(there) if there.is_file() => {
            if there.len() > 0 && !is_ours(path) {
                return Err(cannot(format!(
                    "{} is there already, and is nothing that plimsoll wrote: it is left as it is; name another file \
                     with {option}, or move this one away",
                    path.display()
                )));
            }
            OpenOptions::new().append(true).open(path).map(drop).map_err(refused)
        }
        // A terminal or a pipe.
        Ok(_) => Ok(()),
        Err(_) if fs::symlink_metadata(path).is_ok() => Err(cannot(format!(
            "cannot write {what} to {}: it is a link, and what it leads to is not there; mend or remove it, or name \
             another file with {option}",
            path.display()
        ))),
        Err(_) => {
            File::create_new(path).map_err(refused)?;
            // It was only a question.
            let _ = fs::remove_file(path);
            Ok(())
        }
    }
}

/// What a report, a line of reports or a file of results begins with.
#[derive(Deserialize)]
struct Ours {
    #[serde(rename = "format")]
    _format: u32,
    #[serde(rename = "suite")]
    _suite: String,
    #[serde(rename = "spec")]
    _spec: String,
    #[serde(rename = "candidate")]
    _candidate: serde::de::IgnoredAny,
    #[serde(rename = "seed")]
    _seed: u64,
}

/// Whether the first JSON value in it is a report, or the first line of results.
fn is_ours(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    serde_json::Deserializer::from_reader(BufReader::new(file))
        .into_iter::<Ours>()
        .next()
        .is_some_and(|first| first.is_ok())
}
