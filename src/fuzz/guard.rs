//! One history against one candidate, judged by every requirement at the price of one play.

use crate::candidate::Compactor;
use crate::contract::Contract;
use crate::history::History;
use crate::oracle::judge;
use crate::play::{Make, play, play_to_judge};
use crate::requirement::{Case, Check, Level, Requirement, requirements};
use crate::trace::Trace;
use crate::witness::Witness;

/// Plays `history` against a fresh candidate and says what it breaks: wrong decisions, and what monitors see.
///
/// # Errors
///
/// The first thing that is broken: the reason, and the history as a witness file.
pub fn guard<C: Compactor + 'static>(make: impl Fn() -> C, history: &History) -> Result<(), String> {
    let contract = make().contract();
    let trace = play(history, &contract, &|| Ok(Box::new(make())));
    match broken(&contract, &binding(&contract), &trace) {
        None => Ok(()),
        Some(what) => Err(format!("{what}\n{}", Witness::new(contract, history.clone()).render(Some(&trace)))),
    }
}

/// Whether a fresh candidate breaks one of those that are `binding`, or decides wrongly.
pub(super) fn breaks(
    contract: &Contract,
    binding: &[&'static Requirement],
    make: &Make<'_>,
    history: &History,
) -> bool {
    broken(contract, binding, &play_to_judge(history, contract, make)).is_some()
}

/// The requirements that bind whoever has this contract, advice left aside.
pub(super) fn binding(contract: &Contract) -> Vec<&'static Requirement> {
    requirements().filter(|requirement| requirement.level == Level::Must && requirement.applies(contract)).collect()
}

/// The first thing that is broken.
fn broken(contract: &Contract, binding: &[&'static Requirement], trace: &Trace) -> Option<String> {
    if let Some(broken) = &trace.broken {
        return Some(format!("the candidate broke off: {}", broken.message));
    }
    let judgement = judge(contract, trace);
    let case = Case { contract, judgement: &judgement };
    let mut seen = binding.iter().filter_map(|requirement| match requirement.check {
        Check::Observe(monitor) | Check::Both { observe: monitor, .. } | Check::Send { observe: monitor, .. } => {
            monitor(&case).violation.map(|violation| format!("{}: {}", requirement.id, violation.detail))
        }
        _ => None,
    });
    let decided = judgement.steps.iter().find_map(|judged| judged.wrong()).map(|wrong| wrong.reason());
    seen.next().or(decided)
}
