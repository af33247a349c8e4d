//! What an attempt may install, and when.

use super::super::pen::{A, COOL, FAIL, failures};
use super::{Sketch, each_failure, reopen, reopen_by_time_wait};
use crate::contract::{FailureKind, Feature};
use crate::history::{Answer, Command, Draft, Pressure, Size, StepCommand, StepKind};
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
    ("OUT-8", |pen| {
        let Some(max) = pen.contract.attempt.input_max else { return };
        // Large messages, the last of them larger than an input.
        let large = pen.contract.sizes.large;
        for count in [1, 2, 3] {
            let messages = (count * max / large + 2).min(2_000);
            let drafts = (0..messages).map(|at| Draft {
                size: if at % 5 == 3 { Size::Small } else { Size::Large },
                reasoning: pen.contract.has(Feature::Reasoning) && at % 4 == 1,
                ..pen.draft(if at % 2 == 0 { Role::User } else { Role::Assistant })
            });
            let drafts = drafts.collect();
            pen.append(A, drafts).matter(A).step(A, COOL, Answer::Ok);
        }
        let over = Draft { size: Size::Chars((max + 100).min(1_000_000)), ..pen.draft(Role::Assistant) };
        pen.append(A, vec![over]).matter(A).step(A, COOL, Answer::Ok);
    }),
    ("OUT-8", |pen| {
        // Messages that fill an input to its last unit, and by one unit too far.
        let Some(max) = pen.contract.attempt.input_max.filter(|max| (500..100_000).contains(max)) else { return };
        let each = max / 10;
        for over in [1, 0] {
            let chars = (0..30).map(|at| if at % 10 == 9 { each + max % 10 + over } else { each });
            let drafts = chars.collect::<Vec<_>>().into_iter().zip(0..).map(|(chars, at)| Draft {
                size: Size::Chars(chars),
                ..pen.draft(if at % 2 == 0 { Role::User } else { Role::Assistant })
            });
            let drafts = drafts.collect();
            pen.append(A, drafts).matter(A).step(A, COOL, Answer::Ok);
        }
    }),
    ("OUT-8", |pen| {
        if pen.contract.attempt.outcomes.contains(&FailureKind::Overflow) {
            pen.matter(A).step(A, 0.0, Answer::Overflow);
            pen.matter(A);
            reopen(pen, A, 0);
            reopen_by_time_wait(pen, A);
            // The first input is too long, and the next is not.
            let answers = vec![Answer::Overflow, Answer::Ok];
            let after_s = pen.cooldown();
            pen.push(Command::Step(StepCommand { answers, after_s, ..StepCommand::new(A) }));
        }
    }),
    ("OUT-2", |pen| {
        // Of several calls in one attempt some give what is no summary.
        if !pen.contract.attempt.calls.several() {
            return;
        }
        let bad = |answer: &Answer| {
            matches!(answer, Answer::Length | Answer::Refusal | Answer::Blank | Answer::Empty | Answer::Rejected)
        };
        for bad in failures(pen.contract).into_iter().filter(bad) {
            for answers in [vec![bad, Answer::Ok], vec![Answer::Ok, bad]] {
                pen.matter(A);
                reopen(pen, A, 0);
                reopen_by_time_wait(pen, A);
                let after_s = pen.cooldown();
                pen.push(Command::Step(StepCommand { answers, after_s, ..StepCommand::new(A) }));
            }
        }
    }),
    ("OUT-9", |pen| {
        pen.matter(A).arriving(A, 0.0, Answer::Ok, &[Role::User]).matter(A);
        pen.arriving(A, COOL, Answer::Ok, &[Role::User, Role::Assistant, Role::User]).matter(A).step(
            A,
            COOL,
            Answer::Ok,
        );
    }),
    ("OUT-9", |pen| {
        pen.matter(A).arriving_flagged(A, 0.0).matter(A).step(A, COOL, Answer::Ok);
    }),
    ("OUT-9", |pen| {
        for answer in [Answer::Length, Answer::Equal, Answer::Blank] {
            if failures(pen.contract).contains(&answer) {
                pen.matter(A);
                reopen(pen, A, 0);
                reopen_by_time_wait(pen, A);
                pen.arriving(A, COOL, answer, &[Role::User]);
            }
        }
    }),
];
