//! The report in the forms that other programs show.

use std::io::Write;
use std::path::{Component, Path, PathBuf};

use clap::Args;

use super::check::{Replaying, run_is_over, write_json};
use super::files::{FORMS, Form, can_be_written, folder_has_a_name, form_can_be_written};
use super::screen::{Failure, cannot, print, shown, usage};
use crate::Report;
use crate::report::Forms;

/// The files that a report is written to besides.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reports")]
pub(super) struct FormArgs {
    /// One page of HTML, with nothing from elsewhere
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Markdown, as a forge shows it beside a job; where FILE is $GITHUB_STEP_SUMMARY, it is added to it
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,

    /// JUnit XML, a case for each requirement
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// A badge, as the JSON that shields reads
    #[arg(long, value_name = "FILE")]
    badge: Option<PathBuf>,

    /// SARIF 2.1.0, for code scanning
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,

    /// Where SARIF shows failures: a file from the repository's root, and a line if wanted [default: the first file that
    /// COMMAND names]
    #[arg(long, value_name = "FILE[:LINE]", requires = "sarif")]
    source: Option<String>,
}

/// The files of one report: the forms, and the JSON report.
#[derive(Debug)]
pub(super) struct Files<'a> {
    pub(super) forms: &'a FormArgs,
    pub(super) json: Option<&'a Path>,
    /// Files that are read or written besides, with their options.
    pub(super) others: Vec<(&'static str, &'a Path)>,
    /// Folders that are read or written besides.
    pub(super) folders: Vec<(&'static str, &'a Path)>,
    /// The candidate's command.
    pub(super) command: &'a [String],
}

impl Files<'_> {
    /// Whether everything can be written, asked before the run.
    pub(super) fn ready(&self) -> Result<(), Failure> {
        if let Some(path) = self.json {
            can_be_written(path, "the report", "--json")?;
        }
        for (form, path) in self.forms.files().filter(|(form, path)| !is_step_summary(form, path)) {
            form_can_be_written(path, form)?;
        }
        let json = self.json.map(|path| ("--json", path));
        let mut taken: Vec<(&str, &Path)> = Vec::new();
        let forms = self.forms.files().map(|(form, path)| (form.option, path));
        for (option, path) in forms.chain(json).chain(self.others.iter().copied()) {
            if let Some((other, _)) = taken.iter().find(|(_, other)| one_place(other, path)) {
                let path = path.display();
                return Err(usage(if option == *other {
                    format!("{path} is named twice: name each of {option} once")
                } else {
                    format!("{option} and {other} both name {path}: name two files")
                }));
            }
            // Any number of things may go into a device.
            if !place(path).starts_with("/dev") {
                taken.push((option, path));
            }
        }
        for (option, path) in &self.folders {
            folder_has_a_name(path, option)?;
            let inside = |other: &Path| path.ancestors().any(|folder| one_place(other, folder));
            if let Some((other, _)) = taken.iter().find(|(_, other)| inside(other)) {
                let path = path.display();
                return Err(usage(format!(
                    "{option} and {other} both name {path}: a folder and a file need two names"
                )));
            }
        }
        if self.forms.sarif.is_some() && self.forms.place(self.command)?.is_none() {
            return Err(usage(
                "--sarif needs a place to show failures at, and the command names no file: add --source FILE, a path from \
                 the repository's root",
            ));
        }
        Ok(())
    }

    /// Shows the report, then writes every file that can be written: whatever goes wrong with one, nothing else is lost.
    pub(super) fn deliver(
        &self,
        report: &Report,
        replay: Replaying,
        profile: Option<&str>,
        quiet: bool,
    ) -> Result<(), Failure> {
        run_is_over();
        if quiet {
            print(&format!("{}\n", report.closing_line()));
        } else {
            print(&shown(report, &replay));
        }
        let json = self.json.map_or(Ok(()), |path| write_json(report, path));
        let forms = Forms { report, replay, profile: profile.map(str::to_owned) };
        let written = self.forms.files().map(|(form, path)| {
            let text = match form.option {
                "--html" => forms.page(),
                "--summary" => forms.summary(),
                "--junit" => forms.junit().map_err(cannot)?,
                "--badge" => forms.badge(),
                _ => {
                    let (file, line) = self.forms.place(self.command)?.unwrap_or_default();
                    forms.sarif((&file, line))
                }
            };
            let written = if is_step_summary(form, path) {
                let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
                file.and_then(|mut file| file.write_all(text.as_bytes()))
            } else {
                std::fs::write(path, text)
            };
            written.map_err(|error| cannot(format!("cannot write {} to {}: {error}", form.what, path.display())))
        });
        // All of them, and then the first that failed.
        let written: Vec<Result<(), Failure>> = written.collect();
        std::iter::once(json).chain(written).collect()
    }
}

/// Whether it is the file that a forge's job adds its summaries to, one behind the other.
fn is_step_summary(form: &Form, path: &Path) -> bool {
    let named = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|named| !named.is_empty());
    form.option == "--summary" && named.is_some_and(|named| Path::new(&named) == path)
}

/// Whether both are one file, by whatever names or links.
fn one_place(one: &Path, other: &Path) -> bool {
    place(one) == place(other) || linked(one, other)
}

/// Whether they are hard links to one file. Neither is opened: who opens a pipe waits for somebody.
#[cfg(unix)]
fn linked(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path| std::fs::metadata(path).map(|file| (file.dev(), file.ino())).ok();
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

#[cfg(not(unix))]
fn linked(_: &Path, _: &Path) -> bool {
    false
}

/// The same for every way to name a file.
fn place(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let whole = std::fs::canonicalize(path);
    whole
        .or_else(|_| Ok::<_, std::io::Error>(std::fs::canonicalize(parent)?.join(path.file_name().unwrap_or_default())))
        .unwrap_or_else(|_| path.to_owned())
}

impl FormArgs {
    /// The option of one of them, if any is given.
    pub(super) fn any(&self) -> Option<&'static str> {
        self.files().next().map(|(form, _)| form.option)
    }

    fn files(&self) -> impl Iterator<Item = (&'static Form, &Path)> {
        let Self { html, summary, junit, badge, sarif, .. } = self;
        FORMS.iter().zip([html, summary, junit, badge, sarif]).filter_map(|(form, path)| Some((form, path.as_deref()?)))
    }

    /// The file and line that failures are shown at.
    fn place(&self, command: &[String]) -> Result<Option<(String, u32)>, Failure> {
        if let Some(source) = &self.source {
            let (file, line) = match source.rsplit_once(':') {
                Some((file, line)) if line.chars().all(|c| c.is_ascii_digit()) => (file, line.parse().ok()),
                _ => (source.as_str(), Some(1)),
            };
            let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
            let mut parts = Path::new(file).components();
            if !parts.clone().all(inside) || !parts.any(|part| matches!(part, Component::Normal(_))) {
                return Err(usage(format!(
                    "--source {}: name a file of the repository, by its path from the root",
                    if source.is_empty() { "''" } else { source }
                )));
            }
            return match line {
                Some(line) if line > 0 => Ok(Some((file.to_owned(), line))),
                _ => Err(usage(format!("--source {source}: lines count from 1"))),
            };
        }
        let is_file = |word: &&String| Path::new(word).is_relative() && Path::new(word).is_file();
        // An adapter is mostly an argument of its interpreter.
        let named = command.iter().skip(1).find(is_file).or_else(|| command.first().filter(is_file));
        Ok(named.map(|file| (file.clone(), 1)))
    }
}
