//! Cases at a limit from bytes that somebody else chose: every byte string stands for a case, and short ones for small ones.

use fastrand::Rng;

use super::field::{joined, lift};
use super::fit;
use super::request;
use super::source::Source;
use super::texts::{Texts, text_len};
use crate::contract::{Contract, FieldRules, Max, Structure};
use crate::limit_case::{AssembleCase, BlockDraft, FitCase, ReduceCase};

/// A field to reduce.
pub(crate) fn reduce_case(rules: &FieldRules, bytes: &[u8]) -> ReduceCase {
    draw_field(rules, &mut Source::bytes(bytes))
}

/// Messages to trim.
pub(crate) fn fit_case(contract: &Contract, bytes: &[u8]) -> FitCase {
    let mut from = Source::bytes(bytes);
    let mut parts = Vec::new();
    while !from.is_spent() && parts.len() < 400 {
        let (part, size) = (from.u8(0..27), from.u8(0..12));
        parts.push((usize::from(part), size));
    }
    fit::of_parts(contract, &parts)
}

/// A view to assemble a request from.
pub(crate) fn assemble_case(contract: &Contract, bytes: &[u8]) -> AssembleCase {
    let mut from = Source::bytes(bytes);
    let (seed, nth) = (from.u64(0..256), from.usize(0..64));
    let rules = FieldRules { structure: Structure::Blocks, ..contract.field.clone() };
    let field = draw_field(&rules, &mut from);
    request::view(contract, &mut Rng::with_seed(seed), nth, field)
}

fn draw_field(rules: &FieldRules, from: &mut Source<'_>) -> ReduceCase {
    let mut rng = Rng::with_seed(0);
    let mut texts = Texts::new(&mut rng, rules);
    let (base, more) = (from.u8(0..8), from.u8(0..32));
    let share = from.usize(0..256);
    let mut blocks: Vec<BlockDraft> = Vec::new();
    while !from.is_spent() && blocks.len() < 64 {
        let kind = from.u8(0..32);
        let len = match from.usize(0..256) {
            short @ ..64 => short / 4,
            middle @ ..192 => middle - 48,
            long => (long - 191) * 16,
        };
        let again = blocks.get(blocks.len().wrapping_sub(1)).filter(|_| kind % 16 == 15).cloned();
        let text = again.map_or_else(|| texts.kind(kind % 16, len), |block| block.text);
        blocks.push(BlockDraft::new(text, kind >= 16));
    }
    let of = |blocks: &[BlockDraft]| text_len(&joined(rules, blocks), rules.unit);
    let total = of(&blocks);
    let required: Vec<BlockDraft> = blocks.iter().filter(|block| block.required).cloned().collect();
    let largest = blocks.iter().filter(|block| !block.required).map(|block| text_len(&block.text, rules.unit)).max();
    let base = match base {
        0 | 1 => total,
        2 => of(&required),
        3 => total.saturating_sub(largest.unwrap_or(0)),
        4 => rules.marker.as_deref().map_or(0, |marker| rules.unit.len(&marker.replace("{n}", "12"))),
        5 => of(&required) + 2 * rules.tail,
        _ => total * share / 256,
    };
    let max = (base + usize::from(more)).saturating_sub(16);
    let max = match rules.max {
        Max::Any => max,
        Max::Fixed(fixed) => {
            if max <= fixed {
                lift(&mut texts, &mut blocks, fixed - max);
            }
            fixed
        }
    };
    match rules.structure {
        Structure::Blocks => ReduceCase::new(blocks, max),
        Structure::Text => ReduceCase::new(vec![BlockDraft::new(joined(rules, &blocks), false)], max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit_case::LimitCase;

    #[test]
    fn no_bytes_are_an_empty_case_and_more_bytes_a_larger_one() {
        let contract = Contract::default();
        assert_eq!(reduce_case(&contract.field, &[]).blocks, Vec::new());
        assert_eq!(fit_case(&contract, &[]).messages, Vec::new());
        let bytes: Vec<u8> = (0..60).map(|at| (at * 37) as u8).collect();
        let weight = |len: usize| LimitCase::Reduce(reduce_case(&contract.field, &bytes[..len])).weight();
        assert!(weight(8) < weight(30) && weight(30) < weight(60));
    }
}
