//! The small scope, whole: all fields of up to four blocks over sizes 0 to 3, at all limits.

use crate::contract::{FieldRules, Structure};
use crate::generate::field::joined;
use crate::generate::texts::text_len;
use crate::limit_case::{BlockDraft, ReduceCase};
use crate::text::Text;

/// What the block at each place says: no two share a letter.
const NARROW: [&str; 4] = ["abc", "def", "ghi", "jkl"];
const WIDE: [&str; 4] = ["é中🙂", "🙂жa", "", ""];

/// All small cases, the smallest first: by number of blocks, then by size, then by limit.
pub(crate) fn small_cases(rules: &FieldRules, blocks: usize) -> impl Iterator<Item = ReduceCase> + use<> {
    let rules = rules.clone();
    let fields =
        (0..=blocks).flat_map(|count| fields(count, NARROW)).chain((1..=2).flat_map(|count| fields(count, WIDE)));
    let structured = rules.structure == Structure::Blocks;
    let fields = fields.filter(move |blocks| structured || blocks.iter().all(|block| !block.required));
    fields.flat_map(move |blocks| {
        let blocks = if structured { blocks } else { vec![BlockDraft::new(joined(&rules, &blocks), false)] };
        let most = text_len(&joined(&rules, &blocks), rules.unit) + 1;
        (0..=most).map(move |max| ReduceCase::new(blocks.clone(), max))
    })
}

/// All fields of `count` blocks: seven kinds of block, since an empty one need not be required.
fn fields(count: usize, texts: [&'static str; 4]) -> impl Iterator<Item = Vec<BlockDraft>> {
    (0..7usize.pow(count as u32)).map(move |number| {
        let block = |at: usize| {
            let kind = number / 7usize.pow((count - 1 - at) as u32) % 7;
            let text: String = texts[at].chars().take(kind.div_ceil(2)).collect();
            BlockDraft::new(Text::plain(text), kind.is_multiple_of(2) && kind > 0)
        };
        (0..count).map(block).collect()
    })
}
