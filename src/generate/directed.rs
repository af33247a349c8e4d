//! One history or more for each requirement, built from the contract, so that being exercised never depends on luck.

use super::pen::{A, After, B, COOL, FAIL, Pen, failures};
use super::{Planned, Share};
use crate::contract::{Capability, Contract, Feature};
use crate::history::{Answer, Command, Draft, Name, Pressure, Size, StepKind};
use crate::message::Role;

/// A history in the making for one requirement.
type Sketch = fn(&mut Pen<'_>);

const SKETCHES: &[(&str, Sketch)] = &[
    ("LOG-1", |pen| {
        pen.matter(A).step(A, 0.0, FAIL);
    }),
    ("LOG-1", |pen| {
        pen.trimmable(A).step(A, 0.0, Answer::Ok).pressed(A, 0.0, Pressure::Trim);
    }),
    ("LOG-2", |pen| {
        pen.ui_only(A, 1, Size::Small).matter(A).ui_only(A, 1, Size::Small).step(A, 0.0, Answer::Ok);
    }),
    ("LOG-2", |pen| {
        pen.matter(A).step(A, 0.0, FAIL);
        reopen(pen, A, 0);
        pen.matter(A).step(A, COOL, Answer::Ok);
    }),
    ("LOG-3", |pen| {
        let hidden = Draft { hidden: true, ..pen.draft(Role::Assistant) };
        pen.append(A, vec![hidden]).matter(A).step(A, 0.0, Answer::Ok);
    }),
    ("LOG-4", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok).step(A, 0.0, Answer::Ok).rewind(A, 0.5).matter(A).step(A, 0.0, FAIL);
    }),
    ("LOG-5", |pen| {
        flagged(pen, A);
        pen.step(A, 0.0, Answer::Ok).restart();
    }),
    ("LOG-5", |pen| {
        flagged(pen, A);
        if pen.contract.claims(Capability::Restart) && pen.contract.has(Feature::UiOnly) {
            pen.push(Command::Restart { without: vec!["ui_only".to_owned()] });
        }
    }),
    ("LOG-6", |pen| {
        pen.matter(A).step(A, 0.0, FAIL);
    }),
    ("LOG-7", |pen| {
        pen.matter(A).rewind(A, 0.5);
    }),
    ("LOG-7", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok).matter(A).rewind(A, 0.25).matter(A).rewind(A, 0.9);
    }),
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
        let user = pen.draft(Role::User);
        pen.append(A, vec![user]).grow(A, 1).ui_only(A, 12, Size::Small).step(A, 0.0, Answer::Ok);
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
    ("LAT-1", |pen| {
        latched(pen, A);
        nearly(pen, A);
        pen.step(A, COOL, Answer::Ok);
    }),
    ("LAT-2", |pen| {
        latched(pen, A);
        reopen(pen, A, 0);
        pen.step(A, COOL, Answer::Ok);
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
    ("LAT-8", |pen| {
        pen.trimmable(A).latch(A).step(A, COOL, Answer::Ok).step(A, 0.0, Answer::Ok);
        pen.step(A, COOL, Answer::Ok);
        reopen(pen, A, 0);
        pen.step(A, After::Cooldown(1.0), Answer::Ok);
    }),
    ("LAT-9", |pen| {
        pen.trimmable(A).latch(A).step(A, COOL, Answer::Ok);
    }),
    ("LAT-10", |pen| {
        pen.matter(A);
        for at in 1..pen.strikes() {
            pen.step(A, if at == 1 { 0.0.into() } else { COOL }, FAIL);
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
    ("LAT-13", |pen| {
        pen.matter(A);
        for _ in 0..=pen.strikes() {
            pen.step(A, COOL, Answer::Aborted);
        }
        pen.step(A, COOL, FAIL);
    }),
    ("LAT-13", |pen| {
        latched(pen, A);
        reopen(pen, A, 0);
        reopen_by_time_wait(pen, A);
        pen.step(A, COOL, Answer::Aborted).step(A, COOL, FAIL).step(A, COOL, Answer::Ok);
    }),
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
    ("ISO-4", |pen| {
        pen.trimmable(A).step(A, 0.0, FAIL).step(A, 0.0, Answer::Ok).grow(A, 1).step(A, COOL, Answer::Ok);
    }),
    ("CLK-1", |pen| clock_steps(pen, -3_600.0)),
    ("CLK-1", |pen| clock_steps(pen, 3_600.0)),
    ("CLK-2", |pen| {
        pen.matter(A).step(A, 1_000.0, Answer::Ok).matter(A).restart().step(A, COOL, Answer::Ok);
    }),
    ("FRC-1", |pen| {
        pen.matter(A).kind(A, StepKind::Force, Answer::Ok);
    }),
    ("FRC-1", |pen| {
        latched(pen, A);
        pen.kind(A, StepKind::Force, FAIL).kind(A, StepKind::Force, Answer::Ok);
    }),
    ("FRC-2", |pen| {
        pen.matter(A).kind(A, StepKind::Force, FAIL).step(A, 0.0, FAIL);
        pen.kind(A, StepKind::Force, FAIL).step(A, 0.0, Answer::Ok);
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

/// The directed histories of a contract, in the order of the requirements.
pub(super) fn all(contract: &Contract, seed: u64) -> Vec<Planned> {
    let mut planned = Vec::new();
    for (at, (id, sketch)) in SKETCHES.iter().enumerate() {
        let mut pen = Pen::new(contract);
        if contract.has(Feature::System) {
            let system = pen.draft(Role::System);
            pen.append(A, vec![system]);
        }
        sketch(&mut pen);
        let history = pen.history(seed.wrapping_add(at as u64 * 7_919));
        if history.commands.iter().any(|command| matches!(command, Command::Step(_) | Command::Rewind { .. } | Command::Restart { .. })) {
            planned.push(Planned { share: Share::Directed, target: Some(*id), history });
        }
    }
    planned
}

/// Enough to summarise, and as many failures as latch.
fn latched<'p, 'a>(pen: &'p mut Pen<'a>, name: Name) -> &'p mut Pen<'a> {
    pen.matter(name).latch(name)
}

/// Growth that reopens, and `more`.
fn reopen(pen: &mut Pen<'_>, name: Name, more: u64) {
    let n = pen.contract.latch().and_then(|latch| latch.reopen_growth).unwrap_or(0);
    pen.grow(name, n + more);
}

/// Growth that nearly reopens.
fn nearly(pen: &mut Pen<'_>, name: Name) {
    let n = pen.contract.latch().and_then(|latch| latch.reopen_growth).unwrap_or(1);
    pen.grow(name, n - 1);
}

/// A failing step when the latch's time is due, `early_s` seconds off.
fn reopen_by_time(pen: &mut Pen<'_>, name: Name, early_s: f64) {
    if let Some(seconds) = pen.contract.latch().and_then(|latch| latch.reopen_after_s) {
        pen.step(name, (seconds + early_s).max(0.0), FAIL);
    }
}

/// A step that does nothing but let the latch's time pass.
fn reopen_by_time_wait(pen: &mut Pen<'_>, name: Name) {
    if let Some(seconds) = pen.contract.latch().and_then(|latch| latch.reopen_after_s) {
        pen.pressed(name, seconds, Pressure::None);
    }
}

/// Messages with every flag that the contract has.
fn flagged(pen: &mut Pen<'_>, name: Name) {
    pen.matter(name).ui_only(name, 1, Size::Small);
    let hidden = Draft { hidden: true, ..pen.draft(Role::Assistant) };
    let pinned = Draft { pinned: true, ..pen.draft(Role::User) };
    let drafts = [(Feature::Hidden, hidden), (Feature::Pinned, pinned)];
    let has = drafts.into_iter().filter(|(feature, _)| pen.contract.has(*feature)).map(|(_, draft)| draft).collect();
    pen.append(name, has);
}

/// Every way to fail (or those of `kinds`), each with fresh matter and no gate in the way.
fn each_failure(pen: &mut Pen<'_>, kinds: &[Answer]) {
    let failures: Vec<Answer> =
        failures(pen.contract).into_iter().filter(|answer| kinds.is_empty() || kinds.contains(answer)).collect();
    for answer in failures {
        pen.matter(A);
        reopen(pen, A, 0);
        reopen_by_time_wait(pen, A);
        pen.step(A, COOL, answer);
    }
}

fn clock_steps(pen: &mut Pen<'_>, wall_by_s: f64) {
    pen.matter(A).step(A, 10.0, Answer::Ok).matter(A).push(Command::Clock { wall_by_s });
    let wait = pen.contract.latch().and_then(|latch| latch.reopen_after_s).unwrap_or(0.0).max(pen.cooldown());
    pen.pressed(A, 0.0, Pressure::Summarize).pressed(A, wait, Pressure::Summarize).matter(A).pressed(A, wait, Pressure::Summarize);
}
