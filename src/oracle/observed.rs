//! What a step was, from what was seen of it.

use super::Judge;
use super::judged::{Judged, Outcome};
use super::view::{self, Item};
use crate::contract::{FailureKind, SizeUnit};
use crate::history::Answer;

impl<'t> Judge<'t> {
    /// What kind of thing the step was, from what was seen of it.
    pub(super) fn observe(&self, judged: &mut Judged<'t>) {
        let contract = self.contract;
        // The first place of each of the host's messages.
        let mut places: Vec<(usize, usize)> = Vec::with_capacity(judged.after.len());
        places.extend((0..).zip(judged.after.iter()).filter_map(|(place, item)| Some((item.external()?, place))));
        places.sort_unstable();
        let (mut gone, mut shorter) = (false, false);
        for item in judged.before.iter().filter(|item| item.visible) {
            let Some(at) = item.external() else { continue };
            match places.get(places.partition_point(|(other, _)| *other < at)) {
                Some((other, place)) if *other == at => {
                    shorter |= judged.after[*place].message.content.len() < item.message.content.len();
                }
                _ => gone = true,
            }
        }
        let (size_before, size_after) = self.sizes(judged);
        judged.sizes = (size_before, size_after);
        if judged.event.calls.is_empty() {
            judged.trimmed = (gone || shorter) && size_after < size_before;
            return;
        }
        let carries = |text: &str| judged.carries(text);
        let known = !judged.event.states.is_empty();
        let installed = known && judged.usable().any(carries);
        // What stands for something that was said, usable or not, is no trim.
        let taken = installed || (known && judged.texts().any(|text| carries(text.trim())));
        let kept = |item: &Item<'_>| {
            let same =
                |new: &Item<'_>| new.message.id == item.message.id || new.message.content == item.message.content;
            judged.after.iter().any(same)
        };
        let summaries = judged.before.iter().filter(|item| item.visible && item.is_own() && item.message.summary);
        judged.replaced = known && (gone || summaries.into_iter().any(|item| !kept(item)));
        judged.trimmed = shorter || (gone && !taken && size_after < size_before);
        let smaller = if contract.size.unit == SizeUnit::Tokens {
            size_after < size_before.saturating_mul(2)
        } else {
            size_after < size_before && size_after as f64 <= size_before as f64 * (1.0 - contract.attempt.min_effect)
        };
        let calls = &judged.event.calls;
        judged.outcome = Some(if installed && smaller {
            Outcome::Success
        } else if calls.iter().any(|call| call.reply.is_abort()) {
            Outcome::Abort
        } else if judged.event.raised.is_some() {
            Outcome::Failure(FailureKind::Raised)
        } else if installed && size_after > size_before {
            Outcome::Failure(FailureKind::Inflated)
        } else if installed && size_after == size_before {
            Outcome::Failure(FailureKind::Equal)
        } else if let Some(kind) = calls.iter().rev().find_map(|call| call.reply.failure()) {
            Outcome::Failure(kind)
        } else if installed {
            Outcome::Failure(FailureKind::Ineffective)
        } else {
            Outcome::Failure(judged.unfit().last().unwrap_or(FailureKind::NoView))
        });
    }

    /// The sizes of the view before and after the step, without what arrived meanwhile. What the attempt itself has said
    /// to the model belongs to the view that its summary replaces.
    fn sizes(&self, judged: &Judged<'_>) -> (usize, usize) {
        let said = judged
            .event
            .appended
            .iter()
            .filter(|own| own.is_visible() && !judged.usable().any(|text| own.content.contains(text)));
        let said: usize = said.map(|message| view::size_of_message(self.contract, message)).sum();
        let arrived = |item: &&Item<'_>| {
            item.external()
                .is_none_or(|at| !judged.step.arrived.iter().any(|draft| draft.key == self.externals.draft(at).key))
        };
        let after = judged.after.iter().filter(|item| item.visible).filter(arrived).map(|item| item.size).sum();
        (view::size(&judged.before) + said, after)
    }
}

impl Judged<'_> {
    /// What a failed attempt may be known by: of several calls each that failed, and what was amiss with a usable summary.
    pub(super) fn failures(&self) -> impl Iterator<Item = FailureKind> {
        let rejected = self.event.calls.iter().filter_map(|call| call.reply.failure());
        let known = match self.outcome {
            Some(Outcome::Failure(kind)) => Some(kind),
            _ => None,
        };
        rejected.chain(self.unfit()).chain(known)
    }

    /// Why each usable summary would not be installed, by what the host meant it to be.
    fn unfit(&self) -> impl Iterator<Item = FailureKind> {
        let usable = self.event.calls.iter().enumerate().filter(|(_, call)| call.reply.is_usable());
        usable.map(|(at, _)| match self.step.answer(at) {
            Answer::Inflated => FailureKind::Inflated,
            Answer::Equal => FailureKind::Equal,
            Answer::Ineffective => FailureKind::Ineffective,
            _ => FailureKind::NoView,
        })
    }
}
