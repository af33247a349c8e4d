//! What the reference holds while it reduces a field: the input, and the field that is left; no second copy.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use peak_alloc::PeakAlloc;
use plimsoll::{Block, FieldRules, Limit, Reducer, ReferenceReducer, Structure, Unit};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

const SIZE: usize = 64 << 20;

/// One test, since what another one takes would be counted.
#[test]
fn sixty_four_mebibytes_are_reduced_without_a_second_copy() {
    let ascii = "the river bends past an old mill where grain was once ground ".repeat(SIZE / 61);
    let mixed = "größe naïve 目的 記録 🙂 заметка 🚢 ".repeat(SIZE / 56);
    for text in [ascii, mixed] {
        for structure in [Structure::Blocks, Structure::Text] {
            let blocks = match structure {
                Structure::Text => vec![Block::removable(text.clone())],
                _ => vec![Block::removable(text.clone()), Block::required("REQUIRED")],
            };
            for unit in [Unit::CodePoints, Unit::Utf8Bytes, Unit::Utf16Units] {
                let mut rules = FieldRules::default();
                (rules.structure, rules.unit) = (structure, unit);
                let reducer = ReferenceReducer::new(rules);
                let limit = Limit::new(unit.len(&text) - 4_884, unit);
                HEAP.reset_peak_usage();
                let before = HEAP.current_usage();
                let reduced = reducer.reduce(&blocks, limit).unwrap();
                let taken = HEAP.peak_usage() - before;
                assert!(unit.len(&reduced.text) <= limit.max);
                let more = taken.saturating_sub(reduced.text.len());
                assert!(more < 1 << 16, "{structure:?} {unit:?}: {more} bytes besides the field that is left");
            }
        }
    }
}
