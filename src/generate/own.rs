//! Logs of known size, for a candidate that measures for itself.

use super::pen::Pen;
use crate::contract::{Capability, Contract, Feature, FitUnit, PressureSource};
use crate::history::{Command, Draft, Name, Size};
use crate::message::Role;

/// What a counter may add for each message, in tokens.
const FRAME: usize = 4;
/// Characters of a word and the space after it: not more on the average.
const WORD: usize = 6;
/// What a trim may leave of a result beside `trim.min_chars`, in characters.
const MARKER: usize = 64;
/// Tokens of a reasoning block, not more.
const REASONING: usize = 16;

/// Where a log is to end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edge {
    /// As near below the trigger as no counter takes for more.
    Under,
    /// As near above it as no counter takes for less.
    Over,
}

/// Whether the candidate measures for itself.
pub(super) fn measures(contract: &Contract) -> bool {
    contract.pressure == PressureSource::Own
}

/// The characters of a draft.
fn chars(contract: &Contract, draft: &Draft) -> usize {
    match draft.size {
        Size::Small => contract.sizes.small,
        Size::Large => contract.sizes.large,
        Size::Chars(chars) => chars.max(18),
    }
}

/// The least and the most that a fair counter makes of a draft.
pub(super) fn count(contract: &Contract, draft: &Draft) -> (usize, usize) {
    if draft.ui_only {
        return (0, 0);
    }
    let chars = chars(contract, draft);
    let reasoning = if draft.reasoning { REASONING } else { 0 };
    match contract.gauge.unit {
        FitUnit::Messages => (1, 1),
        FitUnit::Tokens if contract.gauge.counter == "words" => (chars / WORD, chars.div_ceil(4) + FRAME + reasoning),
        // Half of the wide words' characters may count twice.
        FitUnit::Tokens if draft.wide => (chars / 4, chars.div_ceil(2) + FRAME + reasoning),
        FitUnit::Tokens => (chars / 4, chars.div_ceil(4) + FRAME + reasoning),
        FitUnit::Utf8Bytes | FitUnit::Utf16Units if draft.wide => (chars, 4 * chars + 4 * reasoning),
        _ => (chars, chars + 4 * reasoning),
    }
}

/// Characters that surely come to `size` in the unit of the gauge.
fn chars_for(contract: &Contract, size: usize) -> usize {
    match contract.gauge.unit {
        FitUnit::Tokens if contract.gauge.counter == "words" => size * WORD,
        FitUnit::Tokens => size * 4 + 4,
        _ => size,
    }
}

/// One message that makes any log too large by itself; none where messages are counted.
pub(crate) fn lump(contract: &Contract) -> Option<Size> {
    let trigger = contract.gauge.trigger;
    let chars = chars_for(contract, trigger + trigger / 4 + 1).clamp(40, 4_000_000);
    (contract.gauge.unit != FitUnit::Messages).then_some(Size::Chars(chars))
}

impl Pen<'_> {
    /// The trigger, and so much more that nobody doubts it.
    fn above(&self) -> usize {
        let trigger = self.contract.gauge.trigger;
        trigger + trigger / 4 + 1
    }

    /// Messages that come to `size` by themselves; none for a candidate that is told the pressure.
    pub(super) fn filler(&mut self, size: usize) -> Vec<Draft> {
        if !measures(self.contract) {
            return Vec::new();
        }
        let rules = &self.contract.attempt;
        let role = |at: usize| if at.is_multiple_of(2) { Role::Assistant } else { Role::User };
        if self.contract.gauge.unit == FitUnit::Messages {
            return (0..size).map(|at| self.draft(role(at))).collect();
        }
        // A tail that is kept by size is made of whole messages, and so is an input.
        let kept = if rules.keep_size < 1.0 { 0 } else { self.contract.at_most(rules.keep_size as usize) };
        let chars = chars_for(self.contract, size) + kept;
        let inputs = rules.input_max.map_or(1, |max| (2 * chars).div_ceil(max.max(1)));
        let pieces = inputs.max(if rules.keep_size > 0.0 { 11 } else { 1 }).min(99);
        let each = Size::Chars(chars.div_ceil(pieces).clamp(40, 4_000_000));
        (0..pieces).map(|at| Draft { size: each, ..self.draft(role(at)) }).collect()
    }

    /// What makes the log too large by itself.
    pub(super) fn too_much(&mut self) -> Vec<Draft> {
        let above = self.above();
        self.filler(above)
    }

    /// The same, and too little to summarise.
    pub(super) fn fill(&mut self, name: Name) -> &mut Self {
        let drafts = self.too_much();
        self.append(name, drafts)
    }

    /// What makes the log too large in one message, however much of it is kept by size; not where messages are counted.
    pub(super) fn lump(&mut self, name: Name) -> &mut Self {
        let size = Size::Chars(chars_for(self.contract, self.above()).clamp(40, 4_000_000));
        let draft = Draft { size, ..self.draft(Role::Assistant) };
        self.append(name, vec![draft])
    }

    /// So much of the way from the target to the trigger.
    pub(super) fn between(&self, part: f64) -> usize {
        let rules = &self.contract.gauge;
        rules.target + (rules.trigger.saturating_sub(rules.target) as f64 * part) as usize
    }

    /// One more message, or as many as it takes, so that the log ends at an edge.
    pub(super) fn reach(&mut self, name: Name, edge: Edge) -> &mut Self {
        let trigger = self.contract.gauge.trigger;
        let (least, most) = self.measured(name);
        let words = self.contract.gauge.counter == "words";
        let (now, to) = match edge {
            Edge::Under => (most, trigger - 1),
            Edge::Over => (least, trigger + 1),
        };
        let Some(more) = to.checked_sub(now).filter(|more| *more > 0 && measures(self.contract)) else { return self };
        let size = match (self.contract.gauge.unit, edge) {
            (FitUnit::Messages, _) => {
                let drafts = self.filler(more);
                return self.append(name, drafts);
            }
            (FitUnit::Tokens, Edge::Under) => 4 * more.saturating_sub(FRAME),
            (FitUnit::Tokens, Edge::Over) if words => WORD * more,
            (FitUnit::Tokens, Edge::Over) => 4 * more,
            _ => more,
        };
        if size < 40 {
            return self;
        }
        let draft = Draft { size: Size::Chars(size.min(4_000_000)), ..self.draft(Role::Assistant) };
        self.append(name, vec![draft])
    }

    /// What cannot be compacted, of this size; whether there is such a thing.
    pub(super) fn fixed(&mut self, name: Name, size: usize) -> bool {
        let (pinned, system) = (self.contract.has(Feature::Pinned), self.contract.has(Feature::System));
        let first = self.measured(name) == (0, 0);
        if !measures(self.contract) || !(pinned || (system && first)) {
            return false;
        }
        let count = if self.contract.gauge.unit == FitUnit::Messages { size } else { 1 };
        if !pinned && count > 1 && !self.contract.has(Feature::ManySystem) {
            return false;
        }
        let chars = if count > 1 { self.contract.sizes.small } else { chars_for(self.contract, size).max(40) };
        let role = if pinned { Role::User } else { Role::System };
        let drafts = (0..count).map(|_| Draft { size: Size::Chars(chars), pinned, ..self.draft(role) }).collect();
        self.append(name, drafts);
        true
    }

    /// Characters of each of the results whose trimming alone gets a log to the target that would be too large with them,
    /// and how many of them: fine ones, so that it makes a difference where a trim ends, or a few. None where that cannot be.
    pub(super) fn enough_to_trim(&self, fine: bool, rest: usize) -> Option<(usize, usize)> {
        let contract = self.contract;
        let (rules, left) = (&contract.gauge, contract.trim.min_chars + MARKER);
        if !measures(contract) || !contract.claims(Capability::Trim) {
            return None;
        }
        let drops = contract.trim.how == crate::contract::TrimHow::Drop;
        if rules.unit == FitUnit::Messages {
            return drops.then_some((contract.trim.min_chars + 2 * MARKER, self.above()));
        }
        let (above, target) =
            (chars_for(contract, self.above()), rules.target * if rules.unit == FitUnit::Tokens { 4 } else { 1 });
        let distance = chars_for(contract, rules.trigger.saturating_sub(rules.target));
        let few = (above / 2 + 1).max(left + 200);
        let each = if fine { (left + distance / 3).min(few) } else { few };
        let count = above.div_ceil(each);
        // Each has a call beside it, and what stays of it.
        let after = rest + count * (if drops { 0 } else { left + 20 });
        (after + after / 8 < target).then_some((each, count))
    }

    /// The provider reports what it was sent, which is what the declared counter makes of it.
    pub(crate) fn usage(&mut self, name: Name) -> &mut Self {
        let tokens = self.contract.gauge.unit == FitUnit::Tokens && self.contract.gauge.counter != "words";
        if let Some(upto) = self.last(name)
            && tokens
            && self.contract.claims(Capability::Usage)
        {
            let (least, most) = self.measured(name);
            let tokens = (least.midpoint(most) as u64).max(1);
            self.push(Command::Usage { conversation: name, tokens, upto });
        }
        self
    }
}
