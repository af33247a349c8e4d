//! Reducers of other designs than the reference that hold every MUST.

use super::field::{even_blocks, paragraphs};
use super::{Make, Row};
use crate::candidate::{Reducer, text_reducer};
use crate::contract::{Contract, FieldRules};
use crate::field::{Block, Infeasible, Reduced};
use crate::unit::{Limit, Unit};

const fn row(
    name: &'static str,
    sentence: &'static str,
    advice: &'static [&'static str],
    contract: &'static str,
    make: fn(&Contract) -> Box<dyn Reducer>,
) -> Row {
    Row { name, sentence, breaks: &[], also: advice, kind: "sound", make: Make::Reducer(contract, make) }
}

/// In no order.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("largest-paragraph-protected-tail", "Takes the overflow from the largest paragraph, never from the tail.", &[],
        r#""field": {"structure": "text", "tail": 8, "max": 400, "marker": "[truncated]"}"#,
        |contract| paragraphs(contract, true)),
    row("both-ends", "Keeps the same share of both ends.", &[],
        r#""field": {"structure": "text", "tail": 3, "notice": "none", "marker": " [..] "}"#,
        |_| Box::new(text_reducer(both_ends))),
    row("both-ends-in-bytes", "Keeps the same share of both ends, measured in bytes, and says so by the marker.", &[],
        r#""field": {"structure": "text", "tail": 3, "notice": "marker", "marker": "…", "unit": "utf8_bytes"}"#,
        |_| Box::new(text_reducer(both_ends_in_bytes))),
    row("tail-only", "Keeps the end of the text behind a marker.", &[],
        r#""field": {"structure": "text", "tail": 3, "notice": "marker", "marker": "[{n} cut]"}"#,
        |_| Box::new(text_reducer(tail_only))),
    row("whole-block-dropping", "Leaves out whole blocks, the oldest first.", &["RED-10", "RED-13"],
        r#""field": {}"#, |contract| dropping(contract, false)),
    row("newest-block-dropping", "Leaves out whole blocks, the newest first, and puts one marker where the last of them was.",
        &["RED-10", "RED-13"], r#""field": {"marker": "[left out]"}"#, |contract| dropping(contract, true)),
    row("even-blocks", "Cuts every removable block to the same length.", &["RED-10", "RED-13"], r#""field": {}"#, even_blocks),
    row("beginning-of-the-largest", "Cuts the largest block at its beginning, by lines, and drops it if need be.",
        &["RED-13"], r#""field": {"join": {"separator": "\n---\n", "before": "<<", "after": ">>"}}"#, by_lines),
    row("strips", "Strips the parts and the whole before it measures.", &[],
        r#""field": {"join": {"strip": true}}"#, strips),
];

fn both_ends(text: &str, max: usize) -> String {
    const MARKER: &str = " [..] ";
    let unit = Unit::CodePoints;
    if unit.len(text) <= max {
        return text.to_owned();
    }
    let Some(room) = max.checked_sub(MARKER.len()) else { return unit.prefix(text, max).to_owned() };
    [unit.prefix(text, room / 2), MARKER, unit.suffix(text, room - room / 2)].concat()
}

fn both_ends_in_bytes(text: &str, max: usize) -> String {
    let unit = Unit::Utf8Bytes;
    if text.len() <= max {
        return text.to_owned();
    }
    let Some(room) = max.checked_sub("…".len()) else { return String::new() };
    [unit.prefix(text, room / 2), "…", unit.suffix(text, room - room / 2)].concat()
}

fn tail_only(text: &str, max: usize) -> String {
    let total = Unit::CodePoints.len(text);
    if total <= max {
        return text.to_owned();
    }
    let longest = format!("[{total} cut]").len();
    match max.checked_sub(longest) {
        Some(room) => format!("[{} cut]{}", total - room, Unit::CodePoints.suffix(text, room)),
        None => Unit::CodePoints.suffix(text, max).to_owned(),
    }
}

fn dropping(contract: &Contract, newest: bool) -> Box<dyn Reducer> {
    let rules = contract.field.clone();
    Box::new(move |blocks: &[Block], limit: Limit| -> Result<Reduced, Infeasible> {
        let joined = |texts: &[Option<&str>]| rules.join.join(texts.iter().copied().flatten());
        let mut texts: Vec<Option<&str>> = blocks.iter().map(|block| Some(block.text.as_str())).collect();
        let before = limit.unit.len(&joined(&texts));
        if before <= limit.max {
            return Ok(Reduced::whole(joined(&texts)));
        }
        let mut order: Vec<usize> =
            (0..blocks.len()).filter(|at| !blocks[*at].required && !blocks[*at].text.is_empty()).collect();
        if newest {
            order.reverse();
        }
        let finish = |text: String| {
            let after = limit.unit.len(&text);
            Ok(Reduced::cut(text, before, after))
        };
        for at in order {
            if let Some(marker) = rules.marker.as_deref() {
                texts[at] = Some(marker);
                let marked = joined(&texts);
                if limit.fits(&marked) {
                    return finish(marked);
                }
            }
            texts[at] = None;
            let left = joined(&texts);
            if limit.fits(&left) {
                return finish(left);
            }
        }
        Err(Infeasible)
    })
}

fn by_lines(contract: &Contract) -> Box<dyn Reducer> {
    let rules: FieldRules = contract.field.clone();
    Box::new(move |blocks: &[Block], limit: Limit| -> Result<Reduced, Infeasible> {
        let unit = limit.unit;
        let joined = |texts: &[&str]| rules.join.join(texts.iter().copied());
        let mut texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
        let before = unit.len(&joined(&texts));
        let mut order: Vec<usize> = (0..blocks.len()).filter(|at| !blocks[*at].required).collect();
        order.sort_by_key(|at| std::cmp::Reverse(unit.len(texts[*at])));
        for at in order {
            let size = unit.len(&joined(&texts));
            if size <= limit.max {
                break;
            }
            let text = texts[at];
            let kept = unit.suffix(text, unit.len(text).saturating_sub(size - limit.max));
            let line = kept.find('\n').map_or(kept, |end| &kept[end + 1..]);
            texts[at] = if line.is_empty() { kept } else { line };
        }
        let text = joined(&texts);
        let after = unit.len(&text);
        match after {
            _ if after > limit.max => Err(Infeasible),
            _ if after == before => Ok(Reduced::whole(text)),
            _ => Ok(Reduced::cut(text, before, after)),
        }
    })
}

fn strips(contract: &Contract) -> Box<dyn Reducer> {
    let reference = crate::model::ReferenceReducer::new(contract.field.clone());
    Box::new(move |blocks: &[Block], limit: Limit| -> Result<Reduced, Infeasible> {
        let strip = |block: &Block| Block { text: block.text.trim().to_owned(), required: block.required };
        reference.reduce(&blocks.iter().map(strip).collect::<Vec<_>>(), limit)
    })
}
