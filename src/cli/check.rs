//! `plimsoll check`.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::CheckArgs;
use super::candidates::{Candidate, Profile, escaped_lines};
use super::files::can_be_written;
use super::progress::Progress;
use super::screen::{Failure, cannot, nearest, print, shown, usage, warn};
use super::{bless, overnight, profiles, regressions};
use crate::{Report, Requirement, requirement, requirements};

pub(super) fn check(args: &CheckArgs) -> Result<u8, Failure> {
    for id in &args.requirements {
        if requirement(&id.trim().to_ascii_uppercase()).is_none() {
            let near = nearest(id, requirements().map(Requirement::id));
            return Err(usage(format!("no requirement has the id {id:?}{near}; `plimsoll list` shows all")));
        }
    }
    if args.all_profiles {
        return profiles::check(args);
    }
    if let Some(path) = &args.json {
        can_be_written(path, "the report", "--json")?;
    }
    if let Some(path) = &args.results {
        can_be_written(path, "results", "--results")?;
    }
    let profile = args.profile.as_deref().map(Profile::find).transpose()?;
    if let Some(time) = args.for_time {
        return overnight::overnight(args, profile.as_ref(), time);
    }
    let command = &args.candidate.command;
    args.forms.ready(command)?;
    let (report, replay) = run(args, profile.as_ref(), "")?;
    // Shown before it is written: whatever goes wrong then, it is not lost.
    if args.quiet {
        print(&format!("{}\n", report.closing_line()));
    } else {
        print(&shown(&report, &replay));
    }
    args.forms.write(&report, replay, args.profile.as_deref(), command)?;
    if let Some(path) = &args.json {
        write_json(&report, path)?;
    }
    Ok(report.exit_code())
}

/// Writes the JSON report.
pub(super) fn write_json(report: &Report, path: &Path) -> Result<(), Failure> {
    std::fs::write(path, format!("{}\n", report.to_json()))
        .map_err(|error| cannot(format!("cannot write the report {}: {error}", path.display())))
}

/// A command that replays a witness is its file between these two.
pub(super) type Replaying = (String, String);

/// One run, as the arguments say, held to `profile` if there is one: its report, and how its witnesses are replayed. Progress
/// is told with `label` before it.
pub(super) fn run(args: &CheckArgs, profile: Option<&Profile>, label: &str) -> Result<(Report, Replaying), Failure> {
    let round = Round { seed: args.seed, witness_dir: args.witness_dir.clone(), stop: interrupted() };
    run_round(args, profile, label, round)
}

/// What one of several runs has of its own.
pub(super) struct Round {
    pub(super) seed: u64,
    pub(super) witness_dir: PathBuf,
    pub(super) stop: Arc<AtomicBool>,
}

/// Like [`run`].
pub(super) fn run_round(
    args: &CheckArgs,
    profile: Option<&Profile>,
    label: &str,
    round: Round,
) -> Result<(Report, Replaying), Failure> {
    let contract = profile.map(Profile::contract).transpose()?;
    let Round { seed, witness_dir, stop } = round;
    let candidate = Candidate::of(&args.candidate, contract.as_ref(), &stop)?;
    let mut suite = candidate
        .suite(args.candidate.timeout)
        .seed(seed)
        .effort(args.effort)
        .strict(args.strict)
        .witness_dir(witness_dir)
        .stop(stop);
    if let Some((number, of)) = args.shard {
        suite = suite.shard(number, of).map_err(usage)?;
    }
    if let Some(results) = &args.results {
        suite = suite.results(results);
    }
    for id in &args.requirements {
        suite = suite.requirement(id);
    }
    if let Some(jobs) = args.jobs {
        suite = suite.jobs(usize::from(jobs));
    }
    if let Some(contract) = contract {
        suite = suite.contract(contract);
    }
    suite = regressions::first(suite, args.regressions.as_deref())?;
    match (&args.known, profile) {
        // It is held to what is written.
        (Some(known), _) if args.bless => bless::ready(known)?,
        (Some(known), _) => suite = suite.known(known),
        (None, Some(profile)) => suite = suite.known_failures(profile.known()),
        (None, None) => {}
    }
    let progress = Progress::new(label, !args.quiet && !args.no_progress);
    if let Some(progress) = progress.clone() {
        suite = suite.progress(move |tick| progress.show(tick));
    }
    let report = suite.run();
    if let Some(progress) = progress {
        progress.end();
    }
    let mut report = report.map_err(|error| cannot(escaped_lines(&error)))?;
    let blessed = args.known.as_ref().filter(|_| args.bless).map(|known| bless::bless(known, &mut report));
    let replay = candidate.replay();
    candidate.let_go();
    match blessed {
        None => {}
        Some(Ok(changes)) => print(&changes),
        Some(Err(failure)) => {
            // Whatever goes wrong then, the report is not lost.
            print(&shown(&report, &replay));
            return Err(failure);
        }
    }
    Ok((report, replay))
}

/// Becomes true when the person interrupts. The second time ends the process.
pub(super) fn interrupted() -> Arc<AtomicBool> {
    static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let stop = STOP.get_or_init(|| {
        let stop = Arc::new(AtomicBool::new(false));
        let set = Arc::clone(&stop);
        let handled = ctrlc::set_handler(move || {
            if set.swap(true, Ordering::Relaxed) {
                // They lead groups of their own, and would outlive this process.
                crate::adapter::kill_all();
                std::process::exit(2);
            }
        });
        if let Err(error) = handled {
            warn(&format!("plimsoll: warning: an interrupt will end the run without a report: {error}"));
        }
        stop
    });
    Arc::clone(stop)
}
