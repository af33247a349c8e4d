//! `plimsoll merge`: the parts of a run, as one report.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::candidates::{Candidate, escaped_lines};
use super::check::interrupted;
use super::files::is_no_folder;
use super::forms::Files;
use super::screen::{Failure, cannot, usage};
use super::{CandidateArgs, MergeArgs};
use crate::report::escaped;
use crate::runner::record::{FORMAT, Header, Line, PARTS_MAX, Recorded, Shard};
use crate::runner::{Given, Setup, run};
use crate::verdict::{CandidateInfo, SPEC_EDITION};
use crate::{Capability, Compactor, Contract, Effort, Error, KnownFailures, Witness};

pub(super) fn merge(args: &MergeArgs) -> Result<u8, Failure> {
    let known = args.known.as_deref().map(|path| ("--known", path));
    let parts = args.results.iter().map(|path| ("RESULTS", path.as_path()));
    let files = Files {
        forms: &args.forms,
        json: args.json.as_deref(),
        others: known.into_iter().chain(parts).collect(),
        folders: vec![("--witness-dir", args.witness_dir.as_path())],
        command: &args.candidate.command,
    };
    files.ready()?;
    args.results.iter().try_for_each(|path| is_no_folder(path))?;
    let parts = Parts::read(&args.results)?;
    let contract = Contract::from_value(parts.header.contract.clone())
        .map_err(|error| cannot(format!("the contract of the results: {error}")))?;
    let candidate = parts.candidate(&args.candidate, &contract)?;
    let known = match &args.known {
        Some(path) => KnownFailures::load(path).map_err(cannot)?,
        // The whole was to be held to these.
        None => KnownFailures::from_values(&parts.header.known)
            .map_err(|error| cannot(format!("the known failures of the results: {error}")))?,
    };
    let first: Result<Vec<Witness>, String> = parts.header.first.iter().map(|text| Witness::parse(text)).collect();
    let first = first.map_err(|error| cannot(format!("the witnesses that the results begin with: {error}")))?;
    let found_before = first.iter().flat_map(|witness| witness.requirements.clone()).collect();
    let first = first.into_iter().map(Given::of).collect();
    let Header { candidate: info, source, seed, effort, filter, strict, .. } = parts.header.clone();
    let effort = Effort::ALL.iter().find(|known| known.name() == effort);
    let effort = *effort.ok_or_else(|| cannot("the results are of an effort that this version does not know"))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let asked = Arc::new(AtomicBool::new(false));
    let nobody = {
        let asked = Arc::clone(&asked);
        move || {
            asked.store(true, Ordering::Relaxed);
            Err(Error::raised("there is no candidate"))
        }
    };
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
        pairs: by_command,
        only: filter,
        strict,
        deadline: (!by_command).then_some(args.candidate.timeout),
        witness_dir: Some(args.witness_dir.clone()),
        source,
        known: Some(known),
        progress: None,
        stop: interrupted(),
        gave_up,
        until: Vec::new(),
        given: None,
        first,
        found_before,
        shard: Shard::WHOLE,
        alone: None,
        results: None,
        recorded: Some(Arc::new(parts.recorded)),
    };
    let report = run(&setup);
    drop(setup);
    if asked.load(Ordering::Relaxed) {
        // Nobody is blamed for what nobody has played.
        return Err(cannot(format!("the results lack something that is to be played: {WAY_OUT}")));
    }
    let (before, after) = candidate.as_ref().map(Candidate::replay).unwrap_or_default();
    let delivered = files.deliver(&report, (before, after), None, args.quiet);
    candidate.into_iter().for_each(Candidate::let_go);
    delivered?;
    Ok(report.exit_code())
}

/// What to do about a part that is not there as a whole.
const WAY_OUT: &str = "play the part again with the `plimsoll check` that wrote it; or name the candidate, as in \
                       `plimsoll merge ... -- COMMAND`, and what is missing is played";

/// What stands in the files.
struct Parts {
    header: Header,
    recorded: Recorded,
    /// Whether something was found.
    found: bool,
    /// What the first part that is not there, or not as a whole, lacks.
    missing: Option<String>,
}

impl Parts {
    fn read(paths: &[impl AsRef<Path>]) -> Result<Self, Failure> {
        let mut parts: Option<(Self, &Path)> = None;
        let mut here: BTreeMap<u32, Option<String>> = BTreeMap::new();
        for path in paths.iter().map(AsRef::as_ref) {
            let unreadable = |error: std::io::Error| cannot(format!("cannot read {}: {error}", path.display()));
            let mut lines = BufReader::new(File::open(path).map_err(unreadable)?);
            let first = next_line(&mut lines).map_err(unreadable)?.unwrap_or_default();
            let header = header(path, &first)?;
            let shard = header.shard;
            let (parts, _) = match &mut parts {
                None => {
                    let (recorded, missing) = (Recorded::default(), None);
                    parts.insert((Self { header, recorded, found: false, missing }, path))
                }
                Some((known, other)) => {
                    same(&known.header, other, &header, path)?;
                    parts.as_mut().ok_or_else(|| cannot("no part was read"))?
                }
            };
            if here.contains_key(&shard.number) {
                return Err(cannot(format!("{}: part {} is there twice", path.display(), shard.number)));
            }
            let (mut part, mut number) = (Part::new(shard), 1);
            while let Some(line) = next_line(&mut lines).map_err(unreadable)? {
                number += 1;
                let wrong =
                    |why: &str| cannot(format!("{}, line {number}: {why}; play the part again", path.display()));
                match serde_json::from_slice(&line) {
                    Ok(read) => {
                        part.take(&read).map_err(|why| wrong(&why))?;
                        // What JSON was read from is text.
                        parts.take(read, String::from_utf8_lossy(&line).trim_end().into());
                    }
                    // Whoever was killed while it wrote has left half a line, the last one.
                    Err(error) if error.is_eof() && !line.ends_with(b"\n") => break,
                    Err(_) => return Err(wrong(no_line(&line))),
                }
            }
            here.insert(shard.number, part.lacks().map(|lacks| format!("{}: {lacks}", path.display())));
        }
        let (mut parts, _) = parts.ok_or_else(|| usage("no results are named"))?;
        let of = parts.header.shard.of;
        parts.missing = (1..=of).find_map(|number| match here.remove(&number) {
            None => Some(format!("part {number} of {of} is not there: name its file")),
            Some(lacks) => lacks.map(|lacks| format!("{lacks} of part {number} of {of}")),
        });
        Ok(parts)
    }

    fn take(&mut self, line: Line, text: Box<str>) {
        match line {
            Line::History(line) => {
                self.found |= line.found();
                self.recorded.histories.insert(line.at, text);
            }
            Line::Side(side) => _ = self.recorded.sides.insert(side.side, *side),
            Line::End { .. } => {}
        }
    }

    /// The candidate, where it is needed.
    fn candidate(&self, args: &CandidateArgs, contract: &Contract) -> Result<Option<Candidate>, Failure> {
        let named = args.candidate.is_some() || !args.command.is_empty();
        let built_in = self.header.built_in.clone();
        if !named && built_in.is_none() {
            let source = escaped(&self.header.source);
            return match (&self.missing, self.found) {
                (None, false) => Ok(None),
                (None, true) => Err(cannot(format!(
                    "something was found, and is made smaller by playing it again: name the candidate, as in \
                     `plimsoll merge ... -- {source}`"
                ))),
                (Some(missing), _) => Err(cannot(format!(
                    "{missing}; or play the part again with the `plimsoll check` that wrote it; or name the candidate, \
                     as in `plimsoll merge ... -- {source}`, and what is missing is played"
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
            Candidate::BuiltIn(_, make) => {
                let candidate = make();
                CandidateInfo { name: candidate.name(), version: candidate.version() }
            }
            Candidate::Command(_, launcher) => {
                let child = launcher.lease().map_err(|error| cannot(escaped_lines(&error.to_string())))?;
                CandidateInfo { name: child.name(), version: child.version() }
            }
        };
        if introduced != self.header.candidate {
            let shown = |info: &CandidateInfo| escaped(format!("{} {}", info.name, info.version).trim());
            let (was, is) = (shown(&self.header.candidate), shown(&introduced));
            return Err(cannot(format!("the results are those of {was}, and the candidate is {is}")));
        }
        Ok(Some(candidate))
    }
}

/// What a file has of its part.
struct Part {
    shard: Shard,
    histories: BTreeSet<usize>,
    sides: BTreeSet<Capability>,
    /// How many of each there were when it was finished.
    end: Option<(u64, u64)>,
}

impl Part {
    fn new(shard: Shard) -> Self {
        Self { shard, histories: BTreeSet::new(), sides: BTreeSet::new(), end: None }
    }

    fn take(&mut self, line: &Line) -> Result<(), String> {
        let Shard { number, of } = self.shard;
        match line {
            Line::History(line) if !self.shard.has(line.at) => {
                return Err(format!("history {} is not of part {number} of {of}", line.at));
            }
            Line::History(line) => _ = self.histories.insert(line.at),
            Line::Side(line) => _ = self.sides.insert(line.side),
            Line::End { histories, sides } => self.end = Some((*histories, *sides)),
        }
        Ok(())
    }

    /// What is missing, if anything: the first histories are there up to the number that the last line tells.
    fn lacks(&self) -> Option<String> {
        let Some((histories, sides)) = self.end else { return Some("it lacks the end".to_owned()) };
        let first = (0..histories).take_while(|at| self.histories.contains(&self.shard.global(*at as usize))).count();
        if (first as u64) < histories {
            return Some(format!("it lacks histories, number {} the first,", self.shard.global(first)));
        }
        let lacking = sides.saturating_sub(self.sides.len() as u64);
        (lacking > 0).then(|| format!("it lacks {lacking} of {sides} sides at a limit"))
    }
}

/// The next line with its end, if it has one.
fn next_line(file: &mut impl BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    Ok((file.read_until(b'\n', &mut line)? > 0).then_some(line))
}

/// Why a line is none of results.
fn no_line(line: &[u8]) -> &'static str {
    match serde_json::from_slice::<serde::de::IgnoredAny>(line) {
        Ok(_) => "it is JSON, and no line of results",
        Err(_) => "it is not JSON, or only a part of it",
    }
}

fn header(path: &Path, line: &[u8]) -> Result<Header, Failure> {
    let none = |why: &str| cannot(format!("{} is no file of results: {why}", path.display()));
    if line.is_empty() {
        return Err(none("it is empty"));
    }
    if line.starts_with(b"\xef\xbb\xbf") || line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff") {
        return Err(none(
            "it begins with a byte order mark, which some editor has put there: take the file as it was written",
        ));
    }
    let value: Value = serde_json::from_slice(line)
        .map_err(|_| none("its first line is not JSON; `plimsoll check --results` writes one"))?;
    if value["plimsoll"] != "results" {
        return Err(none("`plimsoll check --results` writes one"));
    }
    if value["format"] != FORMAT {
        return Err(none(&format!("it has format {}, and this version reads format {FORMAT}", value["format"])));
    }
    let header: Header = serde_json::from_value(value)
        .map_err(|error| none(&format!("what its first line says of the run cannot be read ({error})")))?;
    // Another version plays another plan, and numbers it differently.
    let version = (env!("CARGO_PKG_VERSION"), SPEC_EDITION);
    if (header.suite.as_str(), header.spec.as_str()) != version {
        return Err(cannot(format!(
            "{} was written by suite {}, specification {}, and this is suite {}, specification {}: merge it with the \
             version that wrote it",
            path.display(),
            escaped(&header.suite),
            escaped(&header.spec),
            version.0,
            version.1
        )));
    }
    let Shard { number, of } = header.shard;
    if number == 0 || number > of || of > PARTS_MAX {
        return Err(none(&format!("it is part {number} of {of}, and {PARTS_MAX} are the most")));
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
