//! A witness in a few words.

use crate::contract::{FitUnit, PressureSource};
use crate::history::Command;
use crate::limit_case::LimitCase;
use crate::limit_show::unanswered;
use crate::repeat::{Line, fold};
use crate::report::wording;
use crate::text::counted;
use crate::witness::Witness;

/// So many lines at most are shown of one witness.
const LINES: usize = 24;

/// What the host does in a witness, a line for each thing; no word of it is the candidate's.
pub(super) fn history(witness: &Witness) -> Vec<String> {
    let mut lines = match &witness.case {
        Some(LimitCase::Fit(case)) => {
            let unit = match witness.contract.fit.unit {
                FitUnit::Messages => "message",
                FitUnit::Tokens => "token",
                FitUnit::CodePoints => "code point",
                FitUnit::Utf8Bytes => "UTF-8 byte",
                FitUnit::Utf16Units => "UTF-16 unit",
            };
            let messages = wording::drafts(&case.messages);
            let messages = if messages.is_empty() { "no message".to_owned() } else { messages };
            vec![format!("trim to {}: {messages}", counted(case.max, unit))]
        }
        Some(case) => {
            let text = unanswered(case);
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
        }
        None => commands(witness),
    };
    if lines.len() > LINES {
        let more = lines.len() - LINES;
        lines.truncate(LINES);
        lines.push(format!("and {more} more"));
    }
    lines
}

fn commands(witness: &Witness) -> Vec<String> {
    let history = &witness.history;
    let told = witness.contract.pressure == PressureSource::Given;
    let many = history.conversations() > 1;
    let line = |line: Line| match line {
        Line::One(command) => words(&command, many, told),
        Line::Many(repeat) => {
            let round: Vec<String> = repeat.commands.iter().map(|command| words(command, many, told)).collect();
            format!("{} times: {}", repeat.times, round.join("; "))
        }
    };
    fold(&history.commands).into_iter().map(line).collect()
}

fn words(command: &Command, many: bool, told: bool) -> String {
    let conversation = command.conversation().filter(|_| many).map(|name| format!("{name}: ")).unwrap_or_default();
    let later = match command {
        Command::Step(step) if step.after_s != 0.0 => format!("{} s later, ", wording::number(step.after_s)),
        _ => String::new(),
    };
    format!("{conversation}{later}{}", wording::command(command, told))
}
