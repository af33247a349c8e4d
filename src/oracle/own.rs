//! Pressure that the candidate measures for itself: what the oracle derives from the size of the view, in the declared
//! unit and counter.
//!
//! A count is a span. Where counters may differ, in rounding or in what they add for each message, the span has room for
//! all of them; where a span reaches both sides of an edge, nothing is required or forbidden because of pressure.

use std::ops::{Add, AddAssign};

use super::view::{self, Externals, Item, View};
use crate::contract::{Capability, Contract, FitUnit, PressureSource, TrimHow};
use crate::history::{Pressure, StepCommand, StepKind};
use crate::message::Message;
use crate::unit::Unit;

/// What a counter may add for each message, where it counts tokens.
const FRAME: usize = 4;

/// What a trim may leave of a result beside `trim.min_chars`: its marker, in characters.
const MARKER: usize = 64;

/// The least and the most that a fair count can come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) least: usize,
    pub(crate) most: usize,
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { least: self.least + other.least, most: self.most + other.most }
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Span {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::default(), Self::add)
    }
}

/// What the oracle reads off a view at a step of a candidate that measures for itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    /// The size of the view, before the step and after it.
    pub(crate) size: Span,
    pub(crate) after: Span,
    /// Results that are surely trimmable after the step.
    pub(crate) left: usize,
    /// What has been said since the last installed summary; none where that is not known.
    pub(crate) growth: Option<Span>,
    /// Where what cannot be compacted reaches the trigger by itself: visible messages of the host that have come since the
    /// last attempt under just that, if there was one.
    pub(crate) floor: Option<Option<u64>>,
    /// Whether an attempt is due by size.
    pub(crate) due: bool,
    /// Neither throttle nor latch surely or possibly stands in the way.
    pub(crate) open: bool,
}

/// What is remembered of a conversation.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    /// All that the host has said so that the model sees it.
    said: Span,
    /// The same when the last step began.
    begun: Span,
    settled: Option<Settled>,
    /// The last attempt under a floor: what it consisted of, and the messages that had come.
    floor: Option<(Vec<usize>, u64)>,
    /// The provider has reported something else than can be counted, or the log has lost a member: who measures may see
    /// another size than the oracle.
    odd: bool,
}

/// The last installed summary.
#[derive(Clone, Copy, Debug)]
struct Settled {
    said: Span,
    after: Span,
    /// A rewind or a restart came since.
    unsure: bool,
}

impl Past {
    /// The host has said `message`.
    pub(super) fn hears(&mut self, contract: &Contract, message: &Message) {
        if message.is_visible() && measures(contract) {
            self.said += count(contract, message);
        }
    }

    /// A rewind, or a restart that has kept all members or not.
    pub(super) fn unsettle(&mut self, odd: bool) {
        self.odd |= odd;
        if let Some(settled) = &mut self.settled {
            settled.unsure = true;
        }
    }

    /// A step begins.
    pub(super) fn begin(&mut self) {
        self.begun = self.said;
    }

    /// The provider has reported `tokens` for the view up to the message at `upto`. A figure that no count comes to may
    /// govern, and the oracle does not know from where to where.
    pub(super) fn reported(&mut self, contract: &Contract, tokens: u64, upto: Option<usize>, view: &[Item<'_>]) {
        if !measures(contract) || contract.gauge.unit != FitUnit::Tokens {
            return;
        }
        let end = view.iter().position(|item| upto.is_some() && item.external() == upto);
        let size = end.map(|end| measured(contract, &view[..=end]));
        self.odd |= !size.is_some_and(|size| (size.least as u64..=size.most as u64).contains(&tokens));
    }

    /// A summary was installed.
    pub(super) fn settle(&mut self, contract: &Contract, view: &[Item<'_>]) {
        if measures(contract) {
            self.settled = Some(Settled { said: self.begun, after: measured(contract, view), unsure: false });
        }
    }

    /// An ordinary step has attempted, of `before`, when so many messages had come.
    pub(super) fn attempted(&mut self, contract: &Contract, before: &[Item<'_>], come: u64) {
        if measures(contract) {
            self.floor = Some((floor(before), come));
        }
    }
}

/// Whether the candidate measures for itself.
pub(crate) fn measures(contract: &Contract) -> bool {
    contract.pressure == PressureSource::Own
}

/// The pressure at a step, where it is known; and, where the candidate measures for itself, what it was read off.
pub(super) fn read<'t>(
    contract: &Contract,
    externals: &Externals<'t>,
    step: &StepCommand,
    view: &View<'t>,
    past: &Past,
    come: u64,
) -> (Option<Pressure>, Option<Reading>) {
    if !measures(contract) {
        return (Some(step.pressure), None);
    }
    let (trigger, target) = (contract.gauge.trigger, contract.gauge.target);
    let size = measured(contract, view);
    let pressure = pressure(contract, externals, view, size).filter(|_| !past.odd);
    // Where what stays anyway is above the target, a design may see that nothing would come of it.
    let eligible = view::surely_eligible(contract, externals, view);
    let stays = (0..view.len()).filter(|at| view[*at].visible && !eligible.contains(at));
    let stays: Span = stays.map(|at| count(contract, view[at].message)).sum();
    let rested = past.settled.is_none_or(|settled| {
        let room = trigger - target.min(trigger);
        past.said.least - settled.said.least >= room && size.least >= settled.after.most + room
    });
    let growth = past
        .settled
        .filter(|settled| !settled.unsure && !past.odd)
        .map(|settled| Span { least: past.said.least - settled.said.least, most: past.said.most - settled.said.most });
    let fixed = floor(view);
    let reaches = fixed.iter().map(|at| count(contract, externals.message(*at))).sum::<Span>().least > trigger;
    let since = past.floor.as_ref().filter(|(same, _)| *same == fixed).map(|(_, then)| come - then);
    let reading = Reading {
        size,
        growth,
        floor: (reaches && !past.odd).then_some(since),
        due: pressure == Some(Pressure::Summarize) && stays.most <= target && rested,
        ..Reading::default()
    };
    let shown = if step.kind == StepKind::Step { pressure } else { Some(step.pressure) };
    (shown, Some(reading))
}

/// The pressure of a view of this size: none below the trigger; above it, trimming is enough where that alone surely gets
/// it to the target, and is not where it surely does not.
fn pressure<'t>(contract: &Contract, externals: &Externals<'t>, view: &View<'t>, size: Span) -> Option<Pressure> {
    let (trigger, target) = (contract.gauge.trigger, contract.gauge.target);
    if size.most < trigger {
        return Some(Pressure::None);
    }
    if size.least <= trigger {
        return None;
    }
    if !contract.claims(Capability::Trim) {
        return Some(Pressure::Summarize);
    }
    let found = view::surely_trimmable(contract, externals, view);
    let mut sure: usize = found.iter().map(|at| saving(contract, &view[*at])).sum();
    if contract.trim.how == TrimHow::Drop {
        // Their calls go with them.
        let answers = |call: &String| found.iter().any(|at| view[*at].message.call_id.as_ref() == Some(call));
        let calls = view.iter().filter(|item| item.visible && item.message.calls.iter().any(answers));
        sure += calls.map(|item| count(contract, item.message).least).sum::<usize>();
    }
    if size.most - sure.min(size.most) <= target {
        return Some(Pressure::Trim);
    }
    let could: usize = view
        .iter()
        .filter(|item| item.visible && may_trim(externals, item))
        .map(|item| count(contract, item.message).most)
        .sum();
    (size.least.saturating_sub(could) > target).then_some(Pressure::Summarize)
}

/// The results that are surely trimmable and surely make the view smaller by the candidate's own measure.
pub(super) fn trimmable<'t>(contract: &Contract, externals: &Externals<'t>, view: &[Item<'t>]) -> usize {
    let found = view::surely_trimmable(contract, externals, view);
    found.into_iter().filter(|at| !measures(contract) || saving(contract, &view[*at]) > 0).count()
}

/// Results, and what belongs to a call where whole groups go.
fn may_trim(externals: &Externals<'_>, item: &Item<'_>) -> bool {
    let called = item.message.call_id.is_some() || !item.message.calls.is_empty();
    called || item.external().is_some_and(|at| externals.draft(at).role == crate::message::Role::Tool)
}

/// What a trim of a surely trimmable result saves at least.
fn saving(contract: &Contract, item: &Item<'_>) -> usize {
    let whole = count(contract, item.message).least;
    if contract.trim.how == TrimHow::Drop {
        return whole;
    }
    let rest = contract.trim.min_chars + MARKER;
    let rest = match contract.gauge.unit {
        FitUnit::Messages => whole,
        FitUnit::Tokens if contract.gauge.counter == "words" => rest.div_ceil(2),
        FitUnit::Tokens => rest.div_ceil(4) + FRAME,
        FitUnit::CodePoints => rest,
        // What is left may be the widest of it.
        _ if whole == Unit::CodePoints.len(&item.message.content) => rest,
        FitUnit::Utf16Units => 2 * rest,
        FitUnit::Utf8Bytes => 4 * rest,
    };
    whole.saturating_sub(rest)
}

/// What surely cannot be compacted: leading system messages and pinned ones, by position among the externals.
fn floor(view: &[Item<'_>]) -> Vec<usize> {
    let leading = view::leading(view);
    let stays = |(at, item): &(usize, &Item<'_>)| item.visible && (*at < leading || item.message.pinned);
    view.iter().enumerate().filter(stays).filter_map(|(_, item)| item.external()).collect()
}

/// The size of the visible items of a view.
pub(crate) fn measured(contract: &Contract, view: &[Item<'_>]) -> Span {
    view.iter().filter(|item| item.visible).map(|item| count(contract, item.message)).sum()
}

/// The size of one message.
fn count(contract: &Contract, message: &Message) -> Span {
    let rules = &contract.gauge;
    let text = |text: &str| match rules.unit {
        FitUnit::Messages => Span::default(),
        FitUnit::Tokens if rules.counter == "words" => {
            let words = text.split_whitespace().count();
            Span { least: words, most: words }
        }
        // A character is a code point to one and a UTF-16 unit to another.
        FitUnit::Tokens => Span { least: Unit::CodePoints.len(text) / 4, most: Unit::Utf16Units.len(text).div_ceil(4) },
        unit => {
            let len = unit.unit().len(text);
            Span { least: len, most: len }
        }
    };
    let each = match rules.unit {
        FitUnit::Messages => Span { least: 1, most: 1 },
        FitUnit::Tokens => Span { least: 0, most: FRAME },
        _ => Span::default(),
    };
    each + text(&message.content) + message.reasoning.as_deref().map_or(Span::default(), text)
}
