//! Two candidates of one contract side by side.

use crate::candidate::Compactor;
use crate::history::{Command, History};
use crate::oracle::judge;
use crate::play::play;
use crate::trace::Event;

/// Plays `history` against a candidate of each kind, of the same contract. Two that keep it may differ only where it leaves
/// a choice.
///
/// Their first difference is looked at, since up to there both have the same past: a step at which one of them attempts
/// and the other does not.
///
/// # Errors
///
/// A difference where there is no choice: which command, what each did, and what the contract says.
///
/// ```
/// use plimsoll::{Contract, Reference, fuzz};
/// let history = fuzz::history(&Contract::default(), &[2, 9, 77, 3]);
/// assert_eq!(fuzz::differential(Reference::default, Reference::default, &history), Ok(()));
/// ```
pub fn differential<A: Compactor + 'static, B: Compactor + 'static>(
    one: impl Fn() -> A,
    other: impl Fn() -> B,
    history: &History,
) -> Result<(), String> {
    let contract = one().contract();
    let left = play(history, &contract, &|| Ok(Box::new(one())));
    let right = play(history, &contract, &|| Ok(Box::new(other())));
    let differs = |at: &usize| match (history.commands.get(*at), left.events.get(*at), right.events.get(*at)) {
        (Some(Command::Step(_)), Some(a), Some(b)) => a.calls.is_empty() != b.calls.is_empty(),
        _ => false,
    };
    let Some(at) = (0..history.commands.len()).find(differs) else { return Ok(()) };
    let did = |event: &Event| if event.calls.is_empty() { "no attempt" } else { "an attempt" };
    for (trace, name) in [(&left, "the first"), (&right, "the second")] {
        let judgement = judge(&contract, trace);
        let wrong = judgement.steps.iter().find(|judged| judged.command == at).and_then(|judged| judged.wrong());
        if let Some(wrong) = wrong {
            let (a, b) = (did(&left.events[at]), did(&right.events[at]));
            return Err(format!(
                "command {}: {a} by the first, {b} by the second; {name} is wrong: {}",
                at + 1,
                wrong.reason()
            ));
        }
    }
    Ok(())
}
