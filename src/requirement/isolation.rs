//! ISO and CLK: state and time.

use std::collections::HashSet;

use super::{Blame, Case, Cause, Check, Level, Requirement, Seen};
use crate::contract::{Capability, Clock, Contract, TrimHow};
use crate::history::{Answer, Command, Name, StepKind};
use crate::message::Role;
use crate::oracle::view::Item;
use crate::oracle::{Forbid, Judged};

pub(crate) const ALL: &[Requirement] = &[
    Requirement {
        id: "ISO-1",
        level: Level::Must,
        sentence: "Attempts and failures in one conversation MUST NOT throttle, latch or release another.",
        chapter: "isolation.md",
        implies: &["THR-3"],
        applies: |c| c.claims(Capability::Conversations) && c.claims(Capability::Summarize),
        check: Check::Decide {
            exercised: beside_others,
            blamed: |b| {
                b.gate()
                    && b.has(Cause::OtherConversation)
                    && (b.judged.facts.others > 0 || !b.attempted(Forbid::Cooling))
            },
        },
    },
    Requirement {
        id: "ISO-2",
        level: Level::Must,
        sentence: "As long as no more than `conversations.max` conversations are live, a live latch or cooldown MUST NOT be forgotten.",
        chapter: "isolation.md",
        implies: &["ISO-1", "THR-3"],
        applies: |c| {
            let remembers = c.cooldown().is_some() || c.latch().is_some();
            c.claims(Capability::Conversations)
                && c.claims(Capability::Summarize)
                && c.conversations.max > 1
                && remembers
        },
        check: Check::Decide { exercised: in_a_crowd, blamed: |b| b.gate() && b.has(Cause::ManyConversations) },
    },
    Requirement {
        id: "ISO-3",
        level: Level::Must,
        sentence: "A restart, wherever it happens, MUST affect throttle and latch as `restart` declares, and MUST NOT affect the log.",
        chapter: "isolation.md",
        implies: &["THR-2", "THR-4", "LAT-1", "LAT-2"],
        applies: |c| c.claims(Capability::Restart) && (c.cooldown().is_some() || c.latch().is_some()),
        check: Check::Decide { exercised: after_restart, blamed: |b| b.gate() && b.has(Cause::Restart) },
    },
    Requirement {
        id: "ISO-4",
        level: Level::Must,
        sentence: "The same history twice MUST give the same decisions.",
        chapter: "isolation.md",
        implies: &[
            "THR-2", "THR-4", "THR-5", "THR-8", "LAT-1", "LAT-2", "LAT-4", "LAT-5", "LAT-10", "OUT-4", "OUT-7",
            "ISO-1", "ISO-3", "FRC-1", "FRC-2", "FRC-3",
        ],
        applies: Contract::converses,
        check: Check::Compare { exercised: any, blamed: |_| false },
    },
    Requirement {
        id: "ISO-5",
        level: Level::Must,
        sentence: "An installed view MUST survive a restart, and an attempt cut off by a restart MUST count as failed.",
        chapter: "isolation.md",
        implies: &["THR-2", "THR-4", "LAT-1", "LAT-2", "LAT-3", "ISO-3"],
        applies: |c| {
            let changes = c.claims(Capability::Summarize) || c.claims(Capability::Trim);
            c.claims(Capability::Restart) && c.claims(Capability::View) && changes
        },
        check: Check::Both { observe: view_survives, blamed: |b| b.gate() && was_cut_off(b) },
    },
    Requirement {
        id: "CLK-1",
        level: Level::Must,
        sentence: "A wall clock that steps back MUST NOT block attempts for longer than one cooldown (or `reopen_after_s`, where that is longer), counted in monotonic time from the first step that the candidate makes afterwards.",
        chapter: "isolation.md",
        implies: &["THR-4", "LAT-2"],
        applies: timed,
        check: Check::Decide { exercised: after_clock_step, blamed: |b| b.missing_step() && b.has(Cause::ClockStep) },
    },
    Requirement {
        id: "CLK-2",
        level: Level::Must,
        sentence: "When monotonic time begins anew after a restart, the remaining cooldown MUST lie in [0, cooldown].",
        chapter: "isolation.md",
        implies: &["ISO-3"],
        applies: |c| c.claims(Capability::Restart) && c.cooldown().is_some() && c.throttle.clock == Clock::Monotonic,
        check: Check::Decide {
            exercised: due_after_restart,
            blamed: |b| b.missing_step() && b.has(Cause::Restart) && b.contract.throttle.clock == Clock::Monotonic,
        },
    },
];

fn timed(contract: &Contract) -> bool {
    contract.cooldown().is_some() || contract.latch().is_some_and(|latch| latch.reopen_after_s.is_some())
}

fn judged_gate(judged: &Judged<'_>) -> bool {
    let gated = judged.forbid.iter().any(|reason| matches!(reason, Forbid::Cooling | Forbid::Latched));
    judged.step.kind == StepKind::Step && judged.is_pressed() && !judged.fog && (gated || !judged.require.is_empty())
}

/// A step that throttle or latch decides, after attempts in other conversations.
fn beside_others(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    judged_gate(judged) && judged.facts.others > 0
}

/// A step that throttle or latch forbids, while many conversations are live, or as many as are declared.
fn in_a_crowd(case: &Case<'_>, judged: &Judged<'_>) -> bool {
    let forbidden = judged.forbid.iter().any(|reason| matches!(reason, Forbid::Cooling | Forbid::Latched));
    judged_gate(judged) && forbidden && judged.facts.others >= 51.min(case.contract.conversations.max - 1)
}

fn after_restart(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    judged_gate(judged) && judged.facts.restarts > 0
}

/// An attempt of the conversation was cut off before the wrong decision.
fn was_cut_off(blame: &Blame<'_>) -> bool {
    blame.history.commands[..blame.judged.command].iter().any(|command| match command {
        Command::Step(step) => step.conversation == blame.judged.name && step.answers.contains(&Answer::CutOff),
        _ => false,
    })
}

/// How the host's messages in a view differ after a restart. A trim may be made anew when the view is built: what it had
/// shortened may be whole again, and a result that it had dropped may stand again.
fn host_messages_differ(case: &Case<'_>, old: &[Item<'_>], new: &[Item<'_>]) -> Option<String> {
    let shown = |view: &[Item<'_>]| -> Vec<usize> {
        view.iter().filter(|item| item.visible).filter_map(Item::external).collect()
    };
    let externals = &case.judgement.externals;
    let (trims, drops) = (case.contract.claims(Capability::Trim), case.contract.trim.how == TrimHow::Drop);
    let (before, after) = (shown(old), shown(new));
    let result = |at: usize| {
        let message = externals.message(at);
        !message.calls.is_empty() || message.call_id.is_some() || externals.draft(at).role == Role::Tool
    };
    let again = |at: &usize| trims && drops && !before.contains(at) && result(*at);
    let kept: Vec<usize> = after.iter().copied().filter(|at| !again(at)).collect();
    if kept != before {
        return Some(format!(
            "{} messages of the host stood in the view, and {} do after the restart, or others",
            before.len(),
            after.len()
        ));
    }
    let item = |view: &[Item<'_>], at: usize| {
        let item = view.iter().find(|item| item.visible && item.external() == Some(at))?;
        Some((item.message.content.clone(), item.verbatim))
    };
    let changed = before.into_iter().find(|at| match (item(old, *at), item(new, *at)) {
        (Some((was, whole)), Some((is, whole_again))) => was != is && !(trims && (!whole || !whole_again)),
        _ => false,
    });
    changed.map(|at| format!("message {} says something else after the restart", externals.message(at).id))
}

fn view_survives(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let mut tokens: Vec<(Name, &str)> = Vec::new();
    let mut steps = case.steps().iter().peekable();
    let mut cut_off: HashSet<Name> = HashSet::new();
    // Conversations whose last step was cut off: what it had trimmed by then may stand after the restart, or not.
    let mut undecided: HashSet<Name> = HashSet::new();
    for (at, name, old, new) in &case.judgement.reads {
        while let Some(judged) = steps.next_if(|judged| judged.command < *at) {
            undecided.remove(&judged.name);
            tokens.extend(judged.usable().filter_map(|text| Some((judged.name, text.split_whitespace().next()?))));
            if judged_gate(judged) && cut_off.contains(&judged.name) {
                seen.check(judged.command, "view lost", None);
            }
            if judged.event.cut_off() {
                cut_off.insert(judged.name);
                undecided.insert(judged.name);
            }
        }
        // A log that an older version wrote is read as it is.
        let restart =
            matches!(&case.judgement.trace.history.commands[*at], Command::Restart { without } if without.is_empty());
        let tells =
            |item: &Item<'_>, token: &str| item.is_own() && item.visible && item.message.content.contains(token);
        let told = tokens.iter().filter(|(other, _)| other == name).map(|(_, token)| *token);
        let told: Vec<&str> = told.filter(|token| old.iter().any(|item| tells(item, token))).collect();
        let shortened = old.iter().any(|item| item.visible && item.external().is_some() && !item.verbatim);
        if !restart || (told.is_empty() && !shortened) {
            continue;
        }
        let lost = told.iter().find(|token| !new.iter().any(|item| tells(item, token)));
        let words = if lost.is_some() {
            Some("a summary that stood in the view is gone after the restart".to_owned())
        } else if undecided.contains(name) && case.contract.claims(Capability::Trim) {
            None
        } else {
            host_messages_differ(case, old, new)
        };
        seen.check(*at, "view lost", words);
    }
    for judged in steps {
        if judged_gate(judged) && cut_off.contains(&judged.name) {
            seen.check(judged.command, "view lost", None);
        }
        if judged.event.cut_off() {
            cut_off.insert(judged.name);
        }
    }
    seen
}

fn any(_: &Case<'_>, _: &Judged<'_>) -> bool {
    true
}

fn after_clock_step(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    judged.facts.clock_steps > 0 && !judged.require.is_empty()
}

fn due_after_restart(_: &Case<'_>, judged: &Judged<'_>) -> bool {
    judged.facts.restarts > 0 && !judged.require.is_empty()
}
