//! Runs a plan: drives, counts, shrinks, and sums up.

mod at_limit;
mod compare;
mod examine;
mod findings;
mod own;
pub(crate) mod record;
mod replay;
#[cfg(test)]
mod sweep;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

pub(crate) use examine::{Examined, Examiner, Suspect};
pub use replay::Replay;
pub(crate) use replay::{Draw, replay};
#[cfg(feature = "cli")]
pub(crate) use replay::{drawn, played};

use crate::heart::{Task, Watch};
use crate::turn::{self, Lane};
use record::{HistoryLine, Recorded, Results, Shard};

use crate::candidate::{Compactor, Error};
use crate::contract::Contract;
use crate::generate::{Budget, Effort, Planned, Share, plan};
use crate::history::History;
use crate::known::KnownFailures;
use crate::limit_case::LimitCase;
use crate::requirement::{Cause, Requirement, requirement, requirements};
use crate::trace::BreakKind;
use crate::verdict::{
    BrokenReport, CandidateInfo, PROTOCOL, Report, RequirementReport, SPEC_EDITION, ShareReport, Verdict,
};
use crate::witness::WitnessDir;

/// Makes candidates on any thread.
pub(crate) type Factory = Arc<dyn Fn() -> Result<Box<dyn Compactor>, Error> + Send + Sync>;

/// Told of each history that was played: how many so far, and of how many steps of the budget.
pub(crate) type Progress = Arc<dyn Fn(Tick) + Send + Sync>;

/// How far a run is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Tick {
    /// Histories played.
    pub histories: u64,
    /// Steps taken.
    pub steps: u64,
    /// Cases played at a limit; 0 while histories are played.
    pub cases: u64,
    /// Steps of the budget, or cases of it.
    pub budget: u64,
    /// Suspicions so far.
    pub suspects: u64,
    /// Whether the search is over and witnesses are being shrunk.
    pub shrinking: bool,
}

/// Everything that a run needs to know.
pub(crate) struct Setup {
    pub(crate) candidate: CandidateInfo,
    pub(crate) contract: Contract,
    pub(crate) make: Factory,
    pub(crate) seed: u64,
    pub(crate) effort: Effort,
    pub(crate) jobs: usize,
    /// Each job is two threads that take turns at the candidate.
    pub(crate) pairs: bool,
    pub(crate) only: Vec<String>,
    pub(crate) strict: bool,
    /// How long one call into the candidate may take before the run ends; none: the candidate sees to that itself.
    pub(crate) deadline: Option<Duration>,
    pub(crate) witness_dir: Option<PathBuf>,
    /// Where the candidate comes from, so that another one of the same name does not overwrite its witnesses.
    pub(crate) source: String,
    pub(crate) known: Option<KnownFailures>,
    pub(crate) progress: Option<Progress>,
    /// Set from outside: the run ends with what it has.
    pub(crate) stop: Arc<AtomicBool>,
    /// Asked now and then: why the candidate cannot be driven any longer, if it cannot.
    pub(crate) gave_up: Option<Arc<dyn Fn() -> Option<String> + Send + Sync>>,
    /// The run ends at the first failure of one of these ids.
    pub(crate) until: Vec<String>,
    /// This is played, and nothing else.
    pub(crate) given: Option<Given>,
    /// Of the plan this is played, and nothing else.
    pub(crate) shard: Shard,
    /// What each history shows goes here at once.
    pub(crate) results: Option<Arc<Results>>,
    /// What is known already, and not played.
    pub(crate) recorded: Option<Arc<Recorded>>,
}

impl Setup {
    /// Whether only a part of the plan is played.
    fn is_part(&self) -> bool {
        self.given.is_some() || self.shard != Shard::WHOLE
    }
}

/// What is played in the place of a search.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// A history.
    History(History),
    /// A case at a limit.
    Case(LimitCase),
}

/// A suspicion, and the history that raised it.
#[derive(Clone, Debug)]
pub(crate) struct Raised {
    pub(crate) suspect: Suspect,
    pub(crate) causes: BTreeSet<Cause>,
    pub(crate) planned: Planned,
}

/// What a search has seen.
#[derive(Debug, Default)]
struct Tally {
    exercised: Vec<u64>,
    shares: BTreeMap<Share, ShareReport>,
    histories: u64,
    steps: u64,
    raised: Vec<Raised>,
    broken: BTreeMap<BreakKind, (u64, String, Option<&'static str>)>,
    /// Histories of the plan, played or not.
    planned: u64,
    /// Why the search ended before its budget.
    cut_short: Option<String>,
    /// What was worked out during the search, where it ends at a failure; and how many suspicions were looked at.
    found: Vec<findings::Finding>,
    looked_at: usize,
}

/// Histories in which the candidate may break off before the search ends: a late answer costs its whole deadline.
fn patience(kind: BreakKind) -> u64 {
    if kind == BreakKind::Timeout { 12 } else { 100 }
}

/// Runs it.
pub(crate) fn run(setup: &Setup) -> Report {
    let wanted = |requirement: &&Requirement| setup.only.is_empty() || setup.only.iter().any(|id| id == requirement.id);
    let rows: Vec<&'static Requirement> = requirements().filter(wanted).collect();
    let claimed: Vec<&'static Requirement> =
        rows.iter().copied().filter(|requirement| requirement.applies(&setup.contract)).collect();
    let witnesses =
        setup.witness_dir.clone().map(|dir| WitnessDir::new(dir, &setup.candidate, &setup.contract, &setup.source));
    let mut report = empty_report(setup, &rows);
    let budget = Budget::new(setup.effort, setup.contract.weight);

    let mut tally = Tally { exercised: vec![0; claimed.len()], ..Tally::default() };
    let nothing = claimed.iter().all(|requirement| requirement.id == "ISO-4");
    let mut aborted = if nothing && setup.only.is_empty() {
        Some("the candidate claims nothing that this version checks; `plimsoll list` shows what it checks".to_owned())
    } else {
        None
    };
    aborted = aborted.or_else(|| search(setup, &claimed, budget, &mut tally, witnesses.as_ref()));
    let mut found = if fails_one_of(&setup.until, &tally.found) {
        std::mem::take(&mut tally.found)
    } else if aborted.is_none() {
        findings::work_out(setup, &claimed, budget, &tally.raised, &[], witnesses.as_ref(), &mut aborted)
    } else {
        Vec::new()
    };
    if aborted.is_some() {
        // What was not worked out any more counts as it was seen.
        let seen = findings::as_they_are(setup, &claimed, &tally.raised, witnesses.as_ref());
        let new: Vec<_> =
            seen.into_iter().filter(|seen| !found.iter().any(|other| other.suspect == seen.suspect)).collect();
        found.extend(new);
    }

    report.planned = tally.planned;
    report.histories = tally.histories;
    report.steps = tally.steps;
    report.shares = tally.shares.into_values().collect();
    report.aborted = aborted;
    report.cut_short.clone_from(&tally.cut_short);
    for row in &mut report.requirements {
        let Some(at) = claimed.iter().position(|requirement| requirement.id == row.id) else { continue };
        row.exercised = tally.exercised[at];
        let partly = report.aborted.is_some() || tally.cut_short.is_some() || setup.is_part();
        row.verdict = match (row.exercised, partly) {
            (0, true) => Verdict::NotReached,
            (0, false) => Verdict::Vacuous,
            _ => Verdict::Pass,
        };
    }
    findings::enter(&mut report, &found);
    if report.aborted.is_some() {
        findings::leave_open(&mut report, &claimed, &tally.raised, &found);
    }
    declared(&setup.contract, &mut report);
    for (kind, (histories, message, target)) in tally.broken {
        let verdict = Verdict::of_break(kind);
        let finding = found.iter().find(|finding| finding.suspect == Suspect::Broke(kind));
        let witness = finding.and_then(|finding| finding.witness.clone());
        let timeline = finding.and_then(|finding| finding.timeline.clone());
        let mut against = Vec::new();
        for row in &mut report.requirements {
            let here = target.map_or(row.id == "ISO-4", |id| row.id == id) || row.id == "ISO-4";
            if here && row.verdict != Verdict::Fail && row.verdict != Verdict::NotClaimed {
                row.verdict = verdict;
                row.reason = Some(format!("the candidate broke off: {}", kind.name()));
                row.detail = Some(message.clone());
                row.witness.clone_from(&witness);
                against.push(row.id.clone());
            }
        }
        report.broken.push(BrokenReport { verdict, histories, message, witness, timeline, against, of: None });
    }
    if report.aborted.is_none() && !fails_one_of(&setup.until, &found) {
        report.aborted = at_limit::run(setup, &claimed, witnesses.as_ref(), &mut report);
    }
    if report.aborted.is_some() || setup.is_part() {
        let at_limit = |id: &str| requirement(id).is_some_and(|requirement| requirement.check.side().is_some());
        let rows = report.requirements.iter_mut().filter(|row| row.verdict == Verdict::Vacuous && at_limit(&row.id));
        rows.for_each(|row| row.verdict = Verdict::NotReached);
    }
    if let Some(results) = setup.results.as_ref().filter(|_| report.aborted.is_none()) {
        results.end();
    }
    if let Some(known) = &setup.known {
        known.apply(&mut report, setup.shard != Shard::WHOLE);
    }
    findings::fold(&mut report);
    report.settle();
    report
}

/// What a panic says.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked".to_owned())
}

/// Whether one of the findings breaks one of `ids`.
fn fails_one_of(ids: &[String], found: &[findings::Finding]) -> bool {
    found.iter().any(|finding| ids.iter().any(|id| finding.ids.contains(&id.as_str())))
}

/// What a contract declares and the specification forbids: it fails without a single step.
fn declared(contract: &Contract, report: &mut Report) {
    let absorbing =
        contract.latch().is_some_and(|latch| latch.reopen_growth.is_none() && latch.reopen_after_s.is_none());
    let Some(row) = report.requirements.iter_mut().find(|row| row.id == "LAT-2").filter(|_| absorbing) else { return };
    row.verdict = Verdict::Fail;
    row.exercised = row.exercised.max(1);
    row.reason = Some("declared absorbing".to_owned());
    row.detail = Some(
        "the contract has neither `latch.reopen_growth` nor `latch.reopen_after_s`: its latch is for ever".to_owned(),
    );
    (row.witness, row.witness_steps, row.timeline) = (None, None, None);
}

fn empty_report(setup: &Setup, rows: &[&'static Requirement]) -> Report {
    let row = |requirement: &&'static Requirement| RequirementReport {
        id: requirement.id.to_owned(),
        level: requirement.level.name().to_owned(),
        verdict: Verdict::NotClaimed,
        exercised: 0,
        reason: None,
        witness: None,
        witness_steps: None,
        detail: None,
        folded_under: None,
        note: None,
        shrink_executions: 0,
        timeline: None,
    };
    Report {
        format: 1,
        spec: SPEC_EDITION.to_owned(),
        suite: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: PROTOCOL,
        candidate: setup.candidate.clone(),
        contract: serde_json::to_value(&setup.contract).unwrap_or_default(),
        seed: setup.seed,
        effort: setup.effort.name().to_owned(),
        planned: 0,
        histories: 0,
        steps: 0,
        passed: false,
        first: None,
        requirements: rows.iter().map(row).collect(),
        filter: setup.only.clone(),
        strict: setup.strict,
        shares: Vec::new(),
        limits: Vec::new(),
        broken: Vec::new(),
        aborted: None,
        cut_short: None,
        known_problems: Vec::new(),
        witness_dir: setup.witness_dir.clone(),
    }
}

/// What has been dealt to each of two threads, with its number.
type Hands = Arc<Mutex<[VecDeque<(usize, Planned)>; 2]>>;

type Source = Arc<Mutex<Box<dyn Iterator<Item = (usize, Planned)> + Send>>>;

/// Where a thread of a search gets its histories from.
struct Dealt {
    source: Source,
    /// Those that have been dealt to each of two threads that take turns, and which of the two this one is.
    hands: Option<(Hands, usize)>,
}

impl Dealt {
    fn next(&self) -> Option<(usize, Planned)> {
        let drawn = || self.source.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some((hands, mine)) = &self.hands else { return drawn() };
        let mut hands = hands.lock().unwrap_or_else(PoisonError::into_inner);
        // One for each, whoever asks first.
        if hands[*mine].is_empty() {
            for hand in hands.iter_mut() {
                hand.extend(drawn());
            }
        }
        hands[*mine].pop_front()
    }
}

/// The threads of a job: one, or two that take turns.
fn lanes(source: &Source, pairs: bool) -> Vec<(Dealt, Option<Lane>)> {
    if !pairs {
        return vec![(Dealt { source: Arc::clone(source), hands: None }, None)];
    }
    let hands = Arc::new(Mutex::default());
    let dealt = |mine| Dealt { source: Arc::clone(source), hands: Some((Arc::clone(&hands), mine)) };
    turn::pair().into_iter().enumerate().map(|(mine, lane)| (dealt(mine), Some(lane))).collect()
}

/// Plays the plan on several threads and takes the results in order. Why it ended early, if it did.
fn search(
    setup: &Setup,
    claimed: &[&'static Requirement],
    budget: Budget,
    tally: &mut Tally,
    witnesses: Option<&WitnessDir>,
) -> Option<String> {
    let planned: Box<dyn Iterator<Item = Planned> + Send> = match &setup.given {
        Some(Given::History(history)) => {
            Box::new(std::iter::once(Planned { share: Share::Directed, target: None, history: history.clone() }))
        }
        Some(Given::Case(_)) => Box::new(std::iter::empty()),
        None => Box::new(plan(&setup.contract, setup.seed, budget, setup.only.clone())),
    };
    let shard = setup.shard;
    let mine = planned.enumerate().filter(move |(at, _)| shard.has(*at)).map(|(_, planned)| planned);
    let source: Source = Arc::new(Mutex::new(Box::new(mine.enumerate())));
    let (to, from) = mpsc::sync_channel::<(usize, Planned, Examined)>(256);
    let halt = Arc::new(AtomicBool::new(false));
    let handed = Arc::new(AtomicUsize::new(0));
    let watch = Watch::new(setup.deadline);
    let mut workers = Vec::new();
    let pairs = (0..setup.jobs.max(1)).flat_map(|_| lanes(&source, setup.pairs));
    for (worker, (source, lane)) in pairs.enumerate() {
        let (to, halt, handed) = (to.clone(), Arc::clone(&halt), Arc::clone(&handed));
        let (contract, make, claimed) = (setup.contract.clone(), Arc::clone(&setup.make), claimed.to_vec());
        let (heart, recorded) = (watch.heart(), setup.recorded.clone());
        let work = move || {
            heart.install();
            lane.into_iter().for_each(Lane::install);
            let examiner = Examiner { contract: &contract, make: &*make, requirements: &claimed };
            while !halt.load(Ordering::Relaxed) {
                let Some((at, planned)) = source.next() else { break };
                handed.fetch_max(at + 1, Ordering::Relaxed);
                heart.begin(Task::History(planned.clone()));
                let known = recorded.as_ref().and_then(|recorded| recorded.history(shard.global(at), claimed.len()));
                let examined = known.unwrap_or_else(|| {
                    std::panic::catch_unwind(AssertUnwindSafe(|| examiner.examine(&planned)))
                        .unwrap_or_else(|panic| Examined::harness(claimed.len(), &panic_text(panic.as_ref())))
                });
                if to.send((at, planned, examined)).is_err() {
                    break;
                }
            }
            turn::leave();
        };
        let spawned = std::thread::Builder::new().name(format!("plimsoll-{worker}")).stack_size(8 << 20).spawn(work);
        match spawned {
            Ok(worker) => workers.push(worker),
            Err(error) => return Some(format!("cannot start a thread: {error}")),
        }
    }
    drop(to);

    let mut waiting: BTreeMap<usize, (Planned, Examined)> = BTreeMap::new();
    let mut next = 0;
    let mut ended = None;
    loop {
        match from.recv_timeout(Duration::from_millis(100)) {
            // What comes after an interruption was cut short by it.
            Ok(_) if setup.stop.load(Ordering::Relaxed) => {}
            Ok((at, planned, examined)) => {
                waiting.insert(at, (planned, examined));
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                if let Some(Task::History(planned)) = watch.stuck() {
                    let slug = format!("stuck-{}", planned.target.unwrap_or(planned.share.name()));
                    let text = findings::raw(setup, &planned, &[], "the candidate did not return");
                    let file = witnesses
                        .map(|dir| (dir, dir.name(&slug)))
                        .filter(|(dir, name)| dir.write(name, &text).is_ok());
                    let file = file
                        .map(|(dir, name)| format!("; the history: {}", dir.path(&name).display()))
                        .unwrap_or_default();
                    let target =
                        planned.target.map_or(planned.share.name().to_owned(), |id| format!("directed at {id}"));
                    let seconds = setup.deadline.unwrap_or_default().as_secs_f64();
                    ended =
                        Some(format!("the candidate did not return within {seconds} s in a history ({target}){file}"));
                }
            }
        }
        while tally.cut_short.is_none()
            && let Some((planned, examined)) = waiting.remove(&next)
        {
            if let Some(results) = &setup.results {
                results.history(HistoryLine::new(shard.global(next), &examined));
            }
            next += 1;
            take(setup, tally, planned, examined, witnesses);
            if !setup.until.is_empty() {
                look(setup, claimed, budget, tally, witnesses, &mut ended);
            }
            if let Some(progress) = &setup.progress {
                let (histories, steps, suspects) = (tally.histories, tally.steps, tally.raised.len() as u64);
                progress(Tick { histories, steps, cases: 0, budget: budget.steps as u64, suspects, shrinking: false });
            }
        }
        if setup.stop.load(Ordering::Relaxed) {
            ended = Some("the run was interrupted".to_owned());
        }
        if let Some(why) = setup.gave_up.as_ref().and_then(|gave_up| gave_up()) {
            ended = Some(why);
        }
        if let Some(error) = setup.results.as_ref().and_then(|results| results.error()) {
            ended = Some(format!("the results cannot be written: {error}"));
        }
        if ended.is_some() || tally.cut_short.is_some() {
            break;
        }
    }
    halt.store(true, Ordering::Relaxed);
    if tally.cut_short.is_none() {
        for (at, (planned, examined)) in waiting {
            if let Some(results) = &setup.results {
                results.history(HistoryLine::new(shard.global(at), &examined));
            }
            take(setup, tally, planned, examined, witnesses);
        }
    }
    let rest = source.lock().unwrap_or_else(PoisonError::into_inner).by_ref().last();
    tally.planned = rest.map_or(handed.load(Ordering::Relaxed), |(at, _)| at + 1) as u64;
    if setup.deadline.is_none() {
        // Candidates that keep their deadline return: their children end with the run. One that never returns keeps its
        // thread, and nobody waits for it.
        drop(from);
        for worker in workers {
            let _ = worker.join();
        }
    }
    ended
}

/// Works out new suspicions at once, where the run ends at the first failure of certain ids.
fn look(
    setup: &Setup,
    claimed: &[&'static Requirement],
    budget: Budget,
    tally: &mut Tally,
    witnesses: Option<&WitnessDir>,
    ended: &mut Option<String>,
) {
    let awaited = |raised: &&Raised| match raised.suspect {
        Suspect::Observed(at, _) | Suspect::Differed(at) => setup.until.iter().any(|id| id == claimed[at].id),
        Suspect::Decided(_) => true,
        Suspect::Broke(_) => false,
    };
    let new: Vec<Raised> = tally.raised[tally.looked_at..].iter().filter(awaited).cloned().collect();
    tally.looked_at = tally.raised.len();
    let found = findings::work_out(setup, claimed, budget, &new, &tally.found, witnesses, ended);
    tally.found.extend(found);
    if fails_one_of(&setup.until, &tally.found) {
        tally.cut_short =
            Some("one of the requirements that the run was to end at has failed; the rest was not played".to_owned());
    }
}

/// At most so many histories are kept for one suspicion.
const KEPT: usize = 40;

fn take(setup: &Setup, tally: &mut Tally, planned: Planned, examined: Examined, witnesses: Option<&WitnessDir>) {
    tally.histories += 1;
    tally.steps += examined.steps;
    for (sum, more) in tally.exercised.iter_mut().zip(&examined.exercised) {
        *sum += more;
    }
    let share = tally.shares.entry(planned.share).or_default();
    planned.share.name().clone_into(&mut share.share);
    share.histories += 1;
    share.steps += examined.steps;
    share.found += u64::from(!examined.suspects.is_empty());
    if let Some((kind, message)) = examined.broken {
        let entry = tally.broken.entry(kind).or_insert((0, message, planned.target));
        entry.0 += 1;
        if entry.0 >= patience(kind) {
            tally.cut_short = Some(format!(
                "the candidate broke off in {} histories ({}); the rest was not played",
                entry.0,
                kind.name()
            ));
        }
    }
    for (suspect, causes) in examined.suspects {
        let alike = tally.raised.iter().filter(|raised| raised.suspect == suspect).count();
        let explained = tally.raised.iter().any(|raised| raised.suspect == suspect && raised.causes.is_subset(&causes));
        if alike >= KEPT || (explained && planned.share != Share::Directed && alike >= 3) {
            continue;
        }
        if alike == 0
            && let Some(dir) = witnesses
        {
            // On disk before anything is shrunk: nothing that follows can lose it.
            let text = findings::raw(setup, &planned, &[], "found, not shrunk yet");
            let _ = dir.write(&dir.name(&findings::slug(&suspect, setup)), &text);
        }
        tally.raised.push(Raised { suspect, causes, planned: planned.clone() });
    }
}

#[cfg(test)]
mod tests;
