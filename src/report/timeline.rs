//! A played history as a table: one event a row.

use std::fmt::Write as _;

use super::quote::escaped;
use super::wording::{command, did, number, own, rule};
use crate::contract::{Contract, PressureSource};
use crate::history::{Command, Name};
use crate::oracle::{Judged, Judgement};
use crate::trace::{Input, Trace};

/// Longer timelines are shortened in the middle.
const ROWS: usize = 60;
/// So many rows at most are compared as one when repeats are folded.
const PERIOD: usize = 4;
/// Repeats that take more rows than this are folded.
const REPEATS: usize = 3;
/// Width of the column of commands.
const COMMAND: usize = 32;
/// Width of the column of deeds.
const DID: usize = 19;

/// The timeline of `judgement`. The row of the command `fault` is marked, and so is every wrong decision.
///
/// ASCII but for what the candidate wrote, which is escaped; fixed columns; changes in the rows, sums in the last line.
pub(crate) fn timeline(contract: &Contract, judgement: &Judgement<'_>, fault: Option<usize>) -> String {
    let rows = rows(contract, judgement, fault);
    let mut text = String::new();
    // Writing to a string does not fail, here and below.
    let _ = writeln!(text, "    time  {:COMMAND$} view calls  {:DID$} contract", "command", "did");
    let lines = folded(&rows);
    let cut = lines.len().saturating_sub(ROWS);
    for (at, line) in lines.iter().enumerate() {
        match at {
            _ if cut < 2 || at < ROWS / 2 || at > ROWS / 2 + cut => text += line,
            _ if at == ROWS / 2 => {
                let _ = writeln!(text, "          ({} rows left out)", cut + 1);
            }
            _ => {}
        }
    }
    if let Some(broken) = &judgement.trace.broken {
        let told = contract.pressure == PressureSource::Given;
        let command = judgement.trace.history.commands.get(broken.command);
        let command = command.map_or("the end".to_owned(), |line| self::command(line, told));
        let _ = writeln!(text, ">         broke off at {command}: {}", broken.kind.name());
    }
    let visible = judgement.steps.iter().rev().find(|judged| judged.name == Name(0)).map(|judged| shown(&judged.after));
    let visible = visible.map(|count| format!("{count} visible after the last step of a, ")).unwrap_or_default();
    let calls = judgement.trace.calls();
    let s = if calls == 1 { "" } else { "s" };
    let _ = writeln!(text, "          {visible}{calls} summariser call{s}, {} characters sent", sent(judgement.trace));
    text
}

/// The characters that went into the summariser.
pub(crate) fn sent(trace: &Trace) -> usize {
    let calls = trace.events.iter().flat_map(|event| &event.calls);
    let of = |input: &Input| match input {
        Input::Text(text) => text.chars().count(),
        Input::Items(items) => items
            .iter()
            .map(|item| item.content.chars().count() + item.reasoning.as_ref().map_or(0, |r| r.chars().count()))
            .sum(),
    };
    calls.map(|call| of(&call.input)).sum()
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    time: String,
    conversation: String,
    body: Body,
}

/// What two rows must share to be repeats.
#[derive(Clone, Debug, Default, PartialEq)]
struct Body {
    mark: bool,
    command: String,
    visible: Option<i64>,
    calls: usize,
    did: String,
    rule: String,
}

fn rows(contract: &Contract, judgement: &Judgement<'_>, fault: Option<usize>) -> Vec<Row> {
    let history = &judgement.trace.history;
    let many = history.conversations() > 1;
    let told = contract.pressure == PressureSource::Given;
    let mut rows = Vec::new();
    for (at, (line, event)) in history.commands.iter().zip(&judgement.trace.events).enumerate() {
        let time = number(event.elapsed_s);
        let conversation = line.conversation().filter(|_| many).map(|name| format!("{name}: ")).unwrap_or_default();
        let row = |body: Body| Row { time: time.clone(), conversation: conversation.clone(), body };
        let judged = judgement.steps.iter().find(|judged| judged.command == at);
        let mut body = Body { mark: fault == Some(at), command: command(line, told), ..Body::default() };
        match (line, judged) {
            (Command::Append { messages, .. }, _) => {
                body.visible = Some(messages.iter().filter(|draft| draft.is_visible()).count() as i64);
            }
            (_, Some(judged)) => {
                body.mark |= judged.wrong().is_some();
                body.visible = Some(shown(&judged.after) - shown(&judged.before));
                body.calls = event.calls.len();
                body.did = did(judged);
                body.rule = rule(judged, contract);
            }
            _ => {
                let reads = judgement.reads.iter().filter(|(command, ..)| *command == at);
                body.visible = reads.map(|(_, _, before, after)| shown(after) - shown(before)).reduce(|a, b| a + b);
            }
        }
        rows.push(row(body));
        let said = |words: String, content: &str| {
            let content: String = escaped(content).chars().take(56).collect();
            row(Body { command: format!("  {words}"), did: format!("\"{content}\""), ..Body::default() })
        };
        if let Some(error) = &event.raised {
            rows.push(said("raised".to_owned(), error));
        }
        for message in &event.appended {
            rows.push(if message.summary { row(note(own(message))) } else { said(own(message), &message.content) });
        }
        for message in &event.extra {
            rows.push(row(note(format!("extra {}", message.role.name()))));
        }
        rows.extend(judged.into_iter().flat_map(installed).map(|words| row(note(words))));
    }
    rows
}

fn note(words: String) -> Body {
    Body { command: format!("  {words}"), ..Body::default() }
}

/// Own messages that a step put into the view without appending them.
fn installed(judged: &Judged<'_>) -> Vec<String> {
    let known = |id: &str| {
        judged.before.iter().any(|item| item.message.id == id)
            || judged.event.appended.iter().any(|message| message.id == id)
    };
    let new = judged.after.iter().filter(|item| item.is_own() && !known(&item.message.id));
    new.map(|item| format!("{} installed", own(item.message))).collect()
}

fn shown(view: &[crate::oracle::view::Item<'_>]) -> i64 {
    view.iter().filter(|item| item.visible).count() as i64
}

/// The rows as lines, repeats folded.
fn folded(rows: &[Row]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let best = (1..=PERIOD).map(|period| (period, repeats(rows, at, period)));
        let best = best.filter(|(period, count)| *count > 1 && (count - 1) * period >= REPEATS);
        let Some((period, count)) = best.max_by_key(|(period, count)| (period * count, PERIOD - period)) else {
            lines.push(line(&rows[at]));
            at += 1;
            continue;
        };
        lines.extend(rows[at..at + period].iter().map(line));
        let last = &rows[at + period * count - 1];
        let (more, time) = (count - 1, &last.time);
        let rows_ = if period == 1 { "the same".to_owned() } else { format!("the same {period} rows") };
        let to = last.conversation.trim_end_matches(": ");
        let to = if to.is_empty() { String::new() } else { format!(", the last in {to}") };
        lines.push(format!("{time:>8}  {more} x {rows_}{to}\n"));
        at += period * count;
    }
    lines
}

/// How often the `period` rows from `at` on stand there in a row.
fn repeats(rows: &[Row], at: usize, period: usize) -> usize {
    let Some(first) = rows.get(at..at + period) else { return 1 };
    let same = |block: &&[Row]| block.len() == period && block.iter().zip(first).all(|(a, b)| a.body == b.body);
    rows[at..].chunks(period).take_while(same).count()
}

fn line(row: &Row) -> String {
    let Row { time, conversation, body } = row;
    let mark = if body.mark { '>' } else { ' ' };
    let visible = body.visible.filter(|delta| *delta != 0).map(|delta| format!("{delta:+}")).unwrap_or_default();
    let calls = if body.calls == 0 { String::new() } else { format!("+{}", body.calls) };
    let parts = parts(&format!("{conversation}{}", body.command));
    let mut text = String::new();
    for (at, part) in parts.iter().enumerate() {
        let line = if at == 0 {
            format!("{mark}{time:>7}  {part:COMMAND$} {visible:>4} {calls:>5}  {:DID$} {}", body.did, body.rule)
        } else {
            format!("{:10}    {part}", "")
        };
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// `text` in parts that fit the column, broken at spaces.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let width = if parts.len() == 1 { COMMAND } else { COMMAND - 4 };
        match parts.last_mut() {
            Some(last) if last.is_empty() || last.chars().count() + word.trim_end().chars().count() <= width => {
                last.push_str(word)
            }
            _ => parts.push(word.to_owned()),
        }
    }
    parts.iter().map(|part| part.trim_end().to_owned()).collect()
}
