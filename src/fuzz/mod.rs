//! What fuzz targets call, and ordinary tests over their corpus.
//!
//! An input is a trace file (a witness, a named history, a case at a limit), which stands for itself, or any other bytes,
//! which draw from the grammar that the suite searches. A [`Fuzzer`] plays inputs against one candidate; the macros
//! [`fuzz_compactor!`](crate::fuzz_compactor), [`fuzz_reducer!`](crate::fuzz_reducer),
//! [`fuzz_trimmer!`](crate::fuzz_trimmer) and [`fuzz_assembler!`](crate::fuzz_assembler) make it a target for libFuzzer, and [`fuzz_mutator!`](crate::fuzz_mutator) lets
//! libFuzzer change inputs command by command and block by block.

mod differential;
mod formats;
mod fuzzer;
mod guard;
mod mutate;

use crate::contract::Contract;
use crate::generate::decode;
use crate::history::History;
use crate::witness::Witness;

pub use differential::differential;
#[cfg(feature = "adapter")]
pub use formats::protocol;
pub use formats::trace;
#[cfg(feature = "cli")]
pub(crate) use fuzzer::witness_of;
pub use fuzzer::{Fuzzer, Input};
pub use guard::guard;

/// The history that a fuzzer's input stands for: a witness file if it is one, else what the bytes draw from the grammar of
/// histories. Every input stands for a history that a host can play.
///
/// ```
/// let history = plimsoll::fuzz::history(&plimsoll::Contract::default(), &[7, 1, 200]);
/// assert!(history.check().is_ok());
/// ```
#[must_use]
pub fn history(contract: &Contract, bytes: &[u8]) -> History {
    let readable = readable(bytes).filter(|witness| witness.case.is_none());
    readable.map_or_else(|| decode(contract, bytes), |witness| witness.history)
}

/// The trace file that the bytes are, if they are one.
fn readable(bytes: &[u8]) -> Option<Witness> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.starts_with('{'))?;
    Witness::parse(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reference;

    #[test]
    fn every_input_stands_for_a_history_that_the_reference_plays_well() {
        let contract = Contract::default();
        for seed in 0..2_000u32 {
            let bytes: Vec<u8> =
                (0..seed % 60).map(|at| (seed.wrapping_mul(2_654_435_761) >> (at % 24)) as u8 ^ at as u8).collect();
            let history = history(&contract, &bytes);
            assert_eq!(history.check(), Ok(()), "{bytes:?}");
            guard(Reference::default, &history).unwrap();
        }
    }
}
