//! Runs a reducer, a trimmer or an assembler against its requirements.

use crate::candidate_field::{Assembler, LimitCandidate, Reducer, Trimmer};
use crate::contract::{Contract, Weight};
use crate::generate::field::reduce_cases;
use crate::generate::fit::fit_cases;
use crate::generate::request::assemble_cases;
use crate::generate::{Cases, Effort};
use crate::limit_case::LimitCase;
use crate::limit_play::{AssemblerSide, Break, ReducerSide, Side, TrimmerSide};
use crate::limit_report::{Failure, Finding, LimitBreak, LimitReport};
use crate::requirement::limit::{Ruling, Violation};
use crate::shrink_limit::smaller;

/// How much a run may cost.
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

/// Runs a candidate of any of the three kinds.
pub fn check_at_limit(contract: &Contract, candidate: &LimitCandidate, budget: &LimitBudget) -> LimitReport {
    match candidate {
        LimitCandidate::Reducer(reducer) => check_reducer(contract, &**reducer, budget),
        LimitCandidate::Trimmer(trimmer) => check_trimmer(contract, &**trimmer, budget),
        LimitCandidate::Assembler(assembler) => check_assembler(contract, &**assembler, budget),
    }
}

/// Runs a reducer against RED-1 to RED-13, as `contract.field` declares it.
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
    let cases = reduce_cases(&contract.field, budget.seed, budget.small).map(LimitCase::Reduce);
    run(&ReducerSide { contract, candidate }, contract, budget, cases)
}

/// Runs a trimmer against FIT-1 to FIT-8, as `contract.fit` declares it.
///
/// ```
/// use plimsoll::{Capability, Contract, FitRules, LimitBudget, ReferenceTrimmer, check_trimmer};
///
/// let contract = Contract::claiming(&[Capability::Fit]);
/// let report = check_trimmer(&contract, &ReferenceTrimmer::new(FitRules::default()), &LimitBudget::default());
/// assert!(report.passed());
/// ```
pub fn check_trimmer(contract: &Contract, candidate: &dyn Trimmer, budget: &LimitBudget) -> LimitReport {
    let cases = fit_cases(contract, budget.seed, budget.small).map(LimitCase::Fit);
    run(&TrimmerSide { contract, candidate }, contract, budget, cases)
}

/// Runs an assembler against ASM-1 to ASM-6, and against LOG-2 and LOG-3 as far as they are about requests, as
/// `contract.field` and `contract.request` declare it.
///
/// ```
/// use plimsoll::{Capability, Contract, FieldRules, LimitBudget, ReferenceAssembler, check_assembler};
///
/// let contract = Contract::claiming(&[Capability::Request]);
/// let report = check_assembler(&contract, &ReferenceAssembler::new(FieldRules::default()), &LimitBudget::default());
/// assert!(report.passed());
/// ```
pub fn check_assembler(contract: &Contract, candidate: &dyn Assembler, budget: &LimitBudget) -> LimitReport {
    let cases = assemble_cases(contract, budget.seed, budget.small).map(LimitCase::Assemble);
    run(&AssemblerSide { contract, candidate }, contract, budget, cases)
}

/// Plays one case, a witness say, and judges it. Nothing is made smaller.
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
    let budget = LimitBudget { cases: 2, shrinks: 0, ..LimitBudget::default() };
    let cases = || Cases { whole: Box::new(std::iter::once(case.clone())), random: Box::new(std::iter::empty()) };
    match candidate {
        LimitCandidate::Reducer(candidate) => {
            run(&ReducerSide { contract, candidate: &**candidate }, contract, &budget, cases())
        }
        LimitCandidate::Trimmer(candidate) => {
            run(&TrimmerSide { contract, candidate: &**candidate }, contract, &budget, cases())
        }
        LimitCandidate::Assembler(candidate) => {
            run(&AssemblerSide { contract, candidate: &**candidate }, contract, &budget, cases())
        }
    }
}

/// In one of so many cases of the small scope the same input is given again; in random ones always.
const AGAIN: u64 = 8;

fn run<S: Side>(side: &S, contract: &Contract, budget: &LimitBudget, cases: Cases<LimitCase>) -> LimitReport {
    let finding = |rule: &crate::requirement::limit::Rule<S::Seen>| Finding {
        id: rule.id,
        must: rule.must,
        sentence: rule.sentence,
        claimed: (rule.applies)(contract),
        exercised: 0,
        failure: None,
    };
    let mut report =
        LimitReport { findings: side.rules().iter().map(finding).collect(), breaks: Vec::new(), cases: 0, kept: None };
    let (mut bytes, mut kept, mut cuts) = (0, 0.0, 0u32);
    for case in cases.up_to(budget.cases) {
        if bytes > budget.bytes {
            break;
        }
        report.cases += 1;
        bytes += case.bytes();
        let all = case.weight() > 14 || report.cases % AGAIN == 1;
        match side.play(&case, all) {
            None => {}
            Some(Ok(seen)) => {
                judge(side, contract, &seen, &case, &mut report);
                if let Some((used, room)) = side.used(&seen) {
                    kept += used as f64 / room as f64;
                    cuts += 1;
                }
            }
            Some(Err(broken)) => note(&mut report, broken, case),
        }
    }
    report.kept = (cuts > 0).then(|| kept / f64::from(cuts));
    for finding in &mut report.findings {
        if let Some(failure) = &mut finding.failure {
            make_small(side, contract, budget, finding.id, failure);
        }
    }
    for broken in &mut report.breaks {
        let breaks = |case: &LimitCase| matches!(side.play(case, false), Some(Err(other)) if other.kind == broken.kind);
        let (witness, _) = shrink(contract, broken.witness.clone(), budget.shrinks.min(300), breaks);
        broken.witness = witness;
    }
    report
}

fn judge<S: Side>(side: &S, contract: &Contract, seen: &S::Seen, case: &LimitCase, report: &mut LimitReport) {
    for (finding, rule) in report.findings.iter_mut().zip(side.rules()) {
        if !finding.claimed {
            continue;
        }
        let ruling = (rule.judge)(seen, contract);
        finding.exercised += u64::from(ruling != Ruling::Silent);
        let Ruling::Breaks(violation) = ruling else { continue };
        // The smallest of the first ones is the best start for shrinking.
        let better = match &finding.failure {
            None => true,
            Some(known) => known.reason == violation.reason && case.weight() < known.witness.weight(),
        };
        if better {
            let after = finding.failure.as_ref().map_or(report.cases, |known| known.after);
            finding.failure = Some(failure(&violation, case.clone(), after));
        }
    }
}

fn failure(violation: &Violation, witness: LimitCase, after: u64) -> Failure {
    Failure { reason: violation.reason, detail: violation.to_string(), witness, after, shrinks: 0, repeats: true }
}

fn note(report: &mut LimitReport, broken: Break, witness: LimitCase) {
    match report.breaks.iter_mut().find(|known| known.kind == broken.kind) {
        Some(known) => known.cases += 1,
        None => {
            let Break { kind, message } = broken;
            report.breaks.push(LimitBreak { kind, message, witness, cases: 1 });
        }
    }
}

/// Shrinks the witness of a failure, and plays it five times again.
fn make_small<S: Side>(side: &S, contract: &Contract, budget: &LimitBudget, id: &str, failure: &mut Failure) {
    let Some(rule) = side.rules().iter().find(|rule| rule.id == id) else { return };
    let violation = |case: &LimitCase| match (rule.judge)(&side.play(case, true)?.ok()?, contract) {
        Ruling::Breaks(violation) if violation.reason == failure.reason => Some(violation),
        _ => None,
    };
    let (witness, shrinks) =
        shrink(contract, failure.witness.clone(), budget.shrinks, |case| violation(case).is_some());
    let seen: Vec<Violation> = (0..5).filter_map(|_| violation(&witness)).collect();
    let detail = seen.first().map(ToString::to_string);
    let repeats = seen.len() == 5;
    failure.repeats = repeats;
    failure.detail = detail.unwrap_or_else(|| failure.detail.clone());
    failure.shrinks = shrinks;
    failure.witness = witness;
}

/// The smallest case found for which `fails` holds, and how many were tried.
fn shrink(contract: &Contract, mut best: LimitCase, most: u64, fails: impl Fn(&LimitCase) -> bool) -> (LimitCase, u64) {
    let mut tried = 0;
    'again: loop {
        for case in smaller(&best, contract) {
            if tried >= most {
                break 'again;
            }
            tried += 1;
            if fails(&case) {
                best = case;
                continue 'again;
            }
        }
        break;
    }
    (best, tried)
}
