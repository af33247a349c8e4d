//! `plimsoll merge`: the parts of a run, as one report.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::candidates::Candidate;
use super::check::{interrupted, write_json};
use super::screen::{Failure, cannot, print, usage};
use super::{CandidateArgs, MergeArgs};
use crate::report::escaped;
use crate::runner::record::{FORMAT, Header, Line, Recorded, Shard};
use crate::runner::{Setup, run};
use crate::{Compactor, Contract, Effort, Error, KnownFailures, TextReport};

pub(super) fn merge(args: &MergeArgs) -> Result<u8, Failure> {
    let parts = Parts::read(&args.results)?;
    let contract = Contract::from_value(parts.header.contract.clone())
        .map_err(|error| cannot(format!("the contract of the results: {error}")))?;
    let candidate = parts.candidate(&args.candidate, &contract)?;
    let known = args.known.as_deref().map(KnownFailures::load).transpose().map_err(cannot)?;
    let Header { candidate: info, source, seed, effort, filter, strict, .. } = parts.header.clone();
    let effort = Effort::ALL.iter().find(|known| known.name() == effort);
    let effort = *effort.ok_or_else(|| cannot("the results are of an effort that this version does not know"))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let nobody = || Err(Error::raised("there is no candidate"));
    let (make, gave_up, by_command): (crate::runner::Factory, _, _) = match &candidate {
        None => (Arc::new(nobody), None, false),
        Some(Candidate::BuiltIn(_, make)) => {
            let make = Arc::clone(make);
            (Arc::new(move || Ok(make())), None, false)
        }
        Some(Candidate::Command(_, launcher)) => {
            let (lease, gave_up) = (launcher.clone(), launcher.clone());
            let gave_up: Arc<dyn Fn() -> Option<String> + Send + Sync> = Arc::new(move || gave_up.gave_up());
            (Arc::new(move || Ok(Box::new(lease.lease()?) as Box<dyn Compactor>)), Some(gave_up), true)
        }
    };
    let setup = Setup {
        candidate: info,
        contract,
        make,
        seed,
        effort,
        jobs: args.jobs.map_or(cores, usize::from),
        only: filter,
        strict,
        deadline: (!by_command).then_some(args.candidate.timeout),
        witness_dir: Some(args.witness_dir.clone()),
        source,
        known,
        progress: None,
        stop: interrupted(),
        gave_up,
        until: Vec::new(),
        given: None,
        shard: Shard::WHOLE,
        results: None,
        recorded: Some(Arc::new(parts.recorded)),
    };
    let report = run(&setup);
    drop(setup);
    let (before, after) = candidate.as_ref().map(Candidate::replay).unwrap_or_default();
    if args.quiet {
        print(&format!("{}\n", report.closing_line()));
    } else {
        print(&TextReport::new(&report).replay(before, after).to_string());
    }
    candidate.into_iter().for_each(Candidate::let_go);
    if let Some(path) = &args.json {
        write_json(&report, path)?;
    }
    Ok(report.exit_code())
}

/// What stands in the files.
struct Parts {
    header: Header,
    recorded: Recorded,
    /// Whether something was found.
    found: bool,
    /// Parts that are not there, or not as a whole.
    missing: Vec<u32>,
}

impl Parts {
    fn read(paths: &[impl AsRef<Path>]) -> Result<Self, Failure> {
        let mut parts: Option<(Self, &Path)> = None;
        let (mut here, mut whole) = (BTreeSet::new(), BTreeSet::new());
        for path in paths.iter().map(AsRef::as_ref) {
            let unreadable = |error: std::io::Error| cannot(format!("cannot read {}: {error}", path.display()));
            let mut lines = BufReader::new(File::open(path).map_err(unreadable)?).lines();
            let first = lines.next().transpose().map_err(unreadable)?.unwrap_or_default();
            let header = header(path, &first)?;
            let shard = header.shard;
            let (parts, _) = match &mut parts {
                None => {
                    let (recorded, missing) = (Recorded::default(), Vec::new());
                    parts.insert((Self { header, recorded, found: false, missing }, path))
                }
                Some((known, other)) => {
                    same(&known.header, other, &header, path)?;
                    parts.as_mut().ok_or_else(|| cannot("no part was read"))?
                }
            };
            if !here.insert(shard.number) {
                return Err(cannot(format!("{}: part {} is there twice", path.display(), shard.number)));
            }
            let mut lines = lines.enumerate().peekable();
            while let Some((at, line)) = lines.next() {
                let line = line.map_err(unreadable)?;
                match serde_json::from_str(&line) {
                    Ok(Line::End {}) => _ = whole.insert(shard.number),
                    Ok(read) => parts.take(read, line.into_boxed_str()),
                    // Whoever was killed while it wrote has left half a line.
                    Err(_) if lines.peek().is_none() => break,
                    Err(error) => {
                        return Err(cannot(format!("{}, line {}: {error}", path.display(), at + 2)));
                    }
                }
            }
        }
        let (mut parts, _) = parts.ok_or_else(|| usage("no results are named"))?;
        parts.missing = (1..=parts.header.shard.of).filter(|number| !whole.contains(number)).collect();
        Ok(parts)
    }

    fn take(&mut self, line: Line, text: Box<str>) {
        match line {
            Line::History(line) => {
                self.found |= line.found();
                self.recorded.histories.insert(line.at, text);
            }
            Line::Side(side) => _ = self.recorded.sides.insert(side.side, *side),
            Line::End {} => {}
        }
    }

    /// The candidate, where it is needed.
    fn candidate(&self, args: &CandidateArgs, contract: &Contract) -> Result<Option<Candidate>, Failure> {
        let named = args.candidate.is_some() || !args.command.is_empty();
        let built_in = self.header.built_in.clone();
        if !named && built_in.is_none() {
            let source = escaped(&self.header.source);
            let of = self.header.shard.of;
            return match (&self.missing[..], self.found) {
                ([], false) => Ok(None),
                ([], true) => Err(cannot(format!(
                    "something was found, and is made smaller by playing it again: name the candidate, as in \
                     `plimsoll merge ... -- {source}`"
                ))),
                ([first, ..], _) => Err(cannot(format!(
                    "part {first} of {of} is not there, or was not finished: name its file; or the candidate, as in \
                     `plimsoll merge ... -- {source}`, and what is missing is played"
                ))),
            };
        }
        let args = CandidateArgs {
            candidate: args.candidate.clone().or(built_in.filter(|_| args.command.is_empty())),
            command: args.command.clone(),
            ..*args
        };
        let candidate = Candidate::of(&args, Some(contract), &interrupted())?;
        let introduced = match &candidate {
            Candidate::BuiltIn(_, make) => make().name(),
            Candidate::Command(_, launcher) => launcher.lease().map(|child| child.name()).unwrap_or_default(),
        };
        if introduced != self.header.candidate.name {
            let (was, is) = (escaped(&self.header.candidate.name), escaped(&introduced));
            return Err(cannot(format!("the results are those of {was}, and the candidate is {is}")));
        }
        Ok(Some(candidate))
    }
}

fn header(path: &Path, line: &str) -> Result<Header, Failure> {
    let none = |why: &str| cannot(format!("{} is no file of results: {why}", path.display()));
    let value: Value = serde_json::from_str(line).map_err(|error| none(&error.to_string()))?;
    if value["plimsoll"] != "results" {
        return Err(none("`plimsoll check --results` writes one"));
    }
    if value["format"] != FORMAT {
        return Err(none(&format!("it has format {}, and this version reads format {FORMAT}", value["format"])));
    }
    let header: Header = serde_json::from_value(value).map_err(|error| none(&error.to_string()))?;
    let Shard { number, of } = header.shard;
    if number == 0 || number > of {
        return Err(none(&format!("it is part {number} of {of}")));
    }
    Ok(header)
}

/// An error, unless both are of the same run.
fn same(one: &Header, one_path: &Path, other: &Header, other_path: &Path) -> Result<(), Failure> {
    let shown = |header: &Header| {
        let mut value = serde_json::to_value(header).unwrap_or_default();
        value["shard"] = Value::from(header.shard.of);
        value
    };
    let (one, other) = (shown(one), shown(other));
    let mut members = one.as_object().into_iter().flatten();
    let Some((name, value)) = members.find(|(name, value)| other[name.as_str()] != **value) else { return Ok(()) };
    let other = &other[name.as_str()];
    let differs = match value.is_object() || other.is_object() {
        true => String::new(),
        false => format!(": {} and {}", escaped(&value.to_string()), escaped(&other.to_string())),
    };
    let name = if name == "shard" { "number of parts" } else { name };
    let (one, other) = (one_path.display(), other_path.display());
    Err(cannot(format!("{one} and {other} are of different runs: they differ in the {name}{differs}")))
}
