//! LOG: who sees what.

use std::collections::HashMap;

use super::{Case, Check, Level, Requirement, Seen, request};
use crate::contract::{Capability, Contract, Feature, StatusKind};
use crate::history::{Command, Name};
use crate::message::{Message, Role};
use crate::oracle::view::{Item, View};
use crate::oracle::{Judged, Outcome};
use crate::trace::Input;

pub(crate) const ALL: &[Requirement] = &[
    Requirement {
        id: "LOG-1",
        level: Level::Must,
        sentence: "An own message MUST be `ui_only`, except a summary, a frame that stands beside a summary in the installed view, a trim marker, and a message of a kind that `status.visible` declares.",
        chapter: "log.md",
        implies: &[],
        applies: |c| c.claims(Capability::Summarize) || c.claims(Capability::Trim),
        check: Check::Observe(own_is_ui_only),
    },
    Requirement {
        id: "LOG-2",
        level: Level::Must,
        sentence: "A `ui_only` message, own or external, MUST NOT reach the model: neither in a summariser input nor in any field of a request.",
        chapter: "log.md",
        implies: &[],
        applies: |c| c.claims(Capability::Summarize) || c.claims(Capability::Request) && c.has(Feature::UiOnly),
        check: Check::Send { observe: ui_only_stays_here, assemble: request::ui_only_stays_out },
    },
    Requirement {
        id: "LOG-3",
        level: Level::Must,
        sentence: "A `hidden` message MUST still reach the model.",
        chapter: "log.md",
        implies: &[],
        applies: |c| c.has(Feature::Hidden) && (c.claims(Capability::Summarize) || c.claims(Capability::Request)),
        check: Check::Send { observe: hidden_is_sent, assemble: request::hidden_is_sent },
    },
    Requirement {
        id: "LOG-4",
        level: Level::Must,
        sentence: "The log MUST be append-only: no step removes, alters or reorders an external message in it, and only what a person has undone is exempt.",
        chapter: "log.md",
        implies: &["LOG-7"],
        applies: |c| c.claims(Capability::Log),
        check: Check::Observe(log_is_append_only),
    },
    Requirement {
        id: "LOG-5",
        level: Level::Must,
        sentence: "The flags `ui_only`, `hidden` and `pinned`, the role and the ids of every message MUST survive saving and loading, and a message stored without `ui_only` MUST load with it false.",
        chapter: "log.md",
        implies: &[],
        applies: |c| c.claims(Capability::Log) && c.claims(Capability::Restart),
        check: Check::Observe(flags_survive),
    },
    Requirement {
        id: "LOG-6",
        level: Level::Should,
        sentence: "An own message with role `user` SHOULD NOT be a status, SHOULD NOT count as growth, and SHOULD NOT take the place of the latest user message.",
        chapter: "log.md",
        implies: &[],
        applies: |c| c.claims(Capability::Summarize),
        check: Check::Observe(no_status_from_the_user),
    },
    Requirement {
        id: "LOG-7",
        level: Level::Must,
        sentence: "After a rewind the view MUST be the one that was asked for.",
        chapter: "log.md",
        implies: &[],
        applies: |c| c.claims(Capability::Rewind),
        check: Check::Observe(rewind_is_exact),
    },
];

/// Own messages that a step brought into log or view.
fn fresh<'a, 't>(judged: &'a Judged<'t>) -> impl Iterator<Item = &'t Message> + 'a {
    // Who gives a view new ids whenever it is read has not brought anything into it.
    let same = |item: &Item<'_>, message: &Message| {
        let alike = item.message.content == message.content && item.visible == message.is_visible();
        item.message.id == message.id || (alike && !message.content.is_empty())
    };
    let own: Vec<&Item<'_>> = judged.before.iter().filter(|item| item.is_own()).collect();
    let mut from = 0;
    // What stands keeps its order for the most part, and so the search goes on where the last one has ended.
    let mut old = move |message: &Message| {
        let found = (from..own.len()).chain(0..from).find(|at| same(own[*at], message));
        from = found.map_or(from, |at| at + 1);
        found.is_some()
    };
    let appended = judged.event.appended.iter();
    let installed = judged.after.iter().filter(|item| item.is_own()).map(|item| item.message);
    let seen = |message: &Message| judged.event.appended.iter().any(|other| other.id == message.id);
    appended.chain(installed.filter(move |message| !seen(message))).filter(move |message| !old(message))
}

/// Whether the item carries the text of a result, or says that it is a summary and stands in the place of something.
fn is_summary(judged: &Judged<'_>, message: &Message) -> bool {
    let installed = judged.replaced || judged.outcome == Some(Outcome::Success);
    let carries = |text: &str| !text.trim().is_empty() && message.content.contains(text.trim());
    // A status goes into the log; what stands in the view alone was installed there.
    let logged = judged.event.appended.iter().any(|own| own.id == message.id);
    (message.summary && (installed || !logged)) || judged.texts().any(carries)
}

/// Whether `message` stands in a run of own items that holds a summary, in an installed view.
fn frames_summary(judged: &Judged<'_>, message: &Message) -> bool {
    let view: &View<'_> = &judged.after;
    let Some(at) = view.iter().position(|item| item.is_own() && item.message.id == message.id) else { return false };
    let own = |item: &&Item<'_>| item.is_own();
    let before = view[..at].iter().rev().take_while(own);
    let after = view[at + 1..].iter().take_while(own);
    before.chain(after).any(|item| is_summary(judged, item.message))
}

/// Whether an own message may be visible.
fn may_be_visible(contract: &Contract, judged: &Judged<'_>, message: &Message) -> bool {
    let kinds = &contract.status.visible;
    if kinds.contains(&StatusKind::Reminder) || (judged.attempted() && kinds.contains(&StatusKind::Checkpoint)) {
        return true;
    }
    if judged.attempted() && (is_summary(judged, message) || frames_summary(judged, message)) {
        return true;
    }
    // A marker stands where something was trimmed, and not at the end.
    let last = judged.after.last().map(|item| &item.message.id);
    judged.trimmed && !judged.event.appended.iter().any(|own| own.id == message.id) && last != Some(&message.id)
}

fn own_is_ui_only(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for judged in case.steps().iter().filter(|judged| judged.attempted() || judged.trimmed) {
        let visible = |message: &&Message| message.is_visible() && !may_be_visible(case.contract, judged, message);
        let broken = fresh(judged).find(visible);
        let detail = broken
            .map(|message| format!("own message {} ({}) is visible to the model", message.id, message.role.name()));
        seen.check(judged.command, "visible own message", detail);
    }
    seen
}

fn ui_only_stays_here(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let externals = &case.judgement.externals;
    let commands = &case.judgement.trace.history.commands;
    let is_old = |command: &Command| matches!(command, Command::Restart { without } if !without.is_empty());
    let old_format = commands.iter().position(is_old).unwrap_or(commands.len());
    let mut own: Vec<(Name, &Message)> = Vec::new();
    // Conversations to which the host has sent one so far.
    let mut told: Vec<Name> = Vec::new();
    let mut played = 0;
    for judged in case.steps() {
        for command in &commands[played..judged.command] {
            if let Command::Append { conversation, messages } = command
                && messages.iter().any(|draft| draft.ui_only)
                && !told.contains(conversation)
            {
                told.push(*conversation);
            }
        }
        played = judged.command;
        if !judged.event.calls.is_empty() && judged.command <= old_format {
            let mut sent: Option<&str> = None;
            for (call, inputs) in judged.event.calls.iter().zip(judged.inputs(externals)) {
                let external = inputs.iter().find(|at| externals.draft(**at).ui_only);
                sent = sent.or(external.map(|at| externals.message(*at).id.as_str()));
                // What a visible item says, too, reaches the model by right.
                let shown = |message: &Message| {
                    judged.before.iter().any(|item| item.visible && item.message.content.contains(&message.content))
                };
                let mut mine = own.iter().filter(|(name, _)| *name == judged.name).map(|(_, message)| *message);
                sent = sent.or_else(|| {
                    mine.find(|message| reaches(&call.input, message) && !shown(message)).map(|own| own.id.as_str())
                });
            }
            let there = !own.is_empty() || told.contains(&judged.name);
            // Where the host may send such messages, an attempt says nothing before one has come.
            if there || !case.contract.has(Feature::UiOnly) {
                let detail = sent.map(|id| format!("ui_only message {id} is in the summariser's input"));
                seen.check(judged.command, "ui_only sent", detail);
            }
        }
        own.extend(fresh(judged).filter(|message| !message.is_visible()).map(|message| (judged.name, message)));
    }
    seen
}

/// Whether an own message is in the input. A short content could be there by chance.
fn reaches(input: &Input, own: &Message) -> bool {
    let long = own.content.len() >= 16;
    match input {
        Input::Items(items) => items.iter().any(|item| item.id == own.id || (long && item.content == own.content)),
        Input::Text(text) => long && text.contains(&own.content),
    }
}

fn hidden_is_sent(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let externals = &case.judgement.externals;
    let hidden = |view: &View<'_>| -> Vec<usize> {
        view.iter()
            .filter_map(Item::external)
            .filter(|at| externals.draft(*at).hidden && externals.draft(*at).is_visible())
            .collect()
    };
    let lost = |before: &View<'_>, after: &View<'_>| hidden(before).into_iter().find(|at| !hidden(after).contains(at));
    let words = |at: usize| {
        format!("hidden message {} is neither in the view nor in a summary's input", externals.message(at).id)
    };
    for judged in case.steps().iter().filter(|judged| judged.attempted() && !hidden(&judged.before).is_empty()) {
        let shown = judged.shown(externals);
        let lost = lost(&judged.before, &judged.after).filter(|at| !shown.contains(at));
        seen.check(judged.command, "hidden message lost", lost.map(words));
    }
    seen
}

fn log_is_append_only(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let trace = case.judgement.trace;
    if case.steps().is_empty() {
        return seen;
    }
    let last = trace.events.len();
    let states =
        trace.events.iter().enumerate().flat_map(|(at, event)| event.states.iter().map(move |state| (at + 1, state)));
    // What each conversation's log was when it was last loaded.
    let mut loaded: HashMap<Name, &[Message]> = HashMap::new();
    for (played, state) in states.chain(trace.finals.iter().map(|state| (last, state))) {
        let Some(log) = &state.log else { continue };
        let commands = &trace.history.commands[..played];
        if matches!(commands.last(), Some(Command::Restart { .. })) {
            loaded.insert(state.conversation, log);
        }
        let sent = sent_before(case, played, state.conversation);
        let as_loaded = loaded.get(&state.conversation).copied().unwrap_or_default();
        let broken = log_damage(&sent, log, Loaded::in_the_first(commands, as_loaded));
        seen.check(played.saturating_sub(1), "log damaged", broken);
    }
    seen
}

/// The host's messages to a conversation in the first `played` commands, less what a rewind has undone at any time, each
/// with its number among all that the history sends.
fn sent_before<'t>(case: &Case<'t>, played: usize, name: Name) -> Vec<(usize, &'t Message)> {
    let externals = &case.judgement.externals;
    let commands = &case.judgement.trace.history.commands[..played];
    let mut at = 0;
    // What was undone stands behind `standing` until the next delivery: a redo brings it back.
    let (mut sent, mut standing): (Vec<usize>, usize) = (Vec::new(), 0);
    for (command, event) in commands.iter().zip(&case.judgement.trace.events) {
        let (count, delivered) = match command {
            Command::Append { messages, .. } => (messages.len(), true),
            Command::Step(step) => (step.arrived.len(), event.delivered()),
            Command::Rewind { conversation, to } if *conversation == name => {
                if let Some(keep) = sent.iter().position(|at| externals.draft(*at).key == *to) {
                    standing = keep + 1;
                }
                (0, false)
            }
            _ => (0, false),
        };
        if delivered && command.conversation() == Some(name) {
            sent.truncate(standing);
            sent.extend(at..at + count);
            standing = sent.len();
        }
        at += count;
    }
    sent.into_iter().take(standing).map(|at| (at, externals.message(at))).collect()
}

/// What restarts leave to LOG-5: a flag or a role that did not survive one is a loss of the store, and not of a step.
#[derive(Clone, Copy)]
struct Loaded<'t> {
    /// The messages that were sent before the last restart.
    messages: usize,
    /// Whether a store of an older format was read.
    old_format: bool,
    /// The log as it was read then.
    log: &'t [Message],
}

impl<'t> Loaded<'t> {
    fn in_the_first(commands: &[Command], log: &'t [Message]) -> Self {
        let mut loaded = Self { messages: 0, old_format: false, log };
        let mut sent = 0;
        for command in commands {
            match command {
                Command::Append { messages, .. } => sent += messages.len(),
                Command::Step(step) => sent += step.arrived.len(),
                Command::Restart { without } => {
                    loaded.messages = sent;
                    loaded.old_format |= !without.is_empty();
                }
                _ => {}
            }
        }
        loaded
    }

    /// What the role and the flags of a message are held to: what was sent, and after a restart what was loaded.
    fn original(&self, number: usize, sent: &'t Message) -> Option<&'t Message> {
        if number >= self.messages { Some(sent) } else { self.log.iter().find(|stored| stored.id == sent.id) }
    }
}

fn log_damage<'t>(sent: &[(usize, &'t Message)], log: &[Message], loaded: Loaded<'t>) -> Option<String> {
    let mut from = 0;
    for (number, message) in sent {
        match log[from..].iter().position(|stored| stored.id == message.id) {
            None if log.iter().any(|stored| stored.id == message.id) => {
                return Some(format!("message {} stands out of order in the log", message.id));
            }
            None => return Some(format!("message {} is gone from the log", message.id)),
            Some(at) => {
                let stored = &log[from + at];
                let changed = if stored.content != message.content {
                    Some("the content")
                } else if stored.ui_only != message.ui_only && !loaded.old_format {
                    Some("ui_only")
                } else {
                    let members = loaded.original(*number, message).map(|original| members(stored, original));
                    members.into_iter().flatten().find_map(|(member, changed)| changed.then_some(member))
                };
                if let Some(member) = changed {
                    return Some(format!("{member} of message {} was changed in the log", message.id));
                }
                from += at + 1;
            }
        }
    }
    None
}

/// What a log holds of a message besides its content and `ui_only`, and whether it differs.
fn members(stored: &Message, sent: &Message) -> [(&'static str, bool); 3] {
    [
        ("hidden", stored.hidden != sent.hidden),
        ("pinned", stored.pinned != sent.pinned),
        ("role", stored.role != sent.role),
    ]
}

fn flags_survive(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let externals = &case.judgement.externals;
    // The messages that were sent so far, and those of them that were once stored without `ui_only`.
    let (mut sent_so_far, mut old_format) = (0, 0);
    for (at, (command, event)) in
        case.judgement.trace.history.commands.iter().zip(&case.judgement.trace.events).enumerate()
    {
        sent_so_far += match command {
            Command::Append { messages, .. } => messages.len(),
            Command::Step(step) => step.arrived.len(),
            _ => 0,
        };
        let Command::Restart { without } = command else { continue };
        if without.iter().any(|member| member == "ui_only") {
            old_format = sent_so_far;
        }
        for state in &event.states {
            let Some(log) = &state.log else { continue };
            let broken = log.iter().find_map(|stored| {
                let number = externals.by_id(&stored.id)?;
                let sent = externals.message(number);
                let ui_only = sent.ui_only && number >= old_format;
                let calls = [("call_id", stored.call_id != sent.call_id), ("calls", stored.calls != sent.calls)];
                [("ui_only", stored.ui_only != ui_only)]
                    .into_iter()
                    .chain(members(stored, sent))
                    .chain(calls)
                    .find_map(|(member, changed)| changed.then_some(member))
                    .map(|member| format!("{member} of message {} did not survive", stored.id))
            });
            seen.check(at, "flag lost", broken);
        }
    }
    seen
}

fn no_status_from_the_user(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    for judged in case.steps().iter().filter(|judged| judged.attempted()) {
        let checkpoint = case.contract.status.visible.contains(&StatusKind::Checkpoint);
        let status = |message: &&Message| {
            let carries = is_summary(judged, message) || frames_summary(judged, message);
            message.role == Role::User && !(checkpoint && message.is_visible()) && !carries
        };
        let broken = fresh(judged).find(status);
        let detail = broken.map(|message| format!("own status {} has the role user", message.id));
        seen.check(judged.command, "status from the user", detail);
    }
    seen
}

fn rewind_is_exact(case: &Case<'_>) -> Seen {
    let mut seen = Seen::default();
    let externals = &case.judgement.externals;
    for (at, name, old, view) in &case.judgement.reads {
        let Command::Rewind { to, .. } = case.judgement.trace.history.commands[*at] else { continue };
        let asked = sent_before(case, at + 1, *name).into_iter().map(|(_, message)| message);
        let asked: Vec<&str> =
            asked.filter(|message| message.is_visible()).map(|message| message.id.as_str()).collect();
        let shown = view.iter().filter(|item| item.visible).filter_map(Item::external);
        let shown: Vec<&str> = shown.map(|at| externals.message(at).id.as_str()).collect();
        // Where the message still stands in a compacted view, that view up to it is what was asked for as well.
        let target = old.iter().position(|item| item.external().is_some_and(|at| externals.draft(at).key == to));
        let kept = target.map(|place| {
            let items = old[..=place].iter().filter(|item| item.visible).filter_map(Item::external);
            items.map(|at| externals.message(at).id.as_str()).collect::<Vec<_>>()
        });
        let compacted = old.iter().any(|item| item.visible && (item.is_own() || !item.verbatim));
        if compacted && kept.as_ref() == Some(&shown) && shown != asked {
            seen.check(*at, "another view", None);
            continue;
        }
        let altered = view.iter().filter(|item| item.visible).find(|item| item.external().is_some() && !item.verbatim);
        let broken = if shown != asked {
            let wrong = asked.iter().zip(&shown).position(|(a, b)| a != b).unwrap_or(asked.len().min(shown.len()));
            let got = shown.get(wrong).copied().unwrap_or("nothing");
            let want = asked.get(wrong).copied().unwrap_or("nothing");
            Some(format!(
                "after the rewind {got} stands where {want} should ({} items, {} asked for)",
                shown.len(),
                asked.len()
            ))
        } else {
            altered.map(|item| format!("after the rewind message {} is not verbatim", item.message.id))
        };
        seen.check(*at, "another view", broken);
    }
    seen
}
