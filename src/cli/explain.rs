//! `plimsoll explain WITNESS`: a witness step by step, or as a test for a person's own suite.

use std::path::Path;

use super::candidates::{Candidate, escaped_lines};
use super::check::interrupted;
use super::files::is_no_folder;
use super::screen::{Failure, cannot, print, warn};
use super::{CandidateArgs, ExplainArgs, catalogue, emit};
use crate::report::{escaped, steps};
use crate::runner::Draw;
use crate::{Witness, requirement, zoo};

/// What the word names: a requirement, or a file.
pub(super) fn explain(args: &ExplainArgs) -> Result<u8, Failure> {
    let path = Path::new(&args.what);
    let is_id = requirement(&args.what.to_ascii_uppercase()).is_some();
    let is_path = path.is_file() || args.what.ends_with(".jsonl") || args.what.contains(['/', '\\']);
    let plays = args.emit.is_some() || args.candidate.candidate.is_some() || !args.candidate.command.is_empty();
    match (is_id, is_path) {
        (true, _) if plays => Err(super::screen::usage(format!(
            "{} is a requirement, and is not played: name a witness file, or leave out what follows it",
            args.what
        ))),
        (false, _) if path.is_dir() => is_no_folder(path).map(|()| 0),
        (true, _) | (false, false) => catalogue::explain(&args.what),
        (false, true) => witness(path, args),
    }
}

fn witness(path: &Path, args: &ExplainArgs) -> Result<u8, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| cannot(format!("{}: {error}", path.display())))?;
    let named = |error: String| cannot(format!("{}: {}", path.display(), escaped_lines(&error)));
    let witness = Witness::parse(&text).map_err(named)?;
    if let Some(form) = args.emit {
        print(&emit::emit(&witness, &text, form, &args.candidate.command)?);
        return Ok(0);
    }
    let named = witness.candidate.name.as_str();
    let unnamed = args.candidate.candidate.is_none() && args.candidate.command.is_empty();
    let found_in = (unnamed && zoo::find(named).is_some()).then(|| named.to_owned());
    if unnamed && found_in.is_none() && !named.is_empty() && named != "reference" {
        let (name, version) = (escaped(named), escaped(&witness.candidate.version));
        warn(&format!(
            "plimsoll: no candidate is named: the built-in reference plays; the witness was found in {name} {version}, which {}",
            escaped(&another(path))
        ));
    }
    let args = CandidateArgs {
        candidate: found_in.or_else(|| args.candidate.candidate.clone()),
        command: args.candidate.command.clone(),
        ..args.candidate
    };
    let candidate = Candidate::of(&args, Some(&witness.contract), &interrupted())?;
    let draw = Draw { history: steps, rows: false, consulted: true };
    let suite = candidate.suite(args.timeout);
    let (player, _) = suite.introduced().map_err(|error| cannot(escaped_lines(&error)))?;
    let replay = suite.show(&witness, draw).map_err(|error| cannot(escaped_lines(&error)))?;
    let player = escaped(format!("{} {}", player.name, player.version).trim());
    let player = if unnamed { format!("{player}; another: --candidate NAME, or -- COMMAND") } else { player };
    print(&format!("{}{replay}", head(&witness, player)));
    candidate.let_go();
    Ok(0)
}

/// What the witness says of itself, and who plays it.
fn head(witness: &Witness, player: String) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            text += &format!("{name:<12}{value}\n");
        }
    };
    let candidate = &witness.candidate;
    line("about", witness.requirements.join(", "));
    line("found in", escaped(format!("{} {}", candidate.name, candidate.version).trim()));
    line("played by", player);
    line("reason", escaped(&witness.reason));
    line("detail", escaped(&witness.detail));
    line("note", escaped(&witness.note));
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// How a candidate that is not built in plays a witness.
pub(super) fn another(path: &Path) -> String {
    format!(
        "plays where its command follows `--`, or, in Rust, with PLIMSOLL_REPLAY={} cargo test replay",
        path.display()
    )
}
