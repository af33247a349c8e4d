//! A step of a machine that measures for itself: no verdict of the host, but a trigger, a target, and what lies between.

use serde::{Deserialize, Serialize};

use super::behaviour::Gates;
use super::change::changes;
use super::compactor::{Machine, Memory};
use super::select;
use super::throttle::Point;
use crate::candidate::{Conversation, Error, Host};
use crate::contract::{Contract, PressureSource};
use crate::history::Pressure;
use crate::message::Message;
use crate::trace::Action;

/// What is remembered of the log's size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Gauged {
    /// Where the last summary was made, in messages of the log.
    pub(crate) settled: Option<usize>,
    /// Where the last attempt was made, and a number for what could not be compacted then.
    pub(crate) floor: Option<(u64, usize)>,
}

/// What a step may do.
pub(super) struct Chance<'a> {
    pub(super) eligible: &'a [usize],
    pub(super) enough: bool,
    pub(super) on: bool,
    pub(super) gates: Gates,
    pub(super) here: Point,
}

pub(super) fn measures(contract: &Contract) -> bool {
    contract.pressure == PressureSource::Own
}

impl Machine {
    /// The step: nothing below the trigger; above it, a trim if that alone gets to the target, else an attempt, else
    /// whatever can be trimmed.
    pub(super) fn measured(
        &mut self,
        conversation: &mut Conversation,
        host: &Host,
        chance: &Chance<'_>,
    ) -> Result<Action, Error> {
        let Chance { eligible, enough, on, gates, here } = *chance;
        let size = self.behaviour.measures(&self.contract, conversation);
        if !self.behaviour.is_too_large(&self.contract.gauge, size) {
            return Ok(Action::None);
        }
        if self.behaviour.trims_alone()
            && let Some(plan) = self.plan(conversation.view(), size)
            && self.trim(conversation, here, plan)
        {
            return Ok(Action::Trim);
        }
        if on && !gates.closed() && self.may_try(conversation) {
            if enough {
                let at = (floor(conversation.view()).1, here.log);
                self.memory(conversation).gauged.floor = Some(at);
                let outcome = self.unforced(conversation, host, eligible, here);
                return outcome.map(|outcome| self.behaviour.reports_attempt(outcome));
            }
            let mut memory: Memory = *self.memory(conversation);
            self.behaviour.declined(&self.contract, &mut memory, here);
            *self.memory(conversation) = memory;
        }
        let trims = self.behaviour.trims_at(Pressure::Summarize, gates) && self.trim_all(conversation, here);
        Ok(if trims { Action::Trim } else { Action::None })
    }

    /// The oldest results whose trimming gets a view that measures `size` to the target, if any do.
    fn plan(&self, view: &[Message], size: usize) -> Option<Vec<usize>> {
        let at = self.trimmable(view);
        let count = |view: &[Message]| self.contract.gauge.counting().size(view);
        let whole = count(view);
        (1..=at.len()).map(|some| at[..some].to_vec()).find(|some| {
            let left = count(&self.shortened(view, some));
            self.behaviour.is_small_enough(&self.contract.gauge, (size + left).saturating_sub(whole))
                && self.behaviour.is_worth_it(&self.contract, view, &self.shortened(view, some))
        })
    }

    /// Whether enough was said since the last summary, and whether another attempt under the same floor may come to more.
    fn may_try(&mut self, conversation: &Conversation) -> bool {
        let Gauged { settled, floor: last } = self.memory(conversation).gauged;
        let said = |from: usize| {
            let said = conversation.log().iter().skip(from).filter(|message| !message.is_own());
            self.contract.gauge.counting().size(said)
        };
        if settled.is_some_and(|from| !self.behaviour.has_rested(&self.contract.gauge, said(from))) {
            return false;
        }
        let (fixed, key) = floor(conversation.view());
        let reaches = self.contract.gauge.counting().size(fixed) >= self.contract.gauge.trigger;
        let counts = |message: &Message| self.behaviour.counts(message);
        let since = last.filter(|(same, _)| *same == key).map(|(_, from)| changes(conversation.log(), from, counts));
        !reaches || self.behaviour.tries_again(&self.contract, since)
    }
}

/// What cannot be compacted, leading system messages and pinned ones, and a number for it.
fn floor(view: &[Message]) -> (Vec<&Message>, u64) {
    let leading = select::leading(view);
    let fixed =
        view.iter().enumerate().filter(|(at, message)| message.is_visible() && (*at < leading || message.pinned));
    let fixed: Vec<&Message> = fixed.map(|(_, message)| message).collect();
    let bytes = fixed.iter().flat_map(|message| message.id.bytes().chain([0]));
    let key =
        bytes.fold(0xcbf2_9ce4_8422_2325, |key: u64, byte| (key ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (fixed, key)
}
