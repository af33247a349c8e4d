//! What an attempt may install, and when.

use super::super::pen::{A, COOL, FAIL};
use super::{Sketch, each_failure};
use crate::contract::Feature;
use crate::history::{Answer, Draft, Pressure, StepKind};
use crate::message::Role;

pub(super) const SKETCHES: &[(&str, Sketch)] = &[
    ("OUT-1", |pen| each_failure(pen, &[])),
    ("OUT-1", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok).matter(A).step(A, COOL, FAIL);
    }),
    ("OUT-1", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Aborted);
    }),
    ("OUT-2", |pen| each_failure(pen, &[Answer::Empty, Answer::Blank, Answer::Length, Answer::Refusal])),
    ("OUT-3", |pen| each_failure(pen, &[Answer::Inflated, Answer::Equal, Answer::Ineffective])),
    ("OUT-4", |pen| {
        pen.trimmable(A).pressed(A, 0.0, Pressure::None).pressed(A, 0.0, Pressure::Trim).step(A, 0.0, Answer::Ok);
    }),
    ("OUT-4", |pen| each_failure(pen, &[])),
    ("OUT-5", |pen| each_failure(pen, &[])),
    ("OUT-6", |pen| {
        let user = pen.draft(Role::User);
        pen.append(A, vec![user]).step(A, 0.0, Answer::Ok).kind(A, StepKind::Force, Answer::Ok);
    }),
    ("OUT-6", |pen| {
        if pen.contract.has(Feature::Pinned) {
            let pinned = (0..8).map(|_| Draft { pinned: true, ..pen.draft(Role::User) }).collect();
            pen.append(A, pinned).step(A, 0.0, Answer::Ok);
        }
    }),
    ("OUT-7", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok);
    }),
    ("VIEW-4", |pen| {
        if pen.contract.has(Feature::Calls) {
            pen.matter(A);
            let call = pen.open(A);
            pen.step(A, 0.0, Answer::Ok).close(A, call).step(A, 0.0, Answer::Ok);
        }
    }),
    ("VIEW-4", |pen| {
        if pen.contract.has(Feature::ParallelCalls) {
            pen.matter(A);
            let [one, other] = pen.open_two(A);
            pen.close(A, one).step(A, 0.0, Answer::Ok).close(A, other).turn(A).step(A, 0.0, Answer::Ok);
        }
    }),
    ("VIEW-4", |pen| {
        if pen.contract.has(Feature::Interim) {
            pen.matter(A);
            let call = pen.open(A);
            pen.interim(A, call).step(A, 0.0, Answer::Ok).close(A, call).turn(A).step(A, 0.0, Answer::Ok);
        }
    }),
];
