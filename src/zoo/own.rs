//! Candidates that measure for themselves: bad ones, and sound ones whose counters and habits are not the reference's.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::contracts::{less, reference};
use super::{Row, rows};
use crate::candidate::Conversation;
use crate::contract::{
    Attempt, Capability, Contract, CountsAs, FitUnit, GaugeRules, Growth, Latch, PressureSource, Throttle, Trim,
    TrimHow, ViewRules,
};
use crate::history::Pressure;
use crate::message::{Message, Role};
use crate::model::{Gates, trimmable};

/// The reference's, with a gauge of its own.
fn own() -> Contract {
    gauged(GaugeRules { trigger: 6_000, target: 4_000, ..GaugeRules::default() })
}

fn gauged(gauge: GaugeRules) -> Contract {
    let mut contract = reference();
    contract.capabilities.push(Capability::Gauge);
    Contract { pressure: PressureSource::Own, gauge, ..contract }
}

/// In messages: only a trim that drops some frees any.
fn in_messages() -> Contract {
    let gauge = GaugeRules { trigger: 120, target: 60, unit: FitUnit::Messages, ..GaugeRules::default() };
    Contract { trim: Trim { how: TrimHow::Drop, ..Trim::default() }, ..gauged(gauge) }
}

fn in_code_points() -> Contract {
    gauged(GaugeRules { trigger: 24_000, target: 15_000, unit: FitUnit::CodePoints, ..GaugeRules::default() })
}

/// What everyone counts, the person's messages and all.
fn count_all<'a>(contract: &Contract, messages: impl IntoIterator<Item = &'a Message>) -> usize {
    let seen: Vec<Message> =
        messages.into_iter().map(|message| Message { ui_only: false, ..message.clone() }).collect();
    contract.gauge.counting().size(&seen)
}

pub(super) const ALL: &[Row] = rows! {
    "trims-to-the-trigger":
        "A trim of its own accord ends as soon as the log is below the trigger."
        breaks "MEA-3",
        kind "no-hysteresis", under own(),
        {
            fn is_small_enough(&self, rules: &GaugeRules, size: usize) -> bool {
                size < rules.trigger
            }
        }

    "trims-one-at-a-time":
        "However large the log is, it trims one result and calls it a day."
        breaks "MEA-3",
        kind "no-hysteresis", under own(),
        {
            fn is_small_enough(&self, _: &GaugeRules, _: usize) -> bool {
                true
            }
        }

    "late-by-a-factor":
        "Its local count of the log is 2.13 times too low, and so it notices far too late."
        breaks "MEA-6",
        kind "count-basis-mismatch", under own(),
        {
            fn is_too_large(&self, rules: &GaugeRules, size: usize) -> bool {
                100 * size >= 213 * rules.trigger
            }
        }

    "early-by-one":
        "It takes a log that is one short of the trigger for one that has reached it."
        breaks "MEA-6",
        kind "decision-band-gap", under in_code_points(),
        {
            fn is_too_large(&self, rules: &GaugeRules, size: usize) -> bool {
                size + 1 >= rules.trigger
            }
        }

    "buys-what-a-trim-saves":
        "It pays for a summary where trimming alone would have been enough."
        breaks "MEA-6",
        kind "decision-band-gap", under own(),
        {
            fn trims_alone(&self) -> bool {
                false
            }
        }

    "installs-fruitless-trims":
        "What it leaves of a result is a thousand characters and a marker, whether that is less or not."
        breaks "MEA-6" and "VIEW-9" and "OUT-4",
        kind "inflated-accepted", under own(),
        {
            fn is_worth_it(&self, _: &Contract, _: &[Message], _: &[Message]) -> bool {
                true
            }
            fn shorten(&self, content: &str) -> String {
                let kept: String = content.chars().take(1_000).collect();
                format!("{kept} [{} characters trimmed]", content.chars().count() - kept.chars().count())
            }
        }

    "measures-the-stored-log":
        "It measures all that was ever stored, what a summary has replaced and what only the person sees."
        breaks "MEA-6" and "THR-8",
        kind "count-basis-mismatch", under own(),
        {
            fn measures(&self, contract: &Contract, conversation: &Conversation) -> usize {
                count_all(contract, conversation.log())
            }
        }

    "measures-what-only-the-person-sees":
        "Messages for the person only count as size."
        breaks "THR-8",
        kind "count-basis-mismatch", under own(),
        {
            fn measures(&self, contract: &Contract, conversation: &Conversation) -> usize {
                count_all(contract, conversation.view())
            }
        }

    "keeps-tail-of-the-person":
        "Messages for the person only fill the tail that a trim leaves alone."
        breaks "THR-8",
        kind "count-basis-mismatch", under own(),
        {
            fn trimmable(&self, contract: &Contract, view: &[Message]) -> Vec<usize> {
                let tail = view.len().saturating_sub(contract.trim.keep_last);
                trimmable(contract, view).into_iter().filter(|at| *at < tail).collect()
            }
            fn is_enough(&self, _: &Contract, view: &[Message], eligible: &[usize]) -> bool {
                let person = view.iter().filter(|message| message.ui_only && !message.is_own()).count();
                eligible.len() >= 4 + person
            }
        }

    "lives-on-an-old-figure":
        "It goes on from the last figure of the provider, whatever was compacted since."
        breaks "MEA-6",
        kind "stale-measure-retrigger", under own(), state RefCell<BTreeMap<String, (u64, usize)>>,
        {
            fn reported(&self, conversation: &Conversation, tokens: u64, _: &str) {
                let at = conversation.log().len();
                self.0.borrow_mut().insert(conversation.id().to_owned(), (tokens, at));
            }
            fn measures(&self, contract: &Contract, conversation: &Conversation) -> usize {
                let counting = contract.gauge.counting();
                match self.0.borrow().get(conversation.id()) {
                    Some((tokens, at)) => *tokens as usize + counting.size(&conversation.log()[*at..]),
                    None => counting.size(conversation.view()),
                }
            }
        }

    "summarises-without-a-rest":
        "After a summary that left little room the next one follows as soon as the log is too large again."
        breaks "MEA-7",
        kind "no-hysteresis", under own(),
        {
            fn has_rested(&self, _: &GaugeRules, _: usize) -> bool {
                true
            }
        }

    "rests-half-the-way":
        "Half of the distance from target to trigger is growth enough for it."
        breaks "MEA-7",
        kind "no-hysteresis", under own(),
        {
            fn has_rested(&self, rules: &GaugeRules, said: usize) -> bool {
                2 * said >= rules.trigger - rules.target
            }
        }

    "hopes-under-a-floor":
        "What cannot be compacted is too large by itself, and it tries whenever it may."
        breaks "MEA-8",
        kind "incompressible-floor", under own(),
        {
            fn tries_again(&self, _: &Contract, _: Option<u64>) -> bool {
                true
            }
        }

    "hopes-again-after-half":
        "Under a floor it tries again after half of the distance."
        breaks "MEA-8",
        kind "incompressible-floor", under own(),
        {
            fn tries_again(&self, _: &Contract, since: Option<u64>) -> bool {
                since.is_none_or(|since| since >= 10)
            }
        }

    "latched-and-idle":
        "It measures for itself, and once its latch is closed it does not even trim."
        breaks "LAT-9",
        kind "trim-starved", under own(),
        {
            fn trims_at(&self, _: Pressure, gates: Gates) -> bool {
                !gates.latched
            }
        }

    "counts-itself-and-measures":
        "It measures for itself, and its own status lifts its cooldown."
        breaks "THR-1",
        kind "self-trigger", under Contract { latch: None, ..less(Capability::Latch, own()) },
        {
            fn counts(&self, _: &Message) -> bool {
                true
            }
        }
};

pub(super) const SOUND: &[Row] = rows! {
    "measures-for-itself":
        "Nobody tells it of pressure: it measures, trims to its target, and buys what a trim does not give."
        kind "gauge", under own(),
        {}

    "measures-at-the-defaults":
        "The same with the trigger and the target that a contract has which names none."
        kind "gauge", under gauged(GaugeRules::default()),
        {}

    "rounds-once":
        "A token is four characters of the whole log, rounded down once."
        kind "gauge", under own(),
        {
            fn measures(&self, contract: &Contract, conversation: &Conversation) -> usize {
                let whole = GaugeRules { unit: FitUnit::CodePoints, ..contract.gauge.clone() };
                whole.counting().size(conversation.view()) / 4
            }
        }

    "frames-count-too":
        "Each message costs it four tokens more."
        kind "gauge", under own(),
        {
            fn measures(&self, contract: &Contract, conversation: &Conversation) -> usize {
                let seen = conversation.view().iter().filter(|message| message.is_visible()).count();
                contract.gauge.counting().size(conversation.view()) + 4 * seen
            }
        }

    "more-than-the-trigger":
        "It waits until there is more than the trigger, and less than the target."
        kind "gauge", under in_code_points(),
        {
            fn is_too_large(&self, rules: &GaugeRules, size: usize) -> bool {
                size > rules.trigger
            }
            fn is_small_enough(&self, rules: &GaugeRules, size: usize) -> bool {
                size < rules.target
            }
        }

    "trims-further":
        "A trim goes on to half of the target."
        kind "gauge", under gauged(GaugeRules { trigger: 20_000, target: 16_000, ..GaugeRules::default() }),
        {
            fn is_small_enough(&self, rules: &GaugeRules, size: usize) -> bool {
                2 * size <= rules.target
            }
            fn trims_alone(&self) -> bool {
                true
            }
        }

    "trims-some-and-summarises":
        "Where a trim is not enough it trims the older half before it asks for a summary."
        kind "gauge", under own(),
        {
            fn asks(&self, contract: &Contract, conversation: &mut Conversation) {
                let mut view = conversation.view().to_vec();
                let at = trimmable(contract, &view);
                for at in &at[..at.len() / 2] {
                    view[*at].content = self.shorten(&view[*at].content);
                    view[*at].trimmed = true;
                }
                if at.len() > 1 {
                    conversation.install(view);
                }
            }
            fn reports_attempt(&self, _: crate::model::Outcome) -> crate::trace::Action {
                crate::trace::Action::Unreported
            }
        }

    "summarises-only":
        "It measures for itself, and knows no trim."
        kind "gauge", under less(Capability::Trim, own()),
        {}

    "measures-in-silence":
        "It measures for itself, and says nothing."
        kind "gauge", under own(),
        {
            fn status(&self, _: &str) -> Option<Message> {
                None
            }
        }

    "goes-by-the-figure":
        "It takes the provider's figure for as long as the messages it is about stand in the view."
        kind "gauge", under own(), state RefCell<BTreeMap<String, (u64, String)>>,
        {
            fn reported(&self, conversation: &Conversation, tokens: u64, upto: &str) {
                self.0.borrow_mut().insert(conversation.id().to_owned(), (tokens, upto.to_owned()));
            }
            fn installed(&self, conversation: &mut Conversation) {
                self.0.borrow_mut().remove(conversation.id());
            }
            fn trimmed(&self, conversation: &mut Conversation, _: &mut crate::model::Memory, _: crate::model::Point) {
                self.0.borrow_mut().remove(conversation.id());
            }
            fn rewinds(&self, conversation: &mut Conversation, to: &str) {
                self.0.borrow_mut().remove(conversation.id());
                conversation.rewind(to);
            }
            fn measures(&self, contract: &Contract, conversation: &Conversation) -> usize {
                let (counting, view) = (contract.gauge.counting(), conversation.view());
                let known = self.0.borrow().get(conversation.id()).cloned();
                let known = known.and_then(|(tokens, upto)| Some((tokens, view.iter().position(|m| m.id == upto)?)));
                known.map_or(counting.size(view), |(tokens, at)| tokens as usize + counting.size(&view[at + 1..]))
            }
        }

    "rests-by-net-size":
        "Growth since a summary is to it what the view has become larger by."
        kind "gauge", under own(), state RefCell<(usize, BTreeMap<String, usize>, String)>,
        {
            fn measures(&self, contract: &Contract, conversation: &Conversation) -> usize {
                let mut known = self.0.borrow_mut();
                known.0 = contract.gauge.counting().size(conversation.view());
                conversation.id().clone_into(&mut known.2);
                known.0
            }
            fn installed(&self, conversation: &mut Conversation) {
                let size = own().gauge.counting().size(conversation.view());
                self.0.borrow_mut().1.insert(conversation.id().to_owned(), size);
            }
            fn has_rested(&self, rules: &GaugeRules, said: usize) -> bool {
                let known = self.0.borrow();
                let after = known.1.get(&known.2).copied().unwrap_or(0);
                let room = rules.trigger - rules.target;
                known.0 >= after + room && said >= room
            }
        }

    "never-under-a-floor":
        "Where what cannot be compacted is too large by itself it does not even try."
        kind "gauge", under own(),
        {
            fn tries_again(&self, _: &Contract, _: Option<u64>) -> bool {
                false
            }
        }

    "measures-messages":
        "It counts messages, and knows no trim."
        kind "gauge", under less(Capability::Trim, in_messages()),
        {}

    "measures-messages-and-drops":
        "It counts messages, and a trim drops some."
        kind "gauge", under in_messages(),
        {}

    "measures-bytes":
        "It counts bytes."
        kind "gauge",
        under gauged(GaugeRules { trigger: 24_000, target: 15_000, unit: FitUnit::Utf8Bytes, ..GaugeRules::default() }),
        {}

    "measures-words":
        "A word is a token to it."
        kind "gauge",
        under gauged(GaugeRules { trigger: 4_000, target: 3_000, counter: "words".to_owned(), ..GaugeRules::default() }),
        {}

    "measures-and-drops":
        "It measures for itself, and a trim drops whole call groups."
        kind "gauge", under Contract { trim: Trim { how: TrimHow::Drop, ..Trim::default() }, ..own() },
        {}

    "measures-with-three-strikes":
        "It measures for itself, and three failures in a row latch."
        kind "gauge", under Contract { latch: Some(Latch { strikes: 3, ..Latch::default() }), ..own() },
        {}

    "measures-with-a-timer":
        "It measures for itself, and its latch opens by time alone."
        kind "gauge",
        under Contract { latch: Some(Latch { reopen_growth: None, reopen_after_s: Some(300.0), ..Latch::default() }), ..own() },
        {}

    "measures-with-a-cooldown-only":
        "It measures for itself, and has no latch."
        kind "gauge", under Contract { latch: None, ..less(Capability::Latch, own()) },
        {}

    "measures-with-a-latch-only":
        "It measures for itself, and has no cooldown."
        kind "gauge",
        under Contract {
            throttle: Throttle { cooldown_s: None, ..Throttle::default() }, ..less(Capability::Throttle, own())
        },
        {}

    "measures-and-ignores-growth":
        "It measures for itself, and its cooldown runs its time whatever arrives."
        kind "gauge", under Contract { throttle: Throttle { growth: Growth::Ignored, ..Throttle::default() }, ..own() },
        {}

    "measures-and-keeps-a-third":
        "It measures for itself, and the last third of the view stays."
        kind "gauge", under Contract { attempt: Attempt { keep_size: 0.34, ..Attempt::default() }, ..own() },
        {}

    "measures-and-counts-declining":
        "It measures for itself, and to decline for lack of matter is a failure."
        kind "gauge", under Contract { attempt: Attempt { noop: CountsAs::Failure, ..Attempt::default() }, ..own() },
        {}

    "measures-and-alternates":
        "It measures for itself, and roles alternate in its view."
        kind "gauge", under Contract { view: ViewRules { alternation: true, ..ViewRules::default() }, ..own() },
        {}

    "measures-by-turns":
        "It measures for itself after each message of the person, and nothing else."
        kind "gauge", under Contract { drive: crate::contract::Drive::Turn, ..own() },
        {
            fn summary(&self, _: &Contract, text: &str) -> Message {
                Message::new("", Role::System, text).summary()
            }
        }
};
