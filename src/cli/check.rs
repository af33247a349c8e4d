//! `plimsoll check`.

use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::CheckArgs;
use super::candidates::{Candidate, Profile, escaped_lines};
use super::screen::{Failure, cannot, nearest, overwrite, print, usage, warn};
use super::{bless, overnight, profiles, regressions};
use crate::{Report, Requirement, TextReport, Tick, requirement, requirements};

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
    let profile = args.profile.as_deref().map(Profile::find).transpose()?;
    if let Some(time) = args.for_time {
        return overnight::overnight(args, profile.as_ref(), time);
    }
    let (report, text) = run(args, profile.as_ref(), "")?;
    // Shown before it is written: whatever goes wrong then, it is not lost.
    if args.quiet {
        print(&format!("{}\n", report.closing_line()));
    } else {
        print(&text);
    }
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

/// One run, as the arguments say, held to `profile` if there is one: its report, and that as a person reads it. Progress
/// is told with `label` before it.
pub(super) fn run(args: &CheckArgs, profile: Option<&Profile>, label: &str) -> Result<(Report, String), Failure> {
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
) -> Result<(Report, String), Failure> {
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
        (Some(_), _) if args.bless => {}
        (Some(known), _) => suite = suite.known(known),
        (None, Some(profile)) => suite = suite.known_failures(profile.known()),
        (None, None) => {}
    }
    let shows = !args.quiet && stderr().is_terminal();
    if shows {
        suite = suite.progress(progress(label.to_owned()));
    }
    let report = suite.run();
    if shows {
        overwrite("");
    }
    let mut report = report.map_err(|error| cannot(escaped_lines(&error)))?;
    let blessed = args.known.as_ref().filter(|_| args.bless).map(|known| bless::bless(known, &mut report));
    let (before, after) = candidate.replay();
    let text = TextReport::new(&report).replay(before, after).to_string();
    candidate.let_go();
    match blessed {
        None => {}
        Some(Ok(changes)) => print(&changes),
        Some(Err(failure)) => {
            // Whatever goes wrong then, the report is not lost.
            print(&text);
            return Err(failure);
        }
    }
    Ok((report, text))
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

/// Tells how far the run is, a few times a second.
fn progress(label: String) -> impl Fn(Tick) + Send + Sync + 'static {
    let (start, last) = (Instant::now(), AtomicU64::new(0));
    move |tick: Tick| {
        let now = start.elapsed().as_millis() as u64;
        if now.saturating_sub(last.load(Ordering::Relaxed)) < 200 {
            return;
        }
        last.store(now, Ordering::Relaxed);
        let told = if tick.shrinking {
            format!("shrinking witnesses: {} found", tick.suspects)
        } else if tick.cases > 0 {
            let percent = (tick.cases * 100).checked_div(tick.budget).unwrap_or(0).min(100);
            format!("{percent:>3} %  {} cases at a limit, {} suspicions", tick.cases, tick.suspects)
        } else {
            let percent = (tick.steps * 100).checked_div(tick.budget).unwrap_or(0).min(100);
            format!("{percent:>3} %  {} histories, {} steps, {} suspicions", tick.histories, tick.steps, tick.suspects)
        };
        overwrite(&format!("{label}{told}"));
    }
}
