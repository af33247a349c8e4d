//! What the oracle says of a step.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::own::Reading;
use super::view::{Externals, Item, View};
use crate::contract::FailureKind;
use crate::history::{Name, Pressure, StepCommand, StepKind};
use crate::trace::{Call, Event, RejectionKind, Reply, Trace};

/// Why an attempt is forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Forbid {
    OpenCall,
    AutoOff,
    PressureNone,
    TrimEnough,
    Cooling,
    Latched,
    NoRecoveryLeft,
    NothingEligible,
}

impl Forbid {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::OpenCall => "a call is open",
            Self::AutoOff => "automatic compaction is off",
            Self::PressureNone => "there is no pressure",
            Self::TrimEnough => "trimming is enough",
            Self::Cooling => "the cooldown is running",
            Self::Latched => "the latch is closed",
            Self::NoRecoveryLeft => "no recovery is left",
            Self::NothingEligible => "nothing is eligible",
        }
    }
}

/// Why an attempt is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Require {
    Forced,
    Overflow,
    FirstAttempt,
    CooldownOver,
    Grown,
    Reopened,
}

impl Require {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Forced => "a person asked for it",
            Self::Overflow => "the overflow is proved",
            Self::FirstAttempt => "there is pressure and nothing stands in the way",
            Self::CooldownOver => "the cooldown is over",
            Self::Grown => "growth has lifted the cooldown",
            Self::Reopened => "the latch has reopened",
        }
    }
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Outcome {
    Success,
    Failure(FailureKind),
    Abort,
}

/// A step, and what the oracle says of it.
#[derive(Debug)]
pub(crate) struct Judged<'t> {
    /// The command, counted from 0.
    pub(crate) command: usize,
    pub(crate) name: Name,
    pub(crate) step: &'t StepCommand,
    /// The host's verdict, or what the candidate has to find out for itself; none: it may find one thing or another.
    pub(crate) pressure: Option<Pressure>,
    /// Where it measures for itself: what the verdict was read off.
    pub(crate) reading: Option<Reading>,
    pub(crate) event: &'t Event,
    pub(crate) before: View<'t>,
    pub(crate) after: View<'t>,
    /// What `attempt.answer` puts before and after a summary's text.
    pub(crate) frame: (&'t str, &'t str),
    /// How the attempt ended, if one was made.
    pub(crate) outcome: Option<Outcome>,
    /// The view was made smaller by rule.
    pub(crate) trimmed: bool,
    /// What the attempt took out of the view.
    pub(crate) replaced: bool,
    pub(crate) forbid: Vec<Forbid>,
    pub(crate) require: Vec<Require>,
    /// The wall clock has stepped, and it is not over yet.
    pub(crate) fog: bool,
    pub(crate) trimmable: usize,
    pub(crate) eligible: usize,
    pub(crate) eligible_size: usize,
    /// Before the step: the latest visible user message of the host, by position among the externals, and whether the last
    /// visible message of the host ends a turn.
    pub(crate) latest_user: Option<usize>,
    pub(crate) turn_over: bool,
    pub(crate) facts: Facts,
    /// The sizes of the view before and after.
    pub(crate) sizes: (usize, usize),
    /// What several requirements ask for: see [`Judged::changed`] and [`Judged::inputs`].
    pub(super) changed: OnceCell<bool>,
    pub(super) inputs: OnceCell<Vec<Vec<usize>>>,
}

/// Circumstances of a step that requirements ask for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// Since the last unforced attempt that succeeded or failed: visible external messages, `ui_only` external ones, own
    /// ones, and the seconds.
    pub(crate) growth: u64,
    pub(crate) ui_only: u64,
    pub(crate) own: u64,
    pub(crate) since_s: Option<f64>,
    /// Since the latch closed, where it surely did.
    pub(crate) latch_growth: Option<u64>,
    pub(crate) latch_ui_only: u64,
    pub(crate) latch_own: u64,
    pub(crate) latch_since_s: f64,
    /// How the last unforced attempt ended.
    pub(crate) last: Option<Outcome>,
    pub(crate) last_raised: bool,
    pub(crate) last_installed: bool,
    /// A cooldown runs for sure, whatever growth does to it.
    pub(crate) inside_cooldown: bool,
    pub(crate) latched: bool,
    pub(crate) strikes: u32,
    /// Times that the latch surely closed so far.
    pub(crate) latchings: u32,
    /// Successes, aborts, declines, forced attempts, rewinds, trims, restarts and clock steps so far, in the conversation.
    pub(crate) successes: u32,
    /// Of the successes, those that found a strike or a closed latch.
    pub(crate) cleared: u32,
    pub(crate) aborts: u32,
    pub(crate) declines: u32,
    pub(crate) forced: u32,
    pub(crate) rewinds: u32,
    pub(crate) trims: u32,
    pub(crate) restarts: u32,
    pub(crate) clock_steps: u32,
    /// Of these, the ones since the latch closed.
    pub(crate) rewinds_latched: u32,
    pub(crate) trims_latched: u32,
    /// Steps under pressure since then, with something to trim.
    pub(crate) chances_latched: u32,
    /// Attempts made in other conversations so far, and how many of those conversations there are.
    pub(crate) others: usize,
    pub(crate) cooldown_left_s: Option<f64>,
}

/// How the reason of an attempt too many begins.
pub(crate) const ATTEMPTED: &str = "attempted although ";
/// How the reason of an attempt that is missing begins.
pub(crate) const MISSING: &str = "no attempt although ";

impl Wrong {
    /// The decision and its reasons, from a closed set.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Attempted(reasons) => {
                let words: Vec<&str> = reasons.iter().map(|reason| reason.words()).collect();
                format!("{ATTEMPTED}{}", words.join(" and "))
            }
            Self::Missing(reasons) => {
                let words: Vec<&str> = reasons.iter().map(|reason| reason.words()).collect();
                format!("{MISSING}{}", words.join(" and "))
            }
        }
    }

    /// The same as part of a file name.
    pub(crate) fn slug(&self) -> String {
        match self {
            Self::Attempted(reasons) => format!("attempted-{reasons:?}"),
            Self::Missing(reasons) => format!("missing-{reasons:?}"),
        }
        .replace(", ", "-")
        .replace(['[', ']'], "")
        .to_lowercase()
    }
}

/// A wrong decision: an attempt that is forbidden, or none where one is required.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Wrong {
    Attempted(Vec<Forbid>),
    Missing(Vec<Require>),
}

impl<'t> Judged<'t> {
    /// The log is surely too large.
    pub(crate) fn is_pressed(&self) -> bool {
        self.pressure == Some(Pressure::Summarize)
    }

    /// The log is surely too large, or trimming surely has to help.
    pub(crate) fn is_pressed_at_all(&self) -> bool {
        self.pressure.is_some_and(|pressure| pressure != Pressure::None)
    }

    /// Automatic compaction is off: whether it trims then is its own affair.
    pub(crate) fn switched_off(&self) -> bool {
        self.forbid.contains(&Forbid::AutoOff)
    }

    pub(crate) fn attempted(&self) -> bool {
        self.outcome.is_some()
    }

    /// What is wrong with the decision, if anything is. With nothing eligible an attempt is merely advised against.
    pub(crate) fn wrong(&self) -> Option<Wrong> {
        if self.attempted() {
            let reasons = self.forbid.iter().copied();
            let hard: Vec<Forbid> = reasons.filter(|reason| *reason != Forbid::NothingEligible).collect();
            return (!hard.is_empty()).then_some(Wrong::Attempted(hard));
        }
        let recovered = self.step.kind == StepKind::Overflow && self.trimmed;
        (!self.require.is_empty() && !recovered).then(|| Wrong::Missing(self.require.clone()))
    }

    /// The messages that each summariser call was shown, by position among the externals, in order.
    pub(crate) fn inputs(&self, externals: &Externals<'_>) -> &[Vec<usize>] {
        self.inputs.get_or_init(|| self.event.calls.iter().map(|call| externals.in_input(&call.input)).collect())
    }

    /// The messages that the summariser was shown, by position among the externals.
    pub(crate) fn shown(&self, externals: &Externals<'_>) -> HashSet<usize> {
        self.inputs(externals).iter().flatten().copied().collect()
    }

    /// The calls that may have made something of what they were shown: those that were answered with a usable text. After
    /// `overflow` the rest of the attempt goes by a smaller input.
    pub(crate) fn told(&self) -> impl Iterator<Item = &Call> {
        let usable = self.any_usable();
        self.event.calls.iter().filter(move |call| is_told(call, usable))
    }

    /// Where there is none, whatever was installed stands for what is unusable, and that is another matter.
    fn any_usable(&self) -> bool {
        self.event.calls.iter().any(|call| call.reply.is_usable())
    }

    /// The messages that these were shown, by position among the externals.
    pub(crate) fn covered(&self, externals: &Externals<'_>) -> impl Iterator<Item = usize> {
        let calls = self.event.calls.iter().zip(self.inputs(externals));
        let usable = self.any_usable();
        calls.filter(move |(call, _)| is_told(call, usable)).flat_map(|(_, input)| input).copied()
    }

    /// Whether the view after it carries `text` in an own item, or in several that follow one another.
    pub(crate) fn carries(&self, text: &str) -> bool {
        let own = || self.after.iter().filter(|item| item.is_own() && item.visible).map(|item| &*item.message.content);
        let several = || own().nth(1).is_some() && own().collect::<String>().contains(text);
        !text.is_empty() && (own().any(|content| content.contains(text)) || several())
    }

    /// All texts that the attempt was given, without what `attempt.answer` puts around them.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.event.calls.iter().filter_map(|call| match &call.reply {
            Reply::Summary { text, .. } => Some(self.unframed(text)),
            _ => None,
        })
    }

    /// Usable texts that the attempt was given.
    pub(crate) fn usable(&self) -> impl Iterator<Item = &str> {
        self.event.calls.iter().filter_map(|call| match &call.reply {
            Reply::Summary { text, usable: true, .. } => Some(self.unframed(text)),
            _ => None,
        })
    }

    /// Whether the model sees another view after the step than before it, but for what was merely appended.
    pub(crate) fn changed(&self) -> bool {
        *self.changed.get_or_init(|| !self.event.states.is_empty() && self.compare())
    }

    fn compare(&self) -> bool {
        let mut stood: Vec<usize> = self.before.iter().filter_map(Item::external).collect();
        stood.sort_unstable();
        let known = |item: &&Item<'_>| {
            let arrived = item.external().is_some_and(|at| stood.binary_search(&at).is_err());
            let appended = item.is_own() && self.event.appended.iter().any(|own| own.id == item.message.id);
            item.visible && !arrived && !appended
        };
        let parts = |item: &Item<'t>| -> (&'t str, &'t str, Option<&'t str>) {
            (&item.message.id, &item.message.content, item.message.reasoning.as_deref())
        };
        let before = self.before.iter().filter(known).map(parts);
        !before.eq(self.after.iter().filter(known).map(parts))
    }

    /// The messages that arrived during a summariser call, by position among the externals.
    pub(crate) fn arrived<'a>(&'a self, externals: &'a Externals<'_>) -> impl Iterator<Item = usize> + 'a {
        let keys = self.step.arrived.iter().filter(|_| self.event.delivered()).map(|draft| draft.key);
        keys.filter_map(|key| externals.by_key(key))
    }

    /// A result's text without what `attempt.answer` puts around it: a candidate may take it out of there.
    fn unframed<'a>(&self, text: &'a str) -> &'a str {
        let (head, tail) = self.frame;
        text.strip_prefix(head).and_then(|text| text.strip_suffix(tail)).unwrap_or(text).trim()
    }
}

/// A trace with what the oracle says of it.
#[derive(Debug)]
pub(crate) struct Judgement<'t> {
    pub(crate) trace: &'t Trace,
    pub(crate) externals: Externals<'t>,
    pub(crate) steps: Vec<Judged<'t>>,
    /// Views read after other commands: the command, the conversation, the view before, and the view.
    pub(crate) reads: Vec<(usize, Name, View<'t>, View<'t>)>,
}

fn is_told(call: &Call, any_usable: bool) -> bool {
    match call.reply {
        Reply::Rejection(kind) => kind == RejectionKind::Overflow,
        Reply::Summary { usable, .. } => usable || !any_usable,
    }
}
