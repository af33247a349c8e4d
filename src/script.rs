//! What the summariser says in one step: fixed before the step, and put into words only where it is asked.

use std::sync::Arc;

use crate::contract::{Calls, Contract};
use crate::history::{Answer, Scribe, StepCommand};
use crate::trace::{RejectionKind, Reply, Stop};
use crate::unit::Unit;

/// What follows in an answer that was cut at the output cap: it is long, and ends in the middle of a word.
const CUT: &str = ", and then the plan was to go on along the river as far as the old mill, where the grain for the winter was to be gro";

/// How often that stands in the longer of the two lengths that such an answer has.
const LONG_CUT: usize = 3;

/// The most answers of one step where the contract names no number.
const CHUNKS: usize = 200;

/// What all steps of a history have in common.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    scribe: Scribe,
    seed: u64,
    unit: Unit,
    /// What stands around the text of an answer.
    frame: Arc<str>,
    /// As many answers as the candidate declares calls, and then some.
    least: usize,
}

impl Manner {
    pub(crate) fn new(scribe: &Scribe, seed: u64, contract: &Contract) -> Self {
        let declared = match contract.attempt.calls {
            Calls::AtMost(calls) => calls as usize + 2,
            Calls::Chunks => CHUNKS,
        };
        let (unit, frame) = (contract.size.unit.unit(), contract.attempt.answer.as_str().into());
        Self { scribe: scribe.clone(), seed, unit, frame, least: declared.min(CHUNKS) }
    }
}

/// The answers of one step.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    manner: Manner,
    /// What the host's model does, call by call.
    answers: Vec<Answer>,
    /// Which step of the history it is.
    step: usize,
    /// How many bytes the host has sent so far.
    sent: usize,
    /// The length of a summary that leaves the view as large as it was.
    length: usize,
}

impl Script {
    pub(crate) fn new(manner: &Manner, step: &StepCommand, number: usize, sent: usize, length: usize) -> Self {
        Self { manner: manner.clone(), answers: step.answers.clone(), step: number, sent, length }
    }

    /// What the `call`-th call is given. The last answer comes again, as often as the candidate declares and then some,
    /// and after that a refusal for ever.
    pub(crate) fn reply(&self, call: usize) -> Reply {
        let own = self.answers.len().max(1);
        if call < own.max(self.manner.least) {
            self.answer(call.min(own - 1))
        } else {
            Reply::Rejection(RejectionKind::Rejected)
        }
    }

    /// All answers, for whoever has to have them before the step.
    #[cfg(feature = "adapter")]
    pub(crate) fn replies(&self) -> Vec<Reply> {
        (0..=self.answers.len().max(1).max(self.manner.least)).map(|call| self.reply(call)).collect()
    }

    fn answer(&self, call: usize) -> Reply {
        let Manner { scribe, unit, frame, seed, .. } = &self.manner;
        let said = || scribe.summary(self.step, call);
        let framed = |said: &str| frame.replace("{text}", said);
        // What makes it longer stands in the text itself: what is around that may be read by a machine.
        let long = |length: usize| {
            let said = said();
            framed(&padded(&said, length.saturating_sub(unit.len(&framed(&said)))))
        };
        let ended = |text: String, stop, usable| Reply::Summary { text, stop, usable };
        match self.answers.get(call).copied().unwrap_or(Answer::Ok) {
            Answer::Ok => ended(framed(&said()), Stop::End, true),
            Answer::Rejected => Reply::Rejection(RejectionKind::Rejected),
            Answer::Overflow => Reply::Rejection(RejectionKind::Overflow),
            Answer::Timeout => Reply::Rejection(RejectionKind::Timeout),
            Answer::Transport => Reply::Rejection(RejectionKind::Transport),
            Answer::Aborted => Reply::Rejection(RejectionKind::Aborted),
            Answer::CutOff => Reply::Rejection(RejectionKind::CutOff),
            Answer::Empty => ended(String::new(), Stop::End, false),
            Answer::Blank => ended(" \n\t ".to_owned(), Stop::End, false),
            Answer::Length => {
                // Short or long: that it is long does not make it whole.
                let times = if (seed + self.step as u64).is_multiple_of(2) { 1 } else { LONG_CUT };
                ended(framed(&format!("{}{}", said(), CUT.repeat(times))), Stop::Length, false)
            }
            Answer::Refusal => ended(framed(&said()), Stop::Refusal, false),
            Answer::Inflated => ended(long(2 * self.sent + 1_000), Stop::End, true),
            Answer::Equal | Answer::Ineffective => ended(long(self.length), Stop::End, true),
        }
    }
}

/// `text`, made `more` characters longer between its tokens.
fn padded(text: &str, more: usize) -> String {
    let at = text.rfind(' ').unwrap_or(text.len());
    let filler: String = " and so it went on".chars().cycle().take(more).collect();
    format!("{}{filler}{}", &text[..at], &text[at..])
}
