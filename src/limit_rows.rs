//! A case at a limit as the rows of a snapshot: ASCII, one block or message a row, nothing that depends on a seed.

use std::fmt::Write as _;

use crate::contract::{Contract, FitUnit};
use crate::field::{Cut, Reduced, Request};
use crate::message::Message;
use crate::requirement::fit::Fitting;
use crate::requirement::limit::Reply;
use crate::requirement::reduction::Reduction;
use crate::requirement::request::Assembly;
use crate::unit::Unit;

/// So many blocks or messages are shown.
const ROWS: usize = 24;
/// A longer text is cut in the middle, to so many pieces at each end.
const ENDS: usize = 20;
/// A longer run of one character is a piece.
const RUN: usize = 5;

/// A field and its reduction.
pub(crate) fn reduce(contract: &Contract, seen: &Reduction) -> String {
    let unit = contract.field.unit;
    let mut out = head(seen.max, words(unit));
    let answer = seen.reply.given().map(|reduced| reduced.text.as_str());
    let mut from = 0;
    for (at, block) in seen.blocks.iter().take(ROWS).enumerate() {
        let kind = if block.required { "required" } else { "removable" };
        let fate = fate(answer, &block.text, &mut from);
        row(&mut out, &format!("block {}", at + 1), kind, fate, Some(unit.len(&block.text)), &quoted(&block.text));
    }
    more(&mut out, seen.blocks.len());
    row(&mut out, "joined", "", "", Some(seen.facts.most), "");
    reduction(&mut out, unit, &seen.reply);
    out
}

/// Messages and what stays of them.
pub(crate) fn fit(contract: &Contract, seen: &Fitting) -> String {
    let rules = &contract.fit;
    let mut out = head(seen.max, rules.unit.name());
    for (at, message) in seen.messages.iter().take(ROWS).enumerate() {
        let fate = seen.fate(at);
        let size = (rules.unit != FitUnit::Messages).then(|| rules.unit.unit().len(&message.content));
        row(&mut out, &(at + 1).to_string(), message.role.name(), fate, size, &marks(message));
    }
    more(&mut out, seen.messages.len());
    row(&mut out, "together", "", "", Some(seen.size), "");
    match &seen.reply {
        Reply::Given(left) => row(&mut out, "answer", "given", "", Some(rules.size(left)), ""),
        Reply::Infeasible => row(&mut out, "answer", "infeasible", "", None, ""),
        Reply::Raised(_) => row(&mut out, "answer", "an error", "", None, ""),
    }
    out
}

/// A view and the request made from it.
pub(crate) fn assemble(contract: &Contract, seen: &Assembly) -> String {
    let unit = contract.field.unit;
    let mut out = head(seen.field.max, words(unit));
    let given = seen.reply.given();
    for message in seen.view.iter().take(ROWS) {
        let fate = match given {
            None => "",
            Some(request) if request.sent.contains(&message.id) => "sent",
            Some(_) => "not sent",
        };
        let text = [marks(message), quoted(&message.content)].join(" ");
        row(&mut out, &message.id, message.role.name(), fate, Some(unit.len(&message.content)), text.trim_start());
    }
    more(&mut out, seen.view.len());
    row(&mut out, "joined", "", "", Some(seen.field.facts.most), "");
    let none = |request: &Request| request.instructions.is_none();
    if given.is_some_and(none) {
        row(&mut out, "answer", "no field", "", None, "");
    } else {
        reduction(&mut out, unit, &seen.field.reply);
    }
    out
}

fn reduction(out: &mut String, unit: Unit, reply: &Reply<Reduced>) {
    match reply {
        Reply::Given(Reduced { text, notice, .. }) => {
            let fate = if notice.is_some() { "noticed" } else { "" };
            row(out, "answer", "given", fate, Some(unit.len(text)), &quoted(text));
            if let Some(Cut { before, after }) = notice {
                row(out, "notice", "", "", None, &format!("from {before} to {after}"));
            }
        }
        Reply::Infeasible => row(out, "answer", "infeasible", "", None, ""),
        Reply::Raised(_) => row(out, "answer", "an error", "", None, ""),
    }
}

fn head(max: usize, unit: &str) -> String {
    let mut out = String::new();
    row(&mut out, "part", "kind", "fate", None, "text");
    row(&mut out, "limit", "", "", Some(max), unit);
    out
}

fn row(out: &mut String, part: &str, kind: &str, fate: &str, size: Option<usize>, text: &str) {
    let size = size.map(|size| size.to_string()).unwrap_or_default();
    // Writing to a string does not fail.
    let _ = writeln!(out, "{}", format!("  {part:<9} {kind:<10} {fate:<8} {size:>9}  {text}").trim_end());
}

fn more(out: &mut String, count: usize) {
    if count > ROWS {
        row(out, "...", "", "", None, &format!("{} more", count - ROWS));
    }
}

/// What became of a block, looked for behind the ones before it.
fn fate(answer: Option<&str>, block: &str, from: &mut usize) -> &'static str {
    let Some(answer) = answer else { return "" };
    if block.is_empty() {
        return "empty";
    }
    match answer.get(*from..).and_then(|rest| rest.find(block)) {
        Some(at) => {
            *from += at + block.len();
            "kept"
        }
        None => "cut",
    }
}

fn marks(message: &Message) -> String {
    let flags = [
        (message.pinned, "pinned"),
        (message.hidden, "hidden"),
        (message.ui_only, "ui_only"),
        (!message.calls.is_empty(), "call"),
        (message.call_id.is_some(), "result"),
        (message.reasoning.is_some(), "reasoning"),
    ];
    let set: Vec<&str> = flags.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
    set.join(", ")
}

fn words(unit: Unit) -> &'static str {
    match unit {
        Unit::CodePoints => "code points",
        Unit::Utf8Bytes => "UTF-8 bytes",
        Unit::Utf16Units => "UTF-16 units",
    }
}

/// A text in ASCII: a run of one character as the character and its number, and what is still long cut in the middle.
fn quoted(text: &str) -> String {
    let mut pieces: Vec<String> = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let mut count = 1usize;
        while rest.next_if_eq(&c).is_some() {
            count += 1;
        }
        let c = c.escape_default().to_string();
        if count > RUN { pieces.push(format!("{{{c}*{count}}}")) } else { pieces.extend(vec![c; count]) }
    }
    if pieces.len() > 2 * ENDS + 4 {
        let (start, end) = (pieces[..ENDS].concat(), pieces[pieces.len() - ENDS..].concat());
        return format!("\"{start}\" ... \"{end}\"");
    }
    format!("\"{}\"", pieces.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_short_and_ascii() {
        assert_eq!(quoted(&format!("{}\n\nend", "x".repeat(900))), r#""{x*900}\n\nend""#);
        assert_eq!(quoted("\u{76ee}aaa"), r#""\u{76ee}aaa""#);
        assert!(quoted(&"context ".repeat(40)).len() < 60);
    }
}
