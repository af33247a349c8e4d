//! What happens around a guard, one below, at and one above the numbers that the contract declares.

use super::Cases;
use super::source::Source;
use crate::change::{ChangeAct, ChangeBy, ChangeCase, ChangeEvent, GuardName, GuardedAttempt, GuardedOutcome};
use crate::contract::ChangeRules;

const NEWS: ChangeEvent = ChangeEvent::new(ChangeBy::External, true);
const NOISE: ChangeEvent = ChangeEvent::new(ChangeBy::External, false);
const OWN: ChangeEvent = ChangeEvent::new(ChangeBy::Itself, true);
const OWN_NOISE: ChangeEvent = ChangeEvent::new(ChangeBy::Itself, false);
const EVENTS: [ChangeEvent; 4] = [NEWS, NOISE, OWN, OWN_NOISE];

/// What happens while an operation runs.
const DURING: [&[ChangeEvent]; 8] =
    [&[], &[NEWS], &[OWN], &[NEWS, OWN], &[OWN, NEWS], &[NOISE], &[OWN_NOISE], &[NEWS, NEWS, OWN]];

/// Seconds that pass before some attempts: time decides nothing.
const WAITS: [u32; 4] = [0, 1, 3_600, 1_000_000];

/// All of the boundary and of a small scope, then random ones. The same for the same seed.
pub(crate) fn change_cases(rules: &ChangeRules, seed: u64, small: usize) -> Cases<ChangeCase> {
    let (whole, random) = (around(rules).chain(all(small + 1)), random(rules.clone(), seed));
    let named =
        |(nth, acts): (usize, Vec<ChangeAct>)| ChangeCase::new(GuardName::ALL[nth % GuardName::ALL.len()], acts);
    Cases { whole: Box::new(whole.enumerate().map(named)), random: Box::new(random.enumerate().map(named)) }
}

fn attempt(outcome: GuardedOutcome, during: &[ChangeEvent]) -> ChangeAct {
    ChangeAct::Attempt(GuardedAttempt::new(outcome, during.to_vec()))
}

fn event(event: ChangeEvent, times: u32) -> Option<ChangeAct> {
    (times > 0).then_some(ChangeAct::Event { event, times })
}

/// For each way to end and each number of changes near the declared one: nothing else, or noise and own changes before,
/// after, and while the operation runs; then an attempt, and another right after it.
fn around(rules: &ChangeRules) -> impl Iterator<Item = Vec<ChangeAct>> + use<> {
    let needed = [rules.after_success, rules.after_failure];
    let outcomes = GuardedOutcome::ALL.iter().copied().zip(needed);
    let cases = outcomes.flat_map(|(outcome, needed)| {
        let mut numbers = vec![0, needed.saturating_sub(1), needed, needed + 1];
        numbers.dedup();
        numbers.into_iter().map(move |number| (outcome, needed, number))
    });
    let cases = cases
        .flat_map(|(outcome, needed, number)| DURING.into_iter().map(move |during| (outcome, needed, number, during)));
    let others = move |needed: u32| {
        let few = EVENTS[1..].iter().flat_map(move |other| [1, needed, 20].map(|times| (Some(*other), times)));
        std::iter::once((None, 0)).chain(few)
    };
    let cases = cases.flat_map(move |(outcome, needed, number, during)| {
        others(needed).map(move |other| (outcome, number, during, other))
    });
    cases.enumerate().flat_map(|(nth, (outcome, number, during, (other, times)))| {
        let arrived = during.iter().filter(|event| event.counts()).count() as u32;
        let wait = Some(ChangeAct::Wait(WAITS[nth % WAITS.len()])).filter(|wait| *wait != ChangeAct::Wait(0));
        let noise = move |here: bool| other.filter(|_| here).and_then(|other| event(other, times));
        let next = GuardedOutcome::ALL[nth % 2];
        [true, false].into_iter().filter(move |first| *first || other.is_some()).map(move |first| {
            let mut acts = vec![attempt(outcome, during)];
            acts.extend(noise(first));
            acts.extend(event(NEWS, number.saturating_sub(arrived)));
            acts.extend(noise(!first));
            acts.extend(wait.clone());
            acts.extend([attempt(next, &[]), attempt(next, &[])]);
            acts
        })
    })
}

/// All sequences of so many acts between a first and a last attempt, the shortest first.
fn all(most: usize) -> impl Iterator<Item = Vec<ChangeAct>> {
    let mut alphabet: Vec<ChangeAct> = EVENTS.iter().filter_map(|other| event(*other, 1)).collect();
    for outcome in GuardedOutcome::ALL {
        alphabet.extend(DURING[..4].iter().map(|during| attempt(*outcome, during)));
    }
    let count = alphabet.len();
    (0..=most).flat_map(move |length| {
        let alphabet = alphabet.clone();
        (0..2 * count.pow(length as u32)).map(move |number| {
            let mut acts = vec![attempt(GuardedOutcome::ALL[number % 2], &[])];
            let digit = |at: usize| alphabet[number / 2 / count.pow(at as u32) % count].clone();
            acts.extend((0..length).map(digit));
            acts.push(attempt(GuardedOutcome::Ok, &[]));
            acts
        })
    })
}

fn random(rules: ChangeRules, seed: u64) -> impl Iterator<Item = Vec<ChangeAct>> {
    let mut source = Source::seeded(seed ^ 0xc4a6);
    let near = rules.after_success.max(rules.after_failure).min(1_000);
    std::iter::repeat_with(move || {
        let length = source.usize(2..24);
        // Some cases are about one kind of change more than about the others.
        let favourite = EVENTS[source.usize(0..EVENTS.len())];
        let one = |source: &mut Source<'_>| match source.u8(0..3) {
            0 => favourite,
            _ => EVENTS[source.usize(0..EVENTS.len())],
        };
        (0..length)
            .map(|_| match source.u8(0..10) {
                0..4 => {
                    let outcome = GuardedOutcome::ALL[source.usize(0..2)];
                    let during: Vec<ChangeEvent> = (0..source.usize(0..4)).map(|_| one(&mut source)).collect();
                    attempt(outcome, if source.bool() { &during } else { &[] })
                }
                4 => ChangeAct::Wait(WAITS[source.usize(1..WAITS.len())]),
                _ => {
                    let times = if source.bool() { 1 } else { source.u32(1..near + 3) };
                    ChangeAct::Event { event: one(&mut source), times }
                }
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_cases() {
        let cases = |seed| change_cases(&ChangeRules::default(), seed, 1).up_to(2_000).collect::<Vec<_>>();
        assert_eq!(cases(1), cases(1));
        assert_ne!(cases(1), cases(2));
    }
}
