//! A played history as a table: one event a row.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::quote::shortened;
use super::wording::{command, did, number, own, rule, unnumbered};
use crate::contract::{Contract, PressureSource};
use crate::drawing::{Body, Cost, Drawing, Row, StepState};
use crate::history::{Command, Name};
use crate::oracle::{Judged, Judgement, Outcome, Wrong};
use crate::text::counted;
use crate::trace::{Event, Input, Trace};

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

impl Drawing {
    /// The drawing of `judgement`. The row of the command `fault` is marked, and so is every wrong decision.
    pub(crate) fn new(contract: &Contract, judgement: &Judgement<'_>, fault: Option<usize>) -> Self {
        let trace = judgement.trace;
        let told = contract.pressure == PressureSource::Given;
        let broken = trace.broken.as_ref().map(|broken| {
            let command = trace.history.commands.get(broken.command);
            let command = command.map_or("the end".to_owned(), |line| self::command(line, told));
            format!("broke off at {command}: {}", broken.kind.name())
        });
        let first = judgement.steps.iter().rev().find(|judged| judged.name == Name(0));
        let forbidden = || judgement.steps.iter().filter(|judged| matches!(judged.wrong(), Some(Wrong::Attempted(_))));
        let cost = Cost {
            calls: trace.calls(),
            chars: sent(trace),
            forbidden_calls: forbidden().map(|judged| judged.event.calls.len()).sum(),
            forbidden_chars: forbidden().map(|judged| sent_in(judged.event)).sum(),
        };
        Self { rows: rows(contract, judgement, fault), broken, visible: first.map(|judged| shown(&judged.after)), cost }
    }

    /// As a table of text for a screen of so many columns; without a width each row is one line, but for its command and for
    /// what was done beside something of the contract.
    ///
    /// ASCII but for what the candidate wrote, which is escaped; fixed columns; changes in the rows, sums in the last line. A screen of fewer than 48 columns is taken for one of 48.
    pub(crate) fn text(&self, width: Option<usize>) -> String {
        let columns = Columns::of(&self.rows, width);
        let mut text = columns.head();
        let lines = lines(&self.rows, columns);
        let cut = lines.len().saturating_sub(ROWS);
        for (at, line) in lines.iter().enumerate() {
            match at {
                _ if cut < 2 || at < ROWS / 2 || at > ROWS / 2 + cut => text += line,
                // Writing to a string does not fail, here and below.
                _ if at == ROWS / 2 => {
                    let _ = writeln!(text, "          ({} rows left out)", cut + 1);
                }
                _ => {}
            }
        }
        if let Some(broken) = &self.broken {
            let _ = writeln!(text, ">         {broken}");
        }
        let sums = match width {
            Some(width) => parts(&self.sums(), width.max(NARROWEST) - FRONT, 0, true),
            None => vec![self.sums()],
        };
        for part in sums {
            let _ = writeln!(text, "{:FRONT$}{part}", "");
        }
        text
    }

    /// The rows, repeats folded.
    pub(crate) fn folded(&self) -> Vec<Told<'_>> {
        folded(&self.rows)
    }

    /// What is left to see, and what was paid.
    pub(crate) fn sums(&self) -> String {
        let visible = self.visible.map(|count| format!("{count} visible after the last step of a, "));
        let Cost { calls, chars, .. } = self.cost;
        let (calls, chars) = (counted(calls, "summariser call"), counted(chars, "character"));
        format!("{}{calls}, {chars} sent", visible.unwrap_or_default())
    }
}

/// What the contract's column says besides, where the decision was right and something else was not.
pub(crate) const BROKEN_HERE: &str = "; broken here";

/// The timeline of `judgement`, each row one line.
pub(crate) fn timeline(contract: &Contract, judgement: &Judgement<'_>, fault: Option<usize>) -> String {
    Drawing::new(contract, judgement, fault).text(None)
}

/// The characters that went into the summariser.
pub(crate) fn sent(trace: &Trace) -> usize {
    trace.events.iter().map(sent_in).sum()
}

fn sent_in(event: &Event) -> usize {
    let of = |input: &Input| match input {
        Input::Text(text) => text.chars().count(),
        Input::Items(items) => items
            .iter()
            .map(|item| item.content.chars().count() + item.reasoning.as_ref().map_or(0, |r| r.chars().count()))
            .sum(),
    };
    event.calls.iter().map(|call| of(&call.input)).sum()
}

fn rows(contract: &Contract, judgement: &Judgement<'_>, fault: Option<usize>) -> Vec<Row> {
    let history = &judgement.trace.history;
    let many = history.conversations() > 1;
    let told = contract.pressure == PressureSource::Given;
    let mut rows = Vec::new();
    let mut counts: HashMap<Name, i64> = HashMap::new();
    // What concerns no conversation is shown beside the last one.
    let mut last = None;
    for (at, (line, event)) in history.commands.iter().zip(&judgement.trace.events).enumerate() {
        let time = number(event.elapsed_s);
        let conversation = line.conversation().filter(|_| many).map(|name| format!("{name}: ")).unwrap_or_default();
        let row = |body: Body| Row { time: time.clone(), conversation: conversation.clone(), body, ..Row::default() };
        let judged = judgement.steps.iter().find(|judged| judged.command == at);
        let mut body = Body { mark: fault == Some(at), command: command(line, told), ..Body::default() };
        match (line, judged) {
            (Command::Append { messages, .. }, _) => {
                body.unnumbered = Some(format!("append {}", unnumbered(messages)));
                body.change = Some(messages.iter().filter(|draft| draft.is_visible()).count() as i64);
            }
            (_, Some(judged)) => {
                body.mark |= judged.wrong().is_some();
                body.change = Some(shown(&judged.after) - shown(&judged.before));
                body.calls = event.calls.len();
                body.did = did(judged);
                body.rule = rule(judged, contract);
                if body.mark && judged.wrong().is_none() {
                    // It is not the decision that was wrong.
                    body.rule += BROKEN_HERE;
                }
            }
            _ => {
                let reads = judgement.reads.iter().filter(|(command, ..)| *command == at);
                let changes = reads.map(|(_, name, before, after)| {
                    counts.insert(*name, shown(after));
                    shown(after) - shown(before)
                });
                body.change = changes.reduce(|a, b| a + b);
            }
        }
        last = line.conversation().or(last);
        let visible = last.map(|name| {
            let count = counts.entry(name).or_default();
            match (line, judged) {
                (Command::Append { .. }, _) => *count += body.change.unwrap_or_default(),
                (_, Some(judged)) => *count = shown(&judged.after),
                _ => {}
            }
            *count
        });
        let state = judged.map(|judged| StepState {
            step: true,
            cooling: judged.facts.cooldown_left_s.is_some_and(|left| left > 0.0),
            latched: judged.facts.latched,
            attempt: judged.outcome.map(|outcome| outcome == Outcome::Success),
        });
        rows.push(Row { visible, state: state.unwrap_or_default(), ..row(body) });
        let said = |words: String, content: &str| {
            let content = shortened(content, 56);
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

/// How wide the columns are.
#[derive(Clone, Copy, Debug)]
struct Columns {
    command: usize,
    did: usize,
    rule: Rule,
}

/// Where the contract's column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// At the end, as wide as its text: nothing is broken but commands.
    Free,
    /// At the end, so wide.
    Beside(usize),
    /// Below its row, on a screen that is so wide.
    Below(usize),
}

/// What stands in front of the column of commands, and between it and the next ones.
const FRONT: usize = 10;
const BETWEEN: usize = 1 + 4 + 1 + 5 + 2;
/// A narrower column of the contract is no column.
const LEAST: usize = 30;
/// The narrowest columns of commands and deeds, and with them the narrowest screen.
const NARROW: [usize; 2] = [14, 11];
const NARROWEST: usize = FRONT + NARROW[0] + BETWEEN + NARROW[1];

impl Columns {
    fn of(rows: &[Row], width: Option<usize>) -> Self {
        let Some(width) = width else { return Self { command: COMMAND, did: DID, rule: Rule::Free } };
        let width = width.max(NARROWEST);
        let widest = |text: fn(&Row) -> usize| rows.iter().map(text).max().unwrap_or(0);
        let command = widest(|row| row.conversation.chars().count() + row.body.command.chars().count());
        let most = COMMAND.min(width - FRONT - BETWEEN - NARROW[1]);
        let command = command.clamp(NARROW[0], most);
        let room = width - FRONT - command - BETWEEN;
        // What the contract says comes first; what it leaves is for what was done and said.
        let rule = widest(|row| row.body.rule.chars().count()).max(LEAST);
        let most = room.saturating_sub(rule + 1).max(DID.min(room)).max(NARROW[1]);
        let did = widest(|row| row.body.did.chars().count()).clamp(NARROW[1], most);
        let rule = match room.saturating_sub(did + 1) {
            beside if beside >= LEAST => Rule::Beside(beside),
            _ => Rule::Below(width),
        };
        Self { command, did: if matches!(rule, Rule::Below(_)) { room } else { did }, rule }
    }

    fn head(self) -> String {
        let Self { command, did, rule } = self;
        let contract = if matches!(rule, Rule::Below(_)) { "" } else { "contract" };
        let head = format!("    time  {:command$} view calls  {:did$} {contract}", "command", "did");
        format!("{}\n", head.trim_end())
    }
}

/// The rows as lines.
fn lines(rows: &[Row], columns: Columns) -> Vec<String> {
    let told = |one: Told<'_>| match one.row {
        Some(row) => line(row, columns),
        None => format!("{:>8}  {}\n", one.time, one.more),
    };
    folded(rows).into_iter().map(told).collect()
}

/// A row, or the remark that stands for repeats of the rows above it.
#[derive(Debug)]
pub(crate) struct Told<'r> {
    pub(crate) row: Option<&'r Row>,
    pub(crate) more: String,
    time: &'r str,
}

/// The rows, repeats folded.
fn folded(rows: &[Row]) -> Vec<Told<'_>> {
    let told = |row| Told { row: Some(row), more: String::new(), time: "" };
    let mut all = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let best = (1..=PERIOD).map(|period| (period, repeats(rows, at, period)));
        let best = best.filter(|(period, count)| *count > 1 && (count - 1) * period >= REPEATS);
        let Some((period, count)) = best.max_by_key(|(period, count)| (period * count, PERIOD - period)) else {
            all.push(told(&rows[at]));
            at += 1;
            continue;
        };
        all.extend(rows[at..at + period].iter().map(told));
        let last = &rows[at + period * count - 1];
        let rows_ = if period == 1 { "the same".to_owned() } else { format!("the same {period} rows") };
        let to = last.conversation.trim_end_matches(": ");
        let to = if to.is_empty() { String::new() } else { format!(", the last in {to}") };
        all.push(Told { row: None, more: format!("{} x {rows_}{to}", count - 1), time: &last.time });
        at += period * count;
    }
    all
}

/// How often the `period` rows from `at` on stand there in a row.
fn repeats(rows: &[Row], at: usize, period: usize) -> usize {
    let Some(first) = rows.get(at..at + period) else { return 1 };
    let same = |block: &&[Row]| block.len() == period && block.iter().zip(first).all(|(a, b)| a.body == b.body);
    rows[at..].chunks(period).take_while(same).count()
}

fn line(row: &Row, columns: Columns) -> String {
    let Row { time, conversation, body, .. } = row;
    let Columns { command, did, rule } = columns;
    let mark = if body.mark { '>' } else { ' ' };
    let change = body.change.filter(|delta| *delta != 0).map(|delta| format!("{delta:+}")).unwrap_or_default();
    let calls = if body.calls == 0 { String::new() } else { format!("+{}", body.calls) };
    let commands = parts(&format!("{conversation}{}", body.command), command, 4, rule != Rule::Free);
    let (dids, rules) = match rule {
        // Nothing of the contract stands beside what was said.
        Rule::Free if body.rule.is_empty() => (vec![body.did.clone()], Vec::new()),
        Rule::Free => (parts(&body.did, did, 2, false), vec![body.rule.clone()]),
        Rule::Beside(width) => (parts(&body.did, did, 0, true), parts(&body.rule, width, 0, true)),
        Rule::Below(_) => (parts(&body.did, did, 0, true), Vec::new()),
    };
    let rule_is_free = columns.rule == Rule::Free;
    let mut text = String::new();
    for at in 0..commands.len().max(dids.len()).max(rules.len()) {
        let [part, done, rule] = [&commands, &dids, &rules].map(|all| all.get(at).map_or("", String::as_str));
        let line = if at == 0 {
            format!("{mark}{time:>7}  {part:command$} {change:>4} {calls:>5}  {done:did$} {rule}")
        } else {
            let part = if part.is_empty() { String::new() } else { format!("    {part}") };
            let done = if rule_is_free && !done.is_empty() { format!("  {done}") } else { done.to_owned() };
            format!("{:FRONT$}{part:command$}{:BETWEEN$}{done:did$} {rule}", "", "")
        };
        text += line.trim_end();
        text.push('\n');
    }
    if let Rule::Below(width) = rule
        && !body.rule.is_empty()
    {
        const INDENT: usize = FRONT + 4;
        for (at, part) in parts(&body.rule, width.saturating_sub(INDENT + 2), 0, true).iter().enumerate() {
            let _ = writeln!(text, "{:INDENT$}{} {part}", "", if at == 0 { '=' } else { ' ' });
        }
    }
    text
}

/// `text` in parts of at most `width` characters, the second and later ones `less` shorter, broken at spaces; `hard`: a word
/// that is longer is broken, too.
fn parts(text: &str, width: usize, less: usize, hard: bool) -> Vec<String> {
    let mut parts = vec![String::new()];
    let words = text.split_inclusive(' ').flat_map(|word| {
        let most = if hard { width.saturating_sub(less).max(1) } else { usize::MAX };
        let letters: Vec<char> = word.chars().collect();
        // The space after a word takes no room at the end of a line.
        let whole = word.trim_end().chars().count() <= most;
        let chunks = letters.chunks(if whole { letters.len().max(1) } else { most });
        chunks.map(|chunk| chunk.iter().collect::<String>()).collect::<Vec<_>>()
    });
    for word in words {
        let width = if parts.len() == 1 { width } else { width.saturating_sub(less) };
        match parts.last_mut() {
            Some(last) if last.is_empty() || last.chars().count() + word.trim_end().chars().count() <= width => {
                last.push_str(&word)
            }
            _ => parts.push(word),
        }
    }
    parts.iter().map(|part| part.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(command: &str, did: &str, rule: &str) -> Row {
        let body = Body {
            unnumbered: None,
            command: command.to_owned(),
            did: did.to_owned(),
            rule: rule.to_owned(),
            change: Some(-3),
            calls: 1,
            mark: true,
        };
        Row { time: "1000000".to_owned(), conversation: "aa: ".to_owned(), body, ..Row::default() }
    }

    #[test]
    fn no_line_is_wider_than_the_screen_and_no_word_is_lost() {
        let long = "x".repeat(70);
        let drawing = Drawing {
            rows: vec![
                row("append assistant with a call x5, tool interim large", "", ""),
                row(
                    "step summarize: rejected",
                    "failed: ineffective",
                    "forbidden: cooling, 60 s left, growth 0; latched",
                ),
                row("step summarize: overflow", "failed: overflow, raised, says summarize", "free"),
                row("  own system ui_only", &format!("\"compaction failed: {long}\""), ""),
            ],
            ..Drawing::default()
        };
        for width in [20, NARROWEST, 60, 80, 100, 120, 200] {
            let text = drawing.text(Some(width));
            for line in text.lines() {
                assert!(line.chars().count() <= width.max(NARROWEST), "{width}: {line:?}");
            }
            let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
            let head = letters("time command view calls did contract");
            assert!(letters(&text) >= letters(&drawing.text(None)) - head, "{width}:\n{text}");
        }
        // What stands in the contract's column stands there in every line.
        for width in [None, Some(120), Some(160), Some(200)] {
            let text = drawing.text(width);
            let column = text.lines().next().and_then(|head| head.find("contract"));
            let Some(column) = column else { panic!("{width:?}:\n{text}") };
            let letters = |line: &str, at: usize| line.chars().nth(at).is_some_and(|c| c != ' ');
            for line in text.lines().filter(|line| !line.contains('"') || width.is_some()).take(7) {
                assert!(!letters(line, column - 1), "{width:?}: {line:?}\n{text}");
            }
        }
        assert!(drawing.text(Some(60)).contains("= forbidden: cooling"), "{}", drawing.text(Some(60)));
        assert!(drawing.text(Some(160)).lines().any(|line| line.ends_with("growth 0; latched")));
    }
}
