//! Two runs that should agree: the same history twice, or with and without messages for the person only.

use crate::contract::Contract;
use crate::history::{Command, History};
use crate::oracle::view::{Item, View};
use crate::oracle::{Judged, Origin, judge};
use crate::trace::Trace;

/// Whether leaving out `ui_only` messages changes the history and nothing that it means.
pub(super) fn has_ui_only(history: &History) -> bool {
    let old_format = |command: &Command| matches!(command, Command::Restart { without } if !without.is_empty());
    history.drafts().any(|(_, draft)| draft.ui_only) && !history.commands.iter().any(old_format)
}

/// The history without its `ui_only` messages.
pub(super) fn without_ui_only(history: &History) -> History {
    let mut commands = history.commands.clone();
    for command in &mut commands {
        match command {
            Command::Append { messages, .. } => messages.retain(|draft| !draft.ui_only),
            Command::Step(step) => step.arrived.retain(|draft| !draft.ui_only),
            _ => {}
        }
    }
    commands.retain(|command| !matches!(command, Command::Append { messages, .. } if messages.is_empty()));
    History::new(history.seed, commands)
}

/// What is compared of two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// The same history twice. Own words may differ: they may hold an id or a time.
    Repeat,
    /// With and without messages for the person only.
    Without,
    /// The same, own words included.
    WithoutToTheWord,
}

/// The first step at which two runs differ in decision or provider view: its command in the first run, and a sentence.
pub(super) fn difference(
    contract: &Contract,
    one: &Trace,
    other: &Trace,
    compared: Compared,
) -> Option<(usize, String)> {
    if one.broken.is_some() || other.broken.is_some() {
        return None;
    }
    let (left, right) = (judge(contract, one), judge(contract, other));
    for (a, b) in left.steps.iter().zip(&right.steps) {
        let decision =
            |judged: &Judged<'_>| (judged.event.calls.len(), judged.event.action, judged.event.raised.is_some());
        let (x, y) = (decision(a), decision(b));
        if x != y {
            let words = |(calls, action, raised): (usize, Option<crate::trace::Action>, bool)| {
                let action = action.map_or("nothing", |action| action.name());
                let s = if calls == 1 { "" } else { "s" };
                format!("{calls} call{s}, {}", if raised { "an error" } else { action })
            };
            let (x, y) = (words(x), words(y));
            return Some((
                a.command,
                match compared {
                    Compared::Repeat => format!("the decision differs: {x} the first time, {y} the second"),
                    _ => format!("the decision differs: {x} with the messages for the person only, {y} without"),
                },
            ));
        }
        let shown = |judgement: &crate::oracle::Judgement<'_>, view: &View<'_>| -> Vec<(Option<u32>, String)> {
            let visible = view.iter().filter(|item| item.visible);
            let key = |item: &Item<'_>| match item.origin {
                Origin::External(at) => Some(judgement.externals.draft(at).key),
                Origin::Extra | Origin::Own => None,
            };
            let to_the_word = |item: &Item<'_>| compared == Compared::WithoutToTheWord || item.external().is_some();
            let text = |item: &Item<'_>| if to_the_word(item) { item.message.content.clone() } else { String::new() };
            visible.map(|item| (key(item), text(item))).collect()
        };
        if shown(&left, &a.after) != shown(&right, &b.after) {
            return Some((a.command, "the view that the provider gets differs".to_owned()));
        }
    }
    None
}
