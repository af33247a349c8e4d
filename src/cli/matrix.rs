//! `plimsoll matrix`.

use std::path::Path;

use super::MatrixArgs;
use super::candidates::escaped_lines;
use super::screen::{Failure, cannot, print, usage};
use crate::report::{Matrix, escaped};

pub(super) fn matrix(args: &MatrixArgs) -> Result<u8, Failure> {
    if let (Some(one), Some(other)) = (&args.markdown, &args.html)
        && one == other
    {
        return Err(usage(format!(
            "{}: one file for Markdown and HTML; name two",
            escaped(&one.display().to_string())
        )));
    }
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
