//! Plays the plan on several threads, and takes what they show in its order.

use std::collections::{BTreeMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use super::record::HistoryLine;
use super::{Examined, Examiner, Given, Raised, Setup, Suspect, Tick, fails_one_of, findings, panic_text};
use crate::generate::{Budget, Planned, Share, plan, share_of};
use crate::heart::{Task, Watch};
use crate::patience;
use crate::requirement::Requirement;
use crate::trace::BreakKind;
use crate::turn::{self, Lane};
use crate::verdict::ShareReport;
use crate::witness::WitnessDir;

/// What a search has seen.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) exercised: Vec<u64>,
    pub(super) shares: BTreeMap<Share, ShareReport>,
    pub(super) histories: u64,
    pub(super) steps: u64,
    /// In how many steps the candidate raised an error, and the first.
    pub(super) errors: Option<(u64, String)>,
    pub(super) raised: Vec<Raised>,
    pub(super) broken: BTreeMap<BreakKind, (u64, String, Option<&'static str>)>,
    /// Histories of the plan, played or not.
    pub(super) planned: u64,
    /// Why the search ended before its budget.
    pub(super) cut_short: Option<String>,
    /// What was worked out during the search, where it ends at a failure; and how many suspicions were looked at.
    pub(super) found: Vec<findings::Finding>,
    pub(super) looked_at: usize,
}

/// Histories in which the candidate may break off in one way before the search ends.
const BREAKS: u64 = 100;

/// What has been dealt to each of two threads, with its number.
type Hands = Arc<Mutex<[VecDeque<(usize, Planned)>; 2]>>;

type Source = Arc<Mutex<Box<dyn Iterator<Item = (usize, Planned)> + Send>>>;

/// Where a thread of a search gets its histories from.
struct Dealt {
    source: Source,
    /// How many were drawn from it so far.
    handed: Arc<AtomicUsize>,
    /// Those that have been dealt to each of two threads that take turns, and which of the two this one is.
    hands: Option<(Hands, usize)>,
}

impl Dealt {
    fn next(&self) -> Option<(usize, Planned)> {
        let drawn = || {
            let drawn = self.source.lock().unwrap_or_else(PoisonError::into_inner).next();
            drawn.inspect(|(at, _)| {
                self.handed.fetch_max(at + 1, Ordering::Relaxed);
            })
        };
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
fn lanes(source: &Source, handed: &Arc<AtomicUsize>, pairs: bool) -> Vec<(Dealt, Option<Lane>)> {
    if !pairs {
        return vec![(Dealt { source: Arc::clone(source), handed: Arc::clone(handed), hands: None }, None)];
    }
    let hands = Arc::new(Mutex::default());
    let dealt = |mine| Dealt {
        source: Arc::clone(source),
        handed: Arc::clone(handed),
        hands: Some((Arc::clone(&hands), mine)),
    };
    turn::pair().into_iter().enumerate().map(|(mine, lane)| (dealt(mine), Some(lane))).collect()
}

/// Plays the plan on several threads and takes the results in order. Why it ended early, if it did.
pub(super) fn search(
    setup: &Setup,
    claimed: &[&'static Requirement],
    budget: Budget,
    tally: &mut Tally,
    witnesses: Option<&WitnessDir>,
) -> Option<String> {
    let planned: Box<dyn Iterator<Item = Planned> + Send> = match (&setup.given, setup.alone) {
        (Some(Given::History(history)), _) => {
            Box::new(std::iter::once(Planned { share: Share::Directed, target: None, history: history.clone() }))
        }
        (Some(Given::Case(_)), _) => Box::new(std::iter::empty()),
        (None, Some((share, _))) => share_of(share, &setup.contract, setup.seed, budget),
        (None, None) => {
            Box::new(regressions(setup).chain(plan(&setup.contract, setup.seed, budget, setup.only.clone())))
        }
    };
    let shard = setup.shard;
    let mine = planned.enumerate().filter(move |(at, _)| shard.has(*at)).map(|(_, planned)| planned);
    let source: Source = Arc::new(Mutex::new(Box::new(mine.enumerate())));
    let (to, from) = mpsc::sync_channel::<(usize, Planned, Examined)>(256);
    let halt = Arc::new(AtomicBool::new(false));
    let handed = Arc::new(AtomicUsize::new(0));
    let watch = Watch::new(setup.deadline);
    let mut workers = Vec::new();
    let pairs = (0..setup.jobs.max(1)).flat_map(|_| lanes(&source, &handed, setup.pairs));
    for (worker, (source, lane)) in pairs.enumerate() {
        let (to, halt) = (to.clone(), Arc::clone(&halt));
        let (contract, make, claimed) = (setup.contract.clone(), Arc::clone(&setup.make), claimed.to_vec());
        let (heart, recorded) = (watch.heart(), setup.recorded.clone());
        let work = move || {
            heart.install();
            if let Some(lane) = lane {
                lane.install();
            }
            let examiner = Examiner { contract: &contract, make: &*make, requirements: &claimed };
            while !halt.load(Ordering::Relaxed) {
                let Some((at, planned)) = source.next() else { break };
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
            Ok(_) if setup.stopped() => {}
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
        ended = setup.ended().or(ended);
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

/// The histories that an earlier run has found.
fn regressions(setup: &Setup) -> impl Iterator<Item = Planned> + Send + use<> {
    let history = |given: &Given| match given {
        Given::History(history) => Some(Planned { share: Share::Regression, target: None, history: history.clone() }),
        Given::Case(_) => None,
    };
    setup.first.iter().filter_map(history).collect::<Vec<_>>().into_iter()
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
    if let Some((times, first)) = examined.raised {
        tally.errors.get_or_insert((0, first)).0 += times;
    }
    if let Some((kind, message)) = examined.broken {
        let entry = tally.broken.entry(kind).or_insert_with(|| (0, message.clone(), planned.target));
        entry.0 += 1;
        let ends = patience::ends(kind, entry.0, BREAKS, "histories");
        tally.cut_short = ends.or(tally.cut_short.take());
    }
    for (suspect, causes) in examined.suspects {
        let alike = tally.raised.iter().filter(|raised| raised.suspect == suspect).count();
        let explained = tally.raised.iter().any(|raised| raised.suspect == suspect && raised.causes.is_subset(&causes));
        if alike >= KEPT || (explained && !planned.share.is_chosen() && alike >= 3) {
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
