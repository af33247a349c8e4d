//! Fields to reduce, around every boundary of the declared parameters.

use fastrand::Rng;

use super::Cases;
use super::field_small::small_cases;
use super::texts::{Texts, filler, text_len};
use crate::contract::{FieldRules, Max, Structure};
use crate::limit_case::{BlockDraft, ReduceCase};
use crate::text::Text;

/// The small scope with up to `small` blocks, and random cases without end, the same for the same seed.
pub(crate) fn reduce_cases(rules: &FieldRules, seed: u64, small: usize) -> Cases<ReduceCase> {
    let owned = rules.clone();
    let mut rng = Rng::with_seed(seed ^ 0x5eed_f1e1d);
    let mut nth = 0;
    let random = std::iter::repeat_with(move || {
        nth += 1;
        random_case(&owned, &mut rng, nth - 1)
    });
    let whole: Box<dyn Iterator<Item = ReduceCase>> = match rules.max {
        Max::Any => Box::new(small_cases(rules, small)),
        Max::Fixed(max) if max <= 24 => Box::new(small_cases(rules, small).filter(move |case| case.max == max)),
        Max::Fixed(_) => Box::new(std::iter::empty()),
    };
    Cases { whole, random: Box::new(random) }
}

/// One random case, the same for the same seed.
#[cfg(any(feature = "proptest", feature = "quickcheck"))]
pub(crate) fn draw(rules: &FieldRules, seed: u64) -> ReduceCase {
    random_case(rules, &mut Rng::with_seed(seed), 24 + seed % 100)
}

/// The joined field, described.
pub(crate) fn joined(rules: &FieldRules, blocks: &[BlockDraft]) -> Text {
    if rules.structure == Structure::Text && blocks.len() == 1 {
        return blocks[0].text.clone();
    }
    let join = &rules.join;
    let present = blocks.iter().filter(|block| !(join.skip_empty && block.text.is_empty()));
    let mut field = Text::default();
    for (nth, block) in present.enumerate() {
        field = field.and(if nth > 0 { join.separator.as_str() } else { join.before.as_str() }).and_text(&block.text);
    }
    if field.is_empty() { field } else { field.and(join.after.as_str()) }
}

fn random_case(rules: &FieldRules, rng: &mut Rng, nth: u64) -> ReduceCase {
    let mut texts = Texts::new(rng, rules);
    let mut blocks = blocks(&mut texts, nth);
    let max = limit(&mut texts, rules, &blocks);
    let max = match rules.max {
        Max::Any => max,
        Max::Fixed(fixed) => {
            let total = |blocks: &[BlockDraft]| text_len(&joined(rules, blocks), rules.unit);
            match texts.rng.u8(..8) {
                // What fits, with room to spare and nearly to a unit, comes whatever the others come to.
                _ if nth < 2 && total(&blocks) <= fixed => {
                    let room = fixed - total(&blocks);
                    lift(&mut texts, &mut blocks, room.saturating_sub(64));
                    let room = fixed.saturating_sub(total(&blocks));
                    lift(&mut texts, &mut blocks, if nth == 0 { 0 } else { room });
                }
                0 => spread(&mut texts, &mut blocks, fixed),
                _ if max <= fixed => lift(&mut texts, &mut blocks, fixed - max),
                _ => {}
            }
            fixed
        }
    };
    match rules.structure {
        Structure::Blocks => ReduceCase::new(blocks, max),
        Structure::Text => ReduceCase::new(vec![BlockDraft::new(joined(rules, &blocks), false)], max),
    }
}

/// The blocks of a random case. The first cases go through the kinds of text one after the other.
fn blocks(texts: &mut Texts<'_>, nth: u64) -> Vec<BlockDraft> {
    let count = match texts.rng.u8(..40) {
        0 => 0,
        1..=6 => 1,
        7..=16 => 2,
        17..=25 => 3,
        26..=34 => texts.rng.usize(4..8),
        35..=38 => texts.rng.usize(8..40),
        _ if nth % 4 == 3 => 1_000,
        _ => 100,
    };
    let count = if nth < 24 { 1 + nth as usize % 3 } else { count };
    let equal = (texts.rng.u8(..5) == 0).then(|| texts.len());
    let pattern = texts.rng.u8(..8);
    let mut blocks: Vec<BlockDraft> = Vec::with_capacity(count);
    for at in 0..count {
        let required = match pattern {
            0 => false,
            1 => true,
            2 => at == 0,
            3 | 4 => at + 1 == count,
            5 => at == count / 2,
            6 => at == count / 2 || at + 1 == count / 2,
            _ => texts.rng.bool(),
        };
        let len = match count {
            100.. => texts.rng.usize(..3),
            _ => equal.unwrap_or_else(|| texts.len()),
        };
        let text = match texts.rng.u8(..20) {
            0 if at > 0 => blocks[texts.rng.usize(..at)].text.clone(),
            _ if nth < 24 => texts.kind((nth / 3) as u8, len.max(4)),
            _ => texts.any(len),
        };
        blocks.push(BlockDraft::new(text, required));
    }
    blocks
}

/// A limit around a boundary of these blocks.
fn limit(texts: &mut Texts<'_>, rules: &FieldRules, blocks: &[BlockDraft]) -> usize {
    let unit = rules.unit;
    let field = joined(rules, blocks);
    let total = text_len(&field, unit);
    let required: Vec<BlockDraft> = blocks.iter().filter(|block| block.required).cloned().collect();
    let required = text_len(&joined(rules, &required), unit);
    let largest =
        blocks.iter().filter(|block| !block.required).map(|block| text_len(&block.text, unit)).max().unwrap_or(0);
    let separator = unit.len(&rules.join.separator);
    let marker = rules.marker.as_deref().map_or(0, |marker| unit.len(&marker.replace("{n}", "12")));
    let other = crate::unit::Unit::ALL[texts.rng.usize(..3)];
    let from_total =
        [0, separator, marker, largest, largest + separator, largest.saturating_sub(marker), largest / 2, 1];
    let base = match texts.rng.u8(..16) {
        0 => 0,
        1 => marker,
        2 => required,
        3 => required + marker,
        4 => required + marker + 2 * separator,
        5 => 2 * rules.tail + marker,
        6 => text_len(&field, other),
        7 | 8 => texts.rng.usize(..=total),
        9 => required + (total - required.min(total)) / 2,
        _ => total.saturating_sub(texts.pick(&from_total)),
    };
    match texts.rng.u8(..4) {
        0 => base.saturating_sub(1),
        1 => base + 1,
        _ => base,
    }
}

/// Makes one block longer by `units`: the distance of the field to the limit stays what it was.
pub(super) fn lift(texts: &mut Texts<'_>, blocks: &mut Vec<BlockDraft>, units: usize) {
    let removable: Vec<usize> = (0..blocks.len()).filter(|at| !blocks[*at].required).collect();
    if removable.is_empty() {
        blocks.insert(0, BlockDraft::default());
    }
    let at = removable.get(texts.rng.usize(..removable.len().max(1))).copied().unwrap_or(0);
    let text = std::mem::take(&mut blocks[at].text);
    blocks[at].text = filler(units).and_text(&text);
}

/// Several blocks of a good part of the limit each, none of which can absorb the overflow.
fn spread(texts: &mut Texts<'_>, blocks: &mut Vec<BlockDraft>, max: usize) {
    for _ in 0..texts.rng.usize(3..6) {
        let units = max / 2 + texts.rng.usize(..9);
        let at = texts.rng.usize(..=blocks.len());
        let word = format!("{} ", texts.unique(7));
        blocks.insert(at, BlockDraft::new(Text::repeat(word, units / 8).and_repeat("-", units % 8), false));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_cases() {
        let rules = FieldRules { marker: Some("[{n}]".to_owned()), ..FieldRules::default() };
        let cases = |seed| reduce_cases(&rules, seed, 1).random.take(400).collect::<Vec<_>>();
        assert_eq!(cases(1), cases(1));
        assert_ne!(cases(1), cases(2));
    }

    #[test]
    fn the_small_scope_is_whole() {
        let count = |blocks| small_cases(&FieldRules::default(), blocks).count();
        // Nothing at limits 0 and 1; then one block of each of seven kinds at its limits; and those of wide characters.
        let wide = count(0) - 2;
        assert_eq!(count(1) - wide, 2 + (2 + 2 * (3 + 4 + 5)));
        assert!(count(4) > 30_000, "{}", count(4));
    }

    #[test]
    fn lifted_cases_stay_near_a_large_limit() {
        let rules = FieldRules { max: Max::Fixed(1 << 20), ..FieldRules::default() };
        for case in reduce_cases(&rules, 3, 4).random.take(60) {
            assert_eq!(case.max, 1 << 20);
            let len = text_len(&joined(&rules, &case.blocks), rules.unit);
            assert!(len > (1 << 20) - 4_000, "{len}");
            assert!(serde_json::to_string(&case).unwrap().len() < 20_000);
        }
    }
}
