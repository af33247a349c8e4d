//! `plimsoll power`: what the suite itself is worth, by candidates whose verdict is known.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use clap::Args;

use super::files::tables_can_be_written;
use super::power_table::{Line, heading, markdown, row, summary};
use super::screen::{Failure, cannot, lost, nearest, print, usage};
use crate::generate::Share;
use crate::zoo::{self, Row};
use crate::{Report, Suite, Verdict};

#[derive(Debug, Args)]
pub(super) struct PowerArgs {
    /// A built-in candidate; again, for more of them [default: all]
    #[arg(long = "candidate", value_name = "NAME")]
    candidates: Vec<String>,

    /// With how many seeds, from 0
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,

    /// How many steps a share of the search has when it is alone
    #[arg(long, value_name = "STEPS", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    most: u64,

    /// The whole search alone, and not each of its shares
    #[arg(long)]
    no_shares: bool,

    /// The sound candidates, and not the known-bad ones
    #[arg(long)]
    sound: bool,

    /// How much a run of a sound candidate may spend: smoke, default, nightly
    #[arg(long, value_name = "EFFORT", default_value = "default", value_parser = super::effort, requires = "sound")]
    effort: crate::Effort,

    /// Write the tables to this file, in Markdown
    #[arg(long, value_name = "FILE", conflicts_with = "sound")]
    markdown: Option<PathBuf>,
}

/// What it took to reject a candidate once, by an id that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kill {
    /// Steps, or cases at a limit, up to the one that showed it.
    pub(super) steps: u64,
    /// Histories, or cases at a limit.
    pub(super) histories: u64,
    /// The commands of the witness.
    pub(super) witness: usize,
    /// Histories or cases that were played to shrink it.
    pub(super) shrinks: usize,
}

/// The trials of one candidate with one part of the search, a seed each; `None`: it was not found.
pub(super) type Trials = Vec<Option<Kill>>;

/// The parts of the search that are set beside the whole.
pub(super) const SHARES: [Share; 6] =
    [Share::Directed, Share::Exhaustive, Share::Model, Share::Swarm, Share::Uniform, Share::Boundary];

pub(super) fn power(args: &PowerArgs) -> Result<u8, Failure> {
    let named = args.candidates.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>()?;
    if let Some(row) = named.iter().find(|row| row.is_conforming() != args.sound) {
        let (is, way_out) = if args.sound { ("known to be bad", "leave out") } else { ("sound", "add") };
        return Err(usage(format!("{} is {is}: {way_out} --sound", row.name())));
    }
    let asked = |row: &&'static Row| {
        row.is_conforming() == args.sound && (named.is_empty() || named.iter().any(|other| other.name() == row.name()))
    };
    let rows: Vec<&'static Row> = zoo::all().filter(asked).collect();
    if args.sound { sound(args, &rows) } else { bad(args, &rows) }
}

fn find(name: &str) -> Result<&'static Row, Failure> {
    if name == "reference" {
        return Err(usage(
            "reference is neither known to be bad nor one of the sound candidates beside it, of which `plimsoll zoo` has the \
             list: run `plimsoll check`, which judges it",
        ));
    }
    zoo::find(name).ok_or_else(|| {
        let near = nearest(name, zoo::all().map(Row::name));
        usage(format!("no built-in candidate has the name {name:?}{near}; `plimsoll zoo` lists them"))
    })
}

/// Does `work` for each of `rows` on all cores, and hands what comes of it to `take` in the order of the rows.
fn each<T: Send>(
    rows: &[&'static Row],
    work: impl Fn(&'static Row) -> Result<T, String> + Sync,
    mut take: impl FnMut(T),
) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    let (to, from) = mpsc::channel();
    let to = Mutex::new(to);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            let to = to.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let (next, work) = (&next, &work);
            scope.spawn(move || {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let done = work(row).map_err(|error| format!("{}: {error}", row.name()));
                    if to.send((row.name(), done)).is_err() {
                        break;
                    }
                }
            });
        }
        let mut waiting = BTreeMap::new();
        for row in rows {
            let done = loop {
                if let Some(done) = waiting.remove(row.name()) {
                    break done;
                }
                let (name, done) = from.recv().map_err(|error| cannot(format!("{}: {error}", row.name())))?;
                waiting.insert(name, done);
            };
            take(done.map_err(cannot)?);
            if let Some(why) = lost() {
                // Nobody reads on.
                next.store(rows.len(), Ordering::Relaxed);
                return Err(cannot(format!("cannot write to standard output: {why}")));
            }
        }
        Ok(())
    })
}

fn bad(args: &PowerArgs, rows: &[&'static Row]) -> Result<u8, Failure> {
    if let Some(path) = &args.markdown {
        tables_can_be_written(path)?;
    }
    print(&heading(!args.no_shares));
    let mut lines = Vec::with_capacity(rows.len());
    each(
        rows,
        |row| measured(args, row),
        |line| {
            print(&row_of(args, &line));
            lines.push(line);
        },
    )?;
    print(&format!("\n{}", summary(&lines, args.seeds, args.most)));
    if let Some(path) = &args.markdown {
        std::fs::write(path, markdown(&lines, args.seeds, args.most))
            .map_err(|error| cannot(format!("cannot write the tables to {}: {error}", path.display())))?;
    }
    Ok(u8::from(lines.iter().any(|line| line.whole.iter().any(Option::is_none))))
}

fn row_of(args: &PowerArgs, line: &Line) -> String {
    row(line, !args.no_shares)
}

fn suite(row: &'static Row, seed: u64) -> Suite {
    Suite::fallible(row.name(), || Ok(row.make())).seed(seed).witness_dir(None).jobs(1)
}

fn measured(args: &PowerArgs, row: &'static Row) -> Result<Line, String> {
    let trial = |share: Option<Share>, seed: u64| {
        let suite = suite(row, seed).strict(true).until(row.breaks().iter().copied());
        let suite = match share {
            Some(share) => suite.alone(share, args.most as usize),
            None => suite,
        };
        Ok::<_, String>(kill(row, &suite.run()?))
    };
    let whole = (0..args.seeds).map(|seed| trial(None, seed)).collect::<Result<Trials, _>>()?;
    let mut shares = Vec::new();
    for share in SHARES.iter().filter(|_| !args.no_shares) {
        let mut trials = Trials::new();
        for seed in 0..args.seeds {
            // Half of the trials without a find settle both what is in the middle and what is worst.
            let lost = trials.iter().filter(|kill| kill.is_none()).count() as u64;
            let settled = lost * 2 > args.seeds;
            trials.push(if settled { None } else { trial(Some(*share), seed)? });
        }
        shares.push(trials);
    }
    Ok(Line { name: row.name(), id: row.breaks().first().copied().unwrap_or_default(), whole, shares })
}

/// What a run that ended at the first failure of a named id took, if it came to one.
fn kill(row: &Row, report: &Report) -> Option<Kill> {
    let fails = |verdict| matches!(verdict, Verdict::Fail | Verdict::Advice);
    let named = |id: &String| row.breaks().contains(&id.as_str());
    let broken = report.requirements.iter().filter(|row| fails(row.verdict) && named(&row.id));
    let broken = broken.min_by_key(|row| row.witness_steps.unwrap_or(usize::MAX))?;
    let cases: u64 = report.limits.iter().map(|limit| limit.cases).sum();
    Some(Kill {
        steps: report.steps + cases,
        histories: report.histories + cases,
        witness: broken.witness_steps.unwrap_or(0),
        shrinks: broken.shrink_executions,
    })
}

fn sound(args: &PowerArgs, rows: &[&'static Row]) -> Result<u8, Failure> {
    let (mut failed, mut runs) = (0, 0);
    let work = |row: &'static Row| {
        let mut wrong = Vec::new();
        for seed in 0..args.seeds {
            let report = suite(row, seed).effort(args.effort).run()?;
            if !report.passed() {
                let first = report.first.as_deref().unwrap_or("it could not be finished");
                wrong.push(format!("seed {seed}: {first}"));
            }
        }
        Ok((row.name(), wrong))
    };
    each(rows, work, |(name, wrong): (&str, Vec<String>)| {
        runs += args.seeds;
        failed += wrong.len();
        let told = if wrong.is_empty() { "passes".to_owned() } else { wrong.join("; ") };
        print(&format!("{name:<40} {told}\n"));
    })?;
    print(&format!(
        "\n{}, {} seeds each, effort {}: {failed} of {runs} runs failed\n",
        crate::text::counted(rows.len(), "sound candidate"),
        args.seeds,
        args.effort.name()
    ));
    Ok(u8::from(failed > 0))
}
