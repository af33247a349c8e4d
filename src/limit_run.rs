//! A run at a limit: plays cases, counts what they exercise, and makes the witness of what they break smaller.

use crate::contract::Contract;
use crate::generate::{Cases, Share};
use crate::limit_budget::LimitBudget;
use crate::limit_case::LimitCase;
use crate::limit_play::{Break, Judge, Side};
use crate::limit_report::{Failure, Finding, LimitBreak, LimitReport};
use crate::patience;
use crate::requirement::limit::{Ruling, Violation};
use crate::requirement::requirements;
use crate::shrink_limit::smaller;
use crate::trace::BreakKind;

/// What a run is told from outside, and what it tells.
pub(crate) struct Control<'a> {
    /// Only these requirements are judged; none: all.
    pub(crate) only: &'a [String],
    /// The cases end when one of these is broken.
    pub(crate) until: &'a [String],
    /// Played before the others, and not counted among those of the budget.
    pub(crate) first: &'a [LimitCase],
    /// This share of the cases is played alone.
    pub(crate) share: Option<Share>,
    /// Whether the run ends now, with what it has.
    pub(crate) stop: &'a dyn Fn() -> bool,
    /// What is going on.
    pub(crate) tell: &'a dyn Fn(Event<'_>),
}

/// Something that a run tells.
#[derive(Debug)]
pub(crate) enum Event<'e> {
    /// A case is about to be played.
    Begins(&'e LimitCase),
    /// So many were played.
    Played(u64),
    /// A requirement was broken for the first time. Nothing is made smaller yet.
    Found(&'static str, &'e Failure),
    /// The candidate broke off in this way for the first time.
    Broke(&'e LimitBreak),
    /// The cases are over, and witnesses are made smaller.
    Shrinking,
}

impl Control<'_> {
    pub(crate) fn none() -> Self {
        Self { only: &[], until: &[], first: &[], share: None, stop: &|| false, tell: &|_| {} }
    }
}

/// In one of so many cases of the small scope the same input is given again; in random ones always.
const AGAIN: u64 = 8;

/// Cases in which the candidate may break off in one way before the run ends.
const BREAKS: u64 = 200;

/// A run of the cases of one side.
pub(crate) struct Run<'a, S: Side> {
    side: &'a S,
    contract: &'a Contract,
    budget: &'a LimitBudget,
    control: Control<'a>,
    judges: Vec<Judge<S::Seen>>,
    report: LimitReport,
}

impl<'a, S: Side> Run<'a, S> {
    pub(crate) fn new(side: &'a S, contract: &'a Contract, budget: &'a LimitBudget, control: Control<'a>) -> Self {
        let wanted = |id: &str| control.only.is_empty() || control.only.iter().any(|only| only == id);
        // A fuzzer makes a run of each input: most requirements are of another side, and that is told at once.
        let rules = requirements().filter_map(|rule| Some((rule, S::judge(&rule.check)?)));
        let rules = rules.filter(|(rule, _)| wanted(rule.id()));
        let rules = rules.map(|(rule, judge)| (Finding::new(rule, rule.applies(contract)), judge));
        let (findings, judges) = rules.unzip();
        let report = LimitReport { findings, breaks: Vec::new(), cases: 0, kept: None, cut_short: None, raised: None };
        Self { side, contract, budget, control, judges, report }
    }

    pub(crate) fn of(mut self, cases: Cases<LimitCase>) -> LimitReport {
        let (mut bytes, mut kept, mut cuts) = (0, 0.0, 0u32);
        let first = self.control.first.iter().cloned();
        let cases: Box<dyn Iterator<Item = LimitCase>> = match self.control.share {
            Some(share) => cases.of(share, self.budget.cases),
            None => Box::new(cases.up_to(self.budget.cases)),
        };
        for case in first.chain(cases) {
            if bytes > self.budget.bytes || self.report.cut_short.is_some() || self.stopped() {
                break;
            }
            self.report.cases += 1;
            bytes += case.bytes();
            let all = case.weight() > 14
                || self.report.cases <= self.control.first.len() as u64
                || self.report.cases % AGAIN == 1;
            (self.control.tell)(Event::Begins(&case));
            match self.side.play(&case, all) {
                None => {}
                Some(Ok(seen)) => {
                    self.judge(&seen, &case);
                    if let Some(error) = self.side.raised(&seen) {
                        self.report.raised.get_or_insert_with(|| (0, error.to_owned())).0 += 1;
                    }
                    if let Some((used, room)) = self.side.used(&seen) {
                        kept += used as f64 / room as f64;
                        cuts += 1;
                    }
                }
                // What an interruption broke says nothing.
                Some(Err(_)) if self.stopped() => break,
                Some(Err(broken)) => self.note(broken, case),
            }
            (self.control.tell)(Event::Played(self.report.cases));
        }
        self.report.kept = (cuts > 0).then(|| kept / f64::from(cuts));
        self.make_small();
        self.report
    }

    fn stopped(&self) -> bool {
        (self.control.stop)()
    }

    fn judge(&mut self, seen: &S::Seen, case: &LimitCase) {
        let cases = self.report.cases;
        for (finding, judge) in self.report.findings.iter_mut().zip(&self.judges) {
            if !finding.claimed {
                continue;
            }
            let ruling = judge(seen, self.contract);
            finding.exercised += u64::from(ruling != Ruling::Silent);
            let Ruling::Breaks(violation) = ruling else { continue };
            // The smallest of the first ones is the best start for shrinking.
            let better = match &finding.failure {
                None => true,
                Some(known) => known.reason == violation.reason && case.weight() < known.witness.weight(),
            };
            if better {
                let after = finding.failure.as_ref().map_or(cases, |known| known.after);
                let failure = failure(&violation, case.clone(), self.side.shown(seen), after);
                if finding.failure.is_none() {
                    (self.control.tell)(Event::Found(finding.id, &failure));
                }
                finding.failure = Some(failure);
            }
            if self.control.until.iter().any(|id| id == finding.id) {
                self.report.cut_short = Some(
                    "one of the requirements that the run was to end at has failed; the rest was not played".to_owned(),
                );
            }
        }
    }

    fn note(&mut self, broken: Break, witness: LimitCase) {
        let Break { kind, message } = broken;
        let at = self.report.breaks.iter().position(|known| known.kind == kind);
        let at = at.unwrap_or_else(|| {
            let new = LimitBreak { kind, message, witness, cases: 0 };
            (self.control.tell)(Event::Broke(&new));
            self.report.breaks.push(new);
            self.report.breaks.len() - 1
        });
        let known = &mut self.report.breaks[at];
        known.cases += 1;
        let things = format!("cases of `{}`", S::CLAIM.name());
        let ends = patience::ends(kind, known.cases, BREAKS, &things);
        self.report.cut_short = ends.or(self.report.cut_short.take());
    }

    fn make_small(&mut self) {
        (self.control.tell)(Event::Shrinking);
        let mut findings = std::mem::take(&mut self.report.findings);
        for (finding, judge) in findings.iter_mut().zip(&self.judges) {
            if let Some(failure) = &mut finding.failure {
                self.shrink_failure(*judge, failure);
            }
        }
        self.report.findings = findings;
        let mut breaks = std::mem::take(&mut self.report.breaks);
        // Each try of a candidate that does not answer takes the whole time.
        for broken in breaks.iter_mut().filter(|broken| broken.kind != BreakKind::Timeout) {
            let kind = broken.kind;
            let breaks =
                |case: &LimitCase| matches!(self.side.play(case, false), Some(Err(other)) if other.kind == kind);
            (broken.witness, _) = self.shrink(broken.witness.clone(), self.budget.shrinks.min(300), breaks);
        }
        self.report.breaks = breaks;
    }

    /// Shrinks the witness of a failure, and plays it five times again.
    fn shrink_failure(&self, judge: Judge<S::Seen>, failure: &mut Failure) {
        if self.stopped() {
            return;
        }
        let broken = |case: &LimitCase| {
            let seen = self.side.play(case, true)?.ok()?;
            match judge(&seen, self.contract) {
                Ruling::Breaks(violation) if violation.reason == failure.reason => Some((violation, seen)),
                _ => None,
            }
        };
        let (witness, shrinks) =
            self.shrink(failure.witness.clone(), self.budget.shrinks, |case| broken(case).is_some());
        let again: Vec<(Violation, S::Seen)> = (0..5).filter_map(|_| broken(&witness)).collect();
        if self.stopped() {
            return;
        }
        failure.repeats = again.len() == 5;
        if let Some((violation, seen)) = again.first() {
            failure.detail = violation.to_string();
            failure.shown = self.side.shown(seen);
        }
        failure.shrinks = shrinks;
        failure.witness = witness;
    }

    /// The smallest case found for which `fails` holds, and how many were tried.
    fn shrink(&self, mut best: LimitCase, most: u64, fails: impl Fn(&LimitCase) -> bool) -> (LimitCase, u64) {
        let mut tried = 0;
        'again: loop {
            for case in smaller(&best, self.contract) {
                if tried >= most || self.stopped() {
                    break 'again;
                }
                tried += 1;
                (self.control.tell)(Event::Begins(&case));
                if fails(&case) {
                    best = case;
                    continue 'again;
                }
            }
            break;
        }
        (best, tried)
    }
}

fn failure(violation: &Violation, witness: LimitCase, shown: String, after: u64) -> Failure {
    let (reason, detail) = (violation.reason, violation.to_string());
    Failure { reason, detail, witness, shown, after, shrinks: 0, repeats: true }
}
