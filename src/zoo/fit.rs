//! Trimmers: those that break a requirement, and sound ones of other designs than the reference.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Row, row_of};
use crate::candidate::Trimmer;
use crate::contract::{Contract, FitRules};
use crate::field::Infeasible;
use crate::fit_rules::{groups, must_stay};
use crate::message::{Message, Role};
use crate::model::ReferenceTrimmer;
use crate::unit::Limit;

type Answer = Result<Vec<Message>, Infeasible>;

row_of!(Trimmer, fn(&Contract) -> Box<dyn Trimmer>);

const MESSAGES: &str = r#""fit": {}"#;
const CHARACTERS: &str = r#""fit": {"unit": "code_points"}"#;

/// In the order of what they break.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("one-too-many", "Stops one message before the limit.",
        &["FIT-1"], &["FIT-7"], "cap-overshoot", MESSAGES, |contract| at_limit(contract, |max| max + 1)),
    row("reasoning-uncounted", "Counts the contents and not the reasoning.",
        &["FIT-1"], &["FIT-7"], "count-basis-mismatch", CHARACTERS, reasoning_uncounted),
    row("full-is-over-messages", "Trims what fits exactly.",
        &["FIT-2"], &["FIT-8"], "under-limit-mutated", MESSAGES, |contract| at_limit(contract, |max| max.saturating_sub(1))),
    row("ui-only-counted", "Counts what only the person sees.",
        &["FIT-2"], &["FIT-8"], "count-basis-mismatch", MESSAGES, ui_only_counted),
    row("sliding-window", "Keeps the last messages.",
        &["FIT-3", "FIT-4", "FIT-5"], &["FIT-7"], "guidance-or-pinned-lost", MESSAGES, |_| {
            boxed(|messages, limit| Ok(window(messages, limit.max)))
        }),
    row("pin-forgotten", "Lets pinned messages go like others.",
        &["FIT-3"], &["FIT-7"], "guidance-or-pinned-lost", MESSAGES, pin_forgotten),
    row("turn-forgotten", "Lets the latest user message go when tool results follow.",
        &["FIT-4"], &["FIT-7"], "latest-instruction-lost", MESSAGES, turn_forgotten),
    row("torn-pairs", "Lets calls go without their results.",
        &["FIT-5"], &[], "orphan-tool-pair", MESSAGES, torn_pairs),
    row("says-so", "Puts a message of its own where others were.",
        &["FIT-6"], &["FIT-1", "FIT-8", "FIT-7"], "visibility-leak", MESSAGES, says_so),
    row("cuts-without-mark", "Shortens the longest message and does not say so.",
        &["FIT-6"], &["FIT-4", "FIT-3"], "silent-reduction", CHARACTERS, cuts_without_mark),
    row("users-first", "Puts user messages in front of what they followed.",
        &["FIT-6"], &["FIT-8", "FIT-5"], "sequence-damage", MESSAGES, users_first),
    row("empty-answer", "Answers with nothing when what must stay does not fit.",
        &["FIT-7"], &["FIT-3", "FIT-4"], "latest-instruction-lost", MESSAGES, |contract| {
            let reference = reference(contract);
            boxed(move |messages, limit| Ok(reference.fit(messages, limit).unwrap_or_default()))
        }),
    row("guidance-alone", "Answers with the leading system messages, as many as fit, when the rest does not.",
        &["FIT-7"], &["FIT-3", "FIT-4"], "latest-instruction-lost", MESSAGES, guidance_alone),
    row("takes-turns", "Lets the oldest group go, or the newest, in turn.",
        &["FIT-8"], &[], "restart-amnesia", MESSAGES, takes_turns),
    row("shortens-again", "Shortens once more what it finds shortened.",
        &["FIT-8"], &[], "non-idempotent", CHARACTERS, |contract| shortening(contract, true)),
];

/// Sound ones.
#[rustfmt::skip]
pub(super) const SOUND: &[Row] = &[
    row("shortens-results", "Shortens tool results with a mark before anything goes.",
        &[], &[], "sound", CHARACTERS, |contract| shortening(contract, false)),
    row("results-first", "Lets call groups go before other messages.",
        &[], &[], "sound", r#""fit": {"unit": "tokens"}"#, |contract| dropping(contract, |message| message.calls.is_empty())),
    row("newest-window", "Keeps what must stay and as many of the newest groups as fit, without a gap.",
        &[], &[], "sound", r#""fit": {"unit": "utf8_bytes", "per_message": 4}"#, newest_window),
    row("whole-turn-or-nothing", "Never tears the running turn: gives up when it does not fit.",
        &[], &[], "sound", MESSAGES, whole_turn),
    row("refuses-what-is-no-request", "Gives up where there is nothing to be sent, or instructions alone.",
        &[], &[], "sound", MESSAGES, |contract| {
            let reference = reference(contract);
            boxed(move |messages, limit| {
                let speaks = |message: &Message| message.is_visible() && message.role != Role::System;
                if messages.iter().any(speaks) { reference.fit(messages, limit) } else { Err(Infeasible) }
            })
        }),
    row("silent-about-ui", "Leaves out what only the person sees, always.",
        &[], &[], "sound", MESSAGES, |contract| {
            let reference = reference(contract);
            boxed(move |messages, limit| reference.fit(messages.into_iter().filter(Message::is_visible).collect(), limit))
        }),
];

fn reference(contract: &Contract) -> ReferenceTrimmer {
    ReferenceTrimmer::new(contract.fit.clone())
}

fn boxed(answer: impl Fn(Vec<Message>, Limit) -> Answer + 'static) -> Box<dyn Trimmer> {
    Box::new(answer)
}

fn at_limit(contract: &Contract, other: fn(usize) -> usize) -> Box<dyn Trimmer> {
    let reference = reference(contract);
    boxed(move |messages, limit| {
        let kept = reference.fit(messages.clone(), Limit::new(other(limit.max), limit.unit));
        kept.or_else(|_| reference.fit(messages, limit))
    })
}

fn reasoning_uncounted(contract: &Contract) -> Box<dyn Trimmer> {
    let reference = reference(contract);
    boxed(move |mut messages, limit| {
        let reasoning: Vec<_> = messages.iter_mut().map(|m| (m.id.clone(), m.reasoning.take())).collect();
        let mut left = reference.fit(messages, limit)?;
        for message in &mut left {
            let known = reasoning.iter().find(|(id, _)| *id == message.id);
            message.reasoning = known.and_then(|(_, text)| text.clone());
        }
        Ok(left)
    })
}

fn ui_only_counted(contract: &Contract) -> Box<dyn Trimmer> {
    let reference = reference(contract);
    boxed(move |messages, limit| {
        let private = messages.iter().filter(|message| message.ui_only).count();
        let kept = reference.fit(messages.clone(), Limit::new(limit.max.saturating_sub(private), limit.unit));
        kept.or_else(|_| reference.fit(messages, limit))
    })
}

/// The last visible messages.
fn window(messages: Vec<Message>, max: usize) -> Vec<Message> {
    let visible = messages.iter().filter(|message| message.is_visible()).count();
    let mut skip = visible.saturating_sub(max);
    let keep = |message: &Message| {
        let skipped = skip > 0 && message.is_visible();
        skip -= usize::from(skipped);
        !skipped
    };
    messages.into_iter().filter(keep).collect()
}

fn pin_forgotten(contract: &Contract) -> Box<dyn Trimmer> {
    let reference = reference(contract);
    boxed(move |messages, limit| {
        let pinned: Vec<String> = messages.iter().filter(|m| m.pinned).map(|m| m.id.clone()).collect();
        let loose = messages.into_iter().map(|message| Message { pinned: false, ..message }).collect();
        let mut left = reference.fit(loose, limit)?;
        left.iter_mut().for_each(|message| message.pinned = pinned.contains(&message.id));
        Ok(left)
    })
}

fn guidance_alone(contract: &Contract) -> Box<dyn Trimmer> {
    let reference = reference(contract);
    boxed(move |messages, limit| {
        let lead: Vec<Message> = messages.iter().take_while(|m| m.role == Role::System).cloned().collect();
        let visible = lead.into_iter().filter(Message::is_visible).take(limit.max);
        Ok(reference.fit(messages, limit).unwrap_or_else(|_| visible.collect()))
    })
}

fn turn_forgotten(contract: &Contract) -> Box<dyn Trimmer> {
    let reference = reference(contract);
    boxed(move |mut messages, limit| {
        if messages.iter().rfind(|m| m.is_visible()).is_none_or(|last| last.role != Role::Tool) {
            return reference.fit(messages, limit);
        }
        // An answer at the end, which is taken away again, makes the turn look finished.
        messages.push(Message { pinned: true, ..Message::new("end", Role::Assistant, "") });
        let mut left = reference.fit(messages, Limit::new(limit.max + 1, limit.unit))?;
        left.pop();
        Ok(left)
    })
}

/// What stays without the messages of some groups: those for which `late` holds go last, the oldest first.
fn drop_groups(rules: &FitRules, messages: Vec<Message>, max: usize, order: &[usize], group: &[usize]) -> Answer {
    let must = must_stay(&messages);
    let mut gone = vec![false; messages.len()];
    let size = |gone: &[bool]| {
        let left = messages.iter().zip(group).filter(|(_, group)| !gone[**group]);
        rules.size(left.map(|(message, _)| message))
    };
    let stays = |at: usize| group.iter().zip(&must).any(|(group, must)| *group == at && *must);
    for at in order {
        if size(&gone) <= max {
            break;
        }
        gone[*at] = group[*at] == *at && !stays(*at);
    }
    if size(&gone) > max {
        return Err(Infeasible);
    }
    Ok(messages.iter().zip(group).filter(|(_, group)| !gone[**group]).map(|(message, _)| message.clone()).collect())
}

fn dropping(contract: &Contract, late: fn(&Message) -> bool) -> Box<dyn Trimmer> {
    let rules = contract.fit.clone();
    boxed(move |messages, limit| {
        let group = groups(&messages);
        let mut order: Vec<usize> = (0..messages.len()).collect();
        order.sort_by_key(|at| late(&messages[*at]));
        drop_groups(&rules, messages, limit.max, &order, &group)
    })
}

fn torn_pairs(contract: &Contract) -> Box<dyn Trimmer> {
    let rules = contract.fit.clone();
    boxed(move |messages, limit| {
        let all: Vec<usize> = (0..messages.len()).collect();
        drop_groups(&rules, messages, limit.max, &all, &all)
    })
}

fn says_so(contract: &Contract) -> Box<dyn Trimmer> {
    let reference = reference(contract);
    boxed(move |messages, limit| {
        let count = messages.len();
        let shorter = Limit::new(limit.max.saturating_sub(1), limit.unit);
        let left = reference.fit(messages.clone(), limit)?;
        let Ok(mut shorter) = reference.fit(messages, shorter) else { return Ok(left) };
        if left.len() < count {
            shorter.push(Message::new("own1", Role::User, "[earlier messages are left out]"));
            return Ok(shorter);
        }
        Ok(left)
    })
}

fn cuts_without_mark(contract: &Contract) -> Box<dyn Trimmer> {
    let (rules, reference) = (contract.fit.clone(), reference(contract));
    boxed(move |mut messages, limit| {
        let overflow = rules.size(&messages).saturating_sub(limit.max);
        let must = must_stay(&messages);
        let longest = (0..messages.len()).filter(|at| !must[*at] && messages[*at].is_visible());
        if let Some(at) = longest.max_by_key(|at| limit.unit.len(&messages[*at].content)).filter(|_| overflow > 0) {
            let len = limit.unit.len(&messages[at].content);
            messages[at].content = limit.unit.prefix(&messages[at].content, len.saturating_sub(overflow)).to_owned();
        }
        reference.fit(messages, limit)
    })
}

fn users_first(contract: &Contract) -> Box<dyn Trimmer> {
    let reference = reference(contract);
    boxed(move |messages, limit| {
        let count = messages.len();
        let mut left = reference.fit(messages, limit)?;
        if left.len() < count {
            left.sort_by_key(|message| match message.role {
                Role::System => 0,
                Role::User => 1,
                _ => 2,
            });
        }
        Ok(left)
    })
}

fn takes_turns(contract: &Contract) -> Box<dyn Trimmer> {
    let (rules, turns) = (contract.fit.clone(), AtomicUsize::new(0));
    boxed(move |messages, limit| {
        let group = groups(&messages);
        let mut order: Vec<usize> = (0..messages.len()).collect();
        if rules.size(&messages) > limit.max && turns.fetch_add(1, Ordering::Relaxed) % 2 == 1 {
            order.reverse();
        }
        drop_groups(&rules, messages, limit.max, &order, &group)
    })
}

const MARK: &str = "[cut]";

fn shortening(contract: &Contract, again: bool) -> Box<dyn Trimmer> {
    let (rules, reference) = (contract.fit.clone(), reference(contract));
    boxed(move |mut messages, limit| {
        let must = must_stay(&messages);
        let marked = |message: &Message| message.content.ends_with(MARK);
        let mut size = rules.size(&messages);
        for (message, must) in messages.iter_mut().zip(must) {
            let old = rules.size([&*message]);
            let once = size > limit.max && !marked(message) && message.content.chars().count() > 30;
            let more = again && marked(message) && message.content.chars().count() > 20;
            if must || message.role != Role::Tool || !(once || more) {
                continue;
            }
            let kept = if more { 10 } else { 25 };
            message.content = format!("{}{MARK}", limit.unit.prefix(&message.content, kept));
            message.trimmed = true;
            size = size - old + rules.size([&*message]);
        }
        reference.fit(messages, limit)
    })
}

fn newest_window(contract: &Contract) -> Box<dyn Trimmer> {
    let rules = contract.fit.clone();
    boxed(move |messages, limit| {
        let group = groups(&messages);
        let must = must_stay(&messages);
        let stays: Vec<usize> = group.iter().zip(&must).filter(|(_, must)| **must).map(|(group, _)| *group).collect();
        let kept =
            |from: usize| messages.iter().zip(&group).filter(move |(_, at)| **at >= from).map(|(message, _)| message);
        let older = |from: usize| {
            let kept = messages.iter().zip(&group).filter(move |(_, at)| **at < from);
            kept.filter(|(_, at)| stays.contains(at)).map(|(message, _)| message)
        };
        let fits = |from: &usize| rules.size(kept(*from)) + rules.size(older(*from)) <= limit.max;
        let from = (0..=messages.len()).find(fits).ok_or(Infeasible)?;
        let left = messages.iter().zip(&group).filter(|(_, at)| **at >= from || stays.contains(at));
        Ok(left.map(|(message, _)| message.clone()).collect())
    })
}

fn whole_turn(contract: &Contract) -> Box<dyn Trimmer> {
    let reference = reference(contract);
    boxed(move |messages, limit| {
        let from = messages.iter().rposition(|m| m.role == Role::User).unwrap_or(messages.len());
        let pinned = messages.iter().enumerate().map(|(at, m)| Message { pinned: m.pinned || at >= from, ..m.clone() });
        let left = reference.fit(pinned.collect(), limit)?;
        let restore = |message: Message| {
            let known = messages.iter().find(|known| known.id == message.id);
            known.cloned().unwrap_or(message)
        };
        Ok(left.into_iter().map(restore).collect())
    })
}
