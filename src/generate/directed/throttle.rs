//! The throttle.

use super::super::pen::{A, After, B, COOL, FAIL, Pen, failures};
use super::{Sketch, reopen, reopen_by_time_wait};
use crate::contract::{Capability, Feature, Weight};
use crate::history::{Answer, Command, Name, Pressure, Size, StepKind};
use crate::message::Role;

/// Each of these first, where a second failure makes the cooldown longer: it is up one rung.
pub(super) fn rungs(pen: &mut Pen<'_>, answers: &[Answer]) {
    let latches = pen.contract.latch().is_some_and(|latch| latch.strikes < 3);
    let Some(cooldown) = pen.contract.cooldown().filter(|_| !latches) else { return };
    let (short, long) = (cooldown.after(1), cooldown.after(2));
    if long <= short {
        return;
    }
    for answer in answers {
        pen.matter(A).step(A, COOL, *answer).step(A, short, FAIL).step(A, short, Answer::Ok);
        pen.step(A, long - short, Answer::Ok);
    }
}

pub(super) const SKETCHES: &[(&str, Sketch)] = &[
    ("THR-1", |pen| {
        pen.matter(A).step(A, 0.0, FAIL).step(A, 0.0, Answer::Ok).step(A, After::Cooldown(-1.0), Answer::Ok);
    }),
    ("THR-2", |pen| {
        for answer in failures(pen.contract) {
            let name = Name(pen.anchor(A, 0.0).map_or(0, |_| answer as u32 + 1));
            let name = if pen.contract.claims(Capability::Conversations) { name } else { A };
            pen.matter(name).step(name, 0.0, answer).step(name, 0.0, Answer::Ok);
            if name == A {
                break;
            }
        }
        pen.matter(A).step(A, 0.0, FAIL).step(A, 0.0, Answer::Ok).step(A, After::Cooldown(-1.0), Answer::Ok);
    }),
    ("THR-2", |pen| {
        // What holds for long has to hold a hundred calls later.
        if pen.contract.weight == Weight::Light {
            for round in 1..=40 {
                if round % 4 == 1 {
                    pen.matter(A);
                }
                pen.grow(A, 1);
                reopen(pen, A, 0);
                reopen_by_time_wait(pen, A);
                // A success now and then, so that the view does not grow for ever.
                let answer = if round % 4 == 0 { Answer::Ok.into() } else { FAIL };
                pen.step(A, COOL, answer).step(A, 0.0, Answer::Ok).step(A, After::Cooldown(-1.0), Answer::Ok);
            }
        }
    }),
    ("THR-2", |pen| {
        rungs(pen, &failures(pen.contract));
    }),
    ("THR-2", |pen| {
        // That the provider has reported what it was sent is no change.
        pen.matter(A).step(A, 0.0, FAIL).usage(A).step(A, 0.0, Answer::Ok);
    }),
    ("THR-3", |pen| {
        pen.matter(A).step(A, 0.0, FAIL).ui_only(A, 1, Size::Small).step(A, 0.0, Answer::Ok);
    }),
    ("THR-3", |pen| {
        if pen.contract.claims(Capability::Conversations) {
            pen.matter(A).step(A, 0.0, FAIL).matter(B).step(B, 0.0, FAIL).step(A, 0.0, Answer::Ok);
        }
    }),
    ("THR-4", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok).matter(A).step(A, COOL, Answer::Ok);
        pen.matter(A).step(A, After::Cooldown(1.0), Answer::Ok);
    }),
    ("THR-4", |pen| {
        pen.matter(A).step(A, 0.0, FAIL);
        let n = pen.contract.latch().and_then(|latch| latch.reopen_growth).unwrap_or(0);
        pen.grow(A, n).step(A, COOL, Answer::Ok);
    }),
    ("THR-4", |pen| {
        pen.barely(A).step(A, 0.0, Answer::Ok);
    }),
    ("THR-5", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok).matter(A).step(A, After::Cooldown(-1.0), Answer::Ok);
    }),
    ("THR-6", |pen| {
        pen.matter(A).pressed(A, 0.0, Pressure::None).step(A, 0.0, Answer::Ok).pressed(A, 0.0, Pressure::None);
    }),
    ("THR-6", |pen| {
        pen.trimmable(A).pressed(A, 0.0, Pressure::Trim).pressed(A, 0.0, Pressure::None);
    }),
    ("THR-7", |pen| {
        pen.matter(A).step(A, 0.0, FAIL);
    }),
    ("THR-7", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok);
    }),
    ("THR-8", |pen| {
        pen.ui_only(A, 1, Size::Large).matter(A).ui_only(A, 3, Size::Small).step(A, 0.0, FAIL);
        pen.ui_only(A, 1, Size::Large).step(A, 0.0, Answer::Ok);
    }),
    ("THR-8", |pen| {
        pen.trimmable(A).ui_only(A, 4, Size::Small).pressed(A, 0.0, Pressure::Trim).step(A, 0.0, Answer::Ok);
    }),
    ("THR-8", |pen| {
        // One that is large, old, and no business of a trim.
        pen.matter(A).ui_only(A, 1, Size::Large).grow(A, 6);
        pen.pressed(A, 0.0, Pressure::Trim).step(A, 0.0, Answer::Ok);
    }),
    ("THR-8", |pen| {
        let user = pen.draft(Role::User);
        pen.append(A, vec![user]).grow(A, 1).ui_only(A, 12, Size::Small).step(A, 0.0, Answer::Ok);
    }),
    ("THR-8", |pen| {
        // Who leads does not depend on what the model does not see; where the system message counts as matter, it is just enough.
        pen.ui_only(A, 1, Size::Small);
        if pen.contract.has(Feature::System) {
            let system = pen.draft(Role::System);
            pen.append(A, vec![system]);
        }
        pen.nearly(A).step(A, 0.0, Answer::Ok);
    }),
    ("THR-9", |pen| {
        pen.matter(A);
        if pen.contract.claims(Capability::Auto) {
            pen.push(Command::Auto { on: false });
        }
        pen.step(A, 0.0, Answer::Ok).kind(A, StepKind::Overflow, Answer::Ok).kind(A, StepKind::Force, Answer::Ok);
    }),
    ("THR-10", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok).trimmable(A).step(A, COOL, FAIL).step(A, 0.0, Answer::Ok);
    }),
    ("THR-10", |pen| {
        pen.trimmable(A);
        for _ in 1..pen.strikes() {
            pen.step(A, 0.0, FAIL);
        }
        pen.step(A, 0.0, Answer::Aborted).step(A, 0.0, Answer::Ok);
    }),
    ("THR-11", |pen| {
        pen.trimmable(A).pressed(A, 0.0, Pressure::None);
    }),
];
