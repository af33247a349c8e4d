//! Runs a plan: drives, counts, shrinks, and sums up.

mod at_limit;
mod compare;
mod examine;
mod findings;
mod own;
pub(crate) mod record;
mod replay;
mod search;
#[cfg(test)]
mod sweep;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(crate) use examine::{Examined, Examiner, Shown, Suspect};
pub use replay::Replay;
pub(crate) use replay::{Draw, replay};
#[cfg(feature = "cli")]
pub(crate) use replay::{drawn, played};

use record::{Recorded, Results, Shard};
use search::{Tally, search};

use crate::candidate::{Compactor, Error};
use crate::contract::Contract;
use crate::generate::{Budget, Effort, Planned, Share};
use crate::history::History;
use crate::known::KnownFailures;
use crate::limit_case::LimitCase;
use crate::requirement::{Cause, Requirement, requirement, requirements};
use crate::verdict::{
    BrokenReport, CandidateInfo, PROTOCOL, RaisedReport, Report, RequirementReport, SPEC_EDITION, Verdict,
};
use crate::witness::{Witness, WitnessDir};

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
    /// These are played before everything else: what an earlier run has found.
    pub(crate) first: Vec<Given>,
    /// The ids that these were found for.
    pub(crate) found_before: BTreeSet<String>,
    /// Of the plan this is played, and nothing else.
    pub(crate) shard: Shard,
    /// This share of the search is played alone, within so many steps, and as many cases.
    pub(crate) alone: Option<(Share, usize)>,
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

    /// Whether a person interrupted it.
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Why whoever starts the candidates gave up, if it did.
    fn gave_up(&self) -> Option<String> {
        self.gave_up.as_ref().and_then(|gave_up| gave_up())
    }

    /// Why it is to end, if it is. Who interrupts ends the children, too, and that is then no reason of its own: so that is
    /// asked for last, and counts for less.
    fn ended(&self) -> Option<String> {
        let gave_up = self.gave_up();
        if self.stopped() { Some("the run was interrupted".to_owned()) } else { gave_up }
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

impl Given {
    /// The history or the case of a witness.
    pub(crate) fn of(witness: Witness) -> Self {
        match witness.case {
            Some(case) => Self::Case(case),
            None => Self::History(witness.history),
        }
    }
}

/// A suspicion, and the history that raised it.
#[derive(Clone, Debug)]
pub(crate) struct Raised {
    pub(crate) suspect: Suspect,
    pub(crate) causes: BTreeSet<Cause>,
    pub(crate) planned: Planned,
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
    let mut budget = Budget::new(setup.effort, setup.contract.weight);
    if let Some((_, steps)) = setup.alone {
        budget.steps = steps;
    }

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
    let raised = tally.errors.map(|(times, message)| RaisedReport { side: None, times, message });
    report.raised.extend(raised);
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
        let timeline = finding.and_then(|finding| finding.drawing.as_ref()).map(|drawing| drawing.text(None));
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
        let partly = setup.is_part() || report.aborted.is_some() || report.cut_short.is_some();
        known.apply(&mut report, partly);
    }
    // Another one that breaks in the same history was not found before.
    report.requirements.iter_mut().for_each(|row| row.again &= setup.found_before.contains(&row.id));
    findings::fold(&mut report);
    report.settle();
    report
}

/// Holds the report of a whole run, which was held to no list so far, to this one.
#[cfg(feature = "cli")]
pub(crate) fn hold_to(known: &KnownFailures, report: &mut Report) {
    known.apply(report, report.aborted.is_some() || report.cut_short.is_some());
    findings::fold(report);
    report.settle();
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
    (row.witness, row.witness_steps) = (None, None);
    (row.timeline, row.drawing) = (None, None);
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
        again: false,
        folded_under: None,
        note: None,
        shrink_executions: 0,
        timeline: None,
        drawing: None,
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
        raised: Vec::new(),
        aborted: None,
        cut_short: None,
        known_problems: Vec::new(),
        nondeterministic: Vec::new(),
        witness_dir: setup.witness_dir.clone(),
    }
}

#[cfg(test)]
mod tests;
