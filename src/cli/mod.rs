//! The `plimsoll` command.

mod adapter_batch;
mod adapter_check;
mod bless;
mod bless_edit;
mod candidates;
mod catalogue;
mod check;
mod completions;
mod emit;
mod explain;
mod files;
mod forms;
mod incident;
mod init;
mod matrix;
mod merge;
mod overnight;
mod power;
mod power_table;
mod profiles;
mod progress;
mod regressions;
mod replay;
mod schema;
mod screen;
mod serve;
mod snapshot;
mod witness;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::runner::record::PARTS_MAX;
use forms::FormArgs;
use screen::Failure;

/// Runs the command with the arguments of the process.
///
/// The exit code is 0 for passed, 1 for failed, 2 for a run that could not be made or in which nothing ran, and 3 for
/// arguments that make no sense.
#[must_use]
pub fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(error) => {
            // Help and version go to standard output, everything else to standard error.
            let _ = error.print();
            if let Some(word) = stray(&error) {
                screen::warn(&format!("  tip: a command stands behind `--`, as in `plimsoll {word} ...`"));
            }
            return ExitCode::from(if error.use_stderr() { 3 } else { 0 });
        }
    };
    let outcome = match command {
        _ if ends_in_dashes() && takes_a_command().is_some() => Err(no_command()),
        Command::Check(mut arguments) => check::asked(&arguments.requirements).and_then(|ids| {
            arguments.requirements = ids;
            check::check(&arguments)
        }),
        Command::List => catalogue::list(),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::Replay { witness, candidate } => replay::replay(&witness, &candidate),
        Command::Incident => incident::incident(),
        Command::Matrix(arguments) => matrix::matrix(&arguments),
        Command::Merge(arguments) => merge::merge(&arguments),
        Command::AdapterCheck(arguments) => adapter_check::adapter_check(&arguments),
        Command::Zoo => catalogue::zoo(),
        Command::Power(arguments) => power::power(&arguments),
        Command::Serve { candidate } => serve::serve(&candidate),
        Command::Init { kind, dir, crate_path } => init::init(&kind, &dir, crate_path.as_deref()),
        Command::Witness(arguments) => witness::witness(&arguments),
        Command::Snapshot(arguments) => snapshot::snapshot(&arguments),
        Command::Completions { shell } => completions::completions(shell),
        Command::Man { out } => completions::man(out.as_deref()),
    };
    if let Some(why) = screen::lost() {
        screen::warn(&format!("plimsoll: cannot write to standard output: {why}"));
    }
    match outcome {
        // A result that nobody can read is none.
        Ok(_) if screen::lost().is_some() => ExitCode::from(2),
        Ok(code) => ExitCode::from(code),
        Err(Failure { code, message }) => {
            screen::warn(&format!("plimsoll: {message}"));
            ExitCode::from(code)
        }
    }
}

/// Conformance tests for context compaction in LLM agents.
#[derive(Debug, Parser)]
#[command(name = "plimsoll", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 passed, 1 failed, 2 could not run or nothing ran, 3 usage.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check a candidate against the specification
    #[command(after_help = "\
Examples:
  plimsoll check                                     the built-in reference
  plimsoll check --candidate self-counting-throttle  a built-in candidate that breaks THR-1
  plimsoll check --all-profiles                      the reference, under each named contract
  plimsoll check -- python3 adapter.py               a command: see spec/protocol.md")]
    Check(Box<CheckArgs>),
    /// Tell the author of an adapter what of the protocol is missing: each claim once, every line held to the schema
    #[command(after_help = "\
Example:
  plimsoll adapter-check -- python3 adapter.py

The exit code is 1 where something is wrong. `plimsoll check` says whether what is answered is right.")]
    AdapterCheck(AdapterCheckArgs),
    /// List all requirements: id, level, chapter, how each is checked, the built-in candidates that break it
    List,
    /// Explain a requirement; or a witness, step by step: what each gate stood at, and which requirements were consulted
    #[command(after_help = "\
Examples:
  plimsoll explain LAT-2
  plimsoll explain plimsoll-witnesses/FILE.jsonl
  plimsoll explain plimsoll-witnesses/FILE.jsonl --emit python -- python3 adapter.py

A witness plays against the candidate that it names, where that is built in; else against the
reference.")]
    Explain(ExplainArgs),
    /// Play a witness again: exit code 1 if a requirement that it names still fails
    Replay {
        /// A witness file, or another history in the same format
        witness: PathBuf,
        #[command(flatten)]
        candidate: CandidateArgs,
    },
    /// Show what this suite is about: one history, three compactors, side by side
    Incident,
    /// Set the JSON reports of several runs side by side, each failure with its shortest history
    #[command(after_help = "\
Example:
  plimsoll check --json a.json -- python3 a.py
  plimsoll check --json b.json -- python3 b.py
  plimsoll matrix a.json b.json --markdown MATRIX.md --html matrix.html")]
    Matrix(matrix::MatrixArgs),
    /// Make one report of the parts of a run, the same as that of the run as a whole
    #[command(after_help = "\
Example, each part on a machine of its own:
  plimsoll check --shard 1/2 --results 1.jsonl -- python3 adapter.py
  plimsoll check --shard 2/2 --results 2.jsonl -- python3 adapter.py
  plimsoll merge 1.jsonl 2.jsonl --json report.json -- python3 adapter.py

The candidate is played again for what was found, which is made smaller, and for what a part that
was killed has left out. Where there is neither, the command can be left out.")]
    Merge(Box<MergeArgs>),
    /// List the built-in candidates: the reference, known-bad ones, conforming variants
    Zoo,
    /// Measure the suite itself: how soon each known-bad candidate is rejected, by which share of the search, and whether
    /// each sound one passes
    #[command(after_help = "\
Examples:
  plimsoll power --candidate self-counting-throttle
  plimsoll power --markdown spec/power.md            all known-bad candidates: an hour or so
  plimsoll power --sound                             all sound ones, at default effort

Exit codes: 0 each known-bad candidate is rejected with each seed, and each sound one passes; 1 not so.")]
    Power(power::PowerArgs),
    /// Speak the adapter protocol on standard input and output, as a built-in candidate
    Serve {
        /// Which one; `plimsoll zoo` lists them
        #[arg(long, value_name = "NAME", default_value = "reference")]
        candidate: String,
    },
    /// Write a starter that gives a verdict as it is: for rust, python, node, or a fuzz crate
    Init {
        /// rust, python, node, fuzz
        kind: String,
        /// Where; nothing that is there is overwritten
        dir: PathBuf,
        /// The folder of this crate, for a starter that is to build against it and not against the registry's
        #[arg(long, value_name = "PATH")]
        crate_path: Option<PathBuf>,
    },
    /// Show what an input of a fuzzer stands for, a crash file say, as a trace file that `replay` plays
    Witness(WitnessArgs),
    /// Write what a candidate does in each named history, a few rows a file: to be kept in a repository and read in a diff
    #[command(after_help = "\
Exit codes: 0 every file is as it was written, 1 a file there is of no history any more, or with --check one differs.

Example:
  plimsoll snapshot --out timelines -- python3 adapter.py
  git diff timelines")]
    Snapshot(SnapshotArgs),
    /// Print what a shell reads to complete the arguments of this command
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man {
        /// Write it to this folder instead, with a page for each command
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
struct ExplainArgs {
    /// The id of a requirement, as LAT-2; or a witness file
    #[arg(value_name = "ID|WITNESS")]
    what: String,

    /// Print the witness as a test for a suite of your own: rust, python, vector
    #[arg(long, value_name = "FORM", value_parser = form)]
    emit: Option<emit::Form>,

    #[command(flatten)]
    candidate: CandidateArgs,
}

#[derive(Debug, Args)]
struct SnapshotArgs {
    /// The folder of the files, one a history, `NAME.txt`
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Histories of your own besides: a folder of trace files, `NAME.jsonl`; again, for more of them
    #[arg(long, value_name = "DIR")]
    histories: Vec<PathBuf>,

    /// Write nothing over what is there: what differs goes beside it, as `NAME.txt.new`
    #[arg(long)]
    check: bool,

    #[command(flatten)]
    candidate: CandidateArgs,
}

#[derive(Debug, Args)]
struct WitnessArgs {
    /// A trace file, or any bytes
    file: PathBuf,

    /// What bytes stand for: history, field, fit, request
    #[arg(long, value_name = "WHAT", value_parser = input)]
    input: Option<crate::fuzz::Input>,

    /// The contract that the candidate was held to: a JSON file, or a JSON report [default: the reference's]
    #[arg(long, value_name = "FILE", conflicts_with = "profile")]
    contract: Option<PathBuf>,

    /// The contract that the candidate was held to, by its name in spec/profiles.json
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
}

/// Which candidate.
#[derive(Debug, Args)]
struct CandidateArgs {
    /// A built-in candidate; `plimsoll zoo` lists them [default: reference]
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    candidate: Option<String>,

    /// Seconds that one call into the candidate may take
    #[arg(long, value_name = "S", default_value = "5", value_parser = seconds)]
    timeout: std::time::Duration,

    /// Seconds that a command may take to start [default: 60, or --timeout where that is longer]
    #[arg(long, value_name = "S", value_parser = seconds)]
    hello_timeout: Option<std::time::Duration>,

    /// Send a command every request by itself, whether it takes whole cases or not
    #[arg(long)]
    line_by_line: bool,

    /// A command that speaks the adapter protocol, with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(Debug, Args)]
struct CheckArgs {
    /// Check this requirement only, or this area, as `LAT`; again, for more of them
    #[arg(long = "requirement", short = 'r', value_name = "ID")]
    requirements: Vec<String>,

    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// How much the run may spend: smoke, default, nightly
    #[arg(long, value_name = "EFFORT", default_value = "default", value_parser = effort)]
    effort: crate::Effort,

    /// Histories played at once [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Known failures, a TOML file: an unlisted failure, a listed pass, another reason fail the run
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,

    /// Write the file of known failures as the run shows them: adds, corrects and deletes rows, and keeps comments
    #[arg(long, requires = "known", conflicts_with_all = ["requirements", "all_profiles", "shard", "for_time"])]
    bless: bool,

    /// Let advice, and requirements that were not reached, fail the run
    #[arg(long)]
    strict: bool,

    /// Write the JSON report to this file; with `--all-profiles` a report of each to this directory
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Write witnesses to this directory
    #[arg(long, value_name = "DIR", default_value = "plimsoll-witnesses")]
    witness_dir: PathBuf,

    /// Play the witnesses in this folder first, those that are for this candidate [default: plimsoll-regressions, if there
    /// is such a folder]
    #[arg(long, value_name = "DIR")]
    regressions: Option<PathBuf>,

    /// Hold the candidate to this named contract of spec/profiles.json, whatever it declares
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,

    /// One run for each named contract, and a table of what exercised what
    #[arg(long, conflicts_with_all = ["profile", "known"])]
    all_profiles: bool,

    /// No progress, and of the report only the closing line
    #[arg(long, short)]
    quiet: bool,

    /// Play part K of N of the run; `plimsoll merge` puts the parts together
    #[arg(long, value_name = "K/N", value_parser = shard, requires = "results", conflicts_with_all = ["all_profiles", "known"])]
    shard: Option<(u32, u32)>,

    /// Write what each history shows to this file, a line as soon as it was played
    #[arg(long, value_name = "FILE", conflicts_with = "all_profiles")]
    results: Option<PathBuf>,

    /// Run one seed after the other for so long, as 8h or 30m; with --json a report a line
    #[arg(long = "for", value_name = "TIME", value_parser = span, conflicts_with_all = ["all_profiles", "shard", "results"])]
    for_time: Option<std::time::Duration>,

    /// No progress, on a terminal either
    #[arg(long)]
    no_progress: bool,

    #[command(flatten)]
    candidate: CandidateArgs,

    #[command(flatten)]
    forms: FormArgs,
}

#[derive(Debug, Args)]
struct AdapterCheckArgs {
    /// Seconds that an answer may take
    #[arg(long, value_name = "S", default_value = "5", value_parser = seconds)]
    timeout: std::time::Duration,

    /// A command that speaks the adapter protocol, with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(Debug, Args)]
struct MergeArgs {
    /// A file of `plimsoll check --results`; again, for more of them
    #[arg(required = true, value_name = "RESULTS")]
    results: Vec<PathBuf>,

    /// Known failures, a TOML file, as in `check`
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,

    /// Write the JSON report to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Write witnesses to this directory
    #[arg(long, value_name = "DIR", default_value = "plimsoll-witnesses")]
    witness_dir: PathBuf,

    /// Histories played at once [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Of the report only the closing line
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    candidate: CandidateArgs,

    #[command(flatten)]
    forms: FormArgs,
}

/// Whether the arguments end with `--`: a command was to follow, and its variable was empty, say.
fn ends_in_dashes() -> bool {
    std::env::args_os().last().is_some_and(|last| last == "--")
}

/// The word that stands where only options do, if that is the error.
fn stray(error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::UnknownArgument && !word.starts_with('-') => {
            Some(format!("{} -- {}", takes_a_command()?, crate::report::escaped(word)))
        }
        _ => None,
    }
}

/// The subcommand that was asked for, if a candidate's command can follow it.
fn takes_a_command() -> Option<String> {
    let name = std::env::args().nth(1)?;
    let cli = Cli::command();
    let takes = |subcommand: &clap::Command| subcommand.get_arguments().any(|argument| argument.get_id() == "command");
    cli.find_subcommand(&name).is_some_and(takes).then_some(name)
}

fn no_command() -> Failure {
    screen::usage("no command stands after `--`; leave it out for a built-in candidate")
}

fn effort(text: &str) -> Result<crate::Effort, String> {
    let found = crate::Effort::ALL.iter().find(|effort| effort.name() == text);
    found.copied().ok_or_else(|| "expected smoke, default or nightly".to_owned())
}

fn shard(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    let parts = parts.filter(|(number, of)| (1..=*of).contains(number) && *of <= PARTS_MAX);
    parts.ok_or_else(|| format!("expected K/N, as 1/4 to 4/4, and N at most {PARTS_MAX}"))
}

fn span(text: &str) -> Result<std::time::Duration, String> {
    let unit = text.chars().last().and_then(|unit| {
        Some((unit, [('s', 1.0), ('m', 60.0), ('h', 3_600.0)].into_iter().find(|(name, _)| *name == unit)?.1))
    });
    let seconds = unit.and_then(|(unit, seconds)| Some(text.strip_suffix(unit)?.parse::<f64>().ok()? * seconds));
    let seconds = seconds.filter(|seconds| *seconds > 0.0 && *seconds <= 30.0 * 86_400.0);
    seconds.map(std::time::Duration::from_secs_f64).ok_or_else(|| "expected a time, as 8h, 30m or 90s".to_owned())
}

fn form(text: &str) -> Result<emit::Form, String> {
    let forms = [("rust", emit::Form::Rust), ("python", emit::Form::Python), ("vector", emit::Form::Vector)];
    let found = forms.into_iter().find(|(name, _)| *name == text);
    found.map(|(_, form)| form).ok_or_else(|| "expected rust, python or vector".to_owned())
}

fn input(text: &str) -> Result<crate::fuzz::Input, String> {
    let found = crate::fuzz::Input::ALL.iter().find(|input| input.name() == text);
    found.copied().ok_or_else(|| "expected history, field, fit or request".to_owned())
}

fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    if !(seconds > 0.0 && seconds <= 86_400.0) {
        return Err("expected more than 0 seconds and at most a day".to_owned());
    }
    Ok(std::time::Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_well_formed() {
        Cli::command().debug_assert();
    }
}
