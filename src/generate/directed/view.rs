//! What survives a compaction.

use super::super::pen::{A, COOL, Pen};
use super::Sketch;
use crate::contract::{Drive, Feature, Weight};
use crate::history::{Answer, Draft, Pressure, Size, StepKind};
use crate::message::Role;

pub(super) const SKETCHES: &[(&str, Sketch)] = &[
    ("VIEW-1", |pen| {
        second_system(pen);
        let rounds = if pen.contract.weight == Weight::Heavy { 3 } else { MANY };
        for _ in 0..rounds {
            pen.matter(A);
            pinned(pen);
            pen.matter(A).step(A, COOL, Answer::Ok);
        }
    }),
    ("VIEW-1", |pen| {
        second_system(pen);
        pen.trimmable(A);
        pinned(pen);
        if pen.contract.has(Feature::Pinned) {
            let size = pen.trimmable_size();
            let mut result = pen.result(size);
            result.iter_mut().for_each(|draft| draft.pinned = true);
            pen.append(A, result);
        }
        pen.trimmable(A).pressed(A, 0.0, Pressure::Trim).step(A, 0.0, Answer::Ok);
    }),
    ("VIEW-1", |pen| {
        // A pin on a call, on its result, on what is large.
        if !pen.contract.has(Feature::Pinned) {
            return;
        }
        for at in 0..2 {
            let large = Draft { size: Size::Large, pinned: true, ..pen.draft(Role::User) };
            pen.matter(A).append(A, vec![large]);
            for pinned in [[true, false], [false, true]] {
                let mut group = pen.result(Size::Small);
                group.iter_mut().rev().zip(pinned).for_each(|(draft, pinned)| draft.pinned = pinned);
                pen.append(A, group);
            }
            pen.matter(A).step(A, if at == 0 { 0.0.into() } else { COOL }, Answer::Ok);
        }
    }),
    ("VIEW-2", |pen| {
        pen.matter(A).task(A).step(A, 0.0, Answer::Ok);
        for _ in 0..2 {
            pen.results(A, 6).step(A, COOL, Answer::Ok);
        }
    }),
    ("VIEW-2", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok).matter(A).step(A, COOL, Answer::Ok);
    }),
    ("VIEW-2", |pen| {
        pen.matter(A).trimmable(A).pressed(A, 0.0, Pressure::Trim);
    }),
    ("VIEW-3", |pen| {
        pen.matter(A).results(A, 3).step(A, 0.0, Answer::Ok);
        pen.matter(A);
        two_results(pen, false);
        pen.step(A, COOL, Answer::Ok);
    }),
    ("VIEW-3", |pen| {
        pen.trimmable(A);
        two_results(pen, true);
        pen.trimmable(A).pressed(A, 0.0, Pressure::Trim).step(A, 0.0, Answer::Ok);
    }),
    ("VIEW-3", |pen| {
        if pen.contract.has(Feature::Interim) {
            pen.matter(A);
            let call = pen.open(A);
            pen.interim(A, call).close(A, call).turn(A).step(A, 0.0, Answer::Ok);
        }
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
    ("VIEW-4", |pen| {
        // Whoever asks for it, the call is open.
        if pen.contract.has(Feature::Calls) {
            for kind in [StepKind::Force, StepKind::Overflow] {
                pen.matter(A);
                let call = pen.open(A);
                pen.kind(A, kind, Answer::Ok).close(A, call).turn(A).step(A, COOL, Answer::Ok);
            }
        }
    }),
    ("VIEW-4", |pen| {
        // That it was an interim result is known after a restart, too.
        if pen.contract.has(Feature::Interim) {
            pen.matter(A);
            let call = pen.open(A);
            pen.interim(A, call).restart().step(A, 0.0, Answer::Ok).close(A, call).turn(A).step(A, 0.0, Answer::Ok);
        }
    }),
    ("VIEW-5", |pen| {
        for at in 0..2 {
            thoughts(pen);
            pen.matter(A);
            thoughts(pen);
            pen.turn(A).step(A, if at == 0 { 0.0.into() } else { COOL }, Answer::Ok);
        }
    }),
    ("VIEW-5", |pen| {
        // The last thing said, so that it is kept: calls with a thought, one and two in a message.
        if !pen.contract.has(Feature::Reasoning) || !pen.contract.has(Feature::Calls) {
            return;
        }
        pen.matter(A);
        let mut group = pen.result(Size::Small);
        group[0].reasoning = true;
        pen.append(A, group).turn(A).step(A, 0.0, Answer::Ok).matter(A);
        if pen.contract.has(Feature::ParallelCalls) {
            let [one, other] = pen.open_two_with(A, true);
            pen.close(A, one).close(A, other).turn(A).step(A, COOL, Answer::Ok);
        }
    }),
    ("VIEW-5", |pen| {
        thoughts(pen);
        pen.trimmable(A).pressed(A, 0.0, Pressure::Trim);
    }),
    ("VIEW-6", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok);
        for _ in 0..2 {
            pen.matter(A).results(A, 2).step(A, COOL, Answer::Ok);
        }
    }),
    ("VIEW-6", |pen| {
        // A long conversation that nothing has made shorter.
        let messages = if pen.contract.weight == Weight::Heavy { 150 } else { 1_100 };
        for _ in 0..messages / 50 {
            let drafts = (0..50).map(|at| pen.draft(if at % 2 == 0 { Role::User } else { Role::Assistant })).collect();
            pen.append(A, drafts);
        }
        pen.pressed(A, 0.0, Pressure::None).grow(A, 1).step(A, 0.0, Answer::Ok);
    }),
    ("VIEW-6", |pen| {
        let large = pen.trimmable_size();
        let result = pen.result(large);
        pen.append(A, result).trimmable(A).pressed(A, 0.0, Pressure::Trim).trimmable(A).step(A, 0.0, Answer::Ok);
    }),
    ("VIEW-7", |pen| {
        pen.matter(A);
        pinned(pen);
        pen.matter(A);
        pinned(pen);
        pen.results(A, 6).step(A, 0.0, Answer::Ok).trimmable(A).pressed(A, 0.0, Pressure::Trim);
    }),
    ("VIEW-8", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok).task(A).step(A, COOL, Answer::Ok).matter(A).step(A, COOL, Answer::Ok);
    }),
    ("VIEW-8", |pen| {
        // Nobody has said anything but the assistant.
        if pen.contract.drive == Drive::Step {
            pen.monologue(A).step(A, 0.0, Answer::Ok);
        }
    }),
    ("VIEW-8", |pen| {
        pen.trimmable(A).pressed(A, 0.0, Pressure::Trim);
    }),
    ("VIEW-9", |pen| {
        for wide in [false, true, true] {
            let mut results = Vec::new();
            for more in [1, 2, 3, 200] {
                let mut drafts = pen.result(Size::Chars(pen.contract.trim.min_chars + more));
                drafts.iter_mut().for_each(|draft| draft.wide = wide);
                results.extend(drafts);
            }
            pen.append(A, results).trimmable(A).pressed(A, 0.0, Pressure::Trim);
        }
    }),
    ("VIEW-10", |pen| {
        for _ in 0..=pen.contract.view.summaries {
            pen.matter(A).step(A, COOL, Answer::Ok);
        }
    }),
];

/// Compactions enough that who counts them has come to the end.
const MANY: usize = 6;

/// A second leading system message, where there can be more than one.
fn second_system(pen: &mut Pen<'_>) {
    if pen.contract.has(Feature::ManySystem) {
        let system = pen.draft(Role::System);
        pen.append(A, vec![system]);
    }
}

fn pinned(pen: &mut Pen<'_>) {
    if pen.contract.has(Feature::Pinned) {
        let pinned = [Role::User, Role::Assistant].map(|role| Draft { pinned: true, ..pen.draft(role) });
        pen.append(A, pinned.into());
    }
}

/// Two calls made together, and their results; and, if `large`, results that are long enough to be trimmed.
fn two_results(pen: &mut Pen<'_>, large: bool) {
    let size = if large { pen.trimmable_size() } else { Size::Small };
    if pen.contract.has(Feature::ParallelCalls) {
        let [one, other] = pen.open_two(A);
        for call in [other, one] {
            let result = Draft { size, answers: Some(call), ..pen.draft(Role::Tool) };
            pen.append(A, vec![result]);
        }
    }
    pen.turn(A);
}

/// An assistant's messages with reasoning, the last one with calls as well.
fn thoughts(pen: &mut Pen<'_>) {
    if !pen.contract.has(Feature::Reasoning) {
        return;
    }
    let thought = |pen: &mut Pen<'_>| Draft { reasoning: true, ..pen.draft(Role::Assistant) };
    let user = pen.draft(Role::User);
    let mut drafts = vec![thought(pen), user];
    if pen.contract.has(Feature::Calls) {
        let mut result = pen.result(Size::Small);
        result[0].reasoning = true;
        drafts.extend(result);
    }
    drafts.push(thought(pen));
    pen.append(A, drafts);
}
