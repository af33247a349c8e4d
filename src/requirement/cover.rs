//! What became of messages that left the view, and of those that were shortened.

use std::collections::{BTreeMap, HashMap};

use super::{Case, Seen};
use crate::contract::{Capability, TrimHow};
use crate::history::Name;
use crate::oracle::Judged;
use crate::oracle::view::{Externals, Item, surely_trimmable};
use crate::trace::Input;

/// A summary that was installed: a word that its text alone has, and the messages that it stands for.
struct Told<'t> {
    token: &'t str,
    covers: Positions,
}

/// Some of the host's messages, a bit for each: what a summary stands for grows with the history.
#[derive(Clone, Default)]
struct Positions(Vec<u64>);

impl Positions {
    fn insert(&mut self, at: usize) {
        if self.0.len() <= at / 64 {
            self.0.resize(at / 64 + 1, 0);
        }
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn add(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own |= other);
    }

    /// Those that are not among `other`, in order.
    fn without<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = usize> + 'a {
        let rest = (0..).zip(&self.0).map(|(word, bits)| (word, bits & !other.0.get(word).copied().unwrap_or(0)));
        rest.filter(|(_, bits)| *bits != 0)
            .flat_map(|(word, bits)| (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| 64 * word + bit))
    }
}

impl FromIterator<usize> for Positions {
    fn from_iter<I: IntoIterator<Item = usize>>(all: I) -> Self {
        let mut positions = Self::default();
        all.into_iter().for_each(|at| positions.insert(at));
        positions
    }
}

/// See VIEW-6.
pub(super) fn nothing_vanishes(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let externals = &case.judgement.externals;
    let mut told: HashMap<Name, Vec<Told<'_>>> = HashMap::new();
    let mut reads = case.judgement.reads.iter().peekable();
    for judged in case.steps() {
        while let Some((_, name, _, view)) = reads.next_if(|(at, ..)| *at < judged.command) {
            // A rewound view is a part of the log, and a summary that it does not have covers nothing.
            told.entry(*name).or_default().retain(|summary| says(view, summary.token));
        }
        if !judged.changed() {
            continue;
        }
        let summaries = told.entry(judged.name).or_default();
        let mut due = present(externals, &judged.before);
        summaries.iter().for_each(|summary| due.add(&summary.covers));
        let mut found = present(externals, &judged.after);
        let mut new = Told { token: "", covers: judged.covered(externals).collect() };
        for old in summaries.iter().filter(|old| was_sent(judged, old.token)) {
            new.covers.add(&old.covers);
        }
        summaries.retain(|old| says(&judged.after, old.token));
        for token in judged.usable().filter_map(|text| text.split_whitespace().next()) {
            if says(&judged.after, token) && !summaries.iter().any(|old| old.token == token) {
                summaries.push(Told { token, covers: new.covers.clone() });
                new.token = token;
            }
        }
        summaries.iter().for_each(|summary| found.add(&summary.covers));
        let lost = due.without(&found).find_map(|at| unexcused(case, judged, at));
        seen.check(judged.command, "vanished uncovered", lost);
    }
    seen
}

/// The host's messages that the model sees: as items, or by a token in an own item.
fn present(externals: &Externals<'_>, view: &[Item<'_>]) -> Positions {
    let mut found = Positions::default();
    let mut find = |at: usize| {
        if externals.message(at).is_visible() {
            found.insert(at);
        }
    };
    for item in view.iter().filter(|item| item.visible) {
        match item.external() {
            Some(at) => find(at),
            None => externals.tokens(&item.message.content).into_iter().for_each(&mut find),
        }
    }
    found
}

/// Whether an own item has `token`.
fn says(view: &[Item<'_>], token: &str) -> bool {
    view.iter().any(|item| item.is_own() && item.visible && item.message.content.contains(token))
}

/// Whether `token` was in the input of a call that may have made something of it.
fn was_sent(judged: &Judged<'_>, token: &str) -> bool {
    judged.told().any(|call| match &call.input {
        Input::Text(text) => text.contains(token),
        Input::Items(items) => items.iter().any(|item| item.content.contains(token)),
    })
}

/// Why the message at `at` should not have left, if nothing excuses it.
fn unexcused(case: &Case<'_>, judged: &Judged<'_>, at: usize) -> Option<String> {
    let externals = &case.judgement.externals;
    let id = &externals.message(at).id;
    let words = || format!("{id} is neither in the view nor in the input of a summary that is");
    let old = judged.before.iter().find(|item| item.external() == Some(at));
    let Some(old) = old else {
        return Some(format!("{id} was covered by a summary that is gone and was not in the input of a later one"));
    };
    // A shortened message that has lost its tokens cannot be found in a flattened input.
    let flattened = judged.told().any(|call| matches!(call.input, Input::Text(_)));
    if flattened && !externals.tokens(&old.message.content).contains(&at) {
        return None;
    }
    if !case.contract.claims(Capability::Trim) {
        return Some(words());
    }
    if case.contract.trim.how == TrimHow::Marker {
        let marks = |item: &Item<'_>| {
            let known = judged.before.iter().any(|old| old.message.id == item.message.id);
            item.is_own() && item.visible && item.message.trimmed && !known
        };
        return (!judged.after.iter().any(marks)).then(words);
    }
    let group = group(externals, judged, at);
    let result = |at: &usize| externals.message(*at).call_id.is_some() || externals.draft(*at).role.name() == "tool";
    if judged.attempted() && !group.iter().any(result) {
        return Some(words());
    }
    let stands = |at: &usize| judged.after.iter().any(|item| item.external() == Some(*at));
    // Who takes a call out of a message that says something else, too, may leave the rest of it.
    let sent = externals.message(at);
    let calls: Vec<&String> = sent.calls.iter().chain(&sent.call_id).collect();
    let tied = |other: &usize| {
        let items = judged.after.iter().filter(|item| item.external() == Some(*other));
        items.flat_map(|item| item.message.calls.iter().chain(&item.message.call_id)).any(|call| calls.contains(&call))
    };
    if let Some(half) = group.iter().find(|at| tied(at)) {
        return Some(format!("{id} was dropped, and {} of its group was not", externals.message(*half).id));
    }
    let older = surely_trimmable(case.contract, externals, &judged.before)
        .into_iter()
        .filter_map(|place| judged.before[place].external())
        .find(|other| *other < group[0] && stands(other) && group.iter().any(result));
    older.map(|other| format!("{id} was dropped before the older {}", externals.message(other).id))
}

/// The message at `at`, and in the view before the step what is in its call group.
fn group(externals: &Externals<'_>, judged: &Judged<'_>, at: usize) -> Vec<usize> {
    let calls_of = |at: usize| {
        let message = externals.message(at);
        message.calls.iter().chain(&message.call_id).map(String::as_str).collect::<Vec<_>>()
    };
    let calls = calls_of(at);
    let before = judged.before.iter().filter_map(Item::external);
    let mut group: Vec<usize> =
        before.filter(|other| *other == at || calls_of(*other).iter().any(|call| calls.contains(call))).collect();
    group.sort_unstable();
    group
}

/// See VIEW-9.
pub(super) fn trimmed_well(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for judged in case.steps().iter().filter(|judged| judged.changed()) {
        let old: BTreeMap<usize, &Item<'_>> =
            judged.before.iter().filter_map(|item| Some((item.external()?, item))).collect();
        let items = judged.after.iter().filter(|item| item.visible);
        let changed = items.filter_map(|item| {
            let at = item.external()?;
            let old = old.get(&at)?;
            (old.message.content != item.message.content).then_some((at, *old, item))
        });
        let changed: Vec<_> = changed.filter(|(_, old, item)| was_cut(old, item)).collect();
        let dropped = judged.trimmed && case.contract.trim.how == TrimHow::Drop;
        let replaced = stand_ins(judged);
        if changed.is_empty() && replaced.is_empty() && !dropped {
            continue;
        }
        if let Some((id, before, after)) = replaced.into_iter().find(|(_, before, after)| after >= before) {
            let words = format!("{id} of {before} characters was trimmed, and what stands for it has {after}");
            seen.check(judged.command, "trimmed badly", Some(words));
            continue;
        }
        let broken = changed.into_iter().find_map(|(at, old, item)| {
            let sent = &case.judgement.externals.message(at).content;
            let (was, is) = (&old.message.content, &item.message.content);
            let id = &item.message.id;
            let (before, after) = (was.chars().count(), is.chars().count());
            if after >= before {
                return Some(format!("{id} was trimmed from {before} characters to {after}"));
            }
            if is.contains('\u{fffd}') && !sent.contains('\u{fffd}') {
                return Some(format!("{id} has a replacement character where one was split"));
            }
            if is != sent && !item.message.trimmed && added(is, sent).is_empty() {
                return Some(format!("{id} was trimmed from {before} characters to {after} and nothing marks it"));
            }
            // What was whole before is marked for the first time.
            let marked_before = || Some(added(was, sent)).filter(|marker| marker.len() > 2);
            let marker = if was == sent { None } else { marked_before() };
            let twice = marker.is_some_and(|marker| added(is, sent).matches(marker.trim()).count() > 1);
            twice.then(|| format!("{id} had been trimmed and was marked a second time"))
        });
        seen.check(judged.command, "trimmed badly", broken);
    }
    seen
}

/// The results for which an own item now stands: the id, and the characters before and after.
fn stand_ins(judged: &Judged<'_>) -> Vec<(String, usize, usize)> {
    let known = |id: &str| judged.before.iter().any(|old| old.message.id == id);
    let own = judged.after.iter().filter(|item| item.is_own() && item.visible && item.message.trimmed);
    let stands_for = |new: &Item<'_>| {
        let call = new.message.call_id.as_ref()?;
        let old =
            judged.before.iter().find(|old| old.external().is_some() && old.message.call_id.as_ref() == Some(call))?;
        let (before, after) = (old.message.content.chars().count(), new.message.content.chars().count());
        Some((old.message.id.clone(), before, after))
    };
    own.filter(|item| !known(&item.message.id)).filter_map(stands_for).collect()
}

/// Whether the change of `old` into `new` is a cut: a whole message in a wrapping is none, unless it says so.
fn was_cut(old: &Item<'_>, new: &Item<'_>) -> bool {
    !old.verbatim || new.message.trimmed || !new.message.content.contains(&old.message.content)
}

/// The characters that a text must share with the original in a row to come from there.
const SHARED: usize = 12;

/// What `text` has that `original` has not, numbers made alike.
fn added(text: &str, original: &str) -> String {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let shared = |from: usize, to: usize| original.contains(&text[ends[from]..ends[to]]);
    let mut added = String::new();
    let mut at = 0;
    let last = ends.len() - 1;
    while at < last {
        let least = (at + SHARED).min(last);
        if shared(at, least) && (least - at == SHARED || at == 0) {
            // The longest run from here on: what is shared with more is shared with less.
            let (mut low, mut high) = (least, last);
            while low < high {
                let middle = (low + high).div_ceil(2);
                if shared(at, middle) { low = middle } else { high = middle - 1 }
            }
            at = low;
            continue;
        }
        let character = text[ends[at]..ends[at + 1]].chars().next().unwrap_or(' ');
        match character {
            '0'..='9' if added.ends_with('#') => {}
            '0'..='9' => added.push('#'),
            other => added.push(other),
        }
        at += 1;
    }
    added
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_a_set_in_order() {
        let mut some: Positions = [130, 3, 64, 3].into_iter().collect();
        let others: Positions = [64, 5].into_iter().collect();
        assert_eq!(some.without(&others).collect::<Vec<_>>(), [3, 130]);
        assert_eq!(others.without(&some).collect::<Vec<_>>(), [5]);
        some.add(&others);
        assert_eq!(some.without(&Positions::default()).collect::<Vec<_>>(), [3, 5, 64, 130]);
    }

    #[test]
    fn what_was_added_is_found_wherever_it_stands() {
        let original = "a long result of a tool that says a great deal about nothing in particular";
        assert_eq!(added(original, original), "");
        assert_eq!(added("a long result of [61 characters trimmed]", original), "[# characters trimmed]");
        assert_eq!(added("[cut] a long result of a tool", original), "[cut] ");
        assert_eq!(added("a long result of … in particular", original).trim(), "…");
        assert_eq!(added("[cut] [cut] a long result of a tool", original).matches("[cut]").count(), 2);
    }
}
