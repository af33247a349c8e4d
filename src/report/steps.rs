//! A played history step by step: what every gate stood at, what the contract says, what was done, and who was asked.

use std::fmt::Write as _;

use super::quote::escaped;
use super::wording::{command, did, number, own, rule};
use crate::contract::{Contract, Cooldown, Growth, PressureSource};
use crate::history::{Command, History};
use crate::oracle::{Judged, Judgement, Require, judge};
use crate::requirement::{Case, Check, Requirement, requirements};
use crate::text::counted;
use crate::trace::Trace;

/// In a longer history only decisions are told apart at each command: what monitors ask grows with the square.
const COMMANDS: usize = 300;
/// Width of the column of names.
const NAME: usize = 14;
/// Ids of one line.
const IDS: usize = 12;

/// Each command of `judgement`, with the values that gates read. The command `fault` is marked.
pub(crate) fn steps(contract: &Contract, judgement: &Judgement<'_>, fault: Option<usize>) -> String {
    let history = &judgement.trace.history;
    let told = contract.pressure == PressureSource::Given;
    let many = history.conversations() > 1;
    let asked = Asked::of(contract, judgement);
    let mut text = String::new();
    for (at, (line, event)) in history.commands.iter().zip(&judgement.trace.events).enumerate() {
        let mark = if fault == Some(at) { '>' } else { ' ' };
        let name = line.conversation().filter(|_| many).map(|name| format!("{name}: ")).unwrap_or_default();
        let command = command(line, told);
        // Writing to a string does not fail, here and below.
        let _ = writeln!(text, "{mark}{:>4}  {} s  {name}{command}", at + 1, number(event.elapsed_s));
        if let Some(judged) = judgement.steps.iter().find(|judged| judged.command == at) {
            for (name, value) in gates(contract, judged) {
                row(&mut text, name, &value);
            }
            row(&mut text, "contract", &rule(judged, contract));
            row(&mut text, "did", &deed(judged));
            if let Some(wrong) = judged.wrong() {
                row(&mut text, "wrong", &wrong.reason());
            }
        } else if matches!(line, Command::Append { .. })
            && let [(_, _, before, after)] =
                judgement.reads.iter().filter(|(command, ..)| *command == at).collect::<Vec<_>>()[..]
        {
            let shown = |view: &[crate::oracle::view::Item<'_>]| view.iter().filter(|item| item.visible).count();
            row(&mut text, "visible", &format!("{}, {} before", shown(after), shown(before)));
        }
        if let Some(error) = &event.raised {
            row(&mut text, "raised", &escaped(error));
        }
        asked.write(&mut text, "consulted", at);
        text.push('\n');
    }
    if let Some(broken) = &judgement.trace.broken {
        let _ =
            writeln!(text, ">     the candidate broke off at command {}: {}\n", broken.command + 1, broken.kind.name());
    }
    if asked.at.get(history.commands.len()).is_some_and(|ids| !ids.is_empty()) {
        let _ = writeln!(text, "      at the end");
        asked.write(&mut text, "consulted", history.commands.len());
        text.push('\n');
    }
    if history.commands.len() > COMMANDS {
        let _ = writeln!(text, "      more than {COMMANDS} commands: what monitors read is not told apart by command");
    }
    text
}

fn row(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "        {name:NAME$}{value}");
}

/// The values that decide whether an attempt is due, before the step.
fn gates(contract: &Contract, judged: &Judged<'_>) -> Vec<(&'static str, String)> {
    let facts = &judged.facts;
    let mut rows = Vec::new();
    let visible = judged.before.iter().filter(|item| item.visible).count();
    let attempt = &contract.attempt;
    rows.push((
        "visible",
        format!(
            "{visible}; eligible {} of size {}, due from {} of {}; {} to trim",
            judged.eligible, judged.eligible_size, attempt.eligible_min, attempt.eligible_min_size, judged.trimmable
        ),
    ));
    if let Some(reading) = &judged.reading {
        let (least, most) = (reading.size.least, reading.size.most);
        let size = if least == most { least.to_string() } else { format!("{least} to {most}") };
        rows.push(("size", format!("{size} tokens, trigger {}", contract.gauge.trigger)));
    }
    match facts.since_s {
        Some(since) => rows.push((
            "last attempt",
            format!(
                "{} s ago; since then growth {}, and not counted {} ui_only, {} own",
                number(since),
                facts.growth,
                facts.ui_only,
                facts.own
            ),
        )),
        None => rows.push(("last attempt", "none".to_owned())),
    }
    if let Some(cooldown) = contract.cooldown() {
        let length = match cooldown {
            Cooldown::Flat(seconds) => format!("{} s", number(*seconds)),
            other => format!("{} to {} s", number(other.shortest()), number(other.longest())),
        };
        let left = match facts.cooldown_left_s.filter(|left| *left > 0.0) {
            Some(left) => format!("{} s left of {length}", number(left)),
            None => format!("over, or never begun; it lasts {length}"),
        };
        let growth = match contract.throttle.growth {
            Growth::Reopens => "growth lifts it",
            Growth::Ignored => "growth does not lift it",
            Growth::Unspecified => "growth may lift it",
        };
        rows.push(("cooldown", format!("{left}; {growth}")));
    }
    if let Some(latch) = contract.latch() {
        let state = if facts.latched {
            let growth = facts.latch_growth.map_or("unknown".to_owned(), |growth| growth.to_string());
            let reopens = [
                latch.reopen_growth.map(|n| format!("growth {growth} of {n}")),
                latch.reopen_after_s.map(|s| format!("{} of {} s", number(facts.latch_since_s), number(s))),
            ];
            let reopens: Vec<String> = reopens.into_iter().flatten().collect();
            let reopens = if reopens.is_empty() { "for ever".to_owned() } else { reopens.join(", ") };
            let (ui_only, own) = (facts.latch_ui_only, facts.latch_own);
            let word = if judged.require.contains(&Require::Reopened) { "latched, and due to open" } else { "latched" };
            format!("{word}: {reopens}; not counted {ui_only} ui_only, {own} own")
        } else {
            format!("not latched: strikes {} of {}", facts.strikes, latch.strikes)
        };
        rows.push(("latch", state));
    }
    if judged.fog {
        rows.push(("clock", "the wall clock stepped: what reads the time is free".to_owned()));
    }
    rows
}

fn deed(judged: &Judged<'_>) -> String {
    let calls = judged.event.calls.len();
    let mut words = did(judged);
    if calls > 0 {
        words += &format!(", {}", counted(calls, "summariser call"));
    }
    let shown = |view: &[crate::oracle::view::Item<'_>]| view.iter().filter(|item| item.visible).count();
    words += &format!(", {} visible", shown(&judged.after));
    for message in &judged.event.appended {
        words += &format!(", {}", own(message));
    }
    words
}

/// Which requirements each command exercises.
struct Asked {
    /// By command, and at last those that speak of the end.
    at: Vec<Vec<&'static str>>,
    /// Those that are broken, and where.
    broken: Vec<(&'static str, usize)>,
}

impl Asked {
    fn of(contract: &Contract, judgement: &Judgement<'_>) -> Self {
        let trace = judgement.trace;
        let count = trace.history.commands.len();
        let mut asked = Self { at: vec![Vec::new(); count + 1], broken: Vec::new() };
        let claimed: Vec<&'static Requirement> = requirements().filter(|row| row.applies(contract)).collect();
        let whole = Case { contract, judgement };
        for requirement in &claimed {
            match requirement.check {
                Check::Decide { exercised, .. } | Check::Compare { exercised, .. } => {
                    for judged in whole.steps().iter().filter(|judged| exercised(&whole, judged)) {
                        asked.at[judged.command].push(requirement.id);
                    }
                }
                _ => {}
            }
        }
        // A monitor says how often it was asked, and not where: it is asked of each beginning of the history.
        let mut before = vec![0; claimed.len()];
        let first = if count > COMMANDS { count } else { 0 };
        for at in first..=count {
            let begun;
            let beginning;
            let case = if at == count {
                &whole
            } else {
                begun = beginning_of(trace, at + 1);
                beginning = judge(contract, &begun);
                &Case { contract, judgement: &beginning }
            };
            for (requirement, before) in claimed.iter().zip(&mut before) {
                let Some(monitor) = monitor(&requirement.check) else { continue };
                let seen = monitor(case);
                if seen.exercised > *before && count <= COMMANDS {
                    asked.at[at].push(requirement.id);
                }
                *before = seen.exercised;
                if let Some(violation) = seen.violation.filter(|_| at == count) {
                    asked.broken.push((requirement.id, violation.command));
                }
            }
        }
        for ids in &mut asked.at {
            ids.sort_by_key(|id| claimed.iter().position(|requirement| requirement.id == *id));
            ids.dedup();
        }
        asked
    }

    fn write(&self, text: &mut String, name: &str, at: usize) {
        let ids = self.at.get(at).map_or(&[][..], Vec::as_slice);
        for (line, ids) in ids.chunks(IDS).enumerate() {
            row(text, if line == 0 { name } else { "" }, &ids.join(" "));
        }
        let broken: Vec<&str> = self.broken.iter().filter(|(_, command)| *command == at).map(|(id, _)| *id).collect();
        if !broken.is_empty() {
            row(text, "broken here", &broken.join(" "));
        }
    }
}

fn monitor(check: &Check) -> Option<fn(&Case<'_>) -> crate::requirement::Seen> {
    match check {
        Check::Observe(monitor) | Check::Both { observe: monitor, .. } | Check::Send { observe: monitor, .. } => {
            Some(*monitor)
        }
        _ => None,
    }
}

/// The trace of the first `count` commands.
fn beginning_of(trace: &Trace, count: usize) -> Trace {
    let commands = trace.history.commands.iter().take(count).cloned().collect();
    Trace {
        history: History::new(trace.history.seed, commands),
        externals: trace.externals.clone(),
        events: trace.events.iter().take(count).cloned().collect(),
        finals: Vec::new(),
        broken: None,
    }
}
