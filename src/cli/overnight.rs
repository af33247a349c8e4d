//! `plimsoll check --for`: one seed after the other, for a time.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::candidates::Profile;
use super::check::{Round, interrupted, run_round};
use super::screen::{Failure, cannot, print, shown, warn};
use super::{CandidateArgs, CheckArgs};
use crate::report::shell;
use crate::text::counted;
use crate::verdict::Tally;
use crate::{Report, Verdict};

/// What `--timeout` is where it is not given.
const TIMEOUT: Duration = Duration::from_secs(5);

/// What the runs have shown together.
#[derive(Debug, Default)]
struct Summary {
    first: u64,
    runs: u64,
    histories: u64,
    steps: u64,
    cases: u64,
    /// By requirement: in how many runs it failed, the first seed, and why.
    failed: BTreeMap<String, (u64, u64, String)>,
    /// The seed of a run that could not be finished, and why.
    ended: Option<(u64, String)>,
}

/// Runs until `time` is over, or the person interrupts, or the candidate cannot be driven any longer.
pub(super) fn overnight(args: &CheckArgs, profile: Option<&Profile>, time: Duration) -> Result<u8, Failure> {
    let until = Instant::now() + time;
    let mut reports = args.json.as_deref().map(Reports::create).transpose()?;
    let mut summary = Summary { first: args.seed, ..Summary::default() };
    let mut failure = None;
    for seed in args.seed..=u64::MAX {
        let stop = stop_at(until);
        let over = Arc::clone(&stop);
        // A directory for each: another seed's witness may have the same name.
        let witness_dir = args.witness_dir.join(format!("seed-{seed}"));
        let label = format!("seed {seed}: ");
        let (report, replay) = match run_round(args, profile, &label, Round { seed, witness_dir, stop }) {
            Ok(ran) => ran,
            // What the runs before it have shown is not lost.
            Err(why) => {
                failure = Some(why);
                break;
            }
        };
        let over = over.load(Ordering::Relaxed);
        let found = summary.add(seed, &report, over);
        if !args.quiet && report.exit_code() == 1 {
            print(&shown(&report, &replay));
        }
        if !args.quiet {
            print(&format!("seed {seed}: {}\n", report.closing_line()));
        }
        // A run that the end of the time cut off has no verdict, but what it has found stands.
        let tells = !over || report.aborted.is_none() || found;
        if let Some(Err(why)) = reports.as_mut().filter(|_| tells).map(|reports| reports.add(&report)) {
            failure = Some(why);
            break;
        }
        if over || summary.ended.is_some() || Instant::now() >= until {
            break;
        }
    }
    let command = command(args);
    print(&summary.text(&command));
    match failure {
        None => Ok(summary.exit_code()),
        Some(why) if summary.failed.is_empty() => Err(why),
        // That something failed is what a script is to know.
        Some(why) => {
            warn(&format!("plimsoll: {}", why.message));
            Ok(summary.exit_code())
        }
    }
}

/// Becomes true when the person interrupts, and at that time.
fn stop_at(until: Instant) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let (set, by_hand) = (Arc::downgrade(&stop), interrupted());
    thread::spawn(move || {
        // Nobody has it any longer: the run is over.
        while let Some(stop) = set.upgrade() {
            if by_hand.load(Ordering::Relaxed) || Instant::now() >= until {
                stop.store(true, Ordering::Relaxed);
                break;
            }
            drop(stop);
            thread::sleep(Duration::from_millis(50));
        }
    });
    stop
}

/// The command that makes one of the runs again, without its seed.
fn command(args: &CheckArgs) -> (String, String) {
    let mut before = vec!["plimsoll".to_owned(), "check".to_owned()];
    if args.effort != crate::Effort::Default {
        before.extend(["--effort".to_owned(), args.effort.name().to_owned()]);
    }
    if let Some(profile) = &args.profile {
        before.extend(["--profile".to_owned(), profile.clone()]);
    }
    if let Some(known) = &args.known {
        before.extend(["--known".to_owned(), known.display().to_string()]);
    }
    if args.strict {
        before.push("--strict".to_owned());
    }
    if let Some(dir) = &args.regressions {
        before.extend(["--regressions".to_owned(), dir.display().to_string()]);
    }
    let CandidateArgs { timeout, hello_timeout, line_by_line, .. } = &args.candidate;
    if *timeout != TIMEOUT {
        before.extend(["--timeout".to_owned(), timeout.as_secs_f64().to_string()]);
    }
    if let Some(hello) = hello_timeout {
        before.extend(["--hello-timeout".to_owned(), hello.as_secs_f64().to_string()]);
    }
    if *line_by_line {
        before.push("--line-by-line".to_owned());
    }
    let after = match (&args.candidate.candidate, &args.candidate.command[..]) {
        (Some(name), _) => format!(" --candidate {}", shell(&[name])),
        (None, []) => String::new(),
        (None, command) => format!(" -- {}", shell(command)),
    };
    (shell(&before), after)
}

impl Summary {
    /// Whether the run found a failure. `over`: it was ended because the time was over.
    fn add(&mut self, seed: u64, report: &Report, over: bool) -> bool {
        let mut found = false;
        self.histories += report.histories;
        self.steps += report.steps;
        self.cases += report.limits.iter().map(|side| side.cases).sum::<u64>();
        let whole = report.aborted.is_none();
        self.runs += u64::from(whole);
        for row in &report.requirements {
            // What a run that was cut off has not reached is no failure.
            let fails = row.tally() == Tally::Failed && (whole || row.verdict != Verdict::Vacuous);
            found |= fails;
            if fails {
                let why = row.reason.clone().unwrap_or_else(|| row.verdict.name().to_owned());
                self.failed.entry(row.id.clone()).or_insert((0, seed, why)).0 += 1;
            }
        }
        if let Some(why) = report.aborted.as_ref().filter(|_| !over) {
            self.ended = Some((seed, why.clone()));
        }
        found
    }

    fn text(&self, (before, after): &(String, String)) -> String {
        let Self { first, runs, histories, steps, cases, .. } = self;
        let seeds = match runs {
            0 => "no run was finished".to_owned(),
            1 => format!("1 run, seed {first}"),
            _ => format!("{runs} runs, seeds {first} to {}", first + (runs - 1)),
        };
        let mut text = format!("\n{seeds}: {histories} histories, {steps} steps, {cases} cases at a limit\n");
        for (id, (times, seed, why)) in &self.failed {
            let times = counted(*times, "run");
            let why = crate::report::escaped(why);
            text.push_str(&format!("{id:6} failed in {times}: {why}\n       {before} --seed {seed} -r {id}{after}\n"));
        }
        if let Some((seed, why)) = &self.ended {
            text.push_str(&format!("seed {seed} was not finished: {}\n", crate::report::escaped(why)));
        }
        let verdict = if self.failed.is_empty() { "nothing failed" } else { "failed" };
        let (runs, ids) = (counted(*runs, "run"), counted(self.failed.len(), "requirement"));
        text.push_str(&format!("overnight: {runs}, {ids} failed: {verdict}\n"));
        text
    }

    fn exit_code(&self) -> u8 {
        match (self.failed.is_empty(), &self.ended, self.runs) {
            (false, ..) => 1,
            (true, None, 1..) => 0,
            _ => 2,
        }
    }
}

/// The file of the reports, a line each.
struct Reports<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> Reports<'a> {
    fn create(path: &'a Path) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| unwritable(path, &error))?;
        Ok(Self { path, file })
    }

    fn add(&mut self, report: &Report) -> Result<(), Failure> {
        let line = format!("{}\n", report.to_json());
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush());
        written.map_err(|error| unwritable(self.path, &error))
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    cannot(format!("cannot write the reports {}: {error}", path.display()))
}
