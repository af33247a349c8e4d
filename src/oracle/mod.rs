//! The oracle: for each step, the reasons that forbid an attempt and the reasons that require one. Neither: the candidate
//! is free.

mod allowed;
mod judged;
mod observed;
pub(crate) mod own;
mod state;
mod update;
pub(crate) mod view;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::rc::Rc;

use state::{Cooling, LatchStates, Mark};
pub(crate) use view::Origin;
use view::{Externals, View};

use crate::contract::{Capability, Clock, Contract, Durability, Growth};
use crate::history::{Command, Name, Pressure, StepCommand, StepKind};
use crate::message::{Message, Role};
use crate::trace::{Event, Trace};

pub(crate) use judged::{ATTEMPTED, Facts, Forbid, Judged, Judgement, MISSING, Outcome, Require, Wrong};

/// Judges a trace.
pub(crate) fn judge<'t>(contract: &'t Contract, trace: &'t Trace) -> Judgement<'t> {
    let mut judge = Judge {
        contract,
        externals: Externals::new(trace, contract),
        tracks: vec![Track::default(); trace.history.conversations()],
        auto: true,
        sent: 0,
        extras: HashSet::new(),
        frame: contract.attempt.answer.split_once("{text}").unwrap_or_default(),
    };
    let (mut steps, mut reads) = (Vec::new(), Vec::new());
    for (at, (command, event)) in trace.history.commands.iter().zip(&trace.events).enumerate() {
        judge.command(at, command, event, &mut steps, &mut reads);
    }
    Judgement { trace, externals: judge.externals, steps, reads }
}

/// What is known of one conversation.
#[derive(Clone, Debug, Default)]
struct Track<'t> {
    view: View<'t>,
    appended: u64,
    rebrought: u64,
    rewinds: u64,
    cooling: Cooling,
    latch: LatchStates,
    /// Recoveries of proven overflows without progress: the least and the most. At the last one, the visible messages of the
    /// host that had come, and the most of them that stood in the view.
    recoveries: (u32, u32),
    recovered_at: (u64, u64),
    /// Wall clock: stepped and no step since; or the second until which only CLK-1 speaks.
    fog: Option<Option<f64>>,
    /// The latest visible user message of the host on the path that stands, where it is one of the harness's; and whether the
    /// last visible message of the host ends a turn.
    latest_user: Option<usize>,
    turn_over: bool,
    ui_only: u64,
    own: u64,
    attempts: u32,
    /// At the last unforced attempt, and at the last certain closing of the latch: growth, ui_only, own, second.
    at_attempt: Option<(u64, u64, u64, f64)>,
    at_latch: Option<(u64, u64, u64, f64)>,
    facts: Facts,
    own_measure: own::Past,
}

struct Judge<'t> {
    contract: &'t Contract,
    externals: Externals<'t>,
    tracks: Vec<Track<'t>>,
    auto: bool,
    sent: usize,
    extras: HashSet<&'t str>,
    /// What `attempt.answer` puts before and after a summary's text.
    frame: (&'t str, &'t str),
}

impl<'t> Judge<'t> {
    fn command(
        &mut self,
        at: usize,
        command: &'t Command,
        event: &'t Event,
        steps: &mut Vec<Judged<'t>>,
        reads: &mut Vec<(usize, Name, View<'t>, View<'t>)>,
    ) {
        match command {
            Command::Append { conversation, messages } => {
                self.receive(*conversation, messages.len());
                self.settle(*conversation, event);
            }
            Command::Step(step) => {
                let judged = self.step(at, step, event);
                steps.push(judged);
                return;
            }
            Command::Clock { .. } => {
                for track in &mut self.tracks {
                    track.fog = Some(None);
                    track.facts.clock_steps += 1;
                }
            }
            Command::Auto { on } => self.auto = *on,
            Command::Rewind { conversation, .. } => {
                let before = view::standing(&self.track(*conversation).view);
                self.read(at, event, reads);
                let track = self.track(*conversation);
                track.rewinds += 1;
                track.rebrought += view::standing(&track.view).saturating_sub(before);
                track.facts.rewinds += 1;
                track.own_measure.unsettle(false);
                track.facts.rewinds_latched += 1;
                // The view is the log up to there.
                let view = Rc::clone(&track.view);
                track.latest_user = view::latest_user(&view).and_then(|at| view[at].external());
                track.turn_over = view
                    .iter()
                    .rfind(|item| item.is_visible_external())
                    .is_some_and(|item| view::ends_turn(item.message));
                return;
            }
            Command::Restart { without } => {
                self.restart(event);
                self.tracks.iter_mut().for_each(|track| track.own_measure.unsettle(!without.is_empty()));
            }
            Command::Usage { conversation, tokens, upto } => {
                let (upto, contract) = (self.externals.by_key(*upto), self.contract);
                let track = self.track(*conversation);
                track.own_measure.reported(contract, *tokens, upto, &track.view);
            }
        }
        self.read(at, event, reads);
    }

    fn track(&mut self, name: Name) -> &mut Track<'t> {
        &mut self.tracks[name.0 as usize]
    }

    /// Takes the states that a command other than a step has read.
    fn read(&mut self, at: usize, event: &'t Event, reads: &mut Vec<(usize, Name, View<'t>, View<'t>)>) {
        for state in &event.states {
            let view = self.view(&state.view);
            let old = std::mem::replace(&mut self.track(state.conversation).view, Rc::clone(&view));
            reads.push((at, state.conversation, old, view));
        }
    }

    fn view(&self, messages: &'t [Message]) -> View<'t> {
        Rc::new(messages.iter().map(|message| self.externals.item(message, &self.extras)).collect())
    }

    /// The next `count` messages of the host arrive.
    fn receive(&mut self, name: Name, count: usize) {
        for at in self.sent..self.sent + count {
            let item = self.externals.sent(at);
            let message = item.message;
            let contract = self.contract;
            let track = self.track(name);
            track.own_measure.hears(contract, message);
            Rc::make_mut(&mut track.view).push(item);
            if item.visible {
                track.appended += 1;
                track.turn_over = view::ends_turn(message);
                if message.role == Role::User {
                    track.latest_user = Some(at);
                }
            } else {
                track.ui_only += 1;
            }
        }
        self.sent += count;
    }

    /// Takes what the candidate and its host appended.
    fn settle(&mut self, name: Name, event: &'t Event) {
        for message in &event.extra {
            self.extras.insert(&message.id);
            let contract = self.contract;
            let item = self.externals.said(message, Origin::Extra);
            let track = self.track(name);
            track.own_measure.hears(contract, message);
            Rc::make_mut(&mut track.view).push(item);
            track.appended += u64::from(item.visible);
            if item.visible {
                track.turn_over = view::ends_turn(message);
                if message.role == Role::User {
                    track.latest_user = None;
                }
            }
        }
        for message in &event.appended {
            let item = self.externals.said(message, Origin::Own);
            let track = self.track(name);
            track.own += 1;
            Rc::make_mut(&mut track.view).push(item);
        }
    }

    fn restart(&mut self, event: &Event) {
        let contract = self.contract;
        for track in &mut self.tracks {
            let now = Mark {
                time: (event.elapsed_s, event.elapsed_s),
                appended: track.appended,
                rebrought: track.rebrought,
                rewinds: track.rewinds,
                standing: 0,
            };
            track.facts.restarts += 1;
            if contract.restart.throttle == Durability::Volatile {
                // The ladder and the latch may have one count of failures, which the latch then keeps.
                let kept = contract.latch().is_some() && contract.restart.latch == Durability::Persistent;
                track.cooling.forget(kept);
                track.at_attempt = None;
            }
            if contract.restart.latch == Durability::Volatile {
                track.latch.clear();
                track.at_latch = None;
            }
            if contract.throttle.clock == Clock::Monotonic {
                track.cooling.forget_time(&now);
                track.latch.forget_time(&now);
            }
            // How often an overflow was recovered from may be forgotten.
            track.recoveries.0 = 0;
        }
    }

    fn step(&mut self, at: usize, step: &'t StepCommand, event: &'t Event) -> Judged<'t> {
        let contract = self.contract;
        let name = step.conversation;
        let now_s = event.elapsed_s;
        let longest = contract.cooldown().map_or(0.0, |c| c.longest());
        let wait = contract.latch().and_then(|latch| latch.reopen_after_s).unwrap_or(0.0).max(longest);
        let before = Rc::clone(&self.track(name).view);
        let open_call = view::open_call(&self.externals, &before);
        let come = self.track(name).appended + self.track(name).rebrought;
        self.track(name).own_measure.begin();
        let past = &self.tracks[name.0 as usize].own_measure;
        let (pressure, mut reading) = own::read(contract, &self.externals, step, &before, past, come);
        let pressed = pressure == Some(Pressure::Summarize);
        let asked = step.kind == StepKind::Step && pressed && self.auto && !open_call;
        let fog = self.fog(name, now_s, wait, asked);
        let standing = view::standing(&before);
        let now = {
            let track = self.track(name);
            let (appended, rebrought, rewinds) = (track.appended, track.rebrought, track.rewinds);
            Mark { time: (now_s, now_s), appended, rebrought, rewinds, standing }
        };

        let cools = contract
            .cooldown()
            .is_some_and(|cooldown| self.track(name).cooling.forbids(cooldown, Growth::Ignored, &now));
        if step.kind == StepKind::Step && pressed && !cools && !open_call {
            self.track(name).latch.look(standing);
        }
        let eligible = view::surely_eligible(contract, &self.externals, &before);
        let eligible_size: usize = eligible.iter().map(|at| before[*at].size).sum();
        let enough = eligible.len() >= contract.attempt.eligible_min.max(1)
            && eligible_size >= contract.at_most(contract.attempt.eligible_min_size)
            && contract.claims(Capability::Summarize);
        // Under an open call nothing is.
        let trims = contract.claims(Capability::Trim) && !open_call;
        let trimmable = if trims { own::trimmable(contract, &self.externals, &before) } else { 0 };
        let track = self.track(name);
        let (recovered_at, stood) = track.recovered_at;
        if standing > 0 && track.appended > recovered_at {
            track.recoveries.0 = 0;
            // Who measures growth by what stands in the view sees it only there and then.
            if step.kind == StepKind::Overflow && !open_call && standing > stood {
                track.recoveries.1 = 0;
            }
        }

        let mut forbid = self.forbid(step, pressure, &before, &now, open_call, trimmable);
        // Under an open call nothing is ever required: where the host promises never to step then, it is not a step at all.
        let due = pressed && reading.as_ref().is_none_or(|reading| reading.due);
        let mut require =
            if forbid.is_empty() && enough && !open_call { self.require(step, due, &now) } else { Vec::new() };
        if let Some(reading) = &mut reading {
            reading.open = !fog && !self.require(step, true, &now).is_empty();
        }
        if fog {
            let timed = |reason: &Forbid| matches!(reason, Forbid::Cooling | Forbid::Latched | Forbid::NoRecoveryLeft);
            forbid.retain(|reason| !timed(reason));
            require.clear();
        }
        let facts = self.facts(name, &now, cools);
        let (latest_user, turn_over) = (self.track(name).latest_user, self.track(name).turn_over);

        // What the step did.
        if event.delivered() {
            self.receive(name, step.arrived.len());
        } else {
            self.sent += step.arrived.len();
        }
        self.settle(name, event);
        if let Some(state) = event.states.last() {
            self.track(name).view = self.view(&state.view);
        }
        let after = Rc::clone(&self.track(name).view);
        if let Some(reading) = &mut reading {
            reading.after = own::measured(contract, &after);
            reading.left = own::trimmable(contract, &self.externals, &after);
        }
        let mut judged = Judged {
            command: at,
            name,
            step,
            pressure,
            reading,
            event,
            before,
            after,
            frame: self.frame,
            outcome: None,
            trimmed: false,
            replaced: false,
            forbid,
            require,
            fog,
            trimmable,
            eligible: eligible.len(),
            eligible_size,
            latest_user,
            turn_over,
            facts,
            sizes: (0, 0),
            changed: OnceCell::new(),
            inputs: OnceCell::new(),
        };
        self.observe(&mut judged);
        if judged.trimmed && !judged.attempted() && step.kind == StepKind::Step {
            // It trimmed first. What is left may be too little to summarise.
            let left = view::surely_eligible(contract, &self.externals, &judged.after);
            let size: usize = left.iter().map(|at| judged.after[*at].size).sum();
            if left.len() < contract.attempt.eligible_min.max(1)
                || size < contract.at_most(contract.attempt.eligible_min_size)
            {
                judged.require.clear();
            }
            // And who measures once more may find that it is enough for now.
            if judged.reading.is_some() {
                judged.require.clear();
            }
        }
        self.update(&judged, now, enough);
        judged
    }

    fn facts(&mut self, name: Name, now: &Mark, inside_cooldown: bool) -> Facts {
        let contract = self.contract;
        let others =
            self.tracks.iter().enumerate().filter(|(at, track)| *at != name.0 as usize && track.attempts > 0).count();
        let track = self.track(name);
        let mut facts = track.facts.clone();
        facts.others = others;
        facts.inside_cooldown = inside_cooldown;
        facts.latched = track.latch.is_latched();
        facts.strikes = track.latch.states.iter().map(|state| state.count).min().unwrap_or(0);
        if let Some((growth, ui_only, own, at_s)) = track.at_attempt {
            facts.growth = track.appended - growth;
            facts.ui_only = track.ui_only - ui_only;
            facts.own = track.own - own;
            facts.since_s = Some(now.time.0 - at_s);
        }
        if let Some((growth, ui_only, own, at_s)) = track.at_latch.filter(|_| facts.latched) {
            facts.latch_growth = Some(track.appended - growth);
            facts.latch_ui_only = track.ui_only - ui_only;
            facts.latch_own = track.own - own;
            facts.latch_since_s = now.time.0 - at_s;
        }
        facts.cooldown_left_s = contract.cooldown().and_then(|cooldown| track.cooling.left(cooldown, now));
        facts
    }
}
