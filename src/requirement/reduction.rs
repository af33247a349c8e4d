//! What was seen of one reduction, and how it is measured.

use super::alignment::Additions;
use super::limit::Reply;
use crate::contract::{Contract, FieldRules, Structure};
use crate::field::{Block, Reduced};
use crate::marker::Marker;
use crate::unit::Unit;

/// One reduction, and what the candidate answered to its variants.
#[derive(Clone, Debug)]
pub(crate) struct Reduction {
    pub(crate) blocks: Vec<Block>,
    pub(crate) max: usize,
    pub(crate) reply: Reply<Reduced>,
    /// The same input again.
    pub(crate) again: Option<Reply<Reduced>>,
    /// Whether the candidate changed the blocks that it was lent.
    pub(crate) touched: bool,
    /// The output, as a field of its own, at the same limit.
    pub(crate) second: Option<Reply<Reduced>>,
    /// The same case with other text of the same length where it contained the marker.
    pub(crate) unmarked: Option<Box<Reduction>>,
    /// The same case in ASCII of the same length in the declared unit.
    pub(crate) ascii: Option<Box<Reduction>>,
    /// Facts that the requirements share.
    pub(crate) facts: Facts,
}

/// The measures of a case. Where white space at the ends is free, the joined field has a least and a greatest length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) joined: String,
    pub(crate) least: usize,
    pub(crate) most: usize,
    /// The least length of the required blocks and their separators.
    pub(crate) required: usize,
    /// Their greatest length.
    pub(crate) required_most: usize,
    pub(crate) separator: usize,
    pub(crate) wrap: usize,
    /// The greatest length of a marker; 0 if there is none.
    pub(crate) marker: usize,
    /// The number of blocks that are not empty and may be cut.
    pub(crate) removable: usize,
    /// Whether the one block is the field already, and nothing joins it to anything.
    whole: bool,
}

impl Reduction {
    /// What was seen, with only the reply so far. One block that is a text is the field.
    pub(crate) fn new(rules: &FieldRules, blocks: Vec<Block>, max: usize, reply: Reply<Reduced>) -> Self {
        let whole = rules.structure == Structure::Text && blocks.len() == 1;
        Self::seen(rules, blocks, max, reply, whole)
    }

    /// The same of a request: its field is joined from its messages, be it one.
    pub(crate) fn of_request(rules: &FieldRules, blocks: Vec<Block>, max: usize, reply: Reply<Reduced>) -> Self {
        Self::seen(rules, blocks, max, reply, false)
    }

    fn seen(rules: &FieldRules, blocks: Vec<Block>, max: usize, reply: Reply<Reduced>, whole: bool) -> Self {
        let facts = Facts::of(rules, &blocks, whole);
        Self { blocks, max, reply, again: None, touched: false, second: None, unmarked: None, ascii: None, facts }
    }

    /// Whether the joined field is within the limit, however white space is read.
    pub(crate) fn fits(&self) -> bool {
        self.facts.most <= self.max
    }

    /// Whether something has to be cut, however white space is read.
    pub(crate) fn overflows(&self) -> bool {
        self.facts.least > self.max
    }

    /// Whether there is no field at all: nothing is said of it then.
    pub(crate) fn is_blank(&self) -> bool {
        self.facts.least == 0
    }

    /// Whether the required blocks fit together with as many markers as a design could want.
    pub(crate) fn feasible(&self) -> bool {
        let Facts { required_most, separator, wrap, marker, removable, .. } = self.facts;
        let markers = if marker == 0 { 0 } else { removable.max(1) * (marker + 2 * separator) };
        required_most + if self.blocks.is_empty() { 0 } else { wrap } + markers <= self.max
    }

    /// The last block that is not empty.
    pub(crate) fn last(&self, rules: &FieldRules) -> Option<&Block> {
        self.blocks.iter().rev().find(|block| !rules.join.skip_empty || !block.text.is_empty())
    }

    /// What may stand in the output beside the input.
    pub(crate) fn additions<'a>(&self, marker: Option<&'a Marker>, rules: &'a FieldRules) -> Additions<'a> {
        let partial = self.facts.required + self.facts.wrap + self.facts.marker > self.max;
        Additions { marker, separator: &rules.join.separator, partial }
    }
}

impl Facts {
    fn of(rules: &FieldRules, blocks: &[Block], whole: bool) -> Self {
        let (unit, join) = (rules.unit, &rules.join);
        let joined = match blocks {
            [one] if whole => one.text.clone(),
            _ => join.join(blocks.iter().map(|block| block.text.as_str())),
        };
        let most = unit.len(&joined);
        let bare = |which: fn(&Block) -> bool| {
            let parts = blocks.iter().filter(|block| which(block)).map(|block| block.text.trim());
            let sum: usize = parts.clone().map(|part| unit.len(part)).sum();
            let count = parts.filter(|part| !join.skip_empty || !part.is_empty()).count();
            sum + count.saturating_sub(1) * unit.len(&join.separator)
        };
        let least = match (rules.join.strip, whole) {
            (false, _) => most,
            (true, true) => unit.len(joined.trim()),
            (true, false) => bare(|_| true),
        };
        let kept = join.join(blocks.iter().filter(|block| block.required).map(|block| block.text.as_str()));
        let required_most = unit.len(&kept) - if kept.is_empty() { 0 } else { join.wrap(unit) };
        let required = if rules.join.strip { bare(|block| block.required) } else { required_most };
        Self {
            least,
            most,
            required,
            required_most,
            separator: unit.len(&join.separator),
            wrap: join.wrap(unit),
            marker: Marker::of(rules).map_or(0, |marker| marker.longest(unit, joined.len())),
            removable: blocks.iter().filter(|block| !block.required && !block.text.is_empty()).count(),
            joined,
            whole,
        }
    }
}

/// Whether `text` is the field that `blocks` make: exactly, or where white space is free, but for that.
pub(crate) fn is_joined(text: &str, seen: &Reduction, rules: &FieldRules) -> bool {
    if text == seen.facts.joined {
        return true;
    }
    if !rules.join.strip {
        return false;
    }
    if seen.facts.whole {
        return text.trim() == seen.facts.joined.trim();
    }
    let around = [rules.join.before.trim(), rules.join.after.trim()];
    let cores = seen.blocks.iter().map(|block| block.text.trim()).filter(|core| !core.is_empty());
    joined_from(text.trim(), around, cores, rules)
}

fn joined_from<'a>(text: &str, around: [&str; 2], cores: impl Iterator<Item = &'a str>, rules: &FieldRules) -> bool {
    let separator = rules.join.separator.as_str();
    let Some(inner) = text.strip_prefix(around[0]) else { return text.is_empty() };
    let Some(mut rest) = inner.strip_suffix(around[1]) else { return false };
    for (nth, core) in cores.enumerate() {
        let Some(at) = rest.find(core) else { return false };
        let gap = &rest[..at];
        let bare = gap.replace(separator.trim(), "");
        let joined = nth == 0 || separator.is_empty() || gap.contains(separator) || {
            !separator.trim().is_empty() && gap.contains(separator.trim())
        };
        if !joined || !(bare.trim().is_empty() || separator.trim().is_empty() && gap.trim().is_empty()) {
            return false;
        }
        rest = &rest[at + core.len()..];
    }
    rest.trim().is_empty()
}

/// Replaces what looks like the marker in `text` by other characters of the same lengths.
pub(crate) fn without_marker(text: &str, marker: &Marker) -> Option<String> {
    let mut rest = text;
    let mut other = String::with_capacity(text.len());
    while let Some(range) = marker.find(rest) {
        other.push_str(&rest[..range.start]);
        other.extend(rest[range.clone()].chars().map(stand_in));
        rest = &rest[range.end..];
    }
    if other.is_empty() {
        return None;
    }
    other.push_str(rest);
    Some(other)
}

fn stand_in(character: char) -> char {
    match character.len_utf8() {
        _ if character.is_whitespace() => character,
        1 => 'q',
        2 => 'ж',
        3 => '漢',
        _ => '𝒒',
    }
}

/// Replaces every character of `text` outside ASCII by ASCII of the same length in `unit`.
pub(crate) fn in_ascii(text: &str, unit: Unit) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let plain = |character: char| match character.is_ascii() {
        true => std::iter::repeat_n(character, 1),
        false => std::iter::repeat_n('z', unit.len_char(character)),
    };
    Some(text.chars().flat_map(plain).collect())
}

/// Whether the limit itself was kept: what fits unchanged, what does not within it.
pub(crate) fn limit_broken(seen: &Reduction, contract: &Contract) -> Option<&'static str> {
    let rules = &contract.field;
    match &seen.reply {
        Reply::Given(reduced) if rules.unit.len(&reduced.text) > seen.max => Some("too_long"),
        Reply::Given(reduced) if seen.fits() && !seen.is_blank() && !is_joined(&reduced.text, seen, rules) => {
            Some("changed_though_it_fits")
        }
        Reply::Infeasible if seen.fits() && !seen.is_blank() => Some("infeasible_though_it_fits"),
        _ => None,
    }
}
