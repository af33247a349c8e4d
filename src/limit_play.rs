//! Plays one case at a limit with a candidate, and its variants.

use crate::candidate::{Assembler, Compactor, Conversation, Error, Reducer, Trimmer};
use crate::contract::{Capability, Contract, Structure};
use crate::field::{Block, Infeasible, Reduced};
use crate::limit_case::{AssembleCase, FitCase, LimitCase, ReduceCase};
use crate::limit_rows;
use crate::limit_show;
use crate::marker::Marker;
use crate::message::Message;
use crate::play::{Make, guarded};
use crate::requirement::Check;
use crate::requirement::fit::Fitting;
use crate::requirement::limit::{Reply, Ruling};
use crate::requirement::reduction::{Reduction, in_ascii, without_marker};
use crate::requirement::request::Assembly;
use crate::trace::BreakKind;
use crate::unit::Limit;

/// How a candidate broke off in a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Break {
    pub(crate) kind: BreakKind,
    pub(crate) message: String,
}

impl Break {
    pub(crate) fn of(error: &Error) -> Self {
        Self { kind: error.break_kind().unwrap_or(BreakKind::Crash), message: error.to_string() }
    }
}

/// How a requirement judges what was seen of a case.
pub(crate) type Judge<S> = fn(&S, &Contract) -> Ruling;

/// One side of a candidate, as it is played.
pub(crate) trait Side {
    /// What is seen of a case.
    type Seen: 'static;
    /// What a candidate with this side claims.
    const CLAIM: Capability;
    /// How a requirement with this check judges, if it judges this side.
    fn judge(check: &Check) -> Option<Judge<Self::Seen>>;
    /// Plays a case, with its variants if `all`. None if it is a case for another side.
    fn play(&self, case: &LimitCase, all: bool) -> Option<Result<Self::Seen, Break>>;
    /// The room and what was used of it, where something had to be cut.
    fn used(&self, seen: &Self::Seen) -> Option<(usize, usize)>;
    /// The error that was answered, where that ends nothing.
    fn raised<'s>(&self, _: &'s Self::Seen) -> Option<&'s str> {
        None
    }
    /// The answer, for a person.
    fn shown(&self, seen: &Self::Seen) -> String;
    /// The answer, as the rows of a snapshot: without what depends on a seed.
    fn rows(&self, seen: &Self::Seen) -> String {
        self.shown(seen)
    }
}

/// Where the candidate comes from.
pub(crate) enum From<'a, P: ?Sized> {
    /// The same one for all cases.
    Given(&'a P),
    /// A fresh one for each case, which hands it out.
    Made(&'a Make<'a>),
}

pub(crate) fn made(make: &Make<'_>) -> Result<Box<dyn Compactor>, Break> {
    guarded(make).map_err(|error| Break::of(&error))
}

pub(crate) fn lacks(claim: Capability, part: &str) -> Break {
    let message = format!("the candidate claims `{}` and hands out no {part}", claim.name());
    Break { kind: BreakKind::Unsupported, message }
}

/// Calls the candidate; a panic is a crash, and an error that is not a break is an answer.
fn ask<T>(call: impl FnOnce() -> Result<Result<T, Infeasible>, Error>) -> Result<Reply<T>, Break> {
    match guarded(call) {
        Ok(Ok(given)) => Ok(Reply::Given(given)),
        Ok(Err(Infeasible)) => Ok(Reply::Infeasible),
        Err(error) if error.break_kind().is_none() => Ok(Reply::Raised(error.to_string())),
        Err(error) => Err(Break::of(&error)),
    }
}

/// An error where an answer is due.
fn raised<T>(reply: Reply<T>) -> Result<Reply<T>, Break> {
    match reply {
        Reply::Raised(error) => {
            Err(Break { kind: BreakKind::Crash, message: format!("raised an error instead of an answer: {error}") })
        }
        reply => Ok(reply),
    }
}

/// A reducer under test.
pub(crate) struct ReducerSide<'a> {
    pub(crate) contract: &'a Contract,
    pub(crate) from: From<'a, dyn Reducer + 'a>,
}

impl ReducerSide<'_> {
    fn reply(&self, by: &dyn Reducer, blocks: &[Block], max: usize) -> Result<Reply<Reduced>, Break> {
        let limit = Limit::new(max, self.contract.field.unit);
        ask(|| by.try_reduce(blocks, limit)).and_then(raised)
    }

    fn seen(&self, by: &dyn Reducer, blocks: Vec<Block>, max: usize) -> Result<Reduction, Break> {
        let reply = self.reply(by, &blocks, max)?;
        Ok(Reduction::new(&self.contract.field, blocks, max, reply))
    }

    /// The case with the texts of its blocks changed, if any is.
    fn twin(
        &self,
        by: &dyn Reducer,
        seen: &Reduction,
        change: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Box<Reduction>>, Break> {
        let changed: Vec<Option<String>> = seen.blocks.iter().map(|block| change(&block.text)).collect();
        if changed.iter().all(Option::is_none) {
            return Ok(None);
        }
        let blocks = seen.blocks.iter().zip(changed);
        let blocks =
            blocks.map(|(b, text)| Block { text: text.unwrap_or_else(|| b.text.clone()), required: b.required });
        self.seen(by, blocks.collect(), seen.max).map(|twin| Some(Box::new(twin)))
    }

    /// The output as a field of its own: what stands before and after the whole is put there again by joining, and nothing at
    /// all is a field of no blocks, where an empty block would have that around it.
    fn as_field(&self, text: &str) -> Vec<Block> {
        let join = &self.contract.field.join;
        let inner = match self.contract.field.structure {
            Structure::Text => None,
            Structure::Blocks => text.strip_prefix(&*join.before).and_then(|text| text.strip_suffix(&*join.after)),
        };
        match inner {
            None if text.is_empty() && !join.skip_empty => Vec::new(),
            inner => vec![Block::removable(inner.unwrap_or(text))],
        }
    }

    fn variants(&self, by: &dyn Reducer, case: &ReduceCase, all: bool) -> Result<Reduction, Break> {
        let rules = &self.contract.field;
        let mut seen = self.seen(by, case.build(), case.max)?;
        if let Some(reduced) = seen.reply.given().filter(|_| !seen.fits() && !seen.is_blank()) {
            seen.second = Some(self.reply(by, &self.as_field(&reduced.text), case.max)?);
        }
        if let Some(marker) = Marker::of(rules).filter(|marker| marker.is_in(&seen.facts.joined)) {
            seen.unmarked = self.twin(by, &seen, |text| without_marker(text, &marker))?;
        }
        seen.ascii = self.twin(by, &seen, |text| in_ascii(text, rules.unit))?;
        if all {
            seen.again = Some(self.reply(by, &seen.blocks, case.max)?);
            seen.touched = seen.blocks != case.build();
        }
        Ok(seen)
    }
}

impl Side for ReducerSide<'_> {
    type Seen = Reduction;
    const CLAIM: Capability = Capability::Field;

    fn judge(check: &Check) -> Option<Judge<Reduction>> {
        match check {
            Check::Reduce(judge) => Some(*judge),
            _ => None,
        }
    }

    fn play(&self, case: &LimitCase, all: bool) -> Option<Result<Reduction, Break>> {
        let LimitCase::Reduce(case) = case else { return None };
        Some(match &self.from {
            From::Given(reducer) => self.variants(*reducer, case, all),
            From::Made(make) => made(make).and_then(|mut candidate| match candidate.reducer() {
                Some(reducer) => self.variants(reducer, case, all),
                None => Err(lacks(Self::CLAIM, "reducer")),
            }),
        })
    }

    fn used(&self, seen: &Reduction) -> Option<(usize, usize)> {
        let reduced = seen.reply.given().filter(|_| seen.overflows() && seen.max > 0)?;
        Some((self.contract.field.unit.len(&reduced.text).min(seen.max), seen.max))
    }

    fn shown(&self, seen: &Reduction) -> String {
        limit_show::reduce(self.contract, seen)
    }

    fn rows(&self, seen: &Self::Seen) -> String {
        limit_rows::reduce(self.contract, seen)
    }
}

/// A trimmer under test.
pub(crate) struct TrimmerSide<'a> {
    pub(crate) contract: &'a Contract,
    pub(crate) from: From<'a, dyn Trimmer + 'a>,
}

impl TrimmerSide<'_> {
    fn reply(&self, by: &dyn Trimmer, messages: &[Message], max: usize) -> Result<Reply<Vec<Message>>, Break> {
        let limit = Limit::new(max, self.contract.fit.unit.unit());
        ask(|| by.try_fit(messages.to_vec(), limit))
    }

    fn variants(&self, by: &dyn Trimmer, case: &FitCase, all: bool) -> Result<Fitting, Break> {
        let messages = case.build(self.contract);
        let reply = self.reply(by, &messages, case.max)?;
        let mut seen = Fitting::new(self.contract, messages, case.max, reply);
        if let Some(left) = seen.reply.given() {
            seen.second = Some(self.reply(by, left, case.max)?);
        }
        if all {
            seen.again = Some(self.reply(by, &seen.messages, case.max)?);
        }
        Ok(seen)
    }
}

impl Side for TrimmerSide<'_> {
    type Seen = Fitting;
    const CLAIM: Capability = Capability::Fit;

    fn judge(check: &Check) -> Option<Judge<Fitting>> {
        match check {
            Check::Fit(judge) => Some(*judge),
            _ => None,
        }
    }

    fn play(&self, case: &LimitCase, all: bool) -> Option<Result<Fitting, Break>> {
        let LimitCase::Fit(case) = case else { return None };
        Some(match &self.from {
            From::Given(trimmer) => self.variants(*trimmer, case, all),
            From::Made(make) => made(make).and_then(|mut candidate| match candidate.trimmer() {
                Some(trimmer) => self.variants(trimmer, case, all),
                None => Err(lacks(Self::CLAIM, "trimmer")),
            }),
        })
    }

    fn used(&self, seen: &Fitting) -> Option<(usize, usize)> {
        let left = seen.reply.given().filter(|_| seen.size > seen.max && seen.max > 0)?;
        Some((self.contract.fit.size(left).min(seen.max), seen.max))
    }

    fn raised<'s>(&self, seen: &'s Fitting) -> Option<&'s str> {
        match &seen.reply {
            Reply::Raised(error) => Some(error),
            _ => None,
        }
    }

    fn shown(&self, seen: &Fitting) -> String {
        limit_show::fit(self.contract, seen)
    }

    fn rows(&self, seen: &Self::Seen) -> String {
        limit_rows::fit(self.contract, seen)
    }
}

/// An assembler under test.
pub(crate) struct AssemblerSide<'a> {
    pub(crate) contract: &'a Contract,
    pub(crate) from: From<'a, dyn Assembler + 'a>,
}

impl AssemblerSide<'_> {
    fn seen(&self, by: &dyn Assembler, view: Vec<Message>, case: &AssembleCase) -> Result<Assembly, Break> {
        let mut conversation = Conversation::new("a");
        conversation.receive(view.clone());
        let limit = Limit::new(case.max, self.contract.field.unit);
        let call = || by.try_assemble(&case.path, &mut conversation, limit);
        let reply = raised(ask(call)?)?;
        let mut seen = Assembly::new(self.contract, view, case.max, reply);
        seen.touched = conversation.log() != seen.view || conversation.view() != seen.view;
        Ok(seen)
    }

    fn variants(&self, by: &dyn Assembler, case: &AssembleCase, all: bool) -> Result<Assembly, Break> {
        let mut seen = self.seen(by, case.build(), case)?;
        if all {
            seen.again = Some(self.seen(by, case.build(), case)?.reply);
        }
        let mut view = seen.view.clone();
        for message in &mut view {
            message.content = message.content.replace("\n\n", "__");
        }
        if view != seen.view {
            seen.unbroken = Some(Box::new(self.seen(by, view, case)?));
        }
        Ok(seen)
    }
}

impl Side for AssemblerSide<'_> {
    type Seen = Assembly;
    const CLAIM: Capability = Capability::Request;

    fn judge(check: &Check) -> Option<Judge<Assembly>> {
        match check {
            Check::Assemble(judge) | Check::Send { assemble: judge, .. } => Some(*judge),
            _ => None,
        }
    }

    fn play(&self, case: &LimitCase, all: bool) -> Option<Result<Assembly, Break>> {
        let LimitCase::Assemble(case) = case else { return None };
        Some(match &self.from {
            From::Given(assembler) => self.variants(*assembler, case, all),
            From::Made(make) => made(make).and_then(|mut candidate| match candidate.assembler() {
                Some(assembler) => self.variants(assembler, case, all),
                None => Err(lacks(Self::CLAIM, "assembler")),
            }),
        })
    }

    fn used(&self, seen: &Assembly) -> Option<(usize, usize)> {
        let reduced = seen.field.reply.given().filter(|_| seen.field.overflows() && seen.field.max > 0)?;
        Some((self.contract.field.unit.len(&reduced.text).min(seen.field.max), seen.field.max))
    }

    fn shown(&self, seen: &Assembly) -> String {
        limit_show::assemble(self.contract, seen)
    }

    fn rows(&self, seen: &Self::Seen) -> String {
        limit_rows::assemble(self.contract, seen)
    }
}
