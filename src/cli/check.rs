//! `plimsoll check`.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use super::CheckArgs;
use super::candidates::{Candidate, Profile, escaped_lines};
use super::files::can_be_written;
use super::forms::Files;
use super::progress::Progress;
use super::screen::{Failure, cannot, nearest, print, usage, warn};
use super::{bless, overnight, profiles, regressions};
use crate::{Report, Requirement, requirements};

/// The ids that `words` name, each one or an area of them.
pub(super) fn asked(words: &[String]) -> Result<Vec<String>, Failure> {
    let mut asked = Vec::new();
    for word in words {
        let name = word.trim().to_ascii_uppercase();
        let of = |id: &&str| *id == name || id.split_once('-').is_some_and(|(area, _)| area == name);
        let ids: Vec<String> = requirements().map(Requirement::id).filter(of).map(str::to_owned).collect();
        if ids.is_empty() {
            let near = nearest(word, requirements().map(Requirement::id));
            return Err(usage(format!("no requirement has the id {word:?}{near}; `plimsoll list` shows all")));
        }
        asked.extend(ids.into_iter().filter(|id| !asked.contains(id)).collect::<Vec<_>>());
    }
    Ok(asked)
}

pub(super) fn check(args: &CheckArgs) -> Result<u8, Failure> {
    let many = [
        (args.all_profiles, "--all-profiles makes a report of each"),
        (args.for_time.is_some(), "--for makes a report of each seed"),
        (args.shard.is_some(), "--shard plays a part of a run: give it to `plimsoll merge`"),
    ];
    if let (Some(option), Some((_, why))) = (args.forms.any(), many.iter().find(|(is, _)| *is)) {
        return Err(usage(format!("{option} shows the report of one whole run, and {why}")));
    }
    if args.all_profiles {
        return profiles::check(args);
    }
    if let Some(path) = &args.results {
        can_be_written(path, "results", "--results")?;
    }
    let others = [("--results", &args.results), ("--known", &args.known)];
    let files = Files {
        forms: &args.forms,
        json: args.json.as_deref(),
        others: others.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?))).collect(),
        folders: std::iter::once(("--witness-dir", args.witness_dir.as_path()))
            .chain(args.regressions.as_deref().map(|dir| ("--regressions", dir)))
            .collect(),
        command: &args.candidate.command,
    };
    files.ready()?;
    let profile = args.profile.as_deref().map(Profile::find).transpose()?;
    if let Some(time) = args.for_time {
        return overnight::overnight(args, profile.as_ref(), time);
    }
    let (mut report, replay) = run(args, profile.as_ref(), "")?;
    let blessed = args.known.as_ref().filter(|_| args.bless).map(|known| bless::bless(known, &mut report));
    if let Some(Ok(changes)) = &blessed {
        print(changes);
    }
    files.deliver(&report, replay, args.profile.as_deref(), args.quiet)?;
    blessed.transpose()?;
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
    suite = regressions::first(suite, args.regressions.as_deref(), args.quiet)?;
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
    let report = report.map_err(|error| cannot(escaped_lines(&error)))?;
    let replay = candidate.replay();
    candidate.let_go();
    Ok((report, replay))
}

/// Nothing is played any more: what there is is being written.
static OVER: AtomicBool = AtomicBool::new(false);

/// How long an interrupted process goes on writing: a pipe that nobody reads takes for ever.
const WRITING: Duration = Duration::from_secs(2);

/// From now on an interrupt ends the process, after the moment that it takes to write what there is.
pub(super) fn run_is_over() {
    OVER.store(true, Ordering::Relaxed);
}

/// Becomes true when the person interrupts. The second time ends the process.
pub(super) fn interrupted() -> Arc<AtomicBool> {
    static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let stop = STOP.get_or_init(|| {
        let stop = Arc::new(AtomicBool::new(false));
        let set = Arc::clone(&stop);
        let handled = ctrlc::set_handler(move || {
            let again = set.swap(true, Ordering::Relaxed);
            let over = OVER.load(Ordering::Relaxed);
            if over && !again {
                thread::sleep(WRITING);
            }
            if over || again {
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
