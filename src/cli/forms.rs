//! The report in the forms that other programs show.

use std::path::{Path, PathBuf};

use clap::Args;

use super::files::form_can_be_written;
use super::screen::{Failure, cannot, usage};
use crate::Report;
use crate::report::Forms;

/// The files that a report is written to besides.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reports")]
pub(super) struct FormArgs {
    /// One page of HTML, with nothing from elsewhere
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all_profiles", "for_time"])]
    html: Option<PathBuf>,

    /// Markdown, as a forge shows it beside a job
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all_profiles", "for_time"])]
    summary: Option<PathBuf>,

    /// JUnit XML, a case for each requirement
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all_profiles", "for_time"])]
    junit: Option<PathBuf>,

    /// A badge, as the JSON that shields reads
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all_profiles", "for_time"])]
    badge: Option<PathBuf>,

    /// SARIF 2.1.0, for code scanning
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all_profiles", "for_time"])]
    sarif: Option<PathBuf>,

    /// Where SARIF shows failures: a file from the repository's root, and a line if wanted [default: the first file that
    /// COMMAND names]
    #[arg(long, value_name = "FILE[:LINE]", requires = "sarif")]
    source: Option<String>,
}

impl FormArgs {
    /// Where the forms are to go, once it is clear that they can; `command` is the candidate's.
    pub(super) fn ready(&self, command: &[String]) -> Result<(), Failure> {
        for (what, option, path) in self.files() {
            form_can_be_written(path, what, option)?;
        }
        let files: Vec<&Path> = self.files().map(|(.., path)| path).collect();
        if let Some(twice) = files.iter().enumerate().find(|(at, path)| files[..*at].contains(*path)) {
            return Err(usage(format!("{}: two forms of the report in one file; name two", twice.1.display())));
        }
        if self.sarif.is_some() && self.place(command)?.is_none() {
            return Err(usage(
                "--sarif needs a place to show failures at, and the command names no file: add --source FILE, a path from \
                 the repository's root",
            ));
        }
        Ok(())
    }

    fn files(&self) -> impl Iterator<Item = (&'static str, &'static str, &Path)> {
        let Self { html, summary, junit, badge, sarif, .. } = self;
        let all = [
            ("the page", "--html", html),
            ("the summary", "--summary", summary),
            ("the JUnit report", "--junit", junit),
            ("the badge", "--badge", badge),
            ("the SARIF report", "--sarif", sarif),
        ];
        all.into_iter().filter_map(|(what, option, path)| Some((what, option, path.as_deref()?)))
    }

    /// The file and line that failures are shown at.
    fn place(&self, command: &[String]) -> Result<Option<(String, u32)>, Failure> {
        if let Some(source) = &self.source {
            return match source.rsplit_once(':') {
                Some((file, line)) if !file.is_empty() && line.chars().all(|c| c.is_ascii_digit()) => {
                    match line.parse() {
                        Ok(line) if line > 0 => Ok(Some((file.to_owned(), line))),
                        _ => Err(usage(format!("--source {source}: lines count from 1"))),
                    }
                }
                _ => Ok(Some((source.clone(), 1))),
            };
        }
        let is_file = |word: &&String| Path::new(word).is_relative() && Path::new(word).is_file();
        // An adapter is mostly an argument of its interpreter.
        let named = command.iter().skip(1).find(is_file).or_else(|| command.first().filter(is_file));
        Ok(named.map(|file| (file.clone(), 1)))
    }

    /// Writes them.
    pub(super) fn write(
        &self,
        report: &Report,
        replay: (String, String),
        profile: Option<&str>,
        command: &[String],
    ) -> Result<(), Failure> {
        let forms = Forms { report, replay, profile: profile.map(str::to_owned) };
        for (what, option, path) in self.files() {
            let text = match option {
                "--html" => forms.page(),
                "--summary" => forms.summary(),
                "--junit" => forms.junit().map_err(cannot)?,
                "--badge" => forms.badge(),
                _ => {
                    let (file, line) = self.place(command)?.unwrap_or_default();
                    forms.sarif((&file, line))
                }
            };
            std::fs::write(path, text)
                .map_err(|error| cannot(format!("cannot write {what} to {}: {error}", path.display())))?;
        }
        Ok(())
    }
}
