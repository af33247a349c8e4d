//! All histories of a small scope: enough to summarise, then every sequence over a small boundary alphabet.

use super::own::{Edge, measures};
use super::pen::{A, After, B, COOL, FAIL, Pen, failures};
use super::{Planned, Share};
use crate::contract::{Capability, Contract, Feature};
use crate::history::{Answer, Command, Pressure, Size, StepKind};

type Letter = fn(&mut Pen<'_>);

/// The letters that the contract gives a meaning to.
fn alphabet(contract: &Contract) -> Vec<Letter> {
    let mut letters: Vec<Letter> = vec![
        |pen| {
            pen.step(A, 0.0, FAIL);
        },
        |pen| {
            pen.step(A, 0.0, Answer::Ok);
        },
        |pen| {
            pen.grow(A, 1);
        },
    ];
    if contract.cooldown().is_some() {
        letters.push(|pen| {
            pen.step(A, COOL, FAIL);
        });
        letters.push(|pen| {
            pen.step(A, After::Cooldown(-1.0), Answer::Ok);
        });
    }
    if contract.latch().is_some_and(|latch| latch.reopen_growth.is_some()) {
        letters.push(|pen| {
            let n = pen.contract.latch().and_then(|latch| latch.reopen_growth).unwrap_or(1);
            pen.grow(A, n - 1);
        });
    }
    if contract.has(Feature::UiOnly) {
        letters.push(|pen| {
            pen.ui_only(A, 1, Size::Small);
        });
    }
    if contract.claims(Capability::Conversations) {
        letters.push(|pen| {
            pen.matter(B).step(B, 0.0, FAIL);
        });
    }
    if contract.claims(Capability::Force) {
        letters.push(|pen| {
            pen.kind(A, StepKind::Force, FAIL);
        });
    }
    if contract.claims(Capability::Restart) {
        letters.push(|pen| {
            pen.restart();
        });
    }
    if contract.claims(Capability::Rewind) {
        letters.push(|pen| {
            pen.rewind(A, 0.5);
        });
    }
    if failures(contract).contains(&Answer::Timeout) {
        letters.push(|pen| {
            pen.step(A, 0.0, Answer::Timeout);
        });
    }
    letters.push(|pen| {
        pen.step(A, 0.0, Answer::Aborted);
    });
    if measures(contract) {
        letters.push(|pen| {
            pen.late_result(A);
        });
        letters.push(|pen| {
            pen.talk(A);
        });
    } else {
        letters.push(|pen| {
            pen.pressed(A, 0.0, Pressure::Trim);
        });
    }
    letters
}

/// What a history begins with: enough to summarise. Where the candidate measures for itself, of every size that matters.
const BEGINS: &[Letter] = &[
    |pen| {
        pen.matter(A);
    },
    |pen| {
        pen.talk(A).reach(A, Edge::Over).grow(A, 2);
    },
    |pen| {
        pen.talk(A).reach(A, Edge::Under);
    },
    |pen| {
        pen.trimmable(A);
    },
];

/// Shorter ones first, up to `steps` steps in all.
pub(super) fn all(contract: Contract, seed: u64, steps: usize) -> impl Iterator<Item = Planned> + use<> {
    let letters = alphabet(&contract);
    let base = letters.len() as u64;
    let begins: &[Letter] = if measures(&contract) { BEGINS } else { &BEGINS[..1] };
    let (mut length, mut number, mut spent) = (1u32, 0u64, 0usize);
    std::iter::from_fn(move || {
        loop {
            if spent >= steps || length > 8 {
                return None;
            }
            if number >= base.pow(length) * begins.len() as u64 {
                (length, number) = (length + 1, 0);
                continue;
            }
            let mut pen = Pen::new(&contract);
            begins[(number % begins.len() as u64) as usize](&mut pen);
            let mut rest = number / begins.len() as u64;
            for _ in 0..length {
                letters[(rest % base) as usize](&mut pen);
                rest /= base;
            }
            number += 1;
            let history = pen.history(seed.wrapping_add(number));
            // What comes after the last step is never seen.
            if matches!(history.commands.last(), Some(Command::Step(_))) {
                spent += super::cost(&history, &contract).0;
                return Some(Planned { share: Share::Exhaustive, target: None, history });
            }
        }
    })
}
