//! Reducers that break a requirement, each by a small difference from the reference.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Row, row_of};
use crate::candidate::{Reducer, text_reducer};
use crate::contract::Contract;
use crate::field::{Block, Infeasible, Reduced};
use crate::marker::Marker;
use crate::model::ReferenceReducer;
use crate::unit::{Limit, Unit};

type Answer = Result<Reduced, Infeasible>;

row_of!(Reducer, fn(&Contract) -> Box<dyn Reducer>);

const PLAIN: &str = r#""field": {}"#;
const MARKED: &str = r#""field": {"marker": "[cut]"}"#;
const SILENT: &str = r#""field": {"notice": "none"}"#;
const TEXT: &str = r#""field": {"structure": "text", "tail": 4, "notice": "none"}"#;

/// In the order of what they break.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("marker-outside", "Cuts at the limit and then appends the marker.",
        &["RED-1"], &["RED-4", "RED-6", "RED-8", "RED-9", "RED-11", "RED-12"], "cap-overshoot", MARKED, marker_outside),
    row("separators-uncounted", "Counts the blocks and not what joins them.",
        &["RED-1"], &["RED-6", "RED-9", "RED-12", "RED-3", "RED-5"], "separators-uncounted", PLAIN, separators_uncounted),
    row("full-is-over", "Cuts one unit from what fits exactly.",
        &["RED-2"], &["RED-9", "RED-6"], "under-limit-mutated", PLAIN, full_is_over),
    row("tidies", "Strips the white space at the ends of what fits.",
        &["RED-2"], &["RED-6", "RED-9"], "under-limit-mutated", PLAIN, tidies),
    row("tabs-are-spaces", "Makes spaces of tabs.",
        &["RED-2"], &["RED-3", "RED-6", "RED-8", "RED-9", "RED-4", "RED-7", "RED-10"], "under-limit-mutated", PLAIN, tabs_are_spaces),
    row("prefix", "Keeps the beginning of the joined text.",
        &["RED-3", "RED-4"], &["RED-5", "RED-10"], "required-tail-cut", SILENT, |_| Box::new(text_reducer(prefix))),
    row("prefix-text", "Keeps the beginning of the text.",
        &["RED-4"], &[], "required-tail-cut", TEXT, |_| Box::new(text_reducer(prefix))),
    row("required-once", "Leaves out a block that says what an earlier one said.",
        &["RED-3", "RED-4"], &["RED-5", "RED-2", "RED-6", "RED-10", "RED-13"], "guidance-or-pinned-lost", PLAIN, required_once),
    row("largest-paragraph", "Takes the overflow from the end of the largest paragraph, else keeps both ends, as it was merged.",
        &["RED-4"], &[], "required-tail-cut",
        r#""field": {"structure": "text", "tail": 8, "max": 400, "marker": "[truncated]"}"#,
        |contract| paragraphs(contract, false)),
    row("silent-loss", "Keeps the beginning of the required blocks when they do not fit.",
        &["RED-5"], &[], "required-tail-cut", PLAIN, silent_loss),
    row("early-infeasible", "Gives up when there is no room for ten units beside the required blocks.",
        &["RED-5"], &["RED-13"], "emergency-starved", PLAIN, early_infeasible),
    row("silent", "Never says that it cut.",
        &["RED-6"], &[], "silent-reduction", PLAIN, |contract| notice(contract, |reduced| reduced.notice = None)),
    row("byte-notice", "Counts the sizes of its notice in bytes.",
        &["RED-6"], &[], "unit-mismatch", PLAIN, byte_notice),
    row("split-character", "Cuts the text at a byte and replaces what is left of the character.",
        &["RED-7"], &["RED-1", "RED-2", "RED-4", "RED-8", "RED-9", "RED-12", "RED-13"], "character-split",
        r#""field": {"structure": "text", "notice": "none", "unit": "utf8_bytes"}"#, split_character),
    row("split-surrogates", "Cuts between the halves of a character, and replaces the half that is left.",
        &["RED-7"], &["RED-8", "RED-9", "RED-13"], "character-split",
        r#""field": {"structure": "text", "notice": "none", "unit": "utf16_units"}"#, split_surrogates),
    row("required-first", "Puts the required blocks in front.",
        &["RED-8", "RED-4"], &["RED-9", "RED-10"], "sequence-damage", PLAIN, required_first),
    row("heading", "Puts a heading before what it cut.",
        &["RED-8", "RED-7"], &["RED-10", "RED-13", "RED-9", "RED-6", "RED-5"], "cap-overshoot", PLAIN, heading),
    row("marker-switches-off", "Takes a text that contains the marker for one that is already cut.",
        &["RED-9", "RED-1"], &["RED-5", "RED-6"], "non-idempotent", MARKED, marker_switches_off),
    row("cuts-again", "Cuts what ends with a marker once more.",
        &["RED-9", "RED-2", "RED-6"], &["RED-12"], "non-idempotent",
        r#""field": {"structure": "text", "marker": "[cut]", "notice": "marker"}"#, cuts_again),
    row("every-block-a-little", "Cuts every removable block to the same length.",
        &["RED-10"], &["RED-13"], "required-tail-cut", PLAIN, even_blocks),
    row("alternates", "Takes the overflow from the end and from the beginning in turn.",
        &["RED-11"], &["RED-9"], "restart-amnesia", PLAIN, alternates),
    row("wavers", "Keeps one unit less every second time.",
        &["RED-11"], &["RED-9", "RED-10"], "restart-amnesia", PLAIN, wavers),
    row("bytes-for-characters", "Measures in bytes where characters are declared.",
        &["RED-12"], &["RED-2", "RED-5", "RED-6", "RED-10", "RED-13"], "unit-mismatch", PLAIN, |contract| measures(contract, Unit::Utf8Bytes)),
    row("characters-for-utf16", "Measures in code points where UTF-16 units are declared.",
        &["RED-12"], &["RED-1", "RED-5", "RED-6", "RED-9"], "unit-mismatch",
        r#""field": {"unit": "utf16_units"}"#, |contract| measures(contract, Unit::CodePoints)),
    row("half", "Keeps half of the room when it cuts at all.",
        &["RED-13"], &["RED-5", "RED-10"], "cap-overshoot", PLAIN, half),
];

fn reference(contract: &Contract) -> ReferenceReducer {
    ReferenceReducer::new(contract.field.clone())
}

fn join(contract: &Contract, blocks: &[Block]) -> String {
    contract.field.join.join(blocks.iter().map(|block| block.text.as_str()))
}

fn boxed(answer: impl Fn(&[Block], Limit) -> Answer + 'static) -> Box<dyn Reducer> {
    Box::new(answer)
}

/// The reference at another limit, where something has to be cut.
fn at_limit(contract: &Contract, other: impl Fn(&[Block], Limit) -> usize + 'static) -> Box<dyn Reducer> {
    let (reference, contract) = (reference(contract), contract.clone());
    boxed(move |blocks, limit| {
        let fits = limit.fits(&join(&contract, blocks));
        let max = if fits { limit.max } else { other(blocks, limit) };
        reference.reduce(blocks, Limit::new(max, limit.unit))
    })
}

/// What the beginning of a text is.
pub(super) fn prefix(text: &str, max: usize) -> String {
    text.chars().take(max).collect()
}

fn marker_outside(contract: &Contract) -> Box<dyn Reducer> {
    let mut plain = contract.field.clone();
    let marker = plain.marker.take().unwrap_or_default();
    let reference = ReferenceReducer::new(plain);
    boxed(move |blocks, limit| {
        let mut reduced = reference.reduce(blocks, limit)?;
        if let Some(notice) = &mut reduced.notice {
            reduced.text.push_str(&marker);
            notice.after = limit.unit.len(&reduced.text);
        }
        Ok(reduced)
    })
}

fn separators_uncounted(contract: &Contract) -> Box<dyn Reducer> {
    let separator = contract.field.join.separator.clone();
    let reference = reference(contract);
    boxed(move |blocks, limit| {
        let present = blocks.iter().filter(|block| !block.text.is_empty()).count();
        let uncounted = present.saturating_sub(1) * limit.unit.len(&separator);
        reference.reduce(blocks, Limit::new(limit.max + uncounted, limit.unit))
    })
}

fn full_is_over(contract: &Contract) -> Box<dyn Reducer> {
    let (reference, contract) = (reference(contract), contract.clone());
    boxed(move |blocks, limit| {
        let full = limit.unit.len(&join(&contract, blocks)) == limit.max && blocks.iter().any(|block| !block.required);
        let max = limit.max.saturating_sub(usize::from(full));
        reference.reduce(blocks, Limit::new(max, limit.unit)).or_else(|_| reference.reduce(blocks, limit))
    })
}

fn tabs_are_spaces(contract: &Contract) -> Box<dyn Reducer> {
    let reference = reference(contract);
    boxed(move |blocks, limit| {
        let mut reduced = reference.reduce(blocks, limit)?;
        reduced.text = reduced.text.replace('\t', " ");
        Ok(reduced)
    })
}

fn tidies(contract: &Contract) -> Box<dyn Reducer> {
    let reference = reference(contract);
    boxed(move |blocks, limit| {
        let mut reduced = reference.reduce(blocks, limit)?;
        if reduced.notice.is_none() {
            reduced.text = reduced.text.trim().to_owned();
        }
        Ok(reduced)
    })
}

fn required_once(contract: &Contract) -> Box<dyn Reducer> {
    let (reference, contract) = (reference(contract), contract.clone());
    boxed(move |blocks, limit| {
        if limit.fits(&join(&contract, blocks)) {
            return reference.reduce(blocks, limit);
        }
        let mut once: Vec<Block> = Vec::new();
        for block in blocks {
            if !once.iter().any(|known| known.text == block.text) {
                once.push(block.clone());
            }
        }
        let mut reduced = reference.reduce(&once, limit)?;
        let before = limit.unit.len(&join(&contract, blocks));
        reduced.notice = Some(crate::field::Cut::new(before, limit.unit.len(&reduced.text)));
        Ok(reduced)
    })
}

/// The strategy that was merged; and the same with the tail protected.
pub(super) fn paragraphs(contract: &Contract, protected: bool) -> Box<dyn Reducer> {
    let rules = contract.field.clone();
    boxed(move |blocks, limit| {
        let text = blocks.first().map_or("", |block| block.text.as_str());
        let (unit, total) = (limit.unit, limit.unit.len(text));
        if total <= limit.max {
            return Ok(Reduced::whole(text));
        }
        let overflow = total - limit.max;
        let mut parts: Vec<&str> = text.split("\n\n").collect();
        let last = parts.len() - 1;
        let tail = |at: usize| if protected && at == last { rules.tail } else { 0 };
        let spare = |at: usize| unit.len(parts[at]).saturating_sub(tail(at));
        let largest = (0..parts.len()).rev().max_by_key(|at| spare(*at)).unwrap_or(0);
        let cut = if spare(largest) > overflow {
            let part = parts[largest];
            let end = unit.suffix(part, tail(largest));
            let front = unit.prefix(part, unit.len(part) - unit.len(end) - overflow);
            let joined = format!("{front}{end}");
            parts[largest] = &joined;
            parts.join("\n\n")
        } else {
            let marker = rules.marker.as_deref().unwrap_or_default();
            let room = limit.max.saturating_sub(unit.len(marker));
            format!("{}{marker}{}", unit.prefix(text, room / 2), unit.suffix(text, room - room / 2))
        };
        let after = unit.len(&cut);
        Ok(Reduced::cut(cut, total, after))
    })
}

fn silent_loss(contract: &Contract) -> Box<dyn Reducer> {
    let (reference, contract) = (reference(contract), contract.clone());
    boxed(move |blocks, limit| {
        reference.reduce(blocks, limit).or_else(|_| {
            let text = join(&contract, blocks);
            let cut = limit.unit.prefix(&text, limit.max);
            Ok(Reduced::cut(cut, limit.unit.len(&text), limit.unit.len(cut)))
        })
    })
}

fn early_infeasible(contract: &Contract) -> Box<dyn Reducer> {
    let (reference, contract) = (reference(contract), contract.clone());
    boxed(move |blocks, limit| {
        let required: Vec<Block> = blocks.iter().filter(|block| block.required).cloned().collect();
        let tight = limit.unit.len(&join(&contract, &required)) + 10 > limit.max;
        if tight && !limit.fits(&join(&contract, blocks)) { Err(Infeasible) } else { reference.reduce(blocks, limit) }
    })
}

fn notice(contract: &Contract, change: impl Fn(&mut Reduced) + 'static) -> Box<dyn Reducer> {
    let reference = reference(contract);
    boxed(move |blocks, limit| {
        let mut reduced = reference.reduce(blocks, limit)?;
        change(&mut reduced);
        Ok(reduced)
    })
}

fn byte_notice(contract: &Contract) -> Box<dyn Reducer> {
    let (reference, contract) = (reference(contract), contract.clone());
    boxed(move |blocks, limit| {
        let mut reduced = reference.reduce(blocks, limit)?;
        if let Some(notice) = &mut reduced.notice {
            (notice.before, notice.after) = (join(&contract, blocks).len(), reduced.text.len());
        }
        Ok(reduced)
    })
}

fn split_character(_: &Contract) -> Box<dyn Reducer> {
    Box::new(text_reducer(|text, max| {
        if text.len() <= max {
            return text.to_owned();
        }
        let cut = String::from_utf8_lossy(&text.as_bytes()[..max]).into_owned();
        Unit::Utf8Bytes.prefix(&cut, max.max(3)).to_owned()
    }))
}

fn split_surrogates(_: &Contract) -> Box<dyn Reducer> {
    Box::new(text_reducer(|text, max| {
        let units: Vec<u16> = text.encode_utf16().collect();
        String::from_utf16_lossy(&units[..max.min(units.len())])
    }))
}

fn required_first(contract: &Contract) -> Box<dyn Reducer> {
    let (reference, contract) = (reference(contract), contract.clone());
    boxed(move |blocks, limit| {
        if limit.fits(&join(&contract, blocks)) || blocks.last().is_some_and(|last| last.required) {
            return reference.reduce(blocks, limit);
        }
        let mut sorted = blocks.to_vec();
        sorted.sort_by_key(|block| !block.required);
        reference.reduce(&sorted, limit)
    })
}

fn heading(contract: &Contract) -> Box<dyn Reducer> {
    const HEADING: &str = "Shortened:\n";
    let reference = reference(contract);
    boxed(move |blocks, limit| {
        let cut = reference.reduce(blocks, limit)?;
        let shorter = Limit::new(limit.max.saturating_sub(HEADING.len()), limit.unit);
        let (Some(notice), Ok(mut reduced)) = (cut.notice, reference.reduce(blocks, shorter)) else { return Ok(cut) };
        if limit.max < HEADING.len() {
            return Ok(cut);
        }
        reduced.text.insert_str(0, HEADING);
        let after = limit.unit.len(&reduced.text);
        Ok(Reduced::cut(reduced.text, notice.before, after))
    })
}

fn marker_switches_off(contract: &Contract) -> Box<dyn Reducer> {
    let (reference, contract) = (reference(contract), contract.clone());
    boxed(move |blocks, limit| {
        let text = join(&contract, blocks);
        match Marker::of(&contract.field) {
            Some(marker) if marker.is_in(&text) => Ok(Reduced::whole(text)),
            _ => reference.reduce(blocks, limit),
        }
    })
}

fn cuts_again(contract: &Contract) -> Box<dyn Reducer> {
    let reference = reference(contract);
    let marker = Marker::of(&contract.field);
    boxed(move |blocks, limit| {
        let text = blocks.first().map_or("", |block| block.text.as_str());
        let marked = marker.as_ref().is_some_and(|marker| marker.is_in(text));
        match marked && text.len() > 12 {
            true => {
                reference.reduce(blocks, Limit::new(limit.unit.len(text).min(limit.max).saturating_sub(1), limit.unit))
            }
            false => reference.reduce(blocks, limit),
        }
    })
}

/// All removable blocks get the same length.
pub(super) fn even_blocks(contract: &Contract) -> Box<dyn Reducer> {
    let contract = contract.clone();
    boxed(move |blocks, limit| {
        let (unit, total) = (limit.unit, limit.unit.len(&join(&contract, blocks)));
        let cut_to = |len: usize| {
            let cut =
                |block: &Block| if block.required { &block.text } else { unit.prefix(&block.text, len) }.to_owned();
            let texts: Vec<String> = blocks.iter().map(cut).collect();
            contract.field.join.join(texts.iter().map(String::as_str))
        };
        let longest = blocks.iter().map(|block| unit.len(&block.text)).max().unwrap_or(0);
        // The greatest length at which the whole fits.
        let (mut fits, mut over) = (None, longest + 1);
        while fits.unwrap_or(0) + 1 < over || fits.is_none() && over > 0 {
            let middle = fits.map_or(0, |fits| fits + (over - fits) / 2);
            if unit.len(&cut_to(middle)) <= limit.max { fits = Some(middle) } else { over = middle }
        }
        let text = cut_to(fits.ok_or(Infeasible)?);
        let after = unit.len(&text);
        Ok(if after == total { Reduced::whole(text) } else { Reduced::cut(text, total, after) })
    })
}

fn alternates(contract: &Contract) -> Box<dyn Reducer> {
    let (reference, turns) = (reference(contract), AtomicUsize::new(0));
    boxed(move |blocks, limit| {
        let reduced = reference.reduce(blocks, limit)?;
        let backwards = reduced.notice.is_some() && turns.fetch_add(1, Ordering::Relaxed) % 2 == 1;
        let [one] = blocks else { return Ok(reduced) };
        match (backwards && !one.required, reduced.notice) {
            (true, Some(notice)) => {
                let text = limit.unit.suffix(&one.text, limit.max);
                Ok(Reduced::cut(text, notice.before, limit.unit.len(text)))
            }
            _ => Ok(reduced),
        }
    })
}

fn wavers(contract: &Contract) -> Box<dyn Reducer> {
    let (reference, turns) = (reference(contract), AtomicUsize::new(0));
    boxed(move |blocks, limit| {
        let reduced = reference.reduce(blocks, limit)?;
        if reduced.notice.is_none() || turns.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            return Ok(reduced);
        }
        let less = Limit::new(limit.max.saturating_sub(1), limit.unit);
        Ok(reference.reduce(blocks, less).unwrap_or(reduced))
    })
}

/// The reference, with the limit in another unit than the declared one. It reports true sizes.
fn measures(contract: &Contract, unit: Unit) -> Box<dyn Reducer> {
    let (reference, contract) = (reference(contract), contract.clone());
    boxed(move |blocks, limit| {
        let mut reduced = reference.reduce(blocks, Limit::new(limit.max, unit))?;
        if let Some(notice) = &mut reduced.notice {
            let before = limit.unit.len(&join(&contract, blocks));
            (notice.before, notice.after) = (before, limit.unit.len(&reduced.text));
        }
        Ok(reduced)
    })
}

fn half(contract: &Contract) -> Box<dyn Reducer> {
    let (fallback, half) = (reference(contract), at_limit(contract, |_, limit| limit.max / 2));
    boxed(move |blocks, limit| half.reduce(blocks, limit).or_else(|_| fallback.reduce(blocks, limit)))
}
