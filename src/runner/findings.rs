//! From suspicions to findings: repeated, shrunk, blamed, and written down.

use std::collections::BTreeSet;
use std::sync::mpsc;
use std::time::Duration;

use super::{Examiner, Raised, Setup, Shown, Suspect, Tick};
use crate::contract::Weight;
use crate::drawing::Drawing;
use crate::generate::{Budget, Planned, Share};
use crate::heart::{Task, Watch};
use crate::history::History;
use crate::oracle::judge;
use crate::requirement::{Cause, Check, Requirement, requirement};
use crate::shrink::{Shrunk, shrink};
use crate::trace::BreakKind;
use crate::verdict::{DOES_NOT_REPEAT, Report, RequirementReport, Verdict};
use crate::witness::{Witness, WitnessDir};

/// A failure with its witness.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) suspect: Suspect,
    /// The ids that it breaks, in the order of the specification.
    pub(crate) ids: Vec<&'static str>,
    pub(crate) reason: String,
    pub(crate) detail: String,
    pub(crate) history: History,
    pub(crate) witness: Option<String>,
    /// Histories that were played to shrink it.
    pub(crate) executions: usize,
    /// The history as it was played, for a person.
    pub(crate) drawing: Option<Drawing>,
    /// It did not repeat.
    pub(crate) nondeterministic: bool,
    /// A witness that was found before shows it.
    pub(crate) again: bool,
    causes: BTreeSet<Cause>,
}

/// Part of a witness's file name: what was found.
pub(super) fn slug(suspect: &Suspect, setup: &Setup) -> String {
    let claimed = crate::requirement::requirements().filter(|requirement| {
        requirement.applies(&setup.contract)
            && (setup.only.is_empty() || setup.only.iter().any(|id| id == requirement.id))
    });
    let claimed: Vec<_> = claimed.collect();
    let id = |at: &usize| claimed.get(*at).map_or("unknown", |requirement| requirement.id);
    match suspect {
        Suspect::Observed(at, reason) => format!("{}-{reason}", id(at)),
        Suspect::Decided(wrong) => wrong.slug(),
        Suspect::Differed(at) => format!("{}-differs", id(at)),
        Suspect::Broke(kind) => kind.name().to_owned(),
    }
}

/// A witness file of a history as it was found.
pub(super) fn raw(setup: &Setup, planned: &Planned, ids: &[&str], reason: &str) -> String {
    let mut witness = Witness::new(setup.contract.clone(), planned.history.clone());
    witness.candidate = setup.candidate.clone();
    witness.requirements = ids.iter().map(|id| (*id).to_owned()).collect();
    reason.clone_into(&mut witness.reason);
    witness.render(None)
}

/// The findings of a run that ended early: not shrunk, and only what a monitor saw. Their witnesses are on disk.
pub(super) fn as_they_are(
    setup: &Setup,
    claimed: &[&'static Requirement],
    raised: &[Raised],
    witnesses: Option<&WitnessDir>,
) -> Vec<Finding> {
    let seen = raised.iter().filter_map(|raised| {
        let ids = match raised.suspect {
            Suspect::Observed(at, _) | Suspect::Differed(at) => vec![claimed[at].id],
            Suspect::Broke(_) => Vec::new(),
            Suspect::Decided(_) => return None,
        };
        let reason = reason(&raised.suspect);
        Some(Finding {
            suspect: raised.suspect.clone(),
            ids,
            detail: reason.clone(),
            reason,
            history: raised.planned.history.clone(),
            witness: witnesses.map(|dir| dir.name(&slug(&raised.suspect, setup))),
            executions: 0,
            drawing: None,
            nondeterministic: false,
            again: raised.planned.share == Share::Regression,
            causes: BTreeSet::new(),
        })
    });
    seen.collect()
}

fn reason(suspect: &Suspect) -> String {
    match suspect {
        Suspect::Observed(_, reason) => (*reason).to_owned(),
        Suspect::Decided(wrong) => wrong.reason(),
        Suspect::Differed(_) => "two runs differ".to_owned(),
        Suspect::Broke(kind) => format!("the candidate broke off: {}", kind.name()),
    }
}

/// Repeats, shrinks and blames every suspicion that is not explained by what was found `before`, or since. `aborted` is set
/// when the candidate gets stuck.
pub(super) fn work_out(
    setup: &Setup,
    claimed: &[&'static Requirement],
    budget: Budget,
    raised: &[Raised],
    before: &[Finding],
    witnesses: Option<&WitnessDir>,
    aborted: &mut Option<String>,
) -> Vec<Finding> {
    if raised.is_empty() {
        return Vec::new();
    }
    let watch = Watch::new(setup.deadline);
    let heart = watch.heart();
    let (to, from) = mpsc::channel();
    let bench = Bench {
        contract: setup.contract.clone(),
        candidate: setup.candidate.clone(),
        make: std::sync::Arc::clone(&setup.make),
        claimed: claimed.to_vec(),
        witnesses: witnesses.cloned(),
        stop: std::sync::Arc::clone(&setup.stop),
        slugs: raised.iter().map(|raised| slug(&raised.suspect, setup)).collect(),
        only: if setup.only.is_empty() { Vec::new() } else { [&setup.only[..], &setup.until].concat() },
    };
    let (raised, before) = (raised.to_vec(), before.to_vec());
    let work = move || {
        heart.install();
        let mut budget = budget.shrink_steps;
        let mut found: Vec<Finding> = before;
        for (at, raised) in raised.iter().enumerate() {
            if bench.stopped() {
                break;
            }
            heart.begin(Task::History(raised.planned.clone()));
            let work = || bench.work_out(at, raised, &found, &mut budget);
            let new = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
                Ok(new) => new,
                Err(panic) => {
                    let _ = to.send(Err(super::panic_text(panic.as_ref())));
                    break;
                }
            };
            if bench.stopped() {
                // It was cut short, and what it says is not to be trusted.
                break;
            }
            for finding in new {
                found.push(finding.clone());
                let _ = to.send(Ok(finding));
            }
        }
    };
    let spawned = std::thread::Builder::new().name("plimsoll-shrink".to_owned()).stack_size(8 << 20).spawn(work);
    if let Err(error) = spawned {
        *aborted = Some(format!("cannot start a thread: {error}"));
        return Vec::new();
    }
    let mut found = Vec::new();
    loop {
        if setup.stop.load(std::sync::atomic::Ordering::Relaxed) {
            *aborted = Some("the run was interrupted while witnesses were shrunk".to_owned());
            break;
        }
        match from.recv_timeout(Duration::from_millis(100)) {
            Ok(Ok(finding)) => found.push(finding),
            Ok(Err(panic)) => {
                *aborted =
                    Some(format!("the harness failed while a witness was shrunk, and not the candidate: {panic}"));
                break;
            }
            // It is done, unless it ended because it was told to: that is asked once more.
            Err(mpsc::RecvTimeoutError::Disconnected) if setup.stop.load(std::sync::atomic::Ordering::Relaxed) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                if let Some(progress) = &setup.progress {
                    let suspects = found.len() as u64;
                    progress(Tick { histories: 0, steps: 0, cases: 0, budget: 0, suspects, shrinking: true });
                }
                if watch.stuck().is_some() {
                    let seconds = setup.deadline.unwrap_or_default().as_secs_f64();
                    *aborted =
                        Some(format!("the candidate did not return within {seconds} s while a witness was shrunk"));
                    break;
                }
            }
        }
    }
    found
}

/// What the shrinking thread works with.
struct Bench {
    contract: crate::contract::Contract,
    candidate: crate::verdict::CandidateInfo,
    make: super::Factory,
    claimed: Vec<&'static Requirement>,
    witnesses: Option<WitnessDir>,
    stop: std::sync::Arc<std::sync::atomic::AtomicBool>,
    slugs: Vec<String>,
    /// The ids that the run was asked for, or is to end at; none: all.
    only: Vec<String>,
}

impl Bench {
    fn stopped(&self) -> bool {
        self.stop.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn work_out(&self, at: usize, raised: &Raised, found: &[Finding], budget: &mut usize) -> Vec<Finding> {
        let same = || found.iter().filter(|finding| finding.suspect == raised.suspect);
        let explained = same().any(|finding| finding.causes.is_subset(&raised.causes));
        let decided = matches!(raised.suspect, Suspect::Decided(_));
        let again = decided
            && raised.planned.share.is_chosen()
            && same().count() < if self.contract.weight == Weight::Heavy { 2 } else { 4 };
        if explained && !again {
            return Vec::new();
        }
        let examiner = Examiner { contract: &self.contract, make: &*self.make, requirements: &self.claimed };
        let history = &raised.planned.history;
        if raised.suspect == Suspect::Broke(BreakKind::Harness) {
            // What fails here would fail again.
            return vec![self.as_found(at, raised, Vec::new(), reason(&raised.suspect), same().count())];
        }
        // Each try of a candidate that does not answer takes the whole time.
        let late = raised.suspect == Suspect::Broke(BreakKind::Timeout);
        let number = same().count();
        let repeats = (0..if late { 1 } else { 5 }).find_map(|_| examiner.shows(&raised.suspect, history));
        let Some(Shown { raised: error, .. }) = repeats else {
            return vec![self.nondeterministic(at, raised, number)];
        };
        // A step that raises an error and one that does not fail in two ways, whatever else is the same.
        let shows = |history: &History| examiner.shows(&raised.suspect, history).filter(|shown| shown.raised == error);
        let history = &cut(&shows, history);
        // No finding may use up what the others need.
        let mut share = (*budget).div_ceil(4);
        let before = share;
        let mut better = |history: &History| self.write(at, number, history, &[], "being shrunk", "");
        let Shrunk { history, executions } = shrink(
            history.clone(),
            &self.contract,
            &mut share,
            &mut |history| !late && !self.stopped() && shows(history).is_some(),
            &mut better,
        );
        *budget -= before - share;
        let history = match &raised.suspect {
            Suspect::Decided(wrong) if !self.stopped() => examiner.needed(wrong, error, &history),
            _ => history,
        };
        let Some(Shown { command: fault, detail, .. }) = shows(&history) else {
            return vec![self.nondeterministic(at, raised, number)];
        };
        let (ids, causes) = match &raised.suspect {
            Suspect::Observed(at, _) | Suspect::Differed(at) => (vec![self.claimed[*at].id], BTreeSet::new()),
            Suspect::Decided(wrong) => examiner.blamed(wrong, &history),
            Suspect::Broke(_) => (Vec::new(), BTreeSet::new()),
        };
        if same().any(|finding| finding.ids == ids && finding.history.commands.len() <= history.commands.len()) {
            // What was written meanwhile says nothing new. The first of a kind is never here.
            self.leave_out(at, number);
            return Vec::new();
        }
        let trace = examiner.play(&history);
        let reason = reason(&raised.suspect);
        let witness = match self.asked(&ids) {
            Some(asked) => self.write_shortest(at, number, &self.witness(&history, &asked, &reason, &detail), &trace),
            None => self.leave_out(at, number),
        };
        let drawing = Some(Drawing::new(&self.contract, &judge(&self.contract, &trace), Some(fault)));
        vec![Finding {
            suspect: raised.suspect.clone(),
            ids,
            reason,
            detail,
            history,
            witness,
            executions,
            drawing,
            nondeterministic: false,
            again: raised.planned.share == Share::Regression,
            causes,
        }]
    }

    /// A failure that does not repeat: the candidate answers differently to the same history.
    fn nondeterministic(&self, at: usize, raised: &Raised, number: usize) -> Finding {
        let ids = match raised.suspect {
            Suspect::Observed(at, _) => vec![self.claimed[at].id, "ISO-4"],
            Suspect::Decided(_) | Suspect::Differed(_) => vec!["ISO-4"],
            // That it broke off is reported as what it was.
            Suspect::Broke(_) => Vec::new(),
        };
        let detail = format!("{}: it showed once and not in five replays", reason(&raised.suspect));
        let finding = self.as_found(at, raised, ids, DOES_NOT_REPEAT.to_owned(), number);
        Finding { detail, nondeterministic: true, ..finding }
    }

    /// A failure whose history is neither repeated nor shrunk.
    fn as_found(&self, at: usize, raised: &Raised, ids: Vec<&'static str>, reason: String, number: usize) -> Finding {
        let history = raised.planned.history.clone();
        let witness = match self.asked(&ids) {
            Some(asked) => {
                self.write(at, number, &history, &asked, &reason, "");
                self.witnesses.as_ref().map(|dir| self.name(dir, at, number))
            }
            None => self.leave_out(at, number),
        };
        Finding {
            suspect: raised.suspect.clone(),
            ids,
            detail: reason.clone(),
            reason,
            history,
            witness,
            executions: 0,
            drawing: None,
            nondeterministic: false,
            again: raised.planned.share == Share::Regression,
            causes: BTreeSet::new(),
        }
    }

    /// Of `ids` those that the run was asked for; none where it was asked for others. Its report says nothing of these.
    fn asked<'i>(&self, ids: &[&'i str]) -> Option<Vec<&'i str>> {
        let asked = |id: &&&str| self.only.is_empty() || self.only.iter().any(|only| only == **id);
        let left: Vec<&str> = ids.iter().filter(asked).copied().collect();
        (ids.is_empty() || !left.is_empty()).then_some(left)
    }

    /// Takes back the witness that was written while this was worked out.
    fn leave_out(&self, at: usize, number: usize) -> Option<String> {
        self.witnesses.iter().for_each(|dir| dir.take_back(&self.name(dir, at, number)));
        None
    }

    fn witness(&self, history: &History, ids: &[&str], reason: &str, detail: &str) -> Witness {
        let mut witness = Witness::new(self.contract.clone(), history.clone());
        witness.candidate = self.candidate.clone();
        witness.requirements = ids.iter().map(|id| (*id).to_owned()).collect();
        reason.clone_into(&mut witness.reason);
        detail.clone_into(&mut witness.detail);
        witness
    }

    fn write(&self, at: usize, number: usize, history: &History, ids: &[&str], reason: &str, detail: &str) {
        if let Some(dir) = &self.witnesses {
            let _ = dir.write(&self.name(dir, at, number), &self.witness(history, ids, reason, detail).render(None));
        }
    }

    /// Writes the shortest witness.
    fn write_shortest(
        &self,
        at: usize,
        number: usize,
        witness: &Witness,
        trace: &crate::trace::Trace,
    ) -> Option<String> {
        let dir = self.witnesses.as_ref()?;
        let name = self.name(dir, at, number);
        dir.write(&name, &witness.render(Some(trace))).ok().map(|()| name)
    }

    /// The name of a witness; the second one of the same suspicion and later ones have a number.
    fn name(&self, dir: &WitnessDir, at: usize, number: usize) -> String {
        let slug = &self.slugs[at];
        if number == 0 { dir.name(slug) } else { dir.name(&format!("{slug}-{}", number + 1)) }
    }
}

/// `history` up to the command at which something shows.
fn cut(shows: &impl Fn(&History) -> Option<Shown>, history: &History) -> History {
    let Some(Shown { command, .. }) = shows(history) else { return history.clone() };
    let commands = history.commands.iter().take(command + 1).cloned().collect();
    let cut = History::new(history.seed, commands);
    if shows(&cut).is_some() { cut } else { history.clone() }
}

/// Enters the findings into the rows: for each id the one with the shortest witness.
pub(super) fn enter(report: &mut Report, found: &[Finding]) {
    for row in &mut report.requirements {
        let mut of_row = found.iter().filter(|finding| finding.ids.contains(&row.id.as_str()));
        let Some(best) =
            of_row.clone().min_by_key(|finding| (finding.nondeterministic, finding.history.commands.len()))
        else {
            continue;
        };
        let must = row.level == "MUST";
        row.verdict = match (best.nondeterministic && row.id != "ISO-4", must) {
            (true, _) => Verdict::Nondeterministic,
            (false, true) => Verdict::Fail,
            (false, false) => Verdict::Advice,
        };
        row.exercised = row.exercised.max(1);
        row.again = of_row.any(|finding| finding.again);
        row.reason = Some(best.reason.clone());
        row.detail = Some(best.detail.clone());
        row.witness.clone_from(&best.witness);
        row.witness_steps = Some(best.history.commands.len());
        row.timeline = best.drawing.as_ref().map(|drawing| drawing.text(None));
        row.drawing.clone_from(&best.drawing);
        row.shrink_executions = best.executions;
    }
}

/// A wrong decision that was seen and not worked out before the run ended: which requirement it breaks is not known, and none
/// that it may break passes.
pub(super) fn leave_open(report: &mut Report, claimed: &[&'static Requirement], raised: &[Raised], found: &[Finding]) {
    let open = raised.iter().find(|raised| {
        matches!(raised.suspect, Suspect::Decided(_)) && !found.iter().any(|finding| finding.suspect == raised.suspect)
    });
    let Some(open) = open else { return };
    for requirement in claimed.iter().filter(|requirement| !matches!(requirement.check, Check::Observe(_))) {
        let row = report.requirements.iter_mut().find(|row| row.id == requirement.id && row.verdict == Verdict::Pass);
        if let Some(row) = row {
            row.verdict = Verdict::NotReached;
            row.reason = Some(format!("{}: seen, and not worked out before the run ended", reason(&open.suspect)));
        }
    }
}

/// Folds failures under those that are declared to imply them, and names the first. In a strict run advice fails, too, and
/// is named where nothing binding has failed.
pub(super) fn fold(report: &mut Report) {
    // A row that failed when they were folded before may be known by now.
    report.requirements.iter_mut().for_each(|row| row.folded_under = None);
    let strict = report.strict;
    let fails = |row: &RequirementReport| row.verdict == Verdict::Fail || (strict && row.verdict == Verdict::Advice);
    let failing: Vec<String> = report.requirements.iter().filter(|row| fails(row)).map(|row| row.id.clone()).collect();
    let parent = |id: &str| {
        failing.iter().find(|other| {
            other.as_str() != id && requirement(other).is_some_and(|requirement| requirement.implies.contains(&id))
        })
    };
    for row in report.requirements.iter_mut().filter(|row| fails(row)) {
        let mut root = parent(&row.id).cloned();
        // Declared implications have no circle; the bound is for the day that one slips in.
        for _ in 0..8 {
            match root.as_deref().and_then(parent) {
                Some(higher) if *higher != row.id => root = Some(higher.clone()),
                _ => break,
            }
        }
        row.folded_under = root;
    }
    let roots = report.requirements.iter().filter(|row| fails(row) && row.folded_under.is_none());
    let first = roots.min_by_key(|row| (row.verdict != Verdict::Fail, row.witness_steps.unwrap_or(usize::MAX)));
    report.first = first.map(|row| row.id.clone());
}
