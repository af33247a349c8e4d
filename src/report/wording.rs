//! The closed vocabulary of timelines.

use crate::contract::{Contract, FailureKind};
use crate::history::{Answer, Command, Draft, Pressure, Size, StepCommand, StepKind};
use crate::message::{Message, Role};
use crate::oracle::{Forbid, Judged, Outcome, Require};
use crate::trace::Action;

/// What the host does. Who is `told` of pressure is told with a step.
pub(super) fn command(command: &Command, told: bool) -> String {
    match command {
        Command::Append { messages, .. } => format!("append {}", drafts(messages)),
        Command::Step(step) => stepping(step, told),
        Command::Clock { wall_by_s } => {
            format!("wall clock {}{}", if *wall_by_s < 0.0 { "" } else { "+" }, number(*wall_by_s))
        }
        Command::Rewind { to, .. } => format!("rewind to message {to}"),
        Command::Restart { without } if without.is_empty() => "restart".to_owned(),
        Command::Restart { without } => format!("restart, log without {}", without.join(", ")),
        Command::Auto { on } => format!("auto {}", if *on { "on" } else { "off" }),
        Command::Usage { tokens, upto, .. } => format!("usage {tokens} tokens up to message {upto}"),
    }
}

pub(super) fn stepping(step: &StepCommand, told: bool) -> String {
    let mut words = match (step.kind, step.pressure) {
        (kind, _) if !told => kind.name().to_owned(),
        (StepKind::Step, pressure) => format!("step {}", pressure.name()),
        (kind, Pressure::Summarize) => kind.name().to_owned(),
        (kind, pressure) => format!("{} {}", kind.name(), pressure.name()),
    };
    // An answer that is asked for and good is what a step has without a word.
    if step.answers.iter().any(|answer| *answer != Answer::Ok) {
        let answers: Vec<&str> = step.answers.iter().copied().map(Answer::name).collect();
        words += &format!(": {}", answers.join(", "));
    }
    if !step.arrived.is_empty() {
        words += &format!("; {} arrives", drafts(&step.arrived));
    }
    words
}

/// Messages, by what they are and their keys: alike ones in a row in one piece, and calls with their results, too.
pub(super) fn drafts(drafts: &[Draft]) -> String {
    let words: Vec<String> = drafts.iter().map(word).collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < drafts.len() {
        let follows = |next: usize| drafts[next].key == drafts[next - 1].key + 1;
        let run = |period: usize| {
            let same = |next: &usize| follows(*next) && words[*next] == words[*next - period];
            let more = (at + period..drafts.len()).take_while(same).count();
            (1..period).all(|nth| follows(at + nth)).then_some(period + more / period * period)
        };
        let pair = (at + 1 < drafts.len() && words[at] != words[at + 1]).then(|| run(2)).flatten();
        let (length, text) = match pair.filter(|length| *length > 2) {
            Some(length) => (length, format!("{}+{}", words[at], words[at + 1])),
            None => (run(1).unwrap_or(1), words[at].clone()),
        };
        let (first, last) = (drafts[at].key, drafts[at + length - 1].key);
        pieces.push(if length == 1 { format!("{text} {first}") } else { format!("{text} {first}-{last}") });
        at += length;
    }
    pieces.join(", ")
}

/// The flags and the size of a message, each after a space, where they are not the plainest.
pub(super) fn marks(draft: &Draft) -> String {
    let flags = [
        (draft.ui_only, " ui_only"),
        (draft.hidden, " hidden"),
        (draft.pinned, " pinned"),
        (draft.interim, " interim"),
        (draft.reasoning, " reasoning"),
        (draft.wide, " wide"),
    ];
    let mut words: String = flags.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
    match draft.size {
        Size::Small => {}
        Size::Large => words += " large",
        Size::Chars(n) => words += &format!(" of {n}"),
    }
    words
}

/// The same without their keys, which no two messages of a history share.
pub(super) fn unnumbered(drafts: &[Draft]) -> String {
    drafts.iter().map(word).collect::<Vec<_>>().join(", ")
}

fn word(draft: &Draft) -> String {
    let mut word = match (draft.role, draft.calls.len()) {
        (Role::Tool, _) => "result".to_owned(),
        (_, 1) => "call".to_owned(),
        (_, n) if n > 1 => format!("{n} calls"),
        (role, _) => role.name().to_owned(),
    };
    word += &marks(draft);
    word
}

/// An own message.
pub(super) fn own(message: &Message) -> String {
    let kind = if message.summary { "summary" } else { message.role.name() };
    let ui_only = if message.ui_only { " ui_only" } else { "" };
    format!("own {kind}{ui_only}")
}

/// What the candidate did at a step, and what it says where that is something else.
pub(super) fn did(judged: &Judged<'_>) -> String {
    let (mut words, action) = match judged.outcome {
        Some(Outcome::Success) => ("summarized".to_owned(), Action::Summarize),
        Some(Outcome::Failure(kind)) => (format!("failed: {}", kind.name()), Action::None),
        Some(Outcome::Abort) => ("aborted".to_owned(), Action::None),
        None if judged.trimmed => ("trimmed".to_owned(), Action::Trim),
        None => ("nothing".to_owned(), Action::None),
    };
    let silent = [Some(Outcome::Failure(FailureKind::Raised)), Some(Outcome::Failure(FailureKind::Ineffective))];
    if judged.event.raised.is_some() && !silent.contains(&judged.outcome) {
        words += ", raised";
    }
    match judged.event.action {
        Some(said)
            if said != Action::Unreported && said != action && !judged.trimmed && !silent.contains(&judged.outcome) =>
        {
            words += &format!(", says {}", said.name());
        }
        _ => {}
    }
    words
}

/// What the contract says of the decision, and why.
pub(super) fn rule(judged: &Judged<'_>, contract: &Contract) -> String {
    let hard = judged.forbid.iter().filter(|reason| **reason != Forbid::NothingEligible);
    let hard: Vec<String> = hard.map(|reason| forbidden(*reason, judged, contract)).collect();
    if !hard.is_empty() {
        return format!("forbidden: {}", hard.join("; "));
    }
    if !judged.forbid.is_empty() {
        return "advised against: nothing eligible".to_owned();
    }
    if !judged.require.is_empty() {
        let why: Vec<String> = judged.require.iter().map(|reason| required(*reason, judged, contract)).collect();
        return format!("required: {}{}", why.join("; "), size(judged, contract));
    }
    if judged.fog { "free: the wall clock stepped".to_owned() } else { "free".to_owned() }
}

fn forbidden(reason: Forbid, judged: &Judged<'_>, contract: &Contract) -> String {
    let facts = &judged.facts;
    match reason {
        Forbid::OpenCall => "a call is open".to_owned(),
        Forbid::AutoOff => "auto is off".to_owned(),
        Forbid::PressureNone => format!("no pressure{}", size(judged, contract)),
        Forbid::TrimEnough => format!("{} trimmable", judged.trimmable),
        Forbid::Cooling => match facts.cooldown_left_s {
            Some(left) => format!("cooling, {} s left, growth {}", number(left), facts.growth),
            None => format!("cooling, growth {}", facts.growth),
        },
        Forbid::Latched => {
            let growth = facts.latch_growth.unwrap_or_default();
            match contract.latch().map(|latch| (latch.reopen_growth, latch.reopen_after_s)) {
                Some((Some(n), _)) => format!("latched, growth {growth} of {n}"),
                Some((None, Some(s))) => format!("latched, {} of {} s", number(facts.latch_since_s), number(s)),
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
        Require::FirstAttempt => "nothing in the way".to_owned(),
        Require::CooldownOver => match facts.since_s {
            Some(s) if contract.cooldown().is_some() => format!("cooldown over, {} s since", number(s)),
            _ => "no cooldown".to_owned(),
        },
        Require::Grown => format!("cooling lifted by growth {}", facts.growth),
        Require::Reopened => match facts.latch_growth {
            Some(growth) => format!("reopened, growth {growth}, {} s", number(facts.latch_since_s)),
            None => "reopened".to_owned(),
        },
    }
}

/// The size that was to be measured, of the trigger.
fn size(judged: &Judged<'_>, contract: &Contract) -> String {
    let Some(reading) = &judged.reading else { return String::new() };
    let (least, most) = (reading.size.least, reading.size.most);
    let size = if least == most { least.to_string() } else { format!("{least} to {most}") };
    format!(", {size} of {}", contract.gauge.trigger)
}

/// Seconds, without more digits than they need.
pub(super) fn number(seconds: f64) -> String {
    let rounded = (seconds * 1e6).round() / 1e6;
    format!("{rounded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_named_by_what_they_are_and_their_keys() {
        let call = |key: u32| Draft { calls: vec![key], ..Draft::new(key, Role::Assistant) };
        let result = |key: u32| Draft { answers: Some(key - 1), ..Draft::new(key, Role::Tool) };
        let user = |key| Draft::new(key, Role::User);
        assert_eq!(drafts(&[user(1), call(2), result(3), call(4), result(5)]), "user 1, call+result 2-5");
        assert_eq!(drafts(&[call(2), result(3), user(4), user(5), user(9)]), "call 2, result 3, user 4-5, user 9");
    }
}
