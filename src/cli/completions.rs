//! `plimsoll completions` and `plimsoll man`.

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use super::Cli;
use super::files::folder_has_a_name;
use super::screen::{Failure, cannot, print};

/// Prints what a shell reads to complete arguments.
pub(super) fn completions(shell: Shell) -> Result<u8, Failure> {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "plimsoll", &mut out);
    print(&String::from_utf8_lossy(&out));
    Ok(0)
}

/// Prints the manual page, or writes it and one for each command into a folder.
pub(super) fn man(out: Option<&Path>) -> Result<u8, Failure> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(dir) = out else {
        print(&page(command.clone())?);
        return Ok(0);
    };
    folder_has_a_name(dir, "--out")?;
    let unwritable = |path: &Path, error: &std::io::Error| {
        cannot(format!("cannot write the manual to {}: {error}; name another folder with --out", path.display()))
    };
    fs::create_dir_all(dir).map_err(|error| unwritable(dir, &error))?;
    let pages = command.get_subcommands().map(|sub| (format!("plimsoll-{}.1", sub.get_name()), sub.clone()));
    for (name, command) in std::iter::once(("plimsoll.1".to_owned(), command.clone())).chain(pages) {
        let path = dir.join(name);
        fs::write(&path, page(command)?).map_err(|error| unwritable(&path, &error))?;
    }
    Ok(0)
}

fn page(command: clap::Command) -> Result<String, Failure> {
    let mut out = Vec::new();
    let rendered = clap_mangen::Man::new(command).render(&mut out);
    rendered.map_err(|error| cannot(format!("the manual page: {error}")))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}
