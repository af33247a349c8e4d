//! Judges the candidate that `PLIMSOLL_CANDIDATE` names: a command line that speaks the adapter protocol, split into words
//! as a shell does. One test for each requirement, by its id, and `verdict`.
//!
//! `PLIMSOLL_CANDIDATE="python3 adapter.py" cargo test --features adapter --test candidate -- LAT-2`

use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use plimsoll::adapter::Launcher;
use plimsoll::{Compactor, Contract, Reference, Report, Suite, Tally, TextReport, Verdict, requirements};

type Run = Arc<OnceLock<Result<Report, String>>>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let line = std::env::var("PLIMSOLL_CANDIDATE").unwrap_or_default();
    let (contract, suite) = match candidate(&line) {
        Ok(candidate) => candidate,
        Err(error) => {
            eprintln!("PLIMSOLL_CANDIDATE={line}: {error}");
            return ExitCode::from(2);
        }
    };
    let ids: Vec<&'static str> = requirements().map(|requirement| requirement.id()).collect();
    let wanted = wanted(&arguments, &ids);
    let suite = wanted.iter().fold(suite, |suite, id| suite.requirement(*id));
    let run: Run = Arc::default();
    let suite = Arc::new(std::sync::Mutex::new(Some(suite)));
    let report = move |run: &Run| -> Result<Report, Failed> {
        let made = run.get_or_init(|| {
            let suite = suite.lock().ok().and_then(|mut suite| suite.take());
            suite.ok_or("the suite is gone".to_owned()).and_then(Suite::run)
        });
        made.clone().map_err(|error| format!("the run could not be made: {error}").into())
    };
    let mut trials: Vec<Trial> = requirements()
        .map(|requirement| {
            let (run, report) = (Arc::clone(&run), report.clone());
            let trial = Trial::test(requirement.id(), move || judge(&report(&run)?, requirement.id()));
            trial.with_ignored_flag(!requirement.applies(&contract))
        })
        .collect();
    trials.push(Trial::test("verdict", move || {
        let report = report(&run)?;
        if report.passed() { Ok(()) } else { Err(text(&report).to_string().into()) }
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The candidate's contract, and a suite for it.
fn candidate(line: &str) -> Result<(Contract, Suite), String> {
    let words = shell_words::split(line).map_err(|error| error.to_string())?;
    if words.is_empty() {
        eprintln!("\n*** PLIMSOLL_CANDIDATE is not set: this run judges the built-in REFERENCE, and nothing of yours. ***");
        eprintln!("*** Set it to a command: PLIMSOLL_CANDIDATE=\"python3 adapter.py\"                               ***\n");
        return Ok((Contract::default(), Suite::new(Reference::default).from_env()?));
    }
    let timeout = std::env::var("PLIMSOLL_TIMEOUT").ok().and_then(|seconds| seconds.parse().ok());
    let timeout = Duration::try_from_secs_f64(timeout.unwrap_or(5.0)).map_err(|error| error.to_string())?;
    let launcher = Launcher::new(words, timeout);
    let first = launcher.lease().map_err(|error| error.to_string())?;
    for member in &first.introduction().unknown {
        eprintln!("warning: the contract has a member {member:?}, which no version of the specification knows");
    }
    let contract = first.contract();
    drop(first);
    let gave_up = launcher.clone();
    let suite = Suite::fallible(line, move || Ok(Box::new(launcher.lease()?))).keeps_deadline();
    Ok((contract, suite.gave_up(move || gave_up.gave_up()).from_env()?))
}

/// The ids that the arguments ask for; none: all, which is what `verdict` needs.
fn wanted<'a>(arguments: &Arguments, ids: &[&'a str]) -> Vec<&'a str> {
    let matches = |name: &str, pattern: &String| if arguments.exact { name == pattern } else { name.contains(pattern.as_str()) };
    let takes = |name: &str| {
        arguments.filter.as_ref().is_none_or(|pattern| matches(name, pattern))
            && !arguments.skip.iter().any(|pattern| matches(name, pattern))
    };
    if takes("verdict") { Vec::new() } else { ids.iter().copied().filter(|id| takes(id)).collect() }
}

fn judge(report: &Report, id: &str) -> Result<(), Failed> {
    let Some(row) = report.requirement(id) else { return Ok(()) };
    let soft = matches!(row.verdict, Verdict::Advice | Verdict::NotReached);
    if row.tally() == Tally::Failed || (report.strict && soft) {
        return Err(text(report).failure(row).into());
    }
    match &report.aborted {
        Some(aborted) if row.verdict != Verdict::NotClaimed => Err(format!("it could not be judged: {aborted}").into()),
        _ => Ok(()),
    }
}

fn text(report: &Report) -> TextReport<'_> {
    let line = std::env::var("PLIMSOLL_CANDIDATE").unwrap_or_default();
    let after = if line.is_empty() { String::new() } else { format!(" -- {line}") };
    TextReport::new(report).replay("plimsoll replay ", after)
}
