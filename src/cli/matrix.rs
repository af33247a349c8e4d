//! `plimsoll matrix`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::candidates::escaped_lines;
use super::files::is_no_folder;
use super::screen::{Failure, cannot, print, usage};
use crate::report::{Matrix, escaped};

#[derive(Debug, Args)]
pub(super) struct MatrixArgs {
    /// A JSON report of `plimsoll check --json`; again, for more of them. Its name stands in the table
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,

    /// Write Markdown to this file [default without --html: to standard output]
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,

    /// Write one page of HTML to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// The directory of the witnesses that the reports name
    #[arg(long, value_name = "DIR", default_value = "plimsoll-witnesses")]
    witness_dir: PathBuf,

    /// What to write as the date of the runs
    #[arg(long, value_name = "DATE")]
    date: Option<String>,
}

pub(super) fn matrix(args: &MatrixArgs) -> Result<u8, Failure> {
    if let (Some(one), Some(other)) = (&args.markdown, &args.html)
        && one == other
    {
        return Err(usage(format!(
            "{}: one file for Markdown and HTML; name two",
            escaped(&one.display().to_string())
        )));
    }
    args.reports.iter().try_for_each(|path| is_no_folder(path))?;
    let matrix = Matrix::load(&args.reports, &args.witness_dir, args.date.clone())
        .map_err(|error| cannot(escaped_lines(&error)))?;
    if let Some(path) = &args.html {
        write(path, &matrix.html())?;
    }
    match &args.markdown {
        Some(path) => write(path, &matrix.markdown())?,
        None if args.html.is_none() => print(&matrix.markdown()),
        None => {}
    }
    Ok(0)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text)
        .map_err(|error| cannot(format!("cannot write {}: {error}", escaped(&path.display().to_string()))))
}
