//! OUT: what an attempt may install.

use super::{Case, Check, Level, Requirement, Seen};
use crate::contract::{Calls, Capability, Contract, FailureKind, SizeUnit, TrimHow};
use crate::message::Role;
use crate::oracle::view::{Item, maybe_eligible, size, size_of_message, surely_eligible};
use crate::oracle::{Judged, Outcome};
use crate::trace::{Action, Call, Input, RejectionKind, Reply};

pub(crate) const ALL: &[Requirement] = &[
    Requirement {
        id: "OUT-1",
        level: Level::Must,
        sentence: "After a failed or aborted attempt all external items and all earlier summaries MUST still be in the view; excepted are a declared trim and the smaller view of an ineffective attempt, and own messages may be added.",
        chapter: "outcome.md",
        implies: &["LOG-3", "THR-8", "VIEW-6", "FRC-3"],
        applies: |c| c.claims(Capability::Summarize),
        check: Check::Observe(failure_keeps_the_view),
    },
    Requirement {
        id: "OUT-2",
        level: Level::Must,
        sentence: "A view installed by an attempt MUST carry the text of a usable result of that attempt, and MUST NOT carry the text of an unusable one (empty, blank, refused or cut).",
        chapter: "outcome.md",
        implies: &["LAT-1", "LAT-3", "LAT-8", "OUT-1", "VIEW-6"],
        applies: |c| c.claims(Capability::Summarize),
        check: Check::Observe(only_usable_text),
    },
    Requirement {
        id: "OUT-3",
        level: Level::Must,
        sentence: "An attempt MUST NOT install a view that is not strictly smaller than the one before (equal is not smaller), and a view smaller by less than `attempt.min_effect` MUST be a failure.",
        chapter: "outcome.md",
        implies: &["THR-2", "LAT-1", "LAT-3", "OUT-1"],
        applies: |c| c.claims(Capability::Summarize),
        check: Check::Both { observe: only_smaller_views, blamed: |b| b.gate() && b.installed_too_little() },
    },
    Requirement {
        id: "OUT-4",
        level: Level::Must,
        sentence: "What the candidate reports of a step MUST be what happened: `action` is the strongest thing done, with summarize above trim above none, and it is `none` for a failed attempt that installed nothing and trimmed nothing.",
        chapter: "outcome.md",
        implies: &[],
        applies: |c| c.claims(Capability::Summarize),
        check: Check::Observe(reports_what_happened),
    },
    Requirement {
        id: "OUT-5",
        level: Level::Should,
        sentence: "A failed attempt SHOULD NOT make its step end in an error for the host to handle.",
        chapter: "outcome.md",
        implies: &[],
        applies: |c| c.claims(Capability::Summarize),
        check: Check::Observe(failure_is_no_error),
    },
    Requirement {
        id: "OUT-6",
        level: Level::Should,
        sentence: "A step with nothing maybe eligible SHOULD NOT attempt.",
        chapter: "outcome.md",
        implies: &[],
        applies: |c| c.claims(Capability::Summarize),
        check: Check::Observe(nothing_eligible),
    },
    Requirement {
        id: "OUT-7",
        level: Level::Must,
        sentence: "If all results of an attempt are usable and would shrink the view by `attempt.min_effect` or more, a summary MUST be installed, whatever becomes of the message count.",
        chapter: "outcome.md",
        implies: &[],
        applies: |c| c.claims(Capability::Summarize),
        check: Check::Observe(progress_is_taken),
    },
    Requirement {
        id: "OUT-8",
        level: Level::Must,
        sentence: "Every summariser input MUST be within `attempt.input_max`, and after the answer `overflow` the next input MUST be strictly smaller or the attempt MUST have failed.",
        chapter: "outcome.md",
        implies: &[],
        applies: |c| c.claims(Capability::Summarize) && c.attempt.input_max.is_some(),
        check: Check::Observe(inputs_are_within),
    },
    Requirement {
        id: "OUT-9",
        level: Level::Must,
        sentence: "Messages that arrive during a summariser call MUST stand after the summary, once each.",
        chapter: "outcome.md",
        implies: &["VIEW-2", "VIEW-7"],
        applies: |c| c.claims(Capability::Arrivals) && c.claims(Capability::Summarize),
        check: Check::Observe(arrivals_stand_last),
    },
];

/// Own items that are new in the view, visible, and not among what was merely appended.
fn installed_own<'a, 't>(judged: &'a Judged<'t>) -> impl Iterator<Item = &'a Item<'t>> {
    let old = |item: &Item<'_>| judged.before.iter().any(|other| other.is_own() && other.message.id == item.message.id);
    let items = judged.after.iter().filter(|item| item.is_own() && item.visible);
    items.filter(move |item| !old(item) && !judged.event.states.is_empty())
}

/// Whether the attempt installed a view in which something own stands for what is gone.
fn stands_in(judged: &Judged<'_>) -> bool {
    // A marker for what was trimmed stands for that alone.
    judged.replaced && installed_own(judged).any(|item| !item.message.trimmed || item.message.summary)
}

fn failure_keeps_the_view(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for judged in case.steps() {
        let Some(outcome) = judged.outcome.filter(|outcome| *outcome != Outcome::Success) else { continue };
        // A text that was taken although it is none is the matter of OUT-2, and one that made nothing smaller of OUT-3.
        let texts = judged.event.calls.iter().all(|call| matches!(call.reply, Reply::Summary { .. }));
        let accepted = texts && stands_in(judged);
        let excepted =
            matches!(outcome, Outcome::Failure(FailureKind::Ineffective | FailureKind::Inflated | FailureKind::Equal));
        let broken = if accepted || (excepted && stands_in(judged)) { None } else { lost(case, judged) };
        seen.check(judged.command, "items lost in a failure", broken);
    }
    seen
}

/// An external item or an earlier summary that the view has lost otherwise than by a declared trim.
fn lost(case: &Case<'_>, judged: &Judged<'_>) -> Option<String> {
    let trims = case.contract.claims(Capability::Trim);
    let drops = trims && case.contract.trim.how == TrimHow::Drop;
    let stands = |item: &Item<'_>| {
        judged.after.iter().find(|new| match item.external() {
            Some(at) => new.external() == Some(at),
            None => new.message.id == item.message.id || new.message.content == item.message.content,
        })
    };
    for item in judged.before.iter().filter(|item| item.visible) {
        let id = &item.message.id;
        match stands(item) {
            None if item.is_own() && !item.message.summary => {}
            None if drops && !item.message.pinned && !item.is_own() => {}
            None if trims && stands_shortened(judged, item) => {}
            None => return Some(format!("{id} is gone from the view after an attempt that did not succeed")),
            Some(new) if new.message.content != item.message.content && !trims => {
                return Some(format!("{id} was changed by an attempt that did not succeed"));
            }
            Some(_) => {}
        }
    }
    None
}

/// Whether an own item stands in the place of a result that was trimmed.
fn stands_shortened(judged: &Judged<'_>, item: &Item<'_>) -> bool {
    let call = item.message.call_id.as_deref();
    let own = judged.after.iter().filter(|new| new.is_own() && new.visible && new.message.trimmed);
    call.is_some() && own.into_iter().any(|new| new.message.call_id.as_deref() == call)
}

fn only_usable_text(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for judged in case.steps().iter().filter(|judged| judged.attempted()) {
        let unusable = judged.event.calls.iter().filter_map(|call| match &call.reply {
            Reply::Summary { text, usable: false, .. } => Some(text.trim()),
            _ => None,
        });
        let carries =
            |text: &&str| !text.is_empty() && installed_own(judged).any(|item| item.message.content.contains(text));
        let bad = unusable
            .clone()
            .find(carries)
            .map(|_| "the installed view carries the text of an unusable result".to_owned());
        let texts = judged.event.calls.iter().any(|call| matches!(call.reply, Reply::Summary { .. }));
        let good = judged.usable().any(|text| judged.carries(text));
        let empty = (texts && !good && stands_in(judged))
            .then(|| "a view was installed that carries no text of a usable result".to_owned());
        seen.check(judged.command, "unusable result installed", bad.or(empty));
    }
    seen
}

fn only_smaller_views(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for judged in case.steps() {
        let usable = judged.usable().next().is_some();
        if !judged.attempted() || !usable {
            continue;
        }
        let kind = match judged.outcome {
            Some(Outcome::Failure(kind @ (FailureKind::Inflated | FailureKind::Equal))) => kind,
            _ => {
                seen.check(judged.command, "not smaller", None);
                continue;
            }
        };
        let (before, after) = judged.sizes;
        let taken = installed_own(judged).any(|item| judged.usable().any(|text| item.message.content.contains(text)));
        let tokens = case.contract.size.unit == crate::contract::SizeUnit::Tokens;
        let larger = if tokens { after >= 2 * before } else { after >= before };
        let broken = judged.replaced && taken && larger;
        let words = format!("a view of size {after} was installed in place of one of size {before} ({})", kind.name());
        seen.check(judged.command, "not smaller", broken.then_some(words));
    }
    seen
}

fn reports_what_happened(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for judged in case.steps() {
        let Some(reported) = judged.event.action.filter(|action| *action != Action::Unreported) else {
            // Who reports nothing reports nothing wrong.
            if judged.attempted() {
                seen.check(judged.command, "misreported", None);
            }
            continue;
        };
        let done = match judged.outcome {
            Some(Outcome::Success) => Action::Summarize,
            // A view that should not have been installed is the matter of other requirements.
            _ if stands_in(judged) || judged.replaced || installed_more(judged) => continue,
            _ if judged.trimmed => Action::Trim,
            // Who trims what no model sees has trimmed nothing, and whether that is worth a report is not said.
            _ if reported == Action::Trim && unseen_changed(judged) => continue,
            _ => Action::None,
        };
        let broken =
            (reported != done).then(|| format!("it reports {} and what happened is {}", reported.name(), done.name()));
        seen.check(judged.command, "misreported", broken);
    }
    seen
}

/// Whether something own stands in the view that was not appended to the log: a view was installed, whatever is in it.
fn installed_more(judged: &Judged<'_>) -> bool {
    let appended = |item: &Item<'_>| judged.event.appended.iter().any(|own| own.id == item.message.id);
    installed_own(judged).any(|item| !appended(item) && (judged.attempted() || item.message.summary))
}

/// Whether a message for the person only was shortened or left out of the view.
fn unseen_changed(judged: &Judged<'_>) -> bool {
    let stands = |item: &Item<'_>| judged.after.iter().any(|new| new.message.content == item.message.content);
    judged.before.iter().any(|item| !item.visible && !stands(item))
}

fn failure_is_no_error(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for judged in case.steps().iter().filter(|judged| matches!(judged.outcome, Some(Outcome::Failure(_)))) {
        let broken = judged.event.raised.as_ref().map(|error| format!("the step raised: {error}"));
        seen.check(judged.command, "step raised", broken);
    }
    seen
}

fn nothing_eligible(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for judged in case.steps().iter().filter(|judged| maybe_eligible(&judged.before).next().is_none()) {
        let others = judged.forbid.iter().any(|reason| *reason != crate::oracle::Forbid::NothingEligible);
        if !others {
            let broken = judged.attempted().then(|| "it called the summariser with nothing eligible".to_owned());
            seen.check(judged.command, "nothing eligible", broken);
        }
    }
    seen
}

fn progress_is_taken(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for judged in case.steps().iter().filter(|judged| judged.attempted()) {
        let usable = judged.event.calls.iter().all(|call| matches!(&call.reply, Reply::Summary { usable: true, .. }));
        if usable && !judged.trimmed && surely_smaller(case.contract, case, judged) {
            let broken = judged.outcome != Some(Outcome::Success) && !judged.replaced;
            let words = "every result was usable and would have made the view smaller, and no summary was installed";
            seen.check(judged.command, "progress not taken", broken.then(|| words.to_owned()));
        }
    }
    seen
}

fn inputs_are_within(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let Some(max) = case.contract.attempt.input_max.filter(|_| case.contract.size.unit != SizeUnit::Tokens) else {
        return seen;
    };
    let unit = case.contract.size.unit.unit();
    let measure = |input: &Input| match input {
        Input::Text(text) => unit.len(text),
        Input::Items(items) => items.iter().map(|item| size_of_message(case.contract, item)).sum(),
    };
    for judged in case.steps().iter().filter(|judged| judged.attempted()) {
        let sizes: Vec<usize> = judged.event.calls.iter().map(|call| measure(&call.input)).collect();
        let overflows = |call: &Call| matches!(call.reply, Reply::Rejection(RejectionKind::Overflow));
        let told = judged.event.calls.iter().any(overflows);
        if !told && size(&judged.before) <= max {
            continue;
        }
        let large = sizes.iter().position(|size| *size > max);
        let large = large.map(|at| format!("call {} sends {}, and `attempt.input_max` is {max}", at + 1, sizes[at]));
        let again = judged.event.calls.windows(2).enumerate().find(|(at, pair)| {
            let same = pair[0].input == pair[1].input;
            let larger = sizes[at + 1] >= sizes[*at] && judged.outcome == Some(Outcome::Success);
            overflows(&pair[0]) && (same || larger)
        });
        let again = again.map(|(at, _)| {
            format!("call {} sends {} after {} was answered with overflow", at + 2, sizes[at + 1], sizes[at])
        });
        seen.check(judged.command, "input too large", large.or(again));
    }
    seen
}

fn arrivals_stand_last(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let externals = &case.judgement.externals;
    for judged in case.steps() {
        let arrived: Vec<usize> = judged.arrived(externals).filter(|at| externals.message(*at).is_visible()).collect();
        if arrived.is_empty() {
            continue;
        }
        let carries = |item: &&Item<'_>| judged.usable().any(|text| item.message.content.contains(text));
        let told: Vec<&str> = installed_own(judged).filter(carries).map(|item| item.message.id.as_str()).collect();
        let summary = judged.after.iter().rposition(|item| told.contains(&item.message.id.as_str()));
        let broken = arrived.into_iter().find_map(|at| {
            let sent = externals.message(at);
            let is = |item: &Item<'_>| item.external() == Some(at) && item.message.content == sent.content;
            let places: Vec<usize> = (0..judged.after.len()).filter(|place| is(&judged.after[*place])).collect();
            match places[..] {
                [] => Some(format!("message {} arrived during the call and is not in the view", sent.id)),
                [place] if summary.is_some_and(|summary| place < summary) => {
                    Some(format!("message {} arrived during the call and stands before the summary", sent.id))
                }
                [_] => None,
                _ => Some(format!("message {} arrived once and stands {} times in the view", sent.id, places.len())),
            }
        });
        seen.check(judged.command, "arrival misplaced", broken);
    }
    seen
}

/// Whether the results would surely have made the view smaller, with room for a frame around them.
fn surely_smaller(contract: &Contract, case: &Case<'_>, judged: &Judged<'_>) -> bool {
    let eligible = surely_eligible(contract, &case.judgement.externals, &judged.before);
    if eligible.len() < contract.attempt.eligible_min.max(1) || keeps_some(contract, judged, &eligible) {
        return false;
    }
    let replaced: usize = eligible.iter().map(|at| judged.before[*at].size).sum();
    let texts: usize = judged.usable().map(|text| 2 * text.chars().count() + 200).sum();
    let effect = contract.attempt.min_effect * size(&judged.before) as f64;
    replaced >= contract.at_most(contract.attempt.eligible_min_size) && replaced as f64 >= texts as f64 + effect
}

/// Whether a sound attempt may have to leave some of what is eligible: what its calls have no room for, and what has to stay
/// between two neighbours of one role.
fn keeps_some(contract: &Contract, judged: &Judged<'_>, eligible: &[usize]) -> bool {
    let rules = &contract.attempt;
    let full = rules.input_max.is_some_and(|max| rules.calls != Calls::Chunks && size(&judged.before) > max);
    let speaks = |at: &usize| judged.before[*at].visible && judged.before[*at].message.role != Role::System;
    let before_the_last = 0..eligible.last().copied().unwrap_or(0);
    let apart = before_the_last.filter(speaks).any(|at| !eligible.contains(&at));
    full || (contract.view.alternation && apart)
}
