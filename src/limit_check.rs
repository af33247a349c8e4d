//! Runs a reducer, a trimmer or an assembler against its requirements.

use crate::candidate::{Assembler, ChangeGuard, Compactor, Error, Gauge, LimitCandidate, Reducer, Trimmer};
use crate::change_play::GuardSide;
use crate::contract::{Capability, Contract, Weight};
use crate::gauge_play::GaugeSide;
use crate::generate::change::change_cases;
use crate::generate::field::reduce_cases;
use crate::generate::fit::fit_cases;
use crate::generate::gauge::gauge_cases;
use crate::generate::request::assemble_cases;
use crate::generate::{Cases, Effort};
use crate::limit_case::LimitCase;
use crate::limit_play::{AssemblerSide, Break, From, Judge, ReducerSide, Side, TrimmerSide};
use crate::limit_report::{Failure, Finding, LimitBreak, LimitReport};
use crate::limit_show::unanswered;
use crate::parts::Parts;
use crate::play::Make;
use crate::requirement::limit::{Ruling, Violation};
use crate::requirement::requirements;
use crate::shrink_limit::smaller;
use crate::trace::BreakKind;
use crate::verdict::{RequirementReport, Tally, Verdict};

/// How much a run may cost. The cases end with whichever of `cases` and `bytes` comes first; what no case has exercised by
/// then is vacuous.
///
/// ```
/// use plimsoll::{Contract, Effort, LimitBudget};
/// let smoke = LimitBudget::for_run(&Contract::default(), Effort::Smoke, 7);
/// assert!(smoke.cases < LimitBudget::default().cases && smoke.seed == 7);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitBudget {
    /// What the random cases are made from.
    pub seed: u64,
    /// The most cases that are played, shrinking not counted.
    pub cases: u64,
    /// The most bytes of text that the cases stand for, in all.
    pub bytes: usize,
    /// The blocks or messages up to which the small scope is played whole, at most 4; a quarter of the cases is random
    /// whatever it is.
    pub small: usize,
    /// The most cases that are tried to make one failure smaller.
    pub shrinks: u64,
}

impl Default for LimitBudget {
    /// For a candidate in this process: the small scope of up to three, and 3,000 random cases.
    fn default() -> Self {
        Self { seed: 1, cases: 12_000, bytes: 48 << 20, small: 3, shrinks: 2_000 }
    }
}

impl LimitBudget {
    /// The same, with another seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The whole small scope, and 20,000 random cases.
    #[must_use]
    pub fn thorough() -> Self {
        Self { cases: 100_000, bytes: 1 << 30, small: 4, ..Self::default() }
    }
}

impl LimitBudget {
    /// The budget of a run of this effort, with this contract.
    #[must_use]
    pub fn for_run(contract: &Contract, effort: Effort, seed: u64) -> Self {
        let light = match effort {
            Effort::Smoke => Self { cases: 2_000, small: 1, bytes: 8 << 20, shrinks: 500, ..Self::default() },
            Effort::Nightly => Self::thorough(),
            Effort::Default => Self::default(),
        };
        let heavy = Self { cases: light.cases / 15, shrinks: light.shrinks / 10, small: 1, ..light };
        let budget = if contract.weight == Weight::Heavy { heavy } else { light };
        budget.with_seed(seed)
    }
}

/// Runs a candidate of any of the three kinds: [`check_reducer`], [`check_trimmer`], [`check_assembler`].
///
/// ```
/// use plimsoll::{Capability, Contract, LimitBudget, LimitCandidate, check_at_limit, text_reducer};
/// let prefix = text_reducer(|text, max| text.chars().take(max).collect());
/// let contract = Contract::claiming(&[Capability::Field]);
/// let report = check_at_limit(&contract, &LimitCandidate::Reducer(Box::new(prefix)), &LimitBudget::default());
/// assert!(!report.passed());
/// ```
pub fn check_at_limit(contract: &Contract, candidate: &LimitCandidate, budget: &LimitBudget) -> LimitReport {
    match candidate {
        LimitCandidate::Reducer(reducer) => check_reducer(contract, &**reducer, budget),
        LimitCandidate::Trimmer(trimmer) => check_trimmer(contract, &**trimmer, budget),
        LimitCandidate::Assembler(assembler) => check_assembler(contract, &**assembler, budget),
    }
}

/// Runs a reducer against RED-1 to RED-13, as `contract.field` declares it. The contract claims `field`, whether it says so
/// or not.
///
/// An error or a panic of the candidate is no error here but one of [`LimitReport::breaks`]. There is no deadline: a
/// candidate that never returns is for a [`Suite`](crate::Suite), which has one.
///
/// ```
/// use plimsoll::{Capability, Contract, FieldRules, LimitBudget, ReferenceReducer, check_reducer, text_reducer};
///
/// let contract = Contract::claiming(&[Capability::Field]);
/// let report = check_reducer(&contract, &ReferenceReducer::new(FieldRules::default()), &LimitBudget::default());
/// assert!(report.passed());
///
/// let prefix = text_reducer(|text, max| text.chars().take(max).collect());
/// let report = check_reducer(&contract, &prefix, &LimitBudget::default());
/// assert!(report.broken().contains(&"RED-3"));
/// ```
pub fn check_reducer(contract: &Contract, candidate: &dyn Reducer, budget: &LimitBudget) -> LimitReport {
    let contract = &claiming(contract, Capability::Field);
    let cases = reduce_cases(&contract.field, budget.seed, budget.small).map(LimitCase::Reduce);
    Run::new(&ReducerSide { contract, from: From::Given(candidate) }, contract, budget, Control::none()).of(cases)
}

/// Runs a trimmer against FIT-1 to FIT-8, as `contract.fit` declares it. The contract claims `fit`, whether it says so or
/// not. Errors, panics and late answers are as in [`check_reducer`].
///
/// ```
/// use plimsoll::{Capability, Contract, FitRules, LimitBudget, ReferenceTrimmer, check_trimmer};
///
/// let contract = Contract::claiming(&[Capability::Fit]);
/// let report = check_trimmer(&contract, &ReferenceTrimmer::new(FitRules::default()), &LimitBudget::default());
/// assert!(report.passed());
/// ```
pub fn check_trimmer(contract: &Contract, candidate: &dyn Trimmer, budget: &LimitBudget) -> LimitReport {
    let contract = &claiming(contract, Capability::Fit);
    let cases = fit_cases(contract, budget.seed, budget.small).map(LimitCase::Fit);
    Run::new(&TrimmerSide { contract, from: From::Given(candidate) }, contract, budget, Control::none()).of(cases)
}

/// Runs an assembler against ASM-1 to ASM-6, and against LOG-2 and LOG-3 as far as they are about requests, as
/// `contract.field` and `contract.request` declare it. The contract claims `request`, whether it says so or not. Errors,
/// panics and late answers are as in [`check_reducer`].
///
/// ```
/// use plimsoll::{Capability, Contract, FieldRules, LimitBudget, ReferenceAssembler, check_assembler};
///
/// let contract = Contract::claiming(&[Capability::Request]);
/// let report = check_assembler(&contract, &ReferenceAssembler::new(FieldRules::default()), &LimitBudget::default());
/// assert!(report.passed());
/// ```
pub fn check_assembler(contract: &Contract, candidate: &dyn Assembler, budget: &LimitBudget) -> LimitReport {
    let contract = &claiming(contract, Capability::Request);
    let cases = assemble_cases(contract, budget.seed, budget.small).map(LimitCase::Assemble);
    Run::new(&AssemblerSide { contract, from: From::Given(candidate) }, contract, budget, Control::none()).of(cases)
}

/// Runs a guard against CHG-1 to CHG-5, as `contract.change` declares it, a fresh one for each case. The contract claims
/// `change`, whether it says so or not. Errors, panics and late answers are as in [`check_reducer`].
///
/// ```
/// use plimsoll::{Capability, ChangeRules, Contract, LimitBudget, ReferenceGuard, check_guard};
///
/// let contract = Contract::claiming(&[Capability::Change]);
/// let make = || ReferenceGuard::new(ChangeRules::default());
/// assert!(check_guard(&contract, make, &LimitBudget::default()).passed());
/// ```
pub fn check_guard<G: ChangeGuard + 'static>(
    contract: &Contract,
    make: impl Fn() -> G,
    budget: &LimitBudget,
) -> LimitReport {
    let contract = &claiming(contract, Capability::Change);
    let make = || -> Result<Box<dyn Compactor>, Error> { Ok(Box::new(Parts::new(contract.clone()).guard(make()))) };
    let cases = change_cases(&contract.change, budget.seed, budget.small).map(LimitCase::Change);
    Run::new(&GuardSide { contract, make: &make }, contract, budget, Control::none()).of(cases)
}

/// Runs a gauge against what is asked of it apart from conversations, MEA-1, MEA-2, MEA-4 and MEA-5, as `contract.gauge`
/// declares it, a fresh one for each case. The contract claims `gauge`, whether it says so or not. Errors, panics and late
/// answers are as in [`check_reducer`]; `budget.small` means nothing to a gauge.
///
/// ```
/// use plimsoll::{Capability, Contract, GaugeRules, LimitBudget, ReferenceGauge, check_gauge};
///
/// let contract = Contract::claiming(&[Capability::Gauge]);
/// let make = || ReferenceGauge::new(GaugeRules::default());
/// assert!(check_gauge(&contract, make, &LimitBudget::default()).passed());
/// ```
pub fn check_gauge<G: Gauge + 'static>(contract: &Contract, make: impl Fn() -> G, budget: &LimitBudget) -> LimitReport {
    let contract = &claiming(contract, Capability::Gauge);
    let make = || -> Result<Box<dyn Compactor>, Error> { Ok(Box::new(Parts::new(contract.clone()).gauge(make()))) };
    let cases = gauge_cases(contract, budget.seed).map(LimitCase::Gauge);
    Run::new(&GaugeSide { contract, make: &make }, contract, budget, Control::none()).of(cases)
}

/// Plays one case, a witness say, and judges it. Nothing is made smaller. The case is of the candidate's kind: of another
/// kind nothing is played, and every requirement is vacuous.
///
/// ```
/// use plimsoll::{Capability, Contract, LimitCandidate, LimitCase, replay_at_limit, text_reducer};
/// let prefix = text_reducer(|text, max| text.chars().take(max).collect());
/// let case = LimitCase::from_line(r#"{"reduce":{"blocks":[{"text":"xx"},{"text":"a","required":true}],"max":3}}"#).unwrap();
/// let contract = Contract::claiming(&[Capability::Field]);
/// let report = replay_at_limit(&contract, &LimitCandidate::Reducer(Box::new(prefix)), &case);
/// assert_eq!(report.finding("RED-3").unwrap().failure.as_ref().unwrap().reason, "required_block_lost");
/// ```
pub fn replay_at_limit(contract: &Contract, candidate: &LimitCandidate, case: &LimitCase) -> LimitReport {
    match candidate {
        LimitCandidate::Reducer(candidate) => {
            let contract = &claiming(contract, Capability::Field);
            once(&ReducerSide { contract, from: From::Given(&**candidate) }, contract, case, false).0
        }
        LimitCandidate::Trimmer(candidate) => {
            let contract = &claiming(contract, Capability::Fit);
            once(&TrimmerSide { contract, from: From::Given(&**candidate) }, contract, case, false).0
        }
        LimitCandidate::Assembler(candidate) => {
            let contract = &claiming(contract, Capability::Request);
            once(&AssemblerSide { contract, from: From::Given(&**candidate) }, contract, case, false).0
        }
    }
}

fn claiming(contract: &Contract, capability: Capability) -> Contract {
    let mut contract = contract.clone();
    if !contract.claims(capability) {
        contract.capabilities.push(capability);
    }
    contract
}

/// Runs the side of a candidate that `claim` names, a fresh candidate for each case. None: it names no side.
pub(crate) fn check_side(
    contract: &Contract,
    make: &Make<'_>,
    claim: Capability,
    budget: &LimitBudget,
    control: Control<'_>,
) -> Option<LimitReport> {
    let (seed, small) = (budget.seed, budget.small);
    Some(match claim {
        Capability::Field => {
            let cases = reduce_cases(&contract.field, seed, small).map(LimitCase::Reduce);
            Run::new(&ReducerSide { contract, from: From::Made(make) }, contract, budget, control).of(cases)
        }
        Capability::Fit => {
            let cases = fit_cases(contract, seed, small).map(LimitCase::Fit);
            Run::new(&TrimmerSide { contract, from: From::Made(make) }, contract, budget, control).of(cases)
        }
        Capability::Request => {
            let cases = assemble_cases(contract, seed, small).map(LimitCase::Assemble);
            Run::new(&AssemblerSide { contract, from: From::Made(make) }, contract, budget, control).of(cases)
        }
        Capability::Gauge => {
            let cases = gauge_cases(contract, seed).map(LimitCase::Gauge);
            Run::new(&GaugeSide { contract, make }, contract, budget, control).of(cases)
        }
        Capability::Change => {
            let cases = change_cases(&contract.change, seed, small).map(LimitCase::Change);
            Run::new(&GuardSide { contract, make }, contract, budget, control).of(cases)
        }
        _ => return None,
    })
}

/// Plays one case with a fresh candidate, and judges it; and the case with the answer, for a person, or as `rows` of a
/// snapshot.
pub(crate) fn replay(contract: &Contract, make: &Make<'_>, case: &LimitCase, rows: bool) -> (LimitReport, String) {
    match case {
        LimitCase::Reduce(_) => once(&ReducerSide { contract, from: From::Made(make) }, contract, case, rows),
        LimitCase::Fit(_) => once(&TrimmerSide { contract, from: From::Made(make) }, contract, case, rows),
        LimitCase::Assemble(_) => once(&AssemblerSide { contract, from: From::Made(make) }, contract, case, rows),
        LimitCase::Gauge(_) => once(&GaugeSide { contract, make }, contract, case, rows),
        LimitCase::Change(_) => once(&GuardSide { contract, make }, contract, case, rows),
    }
}

/// Plays one case, a fresh candidate each time, and makes the witness of what it breaks smaller.
pub(crate) fn check_case(
    contract: &Contract,
    make: &Make<'_>,
    case: &LimitCase,
    budget: &LimitBudget,
    control: Control<'_>,
) -> LimitReport {
    let cases = alone(case);
    match case {
        LimitCase::Reduce(_) => {
            Run::new(&ReducerSide { contract, from: From::Made(make) }, contract, budget, control).of(cases)
        }
        LimitCase::Fit(_) => {
            Run::new(&TrimmerSide { contract, from: From::Made(make) }, contract, budget, control).of(cases)
        }
        LimitCase::Assemble(_) => {
            Run::new(&AssemblerSide { contract, from: From::Made(make) }, contract, budget, control).of(cases)
        }
        LimitCase::Gauge(_) => Run::new(&GaugeSide { contract, make }, contract, budget, control).of(cases),
        LimitCase::Change(_) => Run::new(&GuardSide { contract, make }, contract, budget, control).of(cases),
    }
}

/// Whether one case breaks something that binds, a fresh candidate each time. Nothing is made smaller.
pub(crate) fn breaks(contract: &Contract, make: &Make<'_>, case: &LimitCase, accepted: &[String]) -> bool {
    let budget = LimitBudget { cases: 2, shrinks: 0, ..LimitBudget::default() };
    let report = check_case(contract, make, case, &budget, Control::none());
    let fails = |row: &RequirementReport| row.tally() == Tally::Failed && row.verdict != Verdict::Vacuous;
    !report.breaks.is_empty() || report.rows().iter().any(|row| fails(row) && !accepted.contains(&row.id))
}

fn alone(case: &LimitCase) -> Cases<LimitCase> {
    Cases { whole: Box::new(std::iter::once(case.clone())), random: Box::new(std::iter::empty()) }
}

fn once<S: Side>(side: &S, contract: &Contract, case: &LimitCase, rows: bool) -> (LimitReport, String) {
    let budget = LimitBudget { cases: 2, shrinks: 0, ..LimitBudget::default() };
    let report = Run::new(side, contract, &budget, Control::none()).of(alone(case));
    let shown = match side.play(case, true) {
        Some(Ok(seen)) if rows => side.rows(&seen),
        Some(Ok(seen)) => side.shown(&seen),
        _ => unanswered(case),
    };
    (report, shown)
}

/// What a run is told from outside, and what it tells.
pub(crate) struct Control<'a> {
    /// Only these requirements are judged; none: all.
    pub(crate) only: &'a [String],
    /// The cases end when one of these is broken.
    pub(crate) until: &'a [String],
    /// Played before the others, and not counted among those of the budget.
    pub(crate) first: &'a [LimitCase],
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
    fn none() -> Self {
        Self { only: &[], until: &[], first: &[], stop: &|| false, tell: &|_| {} }
    }
}

/// In one of so many cases of the small scope the same input is given again; in random ones always.
const AGAIN: u64 = 8;

/// Cases in which the candidate may break off before the run ends: a late answer costs its whole deadline.
fn patience(kind: BreakKind) -> u64 {
    if kind == BreakKind::Timeout { 12 } else { 200 }
}

struct Run<'a, S: Side> {
    side: &'a S,
    contract: &'a Contract,
    budget: &'a LimitBudget,
    control: Control<'a>,
    judges: Vec<Judge<S::Seen>>,
    report: LimitReport,
}

impl<'a, S: Side> Run<'a, S> {
    fn new(side: &'a S, contract: &'a Contract, budget: &'a LimitBudget, control: Control<'a>) -> Self {
        let wanted = |id: &str| control.only.is_empty() || control.only.iter().any(|only| only == id);
        let rules = requirements().filter(|rule| wanted(rule.id()));
        let rules = rules.filter_map(|rule| Some((Finding::new(rule, rule.applies(contract)), S::judge(&rule.check)?)));
        let (findings, judges) = rules.unzip();
        let report = LimitReport { findings, breaks: Vec::new(), cases: 0, kept: None, cut_short: None };
        Self { side, contract, budget, control, judges, report }
    }

    fn of(mut self, cases: Cases<LimitCase>) -> LimitReport {
        let (mut bytes, mut kept, mut cuts) = (0, 0.0, 0u32);
        let first = self.control.first.iter().cloned();
        for case in first.chain(cases.up_to(self.budget.cases)) {
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
        if known.cases >= patience(kind) {
            let (cases, claim) = (known.cases, S::CLAIM.name());
            self.report.cut_short = Some(format!(
                "the candidate broke off in {cases} cases of `{claim}` ({}); the rest was not played",
                kind.name()
            ));
        }
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
