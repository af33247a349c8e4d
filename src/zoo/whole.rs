//! Candidates that are wrong as a whole, and cheats.

use std::cell::{Cell, RefCell};

use super::contracts::{cooldown_only, reference};
use super::{Make, Row, rows};
use crate::candidate::{Compactor, Conversation, Error, Host, Restart};
use crate::contract::Contract;
use crate::history::StepKind;
use crate::message::{Message, Role};
use crate::model::{Machine, Memory, Point, Sound, open_call};
use crate::trace::Action;

/// Trivial ones.
pub(super) const ALL: &[Row] = &[
    Row {
        name: "never-acts",
        sentence: "It does nothing, whatever happens.",
        breaks: &["THR-4", "THR-6", "FRC-1", "FRC-3", "LAT-9"],
        kind: "latch-stuck",
        also: &[],
        make: Make::Compactor(|| Trivial::boxed("never-acts", |_, _| Ok(Action::None))),
    },
    Row {
        name: "refuses-everything",
        sentence: "Every step ends in an error.",
        breaks: &["THR-4", "THR-6", "FRC-1", "FRC-3", "LAT-9"],
        kind: "latch-stuck",
        also: &[],
        make: Make::Compactor(|| Trivial::boxed("refuses-everything", |_, _| Err(Error::raised("not implemented")))),
    },
    Row {
        name: "always-acts",
        sentence: "It asks for a summary at every step, and throws it away.",
        breaks: &["THR-6", "VIEW-4", "OUT-7", "OUT-4", "THR-2", "LAT-1", "THR-9"],
        kind: "retry-storm",
        also: &[],
        make: Make::Compactor(|| Trivial::boxed("always-acts", throws_away)),
    },
    Row {
        name: "echoes",
        sentence: "Its summary is everything that was said, word for word.",
        breaks: &["OUT-2", "THR-6", "OUT-3"],
        kind: "inflated-accepted",
        also: &[],
        make: Make::Compactor(|| Trivial::boxed("echoes", echoes)),
    },
];

/// Sound ones, as long as nobody looks.
pub(super) const CHEATS: &[Row] = rows! {
    "good-for-a-hundred-calls":
        "From the hundred-and-first step on, it counts its own status as growth."
        breaks "THR-1", kind "self-trigger", under cooldown_only(), state Cell<u32>,
        {
            fn waits_for_calls(&self, _: StepKind, view: &[Message]) -> bool {
                self.0.set(self.0.get() + 1);
                open_call(view)
            }
            fn counts(&self, message: &Message) -> bool {
                Sound.counts(message) || self.0.get() > 100
            }
        }

    "good-in-its-first-conversation":
        "In every conversation but the first that it sees, it counts its own status as growth."
        breaks "THR-1" and "THR-3" and "ISO-1", kind "self-trigger", under cooldown_only(), state RefCell<String>,
        {
            fn received(&self, conversation: &Conversation, _: &[Message]) {
                if self.0.borrow().is_empty() {
                    self.0.replace(conversation.id().to_owned());
                }
            }
            fn growth(&self, conversation: &Conversation, point: &mut Point, counts: &dyn Fn(&Message) -> bool) -> u64 {
                let first = *self.0.borrow() == conversation.id();
                Sound.growth(conversation, point, if first { counts } else { &|_| true })
            }
        }

    "good-while-the-clock-is-young":
        "From a million seconds on the wall clock on, it counts its own status as growth."
        breaks "THR-1", kind "self-trigger", under cooldown_only(), state Cell<bool>,
        {
            fn elapsed(&self, point: &mut Point, now_s: f64) -> f64 {
                self.0.set(now_s >= 1e6);
                point.elapsed(now_s)
            }
            fn counts(&self, message: &Message) -> bool {
                Sound.counts(message) || self.0.get()
            }
        }

    "good-until-it-is-restarted":
        "After a restart it counts its own status as growth."
        breaks "ISO-3" and "THR-1", kind "self-trigger", under cooldown_only(), state Cell<bool>,
        {
            fn restarted(&self, contract: &Contract, memory: &mut Memory, restart: &Restart) {
                self.0.set(true);
                Sound.restarted(contract, memory, restart);
            }
            fn counts(&self, message: &Message) -> bool {
                Sound.counts(message) || self.0.get()
            }
        }
};

/// What a trivial candidate does at every step.
type Act = fn(&mut Conversation, &Host) -> Result<Action, Error>;

/// It keeps and stores its messages as the reference does.
#[derive(Debug)]
struct Trivial {
    store: Machine,
    act: Act,
}

impl Trivial {
    fn boxed(name: &str, act: Act) -> Box<dyn Compactor> {
        Box::new(Self { store: Machine::new(name, reference(), Sound), act })
    }
}

impl Compactor for Trivial {
    fn contract(&self) -> Contract {
        self.store.contract()
    }
    fn step(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
        (self.act)(conversation, host)
    }
    fn name(&self) -> String {
        self.store.name()
    }
    fn restart(&mut self, conversations: &mut [Conversation], restart: &Restart) -> Result<(), Error> {
        self.store.restart(conversations, restart)
    }
    fn auto(&mut self, on: bool) -> Result<(), Error> {
        self.store.auto(on)
    }
    fn usage(&mut self, conversation: &mut Conversation, tokens: u64, upto: &str) -> Result<(), Error> {
        self.store.usage(conversation, tokens, upto)
    }
}

fn visible(conversation: &Conversation) -> Vec<Message> {
    conversation.view().iter().filter(|message| message.is_visible()).cloned().collect()
}

fn throws_away(conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
    let _ = host.summarize(&visible(conversation));
    Ok(Action::Summarize)
}

fn echoes(conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
    let said = visible(conversation);
    host.summarize(&said)?;
    let text: Vec<String> = said.into_iter().map(|message| message.content).collect();
    conversation.install(vec![Message::new("", Role::Assistant, text.join("\n")).summary()]);
    Ok(Action::Summarize)
}
