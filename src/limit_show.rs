//! A case at a limit and what the candidate answered, as a person reads it.
//!
//! Texts are quoted and escaped, and long ones are cut in the middle.

use std::fmt::Write;

use crate::change_play;
use crate::contract::{Contract, FitUnit, Structure};
use crate::field::{Cut, Reduced};
use crate::gauge_play;
use crate::limit_case::LimitCase;
use crate::message::Message;
use crate::requirement::fit::Fitting;
use crate::requirement::limit::Reply;
use crate::requirement::reduction::Reduction;
use crate::requirement::request::Assembly;
use crate::text::counted;
use crate::text::{Piece, Text};
use crate::unit::Unit;

/// So many blocks or messages are shown.
const ROWS: usize = 40;
/// A longer text is cut in the middle, to so many characters at each end.
const ENDS: usize = 32;

/// A field and its reduction.
pub(crate) fn reduce(contract: &Contract, seen: &Reduction) -> String {
    let unit = contract.field.unit;
    let mut out = format!("  reduce {} to {}\n", counted(seen.facts.most, words(unit)), seen.max);
    let width = seen.blocks.iter().map(|block| unit.len(&block.text).to_string().len()).max().unwrap_or(0);
    let is_text = contract.field.structure == Structure::Text;
    for (at, block) in seen.blocks.iter().take(ROWS).enumerate() {
        let text = sized(unit, &block.text, width);
        match block.required {
            _ if is_text => line(&mut out, "text", &text),
            true => line(&mut out, &format!("block {:<4}", at + 1), &format!("required  {text}")),
            false => line(&mut out, &format!("block {:<4}", at + 1), &format!("removable {text}")),
        }
    }
    if is_text && contract.field.tail > 0 {
        line(&mut out, "must stay", &format!("the last {} of the last paragraph", contract.field.tail));
    }
    more(&mut out, seen.blocks.len(), "blocks");
    line(&mut out, "answer", &reduction(unit, &seen.reply));
    if let Some(again) = seen.again.as_ref().filter(|again| **again != seen.reply) {
        line(&mut out, "again", &reduction(unit, again));
    }
    let text = |reply: &Reply<Reduced>| reply.given().map(|reduced| reduced.text.clone());
    if let Some(second) = seen.second.as_ref().filter(|second| text(second) != text(&seen.reply)) {
        line(&mut out, "of answer", &reduction(unit, second));
    }
    out
}

/// Messages and what stays of them.
pub(crate) fn fit(contract: &Contract, seen: &Fitting) -> String {
    let rules = &contract.fit;
    let unit = match rules.unit {
        FitUnit::Messages => "message",
        FitUnit::Tokens => "token",
        other => words(other.unit()),
    };
    let mut out = format!("  trim {} to {}\n", counted(seen.size, unit), seen.max);
    for (at, message) in seen.messages.iter().take(ROWS).enumerate() {
        let fate = seen.fate(at);
        line(&mut out, &format!("{:<9}", at + 1), &format!("{fate:<8}{}", described(message, rules.unit.unit())));
    }
    more(&mut out, seen.messages.len(), "messages");
    line(&mut out, "answer", &fitted(&seen.reply, &seen.origins));
    for (name, other) in [("again", &seen.again), ("of answer", &seen.second)] {
        if let Some(other) = other.as_ref().filter(|other| **other != seen.reply) {
            line(&mut out, name, &replied(other, |left| counted(left.len(), "message")));
        }
    }
    out
}

/// A view and the request made from it.
pub(crate) fn assemble(contract: &Contract, seen: &Assembly) -> String {
    let unit = contract.field.unit;
    let joined = counted(seen.field.facts.most, words(unit));
    let mut out = format!("  assemble a field of {joined} within {}\n", seen.field.max);
    for message in seen.view.iter().take(ROWS) {
        line(&mut out, &format!("{:<9}", message.id), &described(message, unit));
    }
    more(&mut out, seen.view.len(), "messages");
    let request = |request: &crate::field::Request| {
        let field = request.instructions.as_deref().map_or("no field".to_owned(), |text| sized(unit, text, 0));
        format!("{field}{}", notice(request.notice))
    };
    line(&mut out, "answer", &replied(&seen.reply, request));
    if let Some(given) = seen.reply.given() {
        let ids: Vec<&str> = given.sent.iter().take(ROWS).map(String::as_str).collect();
        line(&mut out, "sent", &escape(&ids.join(", ")));
    }
    out
}

/// A case without an answer.
pub(crate) fn unanswered(case: &LimitCase) -> String {
    let mut out = String::new();
    match case {
        LimitCase::Reduce(case) => {
            let _ = writeln!(out, "  reduce to {}", case.max);
            for (at, block) in case.blocks.iter().take(ROWS).enumerate() {
                let required = if block.required { "required " } else { "removable" };
                line(&mut out, &format!("block {:<4}", at + 1), &format!("{required} {}", drawn(&block.text)));
            }
            more(&mut out, case.blocks.len(), "blocks");
        }
        LimitCase::Fit(case) => {
            let _ = writeln!(out, "  trim {} messages to {}", case.messages.len(), case.max);
        }
        LimitCase::Assemble(case) => {
            let _ = writeln!(out, "  assemble a field within {}", case.max);
            for (at, part) in case.messages.iter().take(ROWS).enumerate() {
                line(&mut out, &format!("m{:<8}", at + 1), &format!("{:<9} {}", part.role.name(), drawn(&part.text)));
            }
            more(&mut out, case.messages.len(), "messages");
        }
        LimitCase::Change(case) => return change_play::unanswered(case),
        LimitCase::Gauge(case) => return gauge_play::unanswered(case),
    }
    out
}

fn line(out: &mut String, name: &str, text: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "    {}", format!("{name:<10} {text}").trim_end());
}

fn more(out: &mut String, count: usize, what: &str) {
    if count > ROWS {
        line(out, "...", &format!("{} more {what}", count - ROWS));
    }
}

fn replied<T>(reply: &Reply<T>, show: impl Fn(&T) -> String) -> String {
    match reply {
        Reply::Given(given) => show(given),
        Reply::Infeasible => "infeasible".to_owned(),
        Reply::Raised(error) => format!("an error: {}", escape(error)),
    }
}

fn reduction(unit: Unit, reply: &Reply<Reduced>) -> String {
    replied(reply, |reduced| format!("{}{}", sized(unit, &reduced.text, 0), notice(reduced.notice)))
}

fn notice(cut: Option<Cut>) -> String {
    cut.map_or(String::new(), |Cut { before, after, .. }| format!(", notice {before} to {after}"))
}

/// Where the messages of an answer came from.
fn fitted(reply: &Reply<Vec<Message>>, origins: &[Option<usize>]) -> String {
    replied(reply, |left| {
        let from = |origin: &Option<usize>| origin.map_or("a new one".to_owned(), |at| (at + 1).to_string());
        let numbers: Vec<String> = origins.iter().take(ROWS).map(from).collect();
        match left.len() {
            0 => "nothing".to_owned(),
            _ => format!("messages {}", numbers.join(", ")),
        }
    })
}

fn described(message: &Message, unit: Unit) -> String {
    let flags = [(message.pinned, "pinned"), (message.hidden, "hidden"), (message.ui_only, "ui_only")];
    let mut marks: Vec<String> = flags.iter().filter(|(set, _)| *set).map(|(_, name)| (*name).to_owned()).collect();
    if !message.calls.is_empty() {
        marks.push(format!("calls {}", message.calls.join(" ")));
    }
    marks.extend(message.call_id.as_ref().map(|call| format!("answers {call}")));
    if let Some(reasoning) = &message.reasoning {
        marks.push(format!("reasoning {}", unit.len(reasoning)));
    }
    let marks = if marks.is_empty() { String::new() } else { format!("  ({})", marks.join(", ")) };
    format!("{:<9} {}{marks}", message.role.name(), sized(unit, &message.content, 0))
}

/// The length of a text, and the text.
fn sized(unit: Unit, text: &str, width: usize) -> String {
    format!("{:>width$}  {}", unit.len(text), quoted(text))
}

/// A described text, its repeats as such.
fn drawn(text: &Text) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Plain(plain) => quoted(plain),
        Piece::Repeat(word, times) => format!("{} x {times}", quoted(word)),
    };
    let pieces: Vec<String> = text.pieces.iter().map(piece).collect();
    if pieces.is_empty() { "\"\"".to_owned() } else { pieces.join(" ") }
}

fn quoted(text: &str) -> String {
    let start = text.char_indices().nth(ENDS).map(|(at, _)| at);
    let end = text.char_indices().rev().nth(ENDS - 1).map(|(at, _)| at);
    match (start, end) {
        (Some(start), Some(end)) if start + ENDS < end => format!("{:?} ... {:?}", &text[..start], &text[end..]),
        _ => format!("{text:?}"),
    }
}

fn escape(text: &str) -> String {
    text.escape_debug().to_string()
}

fn words(unit: Unit) -> &'static str {
    match unit {
        Unit::CodePoints => "code point",
        Unit::Utf8Bytes => "UTF-8 byte",
        Unit::Utf16Units => "UTF-16 unit",
    }
}
