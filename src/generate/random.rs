//! Random histories: four ways to draw, with numbers around the declared parameters.

use super::source::Source;

use super::own::{Edge, measures};
use super::pen::{Pen, failures};
use super::{Planned, Share};
use crate::contract::{Capability, Contract, Drive, Feature};
use crate::history::{Answer, Command, Draft, History, Name, Pressure, Size, StepCommand, StepKind};
use crate::message::Role;

const SHARES: [Share; 4] = [Share::Model, Share::Swarm, Share::Uniform, Share::Boundary];

/// Random histories without end, the shares in turn.
pub(super) fn all(contract: Contract, seed: u64) -> impl Iterator<Item = Planned> + use<> {
    (0u64..).map(move |number| {
        let share = SHARES[(number % 4) as usize];
        let seed = seed.wrapping_mul(0x9e37_79b9).wrapping_add(number);
        let mut rng = Source::seeded(seed);
        let draw = Draw { rng: &mut rng, share, only: Vec::new() };
        Planned { share, target: None, history: draw.history(Pen::new(&contract), seed) }
    })
}

/// One random history, the same for the same seed.
#[cfg(any(feature = "proptest", feature = "quickcheck"))]
pub(crate) fn draw(contract: &Contract, seed: u64) -> History {
    let mut rng = Source::seeded(seed);
    let draw = Draw { rng: &mut rng, share: SHARES[(seed % 4) as usize], only: Vec::new() };
    draw.history(Pen::new(contract), seed)
}

/// The history that `bytes` stand for: every byte string stands for one, and short ones for short ones.
pub(crate) fn decode(contract: &Contract, bytes: &[u8]) -> History {
    let mut rng = Source::bytes(bytes);
    let share = [Share::Model, Share::Uniform, Share::Boundary][rng.usize(0..3)];
    let draw = Draw { rng: &mut rng, share, only: Vec::new() };
    draw.history(Pen::new(contract), 1)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Step,
    Grow,
    Matter,
    Results,
    UiOnly,
    Flagged,
    Open,
    Parallel,
    System,
    Force,
    Overflow,
    Restart,
    CutOff,
    Rewind,
    Clock,
    Auto,
}

const KINDS: [(Kind, u32); 16] = [
    (Kind::Step, 12),
    (Kind::Grow, 6),
    (Kind::Matter, 3),
    (Kind::Results, 2),
    (Kind::UiOnly, 3),
    (Kind::Flagged, 1),
    (Kind::Open, 1),
    (Kind::Parallel, 1),
    (Kind::System, 1),
    (Kind::Force, 2),
    (Kind::Overflow, 1),
    (Kind::Restart, 1),
    (Kind::CutOff, 1),
    (Kind::Rewind, 1),
    (Kind::Clock, 1),
    (Kind::Auto, 1),
];

struct Draw<'r, 'b> {
    rng: &'r mut Source<'b>,
    share: Share,
    /// For swarm: the kinds that are in play.
    only: Vec<Kind>,
}

impl Draw<'_, '_> {
    fn history(mut self, mut pen: Pen<'_>, seed: u64) -> History {
        if self.share == Share::Swarm {
            self.only = KINDS.iter().map(|(kind, _)| *kind).filter(|_| self.rng.bool()).collect();
        }
        let conversations = if pen.contract.claims(Capability::Conversations) { self.rng.u32(1..4) } else { 1 };
        if pen.contract.has(Feature::System) && self.rng.bool() {
            let system = pen.draft(Role::System);
            pen.append(Name(0), vec![system]);
        }
        if measures(pen.contract) {
            self.sized(&mut pen, Name(0));
        } else {
            pen.matter(Name(0));
        }
        let length = self.rng.usize(3..14);
        for _ in 0..length {
            if self.rng.is_spent() {
                break;
            }
            let name = Name(if self.rng.u8(0..4) > 0 { 0 } else { self.rng.u32(0..conversations) });
            self.command(&mut pen, name);
        }
        self.step(&mut pen, Name(0));
        pen.history(seed)
    }

    fn kind(&mut self) -> Kind {
        let weight = |(kind, weight): &(Kind, u32)| match self.share {
            _ if !self.only.is_empty() && *kind != Kind::Step && !self.only.contains(kind) => 0,
            Share::Uniform => 1,
            _ => *weight,
        };
        let total: u32 = KINDS.iter().map(weight).sum();
        let mut at = self.rng.u32(0..total);
        for row in &KINDS {
            let weight = match self.share {
                _ if !self.only.is_empty() && row.0 != Kind::Step && !self.only.contains(&row.0) => 0,
                Share::Uniform => 1,
                _ => row.1,
            };
            if at < weight {
                return row.0;
            }
            at -= weight;
        }
        Kind::Step
    }

    fn command(&mut self, pen: &mut Pen<'_>, name: Name) {
        let contract = pen.contract;
        match self.kind() {
            Kind::Step => self.step(pen, name),
            Kind::Grow => {
                let count = self.growth(contract);
                pen.grow(name, count);
            }
            Kind::Matter if measures(contract) => self.sized(pen, name),
            Kind::Matter if self.rng.bool() => {
                pen.task(name);
            }
            Kind::Matter => {
                pen.matter(name);
            }
            Kind::Results => {
                if self.rng.bool() {
                    pen.trimmable(name);
                } else {
                    let mut drafts = Vec::new();
                    for _ in 0..self.rng.usize(1..4) {
                        let size = if self.rng.bool() { pen.trimmable_size() } else { Size::Small };
                        drafts.extend(pen.result(size));
                    }
                    pen.append(name, drafts).turn(name);
                }
            }
            Kind::UiOnly => {
                let count = if self.rng.u8(0..3) == 0 { self.growth(contract) } else { 1 };
                let size = if self.rng.u8(0..4) == 0 { Size::Large } else { Size::Small };
                let huge = measures(contract) && self.rng.bool() && contract.gauge.trigger < 100_000;
                let size = if huge { Size::Chars((10 * contract.gauge.trigger).max(1_000)) } else { size };
                pen.ui_only(name, count, size);
            }
            Kind::Flagged => self.flagged(pen, name),
            Kind::Open if contract.has(Feature::Calls) => {
                let call = pen.open(name);
                if self.rng.bool() {
                    self.step(pen, name);
                }
                pen.close(name, call).turn(name);
            }
            Kind::Parallel if contract.has(Feature::ParallelCalls) => self.parallel(pen, name),
            Kind::System if contract.has(Feature::ManySystem) => {
                let pinned = contract.has(Feature::Pinned) && self.rng.bool();
                let system = Draft { pinned, ..pen.draft(Role::System) };
                pen.append(name, vec![system]).turn(name);
            }
            Kind::Force => {
                let answer = self.answer(contract);
                let pressure = self.any_pressure();
                pen.kind_under(name, StepKind::Force, pressure, answer);
            }
            Kind::Overflow => {
                let answer = self.answer(contract);
                let pressure = self.any_pressure();
                pen.kind_under(name, StepKind::Overflow, pressure, answer);
            }
            Kind::Restart => {
                pen.restart();
            }
            Kind::CutOff => {
                let kind = [StepKind::Step, StepKind::Force, StepKind::Overflow][self.rng.usize(0..3)];
                pen.cut_off(name, kind);
            }
            Kind::Rewind => {
                let part = self.rng.part();
                if self.rng.usize(0..4) == 0 {
                    pen.undo_and_redo(name, part);
                } else {
                    pen.rewind(name, part);
                }
                pen.turn(name);
            }
            Kind::Clock => {
                let wall_by_s = [-3_600.0, -1.0, 1.0, 3_600.0, -86_400.0][self.rng.usize(0..5)];
                pen.push(Command::Clock { wall_by_s });
            }
            Kind::Auto if contract.claims(Capability::Auto) => {
                let on = self.rng.bool();
                pen.push(Command::Auto { on });
            }
            Kind::Open | Kind::Parallel | Kind::System | Kind::Auto => {}
        }
    }

    /// Messages that leave the log clearly too large, clearly not, or at an edge.
    fn sized(&mut self, pen: &mut Pen<'_>, name: Name) {
        let trigger = pen.contract.gauge.trigger;
        match self.rng.u8(0..12) {
            0 => {
                pen.talk(name);
            }
            1 => {
                pen.talk(name).reach(name, Edge::Under).turn(name);
            }
            2 => {
                pen.talk(name).reach(name, Edge::Over).turn(name);
            }
            3 => {
                let drafts = pen.filler(trigger / 2 + 1);
                pen.append(name, drafts).turn(name);
            }
            4 => {
                let part = self.rng.part();
                let size = pen.between(part);
                let drafts = pen.filler(size.max(1));
                pen.append(name, drafts).talk(name);
            }
            5 => {
                pen.trimmables(name, true);
            }
            6 => {
                let part = 1.5 * self.rng.part();
                let size = pen.between(part).max(1);
                pen.fixed(name, size);
                pen.matter(name);
            }
            7 => {
                pen.task(name);
            }
            _ => {
                pen.matter(name);
            }
        }
    }

    /// The host's verdict at a step for which it does not matter.
    fn any_pressure(&mut self) -> Pressure {
        [Pressure::Summarize, Pressure::Summarize, Pressure::None, Pressure::Trim][self.rng.usize(0..4)]
    }

    /// A step; in the model-aware share mostly with something at stake.
    fn step(&mut self, pen: &mut Pen<'_>, name: Name) {
        let contract = pen.contract;
        let mut step = StepCommand::new(name);
        step.after_s = self.wait(contract);
        let pressed = if self.share == Share::Model { 8 } else { 3 };
        step.pressure = match self.rng.u8(0..pressed) {
            0 => Pressure::None,
            1 => Pressure::Trim,
            _ => Pressure::Summarize,
        };
        let answer = self.answer(contract);
        if answer != Answer::Ok {
            step.answers = vec![answer];
        }
        if contract.attempt.calls.several() && self.rng.u8(0..3) == 0 {
            step.answers = (0..self.rng.usize(2..4)).map(|_| self.answer(contract)).collect();
            step.ends_with_the_abort();
        }
        if contract.claims(Capability::Arrivals) && self.rng.u8(0..6) == 0 {
            for _ in 0..self.rng.usize(1..3) {
                let role = if self.rng.bool() { Role::User } else { Role::Assistant };
                let ui_only = contract.has(Feature::UiOnly) && self.rng.u8(0..4) == 0;
                step.arrived.push(Draft { ui_only, ..pen.draft(role) });
            }
        }
        if contract.drive == Drive::Turn {
            pen.turn(name);
        }
        pen.push(Command::Step(step));
    }

    /// Calls that are made together and answered one after the other, perhaps by way of an interim result.
    fn parallel(&mut self, pen: &mut Pen<'_>, name: Name) {
        let mut calls = pen.open_two(name);
        if self.rng.bool() {
            calls.reverse();
        }
        let step_at = self.rng.usize(0..5);
        for (at, call) in calls.into_iter().enumerate() {
            if pen.contract.has(Feature::Interim) && self.rng.bool() {
                pen.interim(name, call);
            }
            if step_at == at {
                self.step(pen, name);
            }
            pen.close(name, call);
        }
        pen.turn(name);
    }

    /// A message, or a call and its result, with some of the flags that the contract has; now and then a large one.
    fn flagged(&mut self, pen: &mut Pen<'_>, name: Name) {
        let contract = pen.contract;
        let size = if self.rng.u8(0..4) == 0 { Size::Large } else { Size::Small };
        let mut drafts = if contract.has(Feature::Calls) && self.rng.u8(0..3) == 0 {
            pen.result(size)
        } else {
            vec![Draft { size, ..pen.draft(if self.rng.bool() { Role::User } else { Role::Assistant }) }]
        };
        for draft in &mut drafts {
            draft.hidden = contract.has(Feature::Hidden) && self.rng.bool();
            draft.pinned = contract.has(Feature::Pinned) && self.rng.bool();
            draft.reasoning = draft.role == Role::Assistant && contract.has(Feature::Reasoning) && self.rng.bool();
            draft.wide = self.rng.u8(0..4) == 0;
        }
        pen.append(name, drafts).turn(name);
    }

    fn answer(&mut self, contract: &Contract) -> Answer {
        match self.rng.u8(0..10) {
            0..4 => Answer::Ok,
            4..7 => Answer::Rejected,
            7 => Answer::Aborted,
            _ => {
                let all = failures(contract);
                all.get(self.rng.usize(0..all.len().max(1))).copied().unwrap_or(Answer::Ok)
            }
        }
    }

    /// Numbers of messages: one, or around what reopens the latch.
    fn growth(&mut self, contract: &Contract) -> u64 {
        let n = contract.latch().and_then(|latch| latch.reopen_growth).unwrap_or(3);
        let around = [n.saturating_sub(1).max(1), n, n + 1, 1, 2, n.div_ceil(2)];
        match self.share {
            Share::Uniform => self.rng.u64(1..n + 3),
            Share::Boundary => around[self.rng.usize(0..3)],
            _ if self.rng.u8(0..3) > 0 => 1,
            _ => around[self.rng.usize(0..6)],
        }
    }

    /// Seconds: none, or around what the contract names.
    fn wait(&mut self, contract: &Contract) -> f64 {
        let cooldown = contract.cooldown().map_or(0.0, |cooldown| cooldown.longest());
        let after = contract.latch().and_then(|latch| latch.reopen_after_s).unwrap_or(cooldown);
        let around = [cooldown - 1.0, cooldown, cooldown + 1.0, after - 1.0, after, after + 1.0];
        let seconds = match self.share {
            Share::Uniform => f64::from(self.rng.u32(0..(cooldown.max(after) as u32 + 3))),
            Share::Boundary => around[self.rng.usize(0..6)],
            _ if self.rng.bool() => 0.0,
            _ => around[self.rng.usize(0..6)],
        };
        seconds.max(0.0)
    }
}
