//! What fuzz targets call, and ordinary tests over their corpus.

use crate::candidate::Compactor;
use crate::contract::Contract;
use crate::generate::decode;
use crate::history::History;
use crate::oracle::judge;
use crate::play::play;
use crate::requirement::{Case, Check, requirements};
use crate::witness::Witness;

/// The history that a fuzzer's input stands for: a witness file if it is one, else what the bytes draw from the grammar of
/// histories. Every input stands for a history that a host can play.
///
/// ```
/// let history = plimsoll::fuzz::history(&plimsoll::Contract::default(), &[7, 1, 200]);
/// assert!(history.check().is_ok());
/// ```
#[must_use]
pub fn history(contract: &Contract, bytes: &[u8]) -> History {
    let witness = std::str::from_utf8(bytes).ok().filter(|text| text.starts_with('{'));
    witness.and_then(|text| Witness::parse(text).ok()).map_or_else(|| decode(contract, bytes), |witness| witness.history)
}

/// Plays `history` against a fresh candidate and says what it breaks: wrong decisions, and what monitors see.
///
/// # Errors
///
/// The first thing that is broken: the reason, and the history as a witness file.
pub fn guard<C: Compactor + 'static>(make: impl Fn() -> C, history: &History) -> Result<(), String> {
    let contract = make().contract();
    let trace = play(history, &contract, &|| Ok(Box::new(make())));
    let fail = |what: String| Err(format!("{what}\n{}", Witness::new(contract.clone(), history.clone()).render(Some(&trace))));
    if let Some(broken) = &trace.broken {
        return fail(format!("the candidate broke off: {}", broken.message));
    }
    let judgement = judge(&contract, &trace);
    let case = Case { contract: &contract, judgement: &judgement };
    for requirement in requirements().filter(|requirement| requirement.applies(&contract)) {
        if let Check::Observe(monitor) | Check::Both { observe: monitor, .. } = requirement.check
            && let Some(violation) = monitor(&case).violation
        {
            return fail(format!("{}: {}", requirement.id, violation.detail));
        }
    }
    match judgement.steps.iter().find_map(|judged| judged.wrong()) {
        Some(wrong) => fail(wrong.reason()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reference;

    #[test]
    fn every_input_stands_for_a_history_that_the_reference_plays_well() {
        let contract = Contract::default();
        for seed in 0..2_000u32 {
            let bytes: Vec<u8> = (0..seed % 60).map(|at| (seed.wrapping_mul(2_654_435_761) >> (at % 24)) as u8 ^ at as u8).collect();
            let history = history(&contract, &bytes);
            assert_eq!(history.check(), Ok(()), "{bytes:?}");
            guard(Reference::default, &history).unwrap();
        }
    }
}
