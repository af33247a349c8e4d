//! The closed vocabulary of a snapshot's rows.

use super::wording::{did as deed, number};
use crate::contract::{Contract, PressureSource};
use crate::history::Command;
use crate::message::Message;
use crate::oracle::{Forbid, Judged, Require};

/// What the host does.
pub(super) fn command(command: &Command, contract: &Contract) -> String {
    match command {
        Command::Rewind { to, .. } => format!("rewind to {to}"),
        Command::Usage { tokens, upto, .. } => format!("usage {tokens} tokens up to {upto}"),
        other => super::wording::command(other, contract.pressure == PressureSource::Given),
    }
}

/// What the candidate did, and how many messages it shortened or dropped by rule.
pub(super) fn did(judged: &Judged<'_>) -> String {
    let deed = deed(judged);
    let trimmed = if judged.trimmed { trimmed(judged) } else { 0 };
    match deed.as_str() {
        "trimmed" => format!("trimmed {trimmed}"),
        "nothing" => ".".to_owned(),
        _ if trimmed > 0 => format!("{deed}, trimmed {trimmed}"),
        _ => deed,
    }
}

fn trimmed(judged: &Judged<'_>) -> usize {
    let old = judged.before.iter().filter(|item| item.visible && item.external().is_some());
    old.filter(|item| {
        let now = judged.after.iter().find(|new| new.external() == item.external());
        now.is_none_or(|new| new.message.content.len() < item.message.content.len())
    })
    .count()
}

/// What the step left that was not there before: own messages, by what they are to the model.
pub(super) fn leaves(judged: &Judged<'_>) -> String {
    let known = |id: &str| judged.before.iter().any(|item| item.message.id == id);
    let appended = judged.event.appended.iter();
    let said = |id: &str| judged.event.appended.iter().any(|message| message.id == id);
    let new = judged.after.iter().filter(|item| item.is_own() && !known(&item.message.id) && !said(&item.message.id));
    let mut words: Vec<String> = Vec::new();
    for message in appended.chain(new.map(|item| item.message)) {
        let word = left(judged, message);
        if !words.contains(&word) {
            words.push(word);
        }
    }
    if !judged.event.extra.is_empty() {
        words.push("extra".to_owned());
    }
    words.join(", ")
}

/// Whether it is marked as a summary, or has a text that the summariser gave.
pub(super) fn is_summary<'a>(message: &Message, mut told: impl Iterator<Item = &'a str>) -> bool {
    message.summary || told.any(|text| !text.is_empty() && message.content.contains(text))
}

fn left(judged: &Judged<'_>, message: &Message) -> String {
    match message {
        _ if message.ui_only => "status".to_owned(),
        _ if is_summary(message, judged.usable()) => "summary".to_owned(),
        _ if message.trimmed => "marker".to_owned(),
        _ => format!("own {}", message.role.name()),
    }
}

/// What the contract says of the decision, and why; no parameter's value, so that a row changes only where a decision does.
pub(super) fn because(judged: &Judged<'_>, contract: &Contract) -> String {
    let hard = judged.forbid.iter().filter(|reason| **reason != Forbid::NothingEligible);
    let hard: Vec<String> = hard.map(|reason| forbidden(*reason, judged, contract)).collect();
    if !hard.is_empty() {
        return format!("forbidden: {}", hard.join("; "));
    }
    if !judged.forbid.is_empty() {
        return "unwise: nothing eligible".to_owned();
    }
    if !judged.require.is_empty() {
        let why: Vec<String> = judged.require.iter().map(|reason| required(*reason, judged, contract)).collect();
        return format!("required: {}{}", why.join("; "), size(judged));
    }
    match judged.fog {
        true => "free: the wall clock stepped".to_owned(),
        false if judged.eligible < contract.attempt.eligible_min => format!("free: {} eligible", judged.eligible),
        false => format!("free{}", size(judged)),
    }
}

fn forbidden(reason: Forbid, judged: &Judged<'_>, contract: &Contract) -> String {
    let facts = &judged.facts;
    match reason {
        Forbid::OpenCall => "a call is open".to_owned(),
        Forbid::AutoOff => "auto is off".to_owned(),
        Forbid::PressureNone => format!("no pressure{}", size(judged)),
        Forbid::TrimEnough => format!("{} trimmable", judged.trimmable),
        Forbid::Cooling => match facts.since_s {
            Some(since) => format!("cooling {} s, growth {}", number(since), facts.growth),
            None => format!("cooling, growth {}", facts.growth),
        },
        Forbid::Latched => {
            let growth = facts.latch_growth.unwrap_or_default();
            let rules = contract.latch().map(|latch| (latch.reopen_growth, latch.reopen_after_s));
            match rules {
                Some((Some(_), None)) => format!("latched, growth {growth}"),
                Some((None, Some(_))) => format!("latched {} s", number(facts.latch_since_s)),
                Some((Some(_), Some(_))) => format!("latched {} s, growth {growth}", number(facts.latch_since_s)),
                _ => "latched for ever".to_owned(),
            }
        }
        Forbid::NoRecoveryLeft => "no recovery left".to_owned(),
        Forbid::NothingEligible => "nothing eligible".to_owned(),
    }
}

fn required(reason: Require, judged: &Judged<'_>, contract: &Contract) -> String {
    let facts = &judged.facts;
    match reason {
        Require::Forced => "asked for".to_owned(),
        Require::Overflow => "overflow proved".to_owned(),
        Require::FirstAttempt => "the first".to_owned(),
        Require::CooldownOver => match facts.since_s {
            Some(s) => format!("cooled {} s", number(s)),
            None => "cooled".to_owned(),
        },
        Require::Grown if facts.growth == 0 => "grown".to_owned(),
        Require::Grown => format!("growth {}", facts.growth),
        Require::Reopened => {
            let rules = contract.latch().map(|latch| (latch.reopen_growth.is_some(), latch.reopen_after_s.is_some()));
            match (rules, facts.latch_growth) {
                (Some((true, false)), Some(growth)) => format!("reopened, growth {growth}"),
                (Some((false, true)), _) => format!("reopened {} s", number(facts.latch_since_s)),
                (_, Some(growth)) => format!("reopened {} s, growth {growth}", number(facts.latch_since_s)),
                _ => "reopened".to_owned(),
            }
        }
    }
}

/// The size that was to be measured, where the candidate measures for itself.
fn size(judged: &Judged<'_>) -> String {
    let Some(reading) = &judged.reading else { return String::new() };
    let (least, most) = (reading.size.least, reading.size.most);
    if least == most { format!(", size {least}") } else { format!(", size {least} to {most}") }
}

/// Keys and words in order, keys that follow one another as a range.
pub(super) fn gaps(items: &[(Option<u32>, String)]) -> String {
    let mut pieces: Vec<String> = Vec::new();
    let mut range: Option<(u32, u32)> = None;
    let close = |range: &mut Option<(u32, u32)>, pieces: &mut Vec<String>| match range.take() {
        Some((first, last)) if first == last => pieces.push(first.to_string()),
        Some((first, last)) => pieces.push(format!("{first}-{last}")),
        None => {}
    };
    for (key, word) in items {
        match (key, range) {
            (Some(key), Some((first, last))) if *key == last + 1 => range = Some((first, *key)),
            (Some(key), _) => {
                close(&mut range, &mut pieces);
                range = Some((*key, *key));
            }
            (None, _) => {
                close(&mut range, &mut pieces);
                pieces.push(word.clone());
            }
        }
    }
    close(&mut range, &mut pieces);
    pieces.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_follow_one_another_are_a_range() {
        let key = |key| (Some(key), String::new());
        assert_eq!(gaps(&[key(1), (None, "summary".to_owned()), key(7), key(8), key(9)]), "1, summary, 7-9");
        assert_eq!(gaps(&[key(3), key(1)]), "3, 1");
    }
}
