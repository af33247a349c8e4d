//! Changes an input where it has joints: by commands, blocks and messages.

use fastrand::Rng;

use super::Input;
use super::fuzzer::drawn;
use crate::contract::{Capability, Contract, Drive, Feature, Pending};
use crate::generate::failures;
use crate::history::{Answer, Command, Draft, History, Pressure, Size, StepKind};
use crate::limit_case::LimitCase;
use crate::message::Role;
use crate::shrink_limit::smaller;
use crate::witness::Witness;

/// Changes that are tried until one of them leaves something that a host can play.
const TRIES: usize = 8;

/// The changed input as a trace file with a header as short as can be.
pub(super) fn mutate(input: Input, contract: &Contract, witness: Witness, seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let fresh = |rng: &mut Rng| {
        let len = 4 + rng.usize(..28);
        let bytes: Vec<u8> = std::iter::repeat_with(|| rng.u8(..)).take(len).collect();
        drawn(input, contract, &bytes)
    };
    let changed = match &witness.case {
        // Every fourth is a new one: changes alone stay near what is there, and a case is soon drawn.
        Some(_) if rng.u8(..4) == 0 => None,
        Some(case) => (0..TRIES).find_map(|_| {
            let more = fresh(&mut rng);
            change_case(case, more.case.as_ref()?, contract, &mut rng)
        }),
        None => None,
    };
    if let Some(case) = changed {
        return short(None, Some(&case));
    }
    if witness.case.is_none() {
        for _ in 0..TRIES {
            let more = fresh(&mut rng).history;
            // Where a turn ends, and where no call is open, is known to the grammar alone.
            let anywhere = contract.drive == Drive::Step && contract.attempt.pending != Pending::Host;
            let history = if anywhere { change_history(&witness.history, &more, contract, &mut rng) } else { more };
            if !history.commands.is_empty() && history.check().is_ok() {
                return short(Some(&history), None);
            }
        }
    }
    let fresh = fresh(&mut rng);
    short(Some(&fresh.history), fresh.case.as_ref())
}

/// A trace file whose contract is left at its defaults: a fuzzer holds every input to its candidate's own.
fn short(history: Option<&History>, case: Option<&LimitCase>) -> String {
    let seed = history.map_or(0, |history| history.seed);
    let mut text =
        format!("{{\"plimsoll\":\"history\",\"format\":1,\"seed\":{seed},\"contract\":{{\"capabilities\":[]}}}}\n");
    if let Some(case) = case {
        text.push_str(&case.to_line());
        text.push('\n');
        return text;
    }
    for command in history.into_iter().flat_map(|history| &history.commands) {
        text.push_str(&serde_json::to_string(command).unwrap_or_default());
        text.push('\n');
    }
    text
}

fn change_case(case: &LimitCase, more: &LimitCase, contract: &Contract, rng: &mut Rng) -> Option<LimitCase> {
    if rng.u8(..8) == 0 {
        // One of the first edits of the shrinker, each as likely as another. All of them are dear to make.
        let edits: Vec<LimitCase> = smaller(case, contract).take(1 + rng.usize(..64)).collect();
        let nth = rng.usize(..edits.len().max(1));
        return edits.into_iter().nth(nth);
    }
    let mut case = case.clone();
    match (&mut case, more) {
        (LimitCase::Reduce(case), LimitCase::Reduce(more)) => {
            case.max = limit(case.max, rng);
            change_list(&mut case.blocks, &more.blocks, rng, |block, rng| block.required ^= rng.bool());
        }
        (LimitCase::Fit(case), LimitCase::Fit(more)) => {
            case.max = limit(case.max, rng);
            let (key, call) = next_numbers(case.messages.iter());
            let more = renumbered(&more.messages, key, call);
            change_list(&mut case.messages, &more, rng, |draft, rng| draft.size = size(rng));
            renumber_keys(&mut case.messages);
        }
        (LimitCase::Assemble(case), LimitCase::Assemble(more)) => {
            case.max = limit(case.max, rng);
            case.path.clone_from(&more.path);
            change_list(&mut case.messages, &more.messages, rng, |part, rng| {
                if part.role == Role::System && !part.ui_only {
                    part.pinned = rng.bool() && contract.has(Feature::Pinned);
                }
            });
        }
        _ => return None,
    }
    case.check().is_ok().then_some(case)
}

/// Takes one out, puts others in, doubles one, moves one, or changes one in place.
fn change_list<T: Clone>(list: &mut Vec<T>, more: &[T], rng: &mut Rng, change: impl Fn(&mut T, &mut Rng)) {
    let at = if list.is_empty() { 0 } else { rng.usize(..list.len()) };
    match rng.u8(..6) {
        0 if !list.is_empty() => drop(list.remove(at)),
        1 if !list.is_empty() => list.insert(at, list[at].clone()),
        2 if !list.is_empty() => {
            let item = list.remove(at);
            list.insert(rng.usize(..=list.len()), item);
        }
        3 if !list.is_empty() => change(&mut list[at], rng),
        4 => {}
        _ => {
            let count = rng.usize(..=more.len().min(3));
            list.splice(at..at, more[..count].iter().cloned());
        }
    }
}

/// Near the limit, at a boundary, or far off.
fn limit(max: usize, rng: &mut Rng) -> usize {
    match rng.u8(..8) {
        0 => max.saturating_add(1),
        1 => max.saturating_sub(1),
        2 => max / 2,
        3 => rng.usize(..=max.saturating_mul(2).min(1 << 16) + 8),
        4 => rng.usize(..4),
        _ => max,
    }
}

fn size(rng: &mut Rng) -> Size {
    match rng.u8(..4) {
        0 => Size::Large,
        1 => Size::Chars(rng.usize(..80)),
        _ => Size::Small,
    }
}

/// The least key and the least call that none of the drafts has.
fn next_numbers<'a>(drafts: impl Iterator<Item = &'a Draft>) -> (u32, u32) {
    drafts.fold((1, 0), |(key, call), draft| {
        let calls = draft.calls.iter().chain(&draft.answers).max().map_or(0, |call| call + 1);
        (key.max(draft.key + 1), call.max(calls))
    })
}

fn renumbered(drafts: &[Draft], key: u32, call: u32) -> Vec<Draft> {
    let mut drafts = drafts.to_vec();
    drafts.iter_mut().for_each(|draft| shift(draft, key, call));
    drafts
}

fn shift(draft: &mut Draft, key: u32, call: u32) {
    draft.key += key;
    draft.calls.iter_mut().chain(&mut draft.answers).for_each(|number| *number += call);
}

/// Doubled messages are told apart by their keys.
fn renumber_keys(drafts: &mut [Draft]) {
    (1..).zip(drafts).for_each(|(key, draft)| draft.key = key);
}

fn change_history(history: &History, more: &History, contract: &Contract, rng: &mut Rng) -> History {
    let mut commands = history.commands.clone();
    let at = if commands.is_empty() { 0 } else { rng.usize(..commands.len()) };
    match rng.u8(..8) {
        0 if !commands.is_empty() => drop(commands.remove(at)),
        1 if !commands.is_empty() => commands.truncate(at + 1),
        2 if at > 0 => commands.swap(at - 1, at),
        3 if !commands.is_empty() && !matches!(commands[at], Command::Append { .. }) => {
            commands.insert(at, commands[at].clone());
        }
        4 | 5 if !commands.is_empty() => change_command(&mut commands[at], contract, rng),
        _ => {
            let (key, call) = next_numbers(history.drafts().map(|(_, draft)| draft));
            let count = 1 + rng.usize(..more.commands.len().clamp(1, 4));
            let mut new: Vec<Command> = more.commands.iter().take(count).cloned().collect();
            for command in &mut new {
                match command {
                    Command::Append { messages, .. } => messages.iter_mut().for_each(|draft| shift(draft, key, call)),
                    Command::Step(step) => step.arrived.iter_mut().for_each(|draft| shift(draft, key, call)),
                    Command::Rewind { to, .. } => *to += key,
                    Command::Usage { upto, .. } => *upto += key,
                    Command::Clock { .. } | Command::Restart { .. } | Command::Auto { .. } => {}
                }
            }
            commands.splice(at..at, new);
        }
    }
    History::new(history.seed, commands)
}

fn change_command(command: &mut Command, contract: &Contract, rng: &mut Rng) {
    match command {
        Command::Step(step) => match rng.u8(..4) {
            0 => {
                let cooldown = contract.cooldown().map_or(60.0, |cooldown| cooldown.longest());
                let near = [0.0, 1.0, cooldown - 1.0, cooldown, cooldown + 1.0, 2.0 * cooldown];
                step.after_s = near[rng.usize(..near.len())].max(0.0);
            }
            1 => {
                let mut answers = failures(contract);
                answers.extend([Answer::Ok, Answer::Rejected, Answer::Aborted]);
                let calls = if contract.attempt.calls.several() { rng.usize(1..4) } else { 1 };
                step.answers = (0..calls).map(|_| answers[rng.usize(..answers.len())]).collect();
                step.ends_with_the_abort();
            }
            2 => step.pressure = Pressure::ALL[rng.usize(..Pressure::ALL.len())],
            _ => {
                let kinds = StepKind::ALL.iter().copied().filter(|kind| match kind {
                    StepKind::Force => contract.claims(Capability::Force),
                    StepKind::Overflow => contract.claims(Capability::Overflow),
                    StepKind::Step => true,
                });
                let kinds: Vec<StepKind> = kinds.collect();
                step.kind = kinds[rng.usize(..kinds.len())];
            }
        },
        Command::Append { messages, .. } => {
            let at = rng.usize(..messages.len().max(1));
            if let Some(draft) = messages.get_mut(at) {
                match rng.bool() {
                    true => draft.size = size(rng),
                    false => draft.wide ^= true,
                }
            }
        }
        Command::Clock { wall_by_s } => *wall_by_s = -*wall_by_s,
        Command::Auto { on } => *on = !*on,
        Command::Rewind { to, .. } => *to = to.saturating_sub(1).max(1),
        Command::Restart { .. } | Command::Usage { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::fuzzer::witness_of as witness;

    #[test]
    fn a_changed_input_is_readable_and_can_be_played() {
        let contract = Contract::default();
        for input in Input::ALL.iter().copied() {
            let mut bytes = Vec::new();
            let (mut before, mut changes) = (String::new(), 0);
            for seed in 0..400 {
                let text = mutate(input, &contract, witness(input, &contract, &bytes), seed);
                let read = Witness::parse(&text).unwrap_or_else(|error| panic!("{input:?} {seed}: {error}\n{text}"));
                assert_eq!(read.case.is_none(), input == Input::History);
                assert_eq!(witness(input, &contract, text.as_bytes()).case, read.case);
                changes += usize::from(text != before);
                before.clone_from(&text);
                bytes = text.into_bytes();
            }
            assert!(changes > 300, "{input:?}: {changes}");
        }
    }
}
