//! The failure latch.

use super::super::pen::{A, After, COOL, FAIL, failures};
use super::throttle::rungs;
use super::{Sketch, latched, nearly, reopen, reopen_by_time, reopen_by_time_wait};
use crate::contract::Capability;
use crate::history::{Answer, Name, Pressure, Size, StepKind};

pub(super) const SKETCHES: &[(&str, Sketch)] = &[
    ("LAT-1", |pen| {
        latched(pen, A);
        nearly(pen, A);
        pen.step(A, COOL, Answer::Ok);
    }),
    ("LAT-1", |pen| {
        // That the provider has reported what it was sent is no success.
        latched(pen, A);
        pen.usage(A).step(A, COOL, Answer::Ok);
    }),
    ("LAT-2", |pen| {
        latched(pen, A);
        reopen(pen, A, 0);
        pen.step(A, COOL, Answer::Ok);
    }),
    ("LAT-2", |pen| {
        // Whatever kind of message it is that the model sees, it counts.
        latched(pen, A);
        let n = pen.contract.latch().and_then(|latch| latch.reopen_growth).unwrap_or(0);
        pen.grow_mixed(A, n).step(A, COOL, Answer::Ok);
    }),
    ("LAT-2", |pen| {
        latched(pen, A);
        reopen_by_time(pen, A, 0.0);
    }),
    ("LAT-3", |pen| {
        for answer in failures(pen.contract) {
            let name = Name(answer as u32);
            let name = if pen.contract.claims(Capability::Conversations) { name } else { A };
            pen.matter(name);
            for at in 0..pen.strikes() {
                pen.step(name, if at == 0 { 0.0.into() } else { COOL }, answer);
            }
            pen.step(name, COOL, Answer::Rejected);
            if !pen.contract.claims(Capability::Conversations) {
                break;
            }
        }
    }),
    ("LAT-4", |pen| {
        latched(pen, A);
        reopen(pen, A, 0);
        pen.step(A, COOL, FAIL);
        nearly(pen, A);
        pen.step(A, COOL, Answer::Ok).grow(A, 1).step(A, COOL, Answer::Ok);
    }),
    ("LAT-4", |pen| {
        // The distance is the same each time.
        latched(pen, A);
        for _ in 0..3 {
            reopen(pen, A, 0);
            for _ in 0..pen.strikes() {
                pen.step(A, COOL, FAIL);
            }
        }
        reopen(pen, A, 0);
        pen.step(A, COOL, Answer::Ok);
    }),
    ("LAT-5", |pen| {
        latched(pen, A);
        reopen(pen, A, 0);
        reopen_by_time_wait(pen, A);
        pen.matter(A).step(A, COOL, Answer::Ok).matter(A).step(A, COOL, Answer::Ok);
    }),
    ("LAT-5", |pen| {
        latched(pen, A);
        pen.kind(A, StepKind::Force, Answer::Ok).matter(A).step(A, COOL, Answer::Ok);
    }),
    ("LAT-5", |pen| {
        pen.matter(A);
        for _ in 1..pen.strikes() {
            pen.step(A, COOL, FAIL);
        }
        pen.step(A, COOL, Answer::Ok).matter(A);
        for _ in 1..pen.strikes() {
            pen.step(A, COOL, FAIL);
        }
        pen.step(A, COOL, Answer::Ok);
    }),
    ("LAT-6", |pen| {
        latched(pen, A);
        nearly(pen, A);
        pen.ui_only(A, 2, Size::Small).step(A, COOL, Answer::Ok);
    }),
    ("LAT-6", |pen| {
        latched(pen, A);
        let n = pen.contract.latch().and_then(|latch| latch.reopen_growth).unwrap_or(1);
        pen.ui_only(A, n, Size::Small).step(A, COOL, Answer::Ok);
    }),
    ("LAT-7", |pen| {
        latched(pen, A);
        pen.rewind(A, 0.4).step(A, COOL, Answer::Ok);
        reopen(pen, A, 0);
        pen.step(A, COOL, Answer::Ok);
    }),
    ("LAT-7", |pen| {
        pen.trimmable(A).latch(A).step(A, COOL, Answer::Ok);
        reopen(pen, A, 0);
        pen.step(A, After::Cooldown(1.0), Answer::Ok).step(A, After::Cooldown(1.0), Answer::Ok);
    }),
    // Enough is left of it to be worth a summary.
    ("LAT-7", |pen| {
        pen.matter(A);
        latched(pen, A);
        pen.rewind(A, 0.8).step(A, COOL, Answer::Ok);
        reopen(pen, A, 0);
        pen.step(A, COOL, Answer::Ok).step(A, After::Cooldown(1.0), Answer::Ok);
    }),
    // What there is to trim comes when the latch is closed.
    ("LAT-7", |pen| {
        pen.matter(A);
        latched(pen, A);
        pen.trimmable(A).pressed(A, 0.0, Pressure::Trim).step(A, 0.0, Answer::Ok);
        reopen(pen, A, 0);
        pen.step(A, COOL, Answer::Ok).step(A, After::Cooldown(1.0), Answer::Ok);
    }),
    ("LAT-8", |pen| {
        pen.trimmable(A).latch(A).step(A, COOL, Answer::Ok).step(A, 0.0, Answer::Ok);
        pen.step(A, COOL, Answer::Ok);
        reopen(pen, A, 0);
        pen.step(A, After::Cooldown(1.0), Answer::Ok);
    }),
    ("LAT-8", |pen| {
        pen.trimmable(A).latch(A).step(A, 0.0, Answer::Ok).step(A, 0.0, Answer::Ok);
        pen.grow(A, 1).step(A, 0.0, Answer::Ok);
    }),
    ("LAT-8", |pen| {
        latched(pen, A);
        pen.late_result(A).step(A, 0.0, Answer::Ok).step(A, 0.0, Answer::Ok).step(A, COOL, Answer::Ok);
    }),
    ("LAT-9", |pen| {
        latched(pen, A);
        pen.late_result(A).step(A, 0.0, Answer::Ok).step(A, 0.0, Answer::Ok);
    }),
    ("LAT-9", |pen| {
        pen.trimmable(A).latch(A).step(A, COOL, Answer::Ok);
    }),
    // What closes it has nothing left to trim for a later step, or a growth of one reopens it.
    ("LAT-9", |pen| {
        pen.trimmable(A).latch(A).step(A, 0.0, Answer::Ok);
    }),
    ("LAT-10", |pen| {
        pen.matter(A);
        for at in 1..pen.strikes() {
            pen.step(A, if at == 1 { 0.0.into() } else { COOL }, FAIL);
        }
        pen.step(A, COOL, Answer::Ok);
    }),
    ("LAT-10", |pen| {
        // Where it begins anew after it was open again, it begins at none.
        latched(pen, A);
        reopen(pen, A, 0);
        reopen_by_time_wait(pen, A);
        for _ in 1..pen.strikes() {
            pen.step(A, COOL, FAIL);
        }
        pen.step(A, COOL, Answer::Ok);
    }),
    ("LAT-11", |pen| {
        latched(pen, A);
        reopen_by_time(pen, A, 0.0);
        pen.step(A, COOL, Answer::Ok);
        let wait = pen.cooldown();
        reopen_by_time(pen, A, -1.0 - wait);
        pen.step(A, 1.0, Answer::Ok);
    }),
    ("LAT-12", |pen| {
        pen.grow(A, 1).turn(A);
        for _ in 0..=pen.strikes() {
            pen.step(A, COOL, Answer::Ok);
        }
        pen.matter(A).step(A, COOL, FAIL).step(A, COOL, Answer::Ok);
    }),
    ("LAT-12", |pen| {
        pen.matter(A).turn(A);
        for at in 1..pen.strikes() {
            pen.step(A, if at == 1 { 0.0.into() } else { COOL }, FAIL);
        }
        pen.rewind(A, 0.0).step(A, COOL, Answer::Ok).matter(A).step(A, COOL, FAIL).step(A, COOL, Answer::Ok);
    }),
    ("LAT-13", |pen| {
        pen.matter(A);
        for _ in 0..=pen.strikes() {
            pen.step(A, COOL, Answer::Aborted);
        }
        pen.step(A, COOL, FAIL);
    }),
    ("LAT-13", |pen| rungs(pen, &[Answer::Aborted])),
    ("LAT-13", |pen| {
        latched(pen, A);
        reopen(pen, A, 0);
        reopen_by_time_wait(pen, A);
        pen.step(A, COOL, Answer::Aborted).step(A, COOL, FAIL).step(A, COOL, Answer::Ok);
    }),
];
