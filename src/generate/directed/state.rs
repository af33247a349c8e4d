//! Conversations, restarts, clocks, and what a person asks for.

use super::super::pen::{A, B, COOL, FAIL};
use super::{Sketch, clock_steps, clock_steps_late, latched, nearly, reopen, reopen_by_time_wait};
use crate::contract::Capability;
use crate::history::{Answer, Command, Name, Pressure, StepKind};

pub(super) const SKETCHES: &[(&str, Sketch)] = &[
    ("ISO-1", |pen| {
        if pen.contract.claims(Capability::Conversations) {
            pen.matter(A).matter(B).latch(A).step(B, 0.0, Answer::Ok).step(A, COOL, Answer::Ok);
        }
    }),
    ("ISO-1", |pen| {
        if pen.contract.claims(Capability::Conversations) {
            pen.matter(A).matter(B).latch(A);
            pen.latch(B).step(B, 0.0, Answer::Ok).step(A, 0.0, Answer::Ok).step(A, COOL, Answer::Ok);
        }
    }),
    ("ISO-1", |pen| {
        // What lifts a cooldown is counted where it runs, however long another conversation is.
        if pen.contract.claims(Capability::Conversations) {
            pen.matter(A).matter(B).grow(B, 12).step(A, 0.0, FAIL).step(B, 0.0, FAIL);
            pen.grow(A, 1).step(A, 0.0, Answer::Ok).grow(B, 1).step(B, 0.0, Answer::Ok);
        }
    }),
    ("ISO-1", |pen| {
        // The same after a success in each.
        if pen.contract.claims(Capability::Conversations) {
            pen.matter(A).matter(B).step(A, 0.0, Answer::Ok).step(B, 0.0, Answer::Ok);
            pen.matter(A).step(A, 5.0, Answer::Ok);
        }
    }),
    ("FRC-3", |pen| {
        // What one has used up of its recoveries another has still.
        if pen.contract.claims(Capability::Conversations) {
            pen.matter(A).matter(B);
            for _ in 0..=pen.contract.overflow.recoveries {
                pen.kind(A, StepKind::Overflow, FAIL);
            }
            pen.kind(B, StepKind::Overflow, Answer::Ok);
        }
    }),
    ("ISO-2", |pen| {
        if !pen.contract.claims(Capability::Conversations) {
            return;
        }
        // Who cools after one failure need not be latched to be forgotten.
        let cools = pen.contract.cooldown().is_some();
        for name in (0..pen.crowd).map(Name) {
            pen.matter(name);
            for _ in 0..if cools { 1 } else { pen.strikes() } {
                pen.step(name, 0.0, FAIL);
            }
        }
        for name in (0..pen.crowd).map(Name) {
            pen.step(name, 0.0, Answer::Ok);
        }
        if cools && pen.contract.latch().is_some() && pen.strikes() == 1 {
            for name in (0..pen.crowd).map(Name) {
                pen.step(name, if name == A { COOL } else { 0.0.into() }, Answer::Ok);
            }
        }
    }),
    ("ISO-3", |pen| {
        pen.matter(A).step(A, 0.0, FAIL).restart().step(A, 0.0, Answer::Ok);
    }),
    ("ISO-3", |pen| {
        latched(pen, A);
        pen.restart().step(A, COOL, Answer::Ok);
        reopen(pen, A, 0);
        reopen_by_time_wait(pen, A);
        pen.step(A, COOL, Answer::Ok);
    }),
    ("ISO-3", |pen| {
        pen.matter(A);
        for at in 1..=pen.strikes() {
            if at == pen.strikes() {
                pen.restart();
            }
            pen.step(A, if at == 1 { 0.0.into() } else { COOL }, FAIL);
        }
        pen.step(A, COOL, Answer::Ok);
    }),
    ("ISO-4", |pen| {
        pen.trimmable(A).step(A, 0.0, FAIL).step(A, 0.0, Answer::Ok).grow(A, 1).step(A, COOL, Answer::Ok);
    }),
    ("ISO-5", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok).restart().matter(A).step(A, COOL, Answer::Ok).restart();
    }),
    ("ISO-5", |pen| {
        pen.trimmable(A).pressed(A, 0.0, Pressure::Trim).restart();
    }),
    ("ISO-5", |pen| {
        pen.matter(A).cut_off(A, StepKind::Step).step(A, 0.0, Answer::Ok);
        pen.step(A, COOL, Answer::Ok);
        reopen(pen, A, 0);
        reopen_by_time_wait(pen, A);
        pen.matter(A).step(A, COOL, Answer::Ok).restart();
    }),
    ("ISO-5", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok).matter(A).cut_off(A, StepKind::Force).step(A, COOL, Answer::Ok);
    }),
    ("CLK-1", |pen| clock_steps(pen, -3_600.0)),
    ("CLK-1", |pen| clock_steps(pen, 3_600.0)),
    ("CLK-1", |pen| {
        // With nothing new, and no latch in front of it, only the clock is left to wait for.
        let pick = if pen.strikes() > 1 { FAIL } else { Answer::Aborted.into() };
        pen.matter(A).step(A, 10.0, pick).push(Command::Clock { wall_by_s: -3_600.0 });
        pen.pressed(A, 0.0, Pressure::Summarize).step(A, COOL, Answer::Ok);
    }),
    ("CLK-1", |pen| clock_steps_late(pen, -3_600.0)),
    ("CLK-1", |pen| {
        let wait = pen.contract.latch().and_then(|latch| latch.reopen_after_s).unwrap_or(0.0).max(pen.cooldown());
        pen.matter(A).step(A, 0.0, FAIL).push(Command::Clock { wall_by_s: -3_600.0 });
        pen.step(A, 0.0, FAIL).step(A, wait, Answer::Ok);
    }),
    ("CLK-1", |pen| {
        // Back by less than a cooldown, while growth is what the latch waits for.
        latched(pen, A);
        pen.push(Command::Clock { wall_by_s: -pen.cooldown() / 2.0 }).step(A, 0.0, Answer::Ok);
        reopen(pen, A, 0);
        reopen_by_time_wait(pen, A);
        pen.step(A, COOL, Answer::Ok);
    }),
    ("CLK-2", |pen| {
        pen.matter(A).step(A, 1_000.0, Answer::Ok).matter(A).restart().step(A, COOL, Answer::Ok);
    }),
    ("CLK-2", |pen| {
        pen.matter(A).step(A, 1_000.0, FAIL).restart().step(A, COOL, Answer::Ok);
    }),
    ("FRC-1", |pen| {
        pen.matter(A).kind(A, StepKind::Force, Answer::Ok);
    }),
    ("FRC-1", |pen| {
        latched(pen, A);
        pen.kind(A, StepKind::Force, FAIL).kind(A, StepKind::Force, Answer::Ok);
    }),
    ("FRC-1", |pen| {
        pen.matter(A).kind_under(A, StepKind::Force, Pressure::None, FAIL);
        pen.kind_under(A, StepKind::Force, Pressure::Trim, Answer::Ok);
    }),
    ("FRC-3", |pen| {
        pen.matter(A).kind_under(A, StepKind::Overflow, Pressure::None, FAIL).matter(A);
        pen.kind_under(A, StepKind::Overflow, Pressure::Trim, Answer::Ok);
    }),
    ("FRC-2", |pen| {
        pen.matter(A).kind(A, StepKind::Force, FAIL).step(A, 0.0, FAIL);
        pen.kind(A, StepKind::Force, FAIL).step(A, 0.0, Answer::Ok);
    }),
    ("FRC-2", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok).kind(A, StepKind::Force, FAIL).step(A, 0.0, FAIL);
    }),
    ("FRC-2", |pen| {
        latched(pen, A);
        nearly(pen, A);
        pen.kind(A, StepKind::Force, FAIL).step(A, COOL, Answer::Ok);
    }),
    ("FRC-3", |pen| {
        latched(pen, A);
        pen.kind(A, StepKind::Overflow, Answer::Ok);
    }),
    ("FRC-3", |pen| {
        pen.matter(A).step(A, 0.0, FAIL);
        for _ in 0..=pen.contract.overflow.recoveries {
            pen.kind(A, StepKind::Overflow, FAIL);
        }
        pen.grow(A, 1).turn(A).kind(A, StepKind::Overflow, Answer::Ok);
    }),
];
