//! The reference reducer.

use std::cmp::Reverse;

use crate::candidate::Reducer;
use crate::contract::{FieldRules, Notice, Structure};
use crate::field::{Block, Cut, Infeasible, Reduced};
use crate::marker::Marker;
use crate::unit::Limit;

/// Reduces a field as the contract declares it.
///
/// Blocks: the overflow is taken from the end of the largest removable block, and a marker stands where it was; if that
/// block is too small it goes, and the next one gives the rest. Required blocks are never touched. A text keeps both ends
/// around the marker, and its end at least as far as `field.tail`. Linear in the input.
///
/// ```
/// use plimsoll::{Block, FieldRules, Limit, ReferenceReducer, Reducer, Unit};
///
/// let blocks = [Block::removable("xxxxxxxx"), Block::required("rules")];
/// let reduced = ReferenceReducer::new(FieldRules::default()).reduce(&blocks, Limit::new(10, Unit::CodePoints)).unwrap();
/// assert_eq!(reduced.text, "xxx\n\nrules");
/// assert_eq!(reduced.notice.unwrap().before, 15);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReferenceReducer {
    rules: FieldRules,
}

impl ReferenceReducer {
    /// A reducer for these rules.
    #[must_use]
    pub fn new(rules: FieldRules) -> Self {
        Self { rules }
    }

    /// The field within the limit, and which of the blocks left nothing in it.
    pub(crate) fn reduce_blocks(&self, blocks: &[Block], limit: Limit) -> Result<(Reduced, Vec<bool>), Infeasible> {
        let field = Field::measure(&self.rules, blocks, limit);
        if field.total <= limit.max {
            let text = self.rules.join.join(blocks.iter().map(|block| block.text.as_str()));
            return Ok((Reduced::whole(text), vec![false; blocks.len()]));
        }
        if field.size_of(|part| part.block.required) > limit.max {
            return Err(Infeasible);
        }
        let marker = Marker::of(&self.rules);
        let marked = marker.and_then(|marker| field.plan(Some(marker)));
        let plan = marked.or_else(|| field.plan(None)).ok_or(Infeasible)?;
        let (text, after) = field.build(&plan);
        let mut gone = vec![true; blocks.len()];
        for (part, keep) in field.parts.iter().zip(&plan.kept) {
            gone[part.at] = *keep == Some(0) || keep.is_none();
        }
        Ok((self.reduced(text, field.total, after), gone))
    }

    /// Both ends of a text around the marker.
    pub(crate) fn reduce_text(&self, text: &str, limit: Limit) -> Reduced {
        let (unit, max) = (limit.unit, limit.max);
        let total = if text.len() <= max { return Reduced::whole(text) } else { unit.len(text) };
        if total <= max {
            return Reduced::whole(text);
        }
        let marker = Marker::of(&self.rules).filter(|marker| marker.longest(unit, total) <= max);
        let room = max - marker.as_ref().map_or(0, |marker| marker.longest(unit, total));
        let tail = unit.suffix(text, room.div_ceil(2).max(self.rules.tail.min(room)));
        let head = unit.prefix(&text[..text.len() - tail.len()], room - unit.len(tail));
        let kept = unit.len(head) + unit.len(tail);
        let marker = marker.map_or(String::new(), |marker| marker.text(total - kept));
        self.reduced([head, &marker, tail].concat(), total, kept + unit.len(&marker))
    }

    fn reduced(&self, text: String, before: usize, after: usize) -> Reduced {
        let notice = (self.rules.notice == Notice::Reported).then_some(Cut::new(before, after));
        Reduced { notice, ..Reduced::whole(text) }
    }
}

impl Reducer for ReferenceReducer {
    fn reduce(&self, blocks: &[Block], limit: Limit) -> Result<Reduced, Infeasible> {
        match (self.rules.structure, blocks) {
            (Structure::Text, [one]) => Ok(self.reduce_text(&one.text, limit)),
            (Structure::Text, many) => {
                let text = self.rules.join.join(many.iter().map(|block| block.text.as_str()));
                Ok(self.reduce_text(&text, limit))
            }
            (Structure::Blocks, _) => self.reduce_blocks(blocks, limit).map(|(reduced, _)| reduced),
        }
    }
}

/// A block that takes part, and its length.
struct Part<'a> {
    at: usize,
    block: &'a Block,
    len: usize,
}

/// The parts of a field, measured.
struct Field<'a> {
    rules: &'a FieldRules,
    parts: Vec<Part<'a>>,
    limit: Limit,
    separator: usize,
    total: usize,
}

/// How many units of each part stay (none: the part is gone), and where the marker stands.
struct Plan {
    kept: Vec<Option<usize>>,
    marker: Option<(usize, Marker)>,
}

impl<'a> Field<'a> {
    fn measure(rules: &'a FieldRules, blocks: &'a [Block], limit: Limit) -> Self {
        let there = |block: &Block| !(rules.join.skip_empty && block.text.is_empty());
        let parts = blocks.iter().enumerate().filter(|(_, block)| there(block));
        let parts = parts.map(|(at, block)| Part { at, block, len: limit.unit.len(&block.text) }).collect();
        let mut field = Self { rules, parts, limit, separator: limit.unit.len(&rules.join.separator), total: 0 };
        field.total = field.size_of(|_| true);
        field
    }

    /// The length of the field that these parts alone would make.
    fn size_of(&self, which: impl Fn(&Part<'_>) -> bool) -> usize {
        let lens = self.parts.iter().filter(|part| which(part)).map(|part| part.len);
        match lens.fold((0, 0), |(count, sum), len| (count + 1, sum + len)) {
            (0, _) => 0,
            (count, sum) => self.rules.join.wrap(self.limit.unit) + sum + self.separator * (count - 1),
        }
    }

    /// What stays of each part. None if the marker does not fit.
    fn plan(&self, marker: Option<Marker>) -> Option<Plan> {
        let mut kept: Vec<_> = self.parts.iter().map(|part| Some(part.len)).collect();
        let mut order: Vec<_> = (0..self.parts.len()).filter(|at| !self.parts[*at].block.required).collect();
        order.sort_by_key(|at| Reverse(self.parts[*at].len));
        let holder = marker.and_then(|marker| Some((*order.first()?, marker)));
        let reserved = holder.as_ref().map_or(0, |(_, marker)| marker.longest(self.limit.unit, self.total));
        let mut excess = self.total + reserved - self.limit.max;
        for at in order {
            let len = self.parts[at].len;
            if len > excess {
                kept[at] = Some(len - excess);
                excess = 0;
            } else if holder.as_ref().is_some_and(|(holder, _)| *holder == at) {
                kept[at] = Some(0);
                excess -= len;
            } else {
                kept[at] = None;
                excess = excess.saturating_sub(len + self.separator);
            }
            if excess == 0 {
                break;
            }
        }
        (excess == 0 || holder.is_none()).then_some(Plan { kept, marker: holder })
    }

    /// The field and its length.
    fn build(&self, plan: &Plan) -> (String, usize) {
        let unit = self.limit.unit;
        // Where a unit is a byte, as in ASCII, nothing has to be counted.
        let bytes = |part: &Part<'a>, keep| part.len == part.block.text.len() && part.block.text.is_char_boundary(keep);
        let slice = |part: &Part<'a>, keep: usize| match bytes(part, keep) {
            true => (&part.block.text[..keep], keep),
            false if keep == part.len => (part.block.text.as_str(), keep),
            false => {
                let text = unit.prefix(&part.block.text, keep);
                (text, unit.len(text))
            }
        };
        let kept = self.parts.iter().zip(&plan.kept).enumerate();
        let slices: Vec<_> = kept.filter_map(|(at, (part, keep))| Some((at, slice(part, (*keep)?)))).collect();
        let left: usize = slices.iter().map(|(_, (_, len))| len).sum();
        let whole: usize = self.parts.iter().map(|part| part.len).sum();
        let marker = plan.marker.as_ref().map(|(at, marker)| (*at, marker.text(whole - left)));
        let join = &self.rules.join;
        let capacity: usize = slices.iter().map(|(_, (text, _))| text.len() + join.separator.len()).sum();
        let mark = marker.as_ref().map_or("", |(_, text)| text);
        let mut field = String::with_capacity(capacity + join.before.len() + join.after.len() + mark.len());
        for (nth, (at, (text, _))) in slices.iter().enumerate() {
            field.push_str(if nth > 0 { &join.separator } else { &join.before });
            field.push_str(text);
            if marker.as_ref().is_some_and(|(holder, _)| holder == at) {
                field.push_str(mark);
            }
        }
        if slices.is_empty() {
            return (field, 0);
        }
        field.push_str(&join.after);
        (field, left + unit.len(mark) + join.wrap(unit) + self.separator * (slices.len() - 1))
    }
}
