//! One history or more for each requirement, built from the contract, so that being exercised never depends on luck.

mod latch;
mod log;
mod outcome;
mod own;
mod state;
mod throttle;
mod view;

use super::pen::{A, COOL, FAIL, Pen, failures};
use super::{Planned, Share};
use crate::contract::{Contract, Feature};
use crate::history::{Answer, Command, Draft, Name, Pressure, Size};
use crate::message::Role;

/// A history in the making for one requirement.
type Sketch = fn(&mut Pen<'_>);

/// The directed histories of a contract, in the order of the requirements; `crowd` conversations at once where a history is
/// about that.
pub(super) fn all(contract: &Contract, seed: u64, crowd: usize) -> Vec<Planned> {
    let mut planned = Vec::new();
    const AREAS: &[&[(&str, Sketch)]] = &[
        log::SKETCHES,
        throttle::SKETCHES,
        latch::SKETCHES,
        outcome::SKETCHES,
        view::SKETCHES,
        state::SKETCHES,
        own::SKETCHES,
    ];
    for (at, (id, sketch)) in AREAS.iter().flat_map(|area| area.iter()).enumerate() {
        let mut pen = Pen::new(contract);
        pen.crowd = crowd.min(contract.conversations.max).min(own::crowd(contract)) as u32;
        // What is fixed may have to be the first system message.
        if contract.has(Feature::System) && !own::begins(contract, id) {
            let system = pen.draft(Role::System);
            pen.append(A, vec![system]);
        }
        sketch(&mut pen);
        let history = pen.history(seed.wrapping_add(at as u64 * 7_919));
        if history
            .commands
            .iter()
            .any(|command| matches!(command, Command::Step(_) | Command::Rewind { .. } | Command::Restart { .. }))
        {
            planned.push(Planned { share: Share::Directed, target: Some(*id), history });
        }
    }
    planned
}

/// Enough to summarise, and as many failures as latch.
fn latched<'p, 'a>(pen: &'p mut Pen<'a>, name: Name) -> &'p mut Pen<'a> {
    pen.matter(name).latch(name);
    if pen.contract.latch_reopens_early() {
        // Only now is it to be seen.
        pen.ui_only(name, 1, Size::Small);
        if !pen.contract.latch_in_shadow() {
            pen.grow(name, 1);
        }
        pen.step(name, 0.0, Answer::Ok);
    }
    pen
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

/// The same with enough to summarise at each step, and a second more.
fn clock_steps_late(pen: &mut Pen<'_>, wall_by_s: f64) {
    let wait = pen.contract.latch().and_then(|latch| latch.reopen_after_s).unwrap_or(0.0).max(pen.cooldown()) + 1.0;
    pen.matter(A).step(A, 10.0, Answer::Ok).matter(A).push(Command::Clock { wall_by_s });
    pen.pressed(A, 0.0, Pressure::Summarize).matter(A).pressed(A, wait, Pressure::Summarize);
    pen.matter(A).pressed(A, wait, Pressure::Summarize);
}

fn clock_steps(pen: &mut Pen<'_>, wall_by_s: f64) {
    pen.matter(A).step(A, 10.0, Answer::Ok).matter(A).push(Command::Clock { wall_by_s });
    let wait = pen.contract.latch().and_then(|latch| latch.reopen_after_s).unwrap_or(0.0).max(pen.cooldown());
    pen.pressed(A, 0.0, Pressure::Summarize).pressed(A, wait, Pressure::Summarize).matter(A).pressed(
        A,
        wait,
        Pressure::Summarize,
    );
}
