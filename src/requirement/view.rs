//! VIEW: what survives a compaction.

use std::collections::{BTreeSet, HashMap};

use super::cover::{nothing_vanishes, trimmed_well};
use super::{Case, Check, Level, Requirement, Seen};
use crate::contract::{Capability, Contract, Feature, LatestUser, Pending, TrimHow};
use crate::history::{Name, StepKind};
use crate::message::Role;
use crate::oracle::view::{Item, leading};
use crate::oracle::{Forbid, Judged, Outcome};

pub(crate) const ALL: &[Requirement] = &[
    Requirement {
        id: "VIEW-1",
        level: Level::Must,
        sentence: "Pinned messages and the leading system messages MUST be in the view, verbatim and exactly once, after any number of compactions.",
        chapter: "view.md",
        implies: &["VIEW-6"],
        applies: |c| compacts(c) && (c.has(Feature::Pinned) || c.has(Feature::System)),
        check: Check::Observe(guidance_stays),
    },
    Requirement {
        id: "VIEW-2",
        level: Level::Must,
        sentence: "The latest user message (visible and external) MUST be in the view verbatim with no older user message after it; once its turn is over it may be covered instead, if `view.latest_user` is `covered`.",
        chapter: "view.md",
        implies: &["VIEW-6"],
        applies: compacts,
        check: Check::Observe(latest_user_stays),
    },
    Requirement {
        id: "VIEW-3",
        level: Level::Must,
        sentence: "Calls and results MUST stay in pairs: no result without its call, and no answered call without its result.",
        chapter: "view.md",
        implies: &[],
        applies: |c| compacts(c) && c.has(Feature::Calls),
        check: Check::Observe(pairs_stay),
    },
    Requirement {
        id: "VIEW-4",
        level: Level::Must,
        sentence: "An attempt MUST NOT be made while a call is open.",
        chapter: "view.md",
        implies: &[],
        applies: |c| {
            c.claims(Capability::View)
                && c.claims(Capability::Summarize)
                && c.has(Feature::Calls)
                && c.attempt.pending == Pending::Never
        },
        check: Check::Decide { exercised: under_open_call, blamed: |b| b.attempted(Forbid::OpenCall) },
    },
    Requirement {
        id: "VIEW-5",
        level: Level::Must,
        sentence: "A reasoning block MUST be intact or gone as a whole.",
        chapter: "view.md",
        implies: &[],
        applies: |c| compacts(c) && c.has(Feature::Reasoning),
        check: Check::Observe(reasoning_is_whole),
    },
    Requirement {
        id: "VIEW-6",
        level: Level::Must,
        sentence: "No visible message may vanish uncovered: it MUST be in the view, or have been trimmed (with a marker or, with `trim.how` `drop`, in whole groups, oldest first), or have been in the input of an installed summary which is in the view or covered in the same sense, where the input of an attempt with several calls is their union.",
        chapter: "view.md",
        implies: &["LOG-3"],
        applies: compacts,
        check: Check::Observe(nothing_vanishes),
    },
    Requirement {
        id: "VIEW-7",
        level: Level::Must,
        sentence: "What stays in the view MUST keep its order.",
        chapter: "view.md",
        implies: &["VIEW-2"],
        applies: compacts,
        check: Check::Observe(order_is_kept),
    },
    Requirement {
        id: "VIEW-8",
        level: Level::Must,
        sentence: "At least one conversational message MUST stay in the view, and roles MUST alternate if `view.alternation` is declared.",
        chapter: "view.md",
        implies: &[],
        applies: compacts,
        check: Check::Observe(still_a_conversation),
    },
    Requirement {
        id: "VIEW-9",
        level: Level::Must,
        sentence: "A trimmed message MUST be shorter than it was, well-formed Unicode, and marked once.",
        chapter: "view.md",
        implies: &[],
        applies: |c| c.claims(Capability::View) && c.claims(Capability::Trim),
        check: Check::Observe(trimmed_well),
    },
    Requirement {
        id: "VIEW-10",
        level: Level::Should,
        sentence: "At most `view.summaries` summaries SHOULD stand in the view.",
        chapter: "view.md",
        implies: &[],
        applies: |c| c.claims(Capability::View) && c.claims(Capability::Summarize),
        check: Check::Observe(few_summaries),
    },
];

/// It shows its view, and something can change it.
fn compacts(contract: &Contract) -> bool {
    contract.claims(Capability::View) && (contract.claims(Capability::Summarize) || contract.claims(Capability::Trim))
}

/// A step under pressure, with a call open and nothing else in the way.
fn under_open_call(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    let pressed = judged.step.kind != StepKind::Step || judged.is_pressed();
    pressed && judged.forbid == [Forbid::OpenCall]
}

/// The steps that left another view than before.
fn compactions<'a, 't>(case: &'a Case<'t>) -> impl Iterator<Item = &'a Judged<'t>> {
    case.steps().iter().filter(|judged| judged.changed())
}

/// The host's messages that the model sees in a view, by position among the externals, in the order of the view.
fn stands(view: &[Item<'_>]) -> impl Iterator<Item = usize> {
    view.iter().filter(|item| item.visible).filter_map(Item::external)
}

fn guidance_stays(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let externals = &case.judgement.externals;
    let mut guidance: HashMap<Name, BTreeSet<usize>> = HashMap::new();
    for judged in case.steps() {
        // Once a leading message, always one: what a compaction puts before it does not change what it is.
        let known = guidance.entry(judged.name).or_default();
        let first = judged.before[..leading(&judged.before)].iter().filter(|item| item.visible);
        known.extend(first.filter_map(Item::external).filter(|at| opens_its_log(case, judged.name, *at)));
        known.extend(stands(&judged.before).filter(|at| externals.draft(*at).pinned));
        if !judged.changed() {
            continue;
        }
        let mut before: Vec<usize> = stands(&judged.before).collect();
        before.sort_unstable();
        let mut due = known.iter().filter(|at| before.binary_search(at).is_ok()).peekable();
        if due.peek().is_none() {
            continue;
        }
        let broken = due.find_map(|at| {
            let sent = externals.message(*at);
            let same = |item: &&Item<'_>| item.external() == Some(*at) && item.message.content == sent.content;
            let kind = if sent.pinned { "the pinned" } else { "the leading system" };
            let found = judged.after.iter().filter(|item| item.external() == Some(*at)).count();
            match judged.after.iter().filter(same).count() {
                1 => None,
                0 if found > 0 => {
                    Some(("guidance lost", format!("{kind} message {} is not verbatim any more", sent.id)))
                }
                0 => Some(("guidance lost", format!("{kind} message {} is gone from the view", sent.id))),
                times => {
                    Some(("guidance doubled", format!("{kind} message {} stands {times} times in the view", sent.id)))
                }
            }
        });
        let (reason, detail) = broken.map_or(("guidance lost", None), |(reason, detail)| (reason, Some(detail)));
        seen.check(judged.command, reason, detail);
    }
    seen
}

/// Whether only system messages were sent to the conversation before this one.
fn opens_its_log(case: &Case<'_>, name: Name, at: usize) -> bool {
    let sent = case.judgement.externals.all[..=at].iter();
    let sent = sent.filter(|(other, draft, _)| *other == name && draft.is_visible());
    sent.take_while(|(_, draft, _)| draft.role == Role::System)
        .any(|(_, _, message)| message.id == case.judgement.externals.message(at).id)
}

fn latest_user_stays(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let externals = &case.judgement.externals;
    for judged in compactions(case) {
        let Some(latest) = judged.latest_user else { continue };
        let arrives = judged.arrived(externals).any(|at| externals.draft(at).role == Role::User);
        let may_be_covered = judged.turn_over && case.contract.view.latest_user == LatestUser::Covered;
        let sent = externals.message(latest);
        let verbatim = |view: &[Item<'_>]| {
            view.iter().position(|item| item.external() == Some(latest) && item.message.content == sent.content)
        };
        if arrives || may_be_covered || verbatim(&judged.before).is_none() {
            continue;
        }
        let broken = match verbatim(&judged.after) {
            None if judged.after.iter().any(|item| item.external() == Some(latest)) => {
                Some(format!("the latest user message {} is not verbatim any more", sent.id))
            }
            None => Some(format!("the latest user message {} is gone from the view", sent.id)),
            Some(place) => {
                let older = |at: &usize| *at < latest && externals.draft(*at).role == Role::User;
                let after = stands(&judged.after[place..]).find(older);
                after.map(|at| {
                    format!("the older user message {} stands after the latest, {}", externals.message(at).id, sent.id)
                })
            }
        };
        seen.check(judged.command, "latest user message lost", broken);
    }
    seen
}

fn pairs_stay(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let externals = &case.judgement.externals;
    for judged in compactions(case) {
        if !stands(&judged.before).any(|at| externals.message(at).call_id.is_some()) {
            continue;
        }
        let shown = || judged.after.iter().filter(|item| item.visible);
        let makes = |item: &Item<'_>, call: &String| {
            let sent = item.external().is_some_and(|at| externals.message(at).calls.contains(call));
            sent || item.message.calls.contains(call)
        };
        let orphan = shown().find_map(|item| {
            let call = item.message.call_id.as_ref()?;
            (!shown().any(|other| makes(other, call))).then(|| format!("result {} has lost its call", item.message.id))
        });
        // The final results that stood before, by call.
        let answered: HashMap<&str, usize> = stands(&judged.before)
            .filter(|at| !externals.message(*at).interim)
            .filter_map(|at| Some((externals.message(at).call_id.as_deref()?, at)))
            .collect();
        let unanswered = shown().find_map(|item| {
            let lost = item.message.calls.iter().find(|call| {
                answered.get(call.as_str()).is_some_and(|result| {
                    let is = |other: &Item<'_>| other.external() == Some(*result);
                    !shown().any(|other| is(other) || other.message.call_id.as_ref() == Some(call))
                })
            })?;
            Some(format!("call {lost} of message {} was answered and has lost its result", item.message.id))
        });
        seen.check(judged.command, "pair broken", orphan.or(unanswered));
    }
    seen
}

fn reasoning_is_whole(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let externals = &case.judgement.externals;
    for judged in compactions(case) {
        let block = |at: usize| externals.message(at).reasoning.as_deref();
        if !stands(&judged.before).any(|at| block(at).is_some()) {
            continue;
        }
        let damaged = judged.after.iter().filter(|item| item.visible).find(|item| {
            let shown = item.message.reasoning.as_deref().filter(|text| !text.is_empty());
            shown.is_some() && item.external().is_some_and(|at| shown != block(at))
        });
        let words =
            |item: &Item<'_>| format!("the reasoning block of message {} is not the one it had", item.message.id);
        seen.check(judged.command, "reasoning damaged", damaged.map(words));
    }
    seen
}

fn order_is_kept(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for judged in compactions(case) {
        // The first place of each.
        let mut places: Vec<usize> = Vec::new();
        for at in stands(&judged.after) {
            if !places.contains(&at) {
                places.push(at);
            }
        }
        if places.len() < 2 {
            continue;
        }
        let id = |at: usize| &case.judgement.externals.message(at).id;
        let broken = places.windows(2).find(|pair| pair[0] > pair[1]);
        let words = |pair: &[usize]| format!("{} stands after {} and was sent before it", id(pair[1]), id(pair[0]));
        seen.check(judged.command, "order changed", broken.map(words));
    }
    seen
}

fn still_a_conversation(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for judged in compactions(case) {
        let says = |view: &[Item<'_>]| view.iter().any(|item| item.visible && item.message.role != Role::System);
        if !says(&judged.before) {
            continue;
        }
        let empty = (!says(&judged.after)).then(|| "nothing but system messages is left in the view".to_owned());
        // A trim that drops cannot choose what it leaves side by side.
        let drops = case.contract.trim.how == TrimHow::Drop && !judged.attempted();
        let joint = || if case.contract.view.alternation && !drops { repeated_role(judged) } else { None };
        seen.check(judged.command, "no conversation", empty.or_else(joint));
    }
    seen
}

/// Two neighbours of one role where there were none, or where what stood between them had another role. System messages
/// stand outside the order of roles.
fn repeated_role(judged: &Judged<'_>) -> Option<String> {
    let speaks = |item: &&Item<'_>| item.visible && item.message.role != Role::System;
    let before: Vec<&Item<'_>> = judged.before.iter().filter(speaks).collect();
    let after: Vec<&Item<'_>> = judged.after.iter().filter(speaks).collect();
    let place = |item: &Item<'_>| {
        before.iter().position(|old| match item.external() {
            Some(at) => old.external() == Some(at),
            None => old.message.id == item.message.id,
        })
    };
    let pair = after.windows(2).find(|pair| {
        let role = pair[0].message.role;
        if pair[1].message.role != role || role == Role::Tool {
            return false;
        }
        match (place(pair[0]), place(pair[1])) {
            (Some(from), Some(to)) => {
                from < to && before[from + 1..to].iter().any(|between| between.message.role != role)
            }
            // What arrived meanwhile, or what the candidate's host says, is not of its making.
            (_, None) => pair[1].is_own(),
            (None, Some(_)) => pair[0].is_own(),
        }
    })?;
    let (one, other) = (&pair[0].message, &pair[1].message);
    Some(format!("{} and {} follow each other, and both have the role {}", one.id, other.id, one.role.name()))
}

fn few_summaries(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let mut tokens: Vec<(Name, &str)> = Vec::new();
    for judged in case.steps() {
        tokens.extend(judged.usable().filter_map(|text| Some((judged.name, text.split_whitespace().next()?))));
        if judged.outcome != Some(Outcome::Success) {
            continue;
        }
        let tells = |item: &&Item<'_>| {
            let mut texts = tokens.iter().filter(|(name, _)| *name == judged.name);
            item.message.summary || texts.any(|(_, token)| item.message.content.contains(token))
        };
        let count = judged.after.iter().filter(|item| item.is_own() && item.visible).filter(tells).count();
        let most = case.contract.view.summaries;
        let broken = (count > most).then(|| format!("{count} summaries stand in the view, {most} declared"));
        if judged.facts.successes as usize >= most || broken.is_some() {
            seen.check(judged.command, "too many summaries", broken);
        }
    }
    seen
}
