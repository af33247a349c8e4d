//! Plays one case at a limit with a candidate, and its variants.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::candidate::{Conversation, Error};
use crate::candidate_field::{Assembler, Reducer, Trimmer};
use crate::contract::{Contract, Structure};
use crate::field::{Block, Infeasible, Reduced};
use crate::limit_case::{AssembleCase, FitCase, LimitCase, ReduceCase};
use crate::marker::Marker;
use crate::message::Message;
use crate::requirement::fit::Fitting;
use crate::requirement::limit::{Reply, Rule};
use crate::requirement::reduction::{Reduction, in_ascii, without_marker};
use crate::requirement::request::Assembly;
use crate::requirement::{field, fit, request};
use crate::trace::BreakKind;
use crate::unit::Limit;

/// How a candidate broke off in a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Break {
    pub(crate) kind: BreakKind,
    pub(crate) message: String,
}

/// One of the three sides of a candidate, as it is played.
pub(crate) trait Side {
    /// What is seen of a case.
    type Seen: 'static;
    /// The requirements, in order.
    fn rules(&self) -> &'static [Rule<Self::Seen>];
    /// Plays a case, with its variants if `all`. None if it is a case for another side.
    fn play(&self, case: &LimitCase, all: bool) -> Option<Result<Self::Seen, Break>>;
    /// The room and what was used of it, where something had to be cut.
    fn used(&self, seen: &Self::Seen) -> Option<(usize, usize)>;
}

/// Calls the candidate; a panic is a crash, and an error that is not a break is an answer.
fn ask<T>(call: impl FnOnce() -> Result<Result<T, Infeasible>, Error>) -> Result<Reply<T>, Break> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(Ok(given))) => Ok(Reply::Given(given)),
        Ok(Ok(Err(Infeasible))) => Ok(Reply::Infeasible),
        Ok(Err(error)) => match error.break_kind() {
            None => Ok(Reply::Raised),
            Some(kind) => Err(Break { kind, message: error.to_string() }),
        },
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            let first = text.lines().next().unwrap_or_default();
            Err(Break { kind: BreakKind::Crash, message: format!("panicked: {first}") })
        }
    }
}

/// An error where an answer is due.
fn raised<T>(reply: Reply<T>) -> Result<Reply<T>, Break> {
    match reply {
        Reply::Raised => {
            Err(Break { kind: BreakKind::Crash, message: "raised an error instead of an answer".to_owned() })
        }
        reply => Ok(reply),
    }
}

/// A reducer under test.
pub(crate) struct ReducerSide<'a> {
    pub(crate) contract: &'a Contract,
    pub(crate) candidate: &'a dyn Reducer,
}

impl ReducerSide<'_> {
    fn reply(&self, blocks: &[Block], max: usize) -> Result<Reply<Reduced>, Break> {
        let limit = Limit::new(max, self.contract.field.unit);
        ask(|| self.candidate.try_reduce(blocks, limit)).and_then(raised)
    }

    fn seen(&self, blocks: Vec<Block>, max: usize) -> Result<Reduction, Break> {
        let reply = self.reply(&blocks, max)?;
        Ok(Reduction::new(&self.contract.field, blocks, max, reply))
    }

    /// The case with the texts of its blocks changed, if any is.
    fn twin(&self, seen: &Reduction, change: impl Fn(&str) -> Option<String>) -> Result<Option<Box<Reduction>>, Break> {
        let changed: Vec<Option<String>> = seen.blocks.iter().map(|block| change(&block.text)).collect();
        if changed.iter().all(Option::is_none) {
            return Ok(None);
        }
        let blocks = seen.blocks.iter().zip(changed);
        let blocks =
            blocks.map(|(b, text)| Block { text: text.unwrap_or_else(|| b.text.clone()), required: b.required });
        self.seen(blocks.collect(), seen.max).map(|twin| Some(Box::new(twin)))
    }

    /// The output as a field of its own: what stands before and after the whole is put there again by joining.
    fn as_field(&self, text: &str) -> Vec<Block> {
        let join = &self.contract.field.join;
        let inner = match self.contract.field.structure {
            Structure::Text => None,
            Structure::Blocks => text.strip_prefix(&*join.before).and_then(|text| text.strip_suffix(&*join.after)),
        };
        vec![Block::removable(inner.unwrap_or(text))]
    }

    fn variants(&self, case: &ReduceCase, all: bool) -> Result<Reduction, Break> {
        let rules = &self.contract.field;
        let mut seen = self.seen(case.build(), case.max)?;
        if let Some(reduced) = seen.reply.given().filter(|_| !seen.fits() && !seen.is_blank()) {
            seen.second = Some(self.reply(&self.as_field(&reduced.text), case.max)?);
        }
        if let Some(marker) = Marker::of(rules).filter(|marker| marker.is_in(&seen.facts.joined)) {
            seen.unmarked = self.twin(&seen, |text| without_marker(text, &marker))?;
        }
        seen.ascii = self.twin(&seen, |text| in_ascii(text, rules.unit))?;
        if all {
            seen.again = Some(self.reply(&seen.blocks, case.max)?);
            seen.touched = seen.blocks != case.build();
        }
        Ok(seen)
    }
}

impl Side for ReducerSide<'_> {
    type Seen = Reduction;

    fn rules(&self) -> &'static [Rule<Reduction>] {
        field::RULES
    }

    fn play(&self, case: &LimitCase, all: bool) -> Option<Result<Reduction, Break>> {
        match case {
            LimitCase::Reduce(case) => Some(self.variants(case, all)),
            _ => None,
        }
    }

    fn used(&self, seen: &Reduction) -> Option<(usize, usize)> {
        let reduced = seen.reply.given().filter(|_| seen.overflows() && seen.max > 0)?;
        Some((self.contract.field.unit.len(&reduced.text).min(seen.max), seen.max))
    }
}

/// A trimmer under test.
pub(crate) struct TrimmerSide<'a> {
    pub(crate) contract: &'a Contract,
    pub(crate) candidate: &'a dyn Trimmer,
}

impl TrimmerSide<'_> {
    fn reply(&self, messages: &[Message], max: usize) -> Result<Reply<Vec<Message>>, Break> {
        let limit = Limit::new(max, self.contract.fit.unit.unit());
        ask(|| self.candidate.try_fit(messages.to_vec(), limit))
    }

    fn variants(&self, case: &FitCase, all: bool) -> Result<Fitting, Break> {
        let messages = case.build(self.contract);
        let reply = self.reply(&messages, case.max)?;
        let mut seen = Fitting::new(self.contract, messages, case.max, reply);
        if let Some(left) = seen.reply.given() {
            seen.second = Some(self.reply(left, case.max)?);
        }
        if all {
            seen.again = Some(self.reply(&seen.messages, case.max)?);
        }
        Ok(seen)
    }
}

impl Side for TrimmerSide<'_> {
    type Seen = Fitting;

    fn rules(&self) -> &'static [Rule<Fitting>] {
        fit::RULES
    }

    fn play(&self, case: &LimitCase, all: bool) -> Option<Result<Fitting, Break>> {
        match case {
            LimitCase::Fit(case) => Some(self.variants(case, all)),
            _ => None,
        }
    }

    fn used(&self, seen: &Fitting) -> Option<(usize, usize)> {
        let left = seen.reply.given().filter(|_| seen.size > seen.max && seen.max > 0)?;
        Some((self.contract.fit.size(left).min(seen.max), seen.max))
    }
}

/// An assembler under test.
pub(crate) struct AssemblerSide<'a> {
    pub(crate) contract: &'a Contract,
    pub(crate) candidate: &'a dyn Assembler,
}

impl AssemblerSide<'_> {
    fn seen(&self, view: Vec<Message>, case: &AssembleCase) -> Result<Assembly, Break> {
        let mut conversation = Conversation::new("a");
        conversation.receive(view.clone());
        let limit = Limit::new(case.max, self.contract.field.unit);
        let call = || self.candidate.try_assemble(&case.path, &mut conversation, limit);
        let reply = raised(ask(call)?)?;
        let mut seen = Assembly::new(self.contract, view, case.max, reply);
        seen.touched = conversation.log() != seen.view || conversation.view() != seen.view;
        Ok(seen)
    }

    fn variants(&self, case: &AssembleCase) -> Result<Assembly, Break> {
        let mut seen = self.seen(case.build(), case)?;
        let mut view = seen.view.clone();
        for message in &mut view {
            message.content = message.content.replace("\n\n", "__");
        }
        if view != seen.view {
            seen.unbroken = Some(Box::new(self.seen(view, case)?));
        }
        Ok(seen)
    }
}

impl Side for AssemblerSide<'_> {
    type Seen = Assembly;

    fn rules(&self) -> &'static [Rule<Assembly>] {
        request::RULES
    }

    fn play(&self, case: &LimitCase, _: bool) -> Option<Result<Assembly, Break>> {
        match case {
            LimitCase::Assemble(case) => Some(self.variants(case)),
            _ => None,
        }
    }

    fn used(&self, seen: &Assembly) -> Option<(usize, usize)> {
        let reduced = seen.field.reply.given().filter(|_| seen.field.overflows() && seen.field.max > 0)?;
        Some((self.contract.field.unit.len(&reduced.text).min(seen.field.max), seen.field.max))
    }
}
