//! Runs a reducer, a trimmer or an assembler against its requirements.

use crate::candidate::{Assembler, ChangeGuard, Compactor, Error, Gauge, LimitCandidate, Reducer, Trimmer};
use crate::change_play::GuardSide;
use crate::contract::{Capability, Contract};
use crate::gauge_play::GaugeSide;
use crate::generate::Cases;
use crate::generate::change::change_cases;
use crate::generate::field::reduce_cases;
use crate::generate::fit::fit_cases;
use crate::generate::gauge::gauge_cases;
use crate::generate::request::assemble_cases;
use crate::limit_budget::LimitBudget;
use crate::limit_case::LimitCase;
use crate::limit_play::{AssemblerSide, From, ReducerSide, Side, TrimmerSide};
use crate::limit_report::LimitReport;
use crate::limit_run::{Control, Run};
use crate::limit_show::unanswered;
use crate::parts::Parts;
use crate::play::Make;

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

/// Whether one case breaks one of the requirements `binding`, or the candidate breaks off, a fresh one each time. Nothing
/// is made smaller, and nothing else is judged.
pub(crate) fn breaks(contract: &Contract, make: &Make<'_>, case: &LimitCase, binding: &[String]) -> bool {
    let budget = LimitBudget { cases: 2, shrinks: 0, ..LimitBudget::default() };
    let report = check_case(contract, make, case, &budget, Control { only: binding, ..Control::none() });
    !report.breaks.is_empty() || report.findings.iter().any(|finding| finding.failure.is_some())
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
