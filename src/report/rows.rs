//! A played history as the rows of a snapshot: what a reviewer reads in a diff.
//!
//! Unlike the timeline of a failure it shows no parameter's value, no text, and nothing that depends on a seed: where a
//! decision changes, the row of that decision changes, and the last row. Messages are named by their keys.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::row_words::{because, command, did, gaps, is_summary, leaves};
use super::wording::number;
use crate::contract::Contract;
use crate::history::Command;
use crate::oracle::view::Item;
use crate::oracle::{Judged, Judgement};
use crate::trace::State;

/// Width of the column of what the host does.
const HOST: usize = 34;
/// Width of the column of what the candidate did: `summarized, trimmed 3`.
const DID: usize = 21;
/// Width of the column of what it left in the log and the view.
const LEAVES: usize = 16;
/// Width of the last column: a row is no wider than a reviewer's window.
const CONTRACT: usize = 54;

/// The rows of `judgement`. The row of the command `fault` is marked, and so is every wrong decision.
pub(crate) fn rows(contract: &Contract, judgement: &Judgement<'_>, fault: Option<usize>) -> String {
    let mut text = String::new();
    line(&mut text, [" ", "time", "host", "view", "calls", "did", "leaves", "contract"]);
    let history = &judgement.trace.history;
    let many = history.conversations() > 1;
    for (at, (command, event)) in history.commands.iter().zip(&judgement.trace.events).enumerate() {
        let judged = judgement.steps.iter().find(|judged| judged.command == at);
        let name = command.conversation().filter(|_| many).map(|name| format!("{name}: ")).unwrap_or_default();
        let host = format!("{name}{}", self::command(command, contract));
        let wrong = fault == Some(at) || judged.is_some_and(|judged| judged.wrong().is_some());
        let row = match (command, judged) {
            (_, Some(judged)) => step(judged, contract),
            (Command::Append { messages, .. }, _) => {
                let count = messages.iter().filter(|draft| draft.is_visible()).count();
                only(count as i64)
            }
            _ => {
                let reads = judgement.reads.iter().filter(|(command, ..)| *command == at);
                let change: i64 = reads.map(|(_, _, before, after)| shown(after) - shown(before)).sum();
                only(change)
            }
        };
        let [view, calls, did, leaves, rule] = &row;
        let (mark, time) = (if wrong { ">" } else { " " }, number(event.elapsed_s));
        line(&mut text, [mark, &time, &host, view, calls, did, leaves, rule]);
    }
    if let Some(broken) = &judgement.trace.broken {
        line(&mut text, [">", "end", "broke off", "", "", broken.kind.name(), "", ""]);
    }
    let paid =
        [judgement.trace.calls(), judgement.steps.iter().map(|step| step.shown(&judgement.externals).len()).sum()];
    let [calls, sent] = paid.map(|sum: usize| sum.to_string());
    let sent = format!("{sent} sent");
    match &judgement.trace.finals[..] {
        [state] => end(&mut text, judgement, state, ["", &calls, &sent]),
        states => {
            for state in states {
                end(&mut text, judgement, state, [&state.conversation.to_string(), "", ""]);
            }
            line(&mut text, [" ", "end", "all", "", &calls, &sent, "", ""]);
        }
    }
    text
}

/// The cells of a row that changes the view, if anything.
fn only(change: i64) -> [String; 5] {
    let [calls, did, leaves, rule] = [const { String::new() }; 4];
    [delta(change), calls, did, leaves, rule]
}

/// The cells of a step, from the change of the view on.
fn step(judged: &Judged<'_>, contract: &Contract) -> [String; 5] {
    let calls = judged.event.calls.len();
    let view = delta(shown(&judged.after) - shown(&judged.before));
    [view, delta(calls as i64), did(judged), leaves(judged), because(judged, contract)]
}

/// The last row of a conversation: what the model sees of it now.
fn end(text: &mut String, judgement: &Judgement<'_>, state: &State, [name, calls, sent]: [&str; 3]) {
    let steps = judgement.steps.iter().filter(|judged| judged.name == state.conversation);
    let told: Vec<&str> = steps.flat_map(Judged::usable).collect();
    let extras: HashSet<&str> =
        judgement.trace.events.iter().flat_map(|event| &event.extra).map(|message| message.id.as_str()).collect();
    let items = state.view.iter().map(|message| judgement.externals.item(message, &extras));
    let items: Vec<Item<'_>> = items.filter(|item| item.visible).collect();
    let keyed: Vec<(Option<u32>, String)> = items.iter().map(|item| named(judgement, item, &told)).collect();
    line(text, [" ", "end", name, &items.len().to_string(), calls, sent, "", &gaps(&keyed)]);
}

/// An item of a view: its key where it stands there as it was said, else a word.
fn named(judgement: &Judgement<'_>, item: &Item<'_>, told: &[&str]) -> (Option<u32>, String) {
    match item.external() {
        Some(at) if item.verbatim => (Some(judgement.externals.draft(at).key), String::new()),
        Some(at) => (None, format!("{} trimmed", judgement.externals.draft(at).key)),
        None if !item.is_own() => (None, "extra".to_owned()),
        None if is_summary(item.message, told.iter().copied()) => (None, "summary".to_owned()),
        None => (None, format!("own {}", item.message.role.name())),
    }
}

fn shown(view: &[Item<'_>]) -> i64 {
    view.iter().filter(|item| item.visible).count() as i64
}

fn delta(by: i64) -> String {
    if by == 0 { String::new() } else { format!("{by:+}") }
}

fn line(text: &mut String, [mark, time, host, view, calls, did, leaves, rule]: [&str; 8]) {
    let wrapped = [parts(host, HOST), parts(did, DID), parts(leaves, LEAVES), parts(rule, CONTRACT)];
    for at in 0..wrapped.iter().map(Vec::len).max().unwrap_or_default() {
        let [host, did, leaves, rule] = wrapped.each_ref().map(|parts| parts.get(at).map_or("", String::as_str));
        let [mark, time, view, calls] = if at == 0 { [mark, time, view, calls] } else { [""; 4] };
        let row = format!("{mark:1}{time:>6}  {host:HOST$} {view:>5} {calls:>5}  {did:DID$} {leaves:LEAVES$} {rule}");
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", row.trim_end());
    }
}

/// `words` in parts that fit a column of this width, broken at spaces; all but the first are indented.
fn parts(words: &str, width: usize) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for word in words.split(' ') {
        match parts.last_mut() {
            Some(last) if last.chars().count() + 1 + word.chars().count() <= width => {
                last.push(' ');
                last.push_str(word);
            }
            Some(_) => parts.push(format!("  {word}")),
            None => parts.push(word.to_owned()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_column_does_not_hold_goes_on_below() {
        let mut text = String::new();
        line(
            &mut text,
            [">", "5", "step", "-9", "+1", "failed: overflow, says summarize", "status, summary, marker", "free"],
        );
        let column = |at: usize, from: usize| text.lines().nth(at).and_then(|row| row.get(from..)).unwrap_or_default();
        assert_eq!(column(0, 57), "failed: overflow,     status, summary, free");
        assert_eq!(column(1, 57), "  says summarize        marker");
        assert_eq!(text.lines().count(), 2);
    }
}
