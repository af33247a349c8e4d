//! The oracle: for each step, the reasons that forbid an attempt and the reasons that require one. Neither: the candidate
//! is free.

mod judged;
mod state;
pub(crate) mod view;

use std::collections::HashSet;
use std::rc::Rc;

use state::{Cooling, LatchStates, Mark, Open, Permit};
pub(crate) use view::Origin;
use view::{Externals, Item, View};

use crate::contract::{Capability, Contract, CountsAs, Durability, FailureKind, Growth, Pending, SizeUnit};
use crate::history::{Command, Name, Pressure, StepCommand, StepKind};
use crate::message::{Message, Role};
use crate::trace::{Event, Trace};

pub(crate) use judged::{Facts, Forbid, Judged, Judgement, Outcome, Require, Wrong};

/// Judges a trace.
pub(crate) fn judge<'t>(contract: &'t Contract, trace: &'t Trace) -> Judgement<'t> {
    let mut judge = Judge {
        contract,
        externals: Externals::new(trace, contract),
        tracks: vec![Track::default(); trace.history.conversations()],
        auto: true,
        sent: 0,
        extras: HashSet::new(),
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
}

struct Judge<'t> {
    contract: &'t Contract,
    externals: Externals<'t>,
    tracks: Vec<Track<'t>>,
    auto: bool,
    sent: usize,
    extras: HashSet<&'t str>,
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
            Command::Restart { .. } => self.restart(event),
            Command::Usage { .. } => {}
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
            let message = self.externals.message(at);
            let origin = view::Origin::External(at);
            let item = Item { message, origin, verbatim: true, visible: message.is_visible() };
            let track = self.track(name);
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
            let track = self.track(name);
            let item = Item { message, origin: view::Origin::Extra, verbatim: true, visible: message.is_visible() };
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
            let track = self.track(name);
            track.own += 1;
            let item = Item { message, origin: view::Origin::Own, verbatim: false, visible: message.is_visible() };
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
                track.cooling = Cooling::default();
                track.at_attempt = None;
            }
            if contract.restart.latch == Durability::Volatile {
                track.latch.clear();
                track.at_latch = None;
            }
            if contract.throttle.clock == crate::contract::Clock::Monotonic {
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
        let open_call = !view::open_calls(&self.externals, &before).is_empty();
        let asked = step.kind == StepKind::Step && step.pressure == Pressure::Summarize && self.auto && !open_call;
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
        if step.kind == StepKind::Step && step.pressure == Pressure::Summarize && !cools && !open_call {
            self.track(name).latch.look(standing);
        }
        let eligible = view::surely_eligible(contract, &self.externals, &before);
        let eligible_size: usize = eligible.iter().map(|at| view::size_of(contract, &before[*at])).sum();
        let enough = eligible.len() >= contract.attempt.eligible_min.max(1)
            && eligible_size >= contract.attempt.eligible_min_size
            && contract.claims(Capability::Summarize);
        let trimmable = if contract.claims(Capability::Trim) {
            view::surely_trimmable(contract, &self.externals, &before).len()
        } else {
            0
        };
        let track = self.track(name);
        let (recovered_at, stood) = track.recovered_at;
        if standing > 0 && track.appended > recovered_at {
            track.recoveries.0 = 0;
            // Who measures growth by what stands in the view sees it only there and then.
            if step.kind == StepKind::Overflow && !open_call && standing > stood {
                track.recoveries.1 = 0;
            }
        }

        let mut forbid = self.forbid(step, &before, &now, open_call, trimmable);
        // Under an open call nothing is ever required: where the host promises never to step then, it is not a step at all.
        let mut require = if forbid.is_empty() && enough && !open_call { self.require(step, &now) } else { Vec::new() };
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
        let mut judged = Judged {
            command: at,
            name,
            step,
            event,
            before,
            after,
            frame: contract.attempt.answer.split_once("{text}").unwrap_or_default(),
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
        };
        self.observe(&mut judged);
        if judged.trimmed && !judged.attempted() && step.kind == StepKind::Step {
            // It trimmed first. What is left may be too little to summarise.
            let left = view::surely_eligible(contract, &self.externals, &judged.after);
            let size: usize = left.iter().map(|at| view::size_of(contract, &judged.after[*at])).sum();
            if left.len() < contract.attempt.eligible_min.max(1) || size < contract.attempt.eligible_min_size {
                judged.require.clear();
            }
        }
        self.update(&judged, now, enough);
        judged
    }

    /// Whether the wall clock has stepped and only CLK-1 speaks. The time runs from the first step at which the candidate has
    /// reason to look at the clock.
    fn fog(&mut self, name: Name, now_s: f64, wait: f64, asked: bool) -> bool {
        let track = self.track(name);
        match track.fog {
            None => false,
            Some(None) => {
                if asked {
                    track.fog = Some(Some(now_s + wait));
                }
                wait > 0.0
            }
            Some(Some(until)) if now_s < until => true,
            Some(Some(_)) => {
                track.fog = None;
                false
            }
        }
    }

    fn forbid(
        &self,
        step: &StepCommand,
        before: &[Item<'t>],
        now: &Mark,
        open_call: bool,
        trimmable: usize,
    ) -> Vec<Forbid> {
        let contract = self.contract;
        let track = &self.tracks[step.conversation.0 as usize];
        let mut forbid = Vec::new();
        if open_call && contract.attempt.pending == Pending::Never {
            forbid.push(Forbid::OpenCall);
        }
        if step.kind != StepKind::Force && !self.auto {
            forbid.push(Forbid::AutoOff);
        }
        if step.kind == StepKind::Step {
            match step.pressure {
                Pressure::None => forbid.push(Forbid::PressureNone),
                Pressure::Trim if trimmable > 0 => forbid.push(Forbid::TrimEnough),
                Pressure::Trim | Pressure::Summarize => {}
            }
            if contract
                .cooldown()
                .is_some_and(|cooldown| track.cooling.forbids(cooldown, contract.throttle.growth, now))
            {
                forbid.push(Forbid::Cooling);
            }
            if track.latch.forbids(contract, now) {
                forbid.push(Forbid::Latched);
            }
        }
        if step.kind == StepKind::Overflow && track.recoveries.0 >= contract.overflow.recoveries {
            forbid.push(Forbid::NoRecoveryLeft);
        }
        if view::maybe_eligible(before).is_empty() {
            forbid.push(Forbid::NothingEligible);
        }
        forbid
    }

    fn require(&self, step: &StepCommand, now: &Mark) -> Vec<Require> {
        let contract = self.contract;
        let track = &self.tracks[step.conversation.0 as usize];
        match step.kind {
            StepKind::Force if contract.claims(Capability::Force) => vec![Require::Forced],
            StepKind::Overflow
                if contract.claims(Capability::Overflow) && track.recoveries.1 < contract.overflow.recoveries =>
            {
                vec![Require::Overflow]
            }
            StepKind::Step if step.pressure == Pressure::Summarize => {
                let Some(open) = track.latch.permits(contract, now) else { return Vec::new() };
                let permit = match contract.cooldown() {
                    Some(cooldown) => track.cooling.permits(cooldown, contract.throttle.growth, now),
                    // Without a cooldown only the latch speaks, and after an attempt that left the view as it is there is
                    // nothing new to try.
                    None => Some(if track.attempts == 0 { Permit::NoAttemptYet } else { Permit::CooldownOver }),
                };
                let mut reasons = match permit {
                    None => return Vec::new(),
                    Some(Permit::NoAttemptYet) => vec![Require::FirstAttempt],
                    Some(Permit::CooldownOver) => vec![Require::CooldownOver],
                    Some(Permit::Grown) => vec![Require::Grown],
                };
                if open == Open::Reopened {
                    reasons.push(Require::Reopened);
                }
                reasons
            }
            _ => Vec::new(),
        }
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

    /// What kind of thing the step was, from what was seen of it.
    fn observe(&self, judged: &mut Judged<'t>) {
        let contract = self.contract;
        let stands =
            |item: &Item<'_>| item.external().and_then(|at| judged.after.iter().find(|new| new.external() == Some(at)));
        let old: Vec<&Item<'_>> =
            judged.before.iter().filter(|item| item.visible && item.external().is_some()).collect();
        let gone = old.iter().any(|item| stands(item).is_none());
        let shorter = old
            .iter()
            .any(|item| stands(item).is_some_and(|new| new.message.content.len() < item.message.content.len()));
        let (size_before, size_after) = self.sizes(judged);
        judged.sizes = (size_before, size_after);
        if judged.event.calls.is_empty() {
            judged.trimmed = (gone || shorter) && size_after < size_before;
            return;
        }
        let carries = |text: &str| judged.carries(text);
        let known = !judged.event.states.is_empty();
        let installed = known && judged.usable().any(carries);
        // What stands for something that was said, usable or not, is no trim.
        let taken = installed || (known && judged.texts().any(|text| carries(text.trim())));
        let kept = |item: &Item<'_>| {
            let same =
                |new: &Item<'_>| new.message.id == item.message.id || new.message.content == item.message.content;
            judged.after.iter().any(same)
        };
        let summaries = judged.before.iter().filter(|item| item.visible && item.is_own() && item.message.summary);
        judged.replaced = known && (gone || summaries.into_iter().any(|item| !kept(item)));
        judged.trimmed = shorter || (gone && !taken && size_after < size_before);
        let smaller = if contract.size.unit == SizeUnit::Tokens {
            size_after < size_before.saturating_mul(2)
        } else {
            size_after < size_before && size_after as f64 <= size_before as f64 * (1.0 - contract.attempt.min_effect)
        };
        let calls = &judged.event.calls;
        judged.outcome = Some(if installed && smaller {
            Outcome::Success
        } else if calls.iter().any(|call| call.reply.is_abort()) {
            Outcome::Abort
        } else if judged.event.raised.is_some() {
            Outcome::Failure(FailureKind::Raised)
        } else if let Some(kind) = calls.iter().rev().find_map(|call| call.reply.failure()) {
            Outcome::Failure(kind)
        } else if installed && size_after > size_before {
            Outcome::Failure(FailureKind::Inflated)
        } else if installed && size_after == size_before {
            Outcome::Failure(FailureKind::Equal)
        } else if installed {
            Outcome::Failure(FailureKind::Ineffective)
        } else {
            Outcome::Failure(unfit(judged.step))
        });
    }

    /// The sizes of the view before and after the step, without what arrived meanwhile. What the attempt itself has said
    /// to the model belongs to the view that its summary replaces.
    fn sizes(&self, judged: &Judged<'_>) -> (usize, usize) {
        let said = judged
            .event
            .appended
            .iter()
            .filter(|own| own.is_visible() && !judged.usable().any(|text| own.content.contains(text)));
        let said: usize = said.map(|message| view::size_of_message(self.contract, message)).sum();
        let arrived = |item: &&Item<'_>| {
            item.external()
                .is_none_or(|at| !judged.step.arrived.iter().any(|draft| draft.key == self.externals.draft(at).key))
        };
        let after: Vec<Item<'_>> = judged.after.iter().filter(arrived).copied().collect();
        (view::size(self.contract, &judged.before) + said, view::size(self.contract, &after))
    }

    /// What the step did to throttle and latch.
    fn update(&mut self, judged: &Judged<'t>, now: Mark, enough: bool) {
        let contract = self.contract;
        let after = view::standing(&judged.after);
        let (smaller_after, smaller_before) =
            (view::size(contract, &judged.after), view::size(contract, &judged.before));
        let smaller = smaller_after < smaller_before;
        let track = self.track(judged.name);
        let mark = Mark { standing: now.standing.max(after), ..now };
        let abort_fails = state::abort_is_failure(contract);
        let latched_before = track.latch.is_latched();
        let kind = judged.step.kind;
        if let Some(outcome) = judged.outcome {
            track.attempts += 1;
            match outcome {
                Outcome::Success => {
                    track.facts.successes += 1;
                    track.facts.cleared += u32::from(track.latch.has_failed());
                }
                Outcome::Abort => track.facts.aborts += 1,
                Outcome::Failure(_) => {}
            }
            if kind == StepKind::Force {
                track.facts.forced += 1;
            } else {
                track.at_attempt =
                    Some((now.appended, track.ui_only, track.own - judged.event.appended.len() as u64, now.time.0));
                track.facts.last = Some(outcome);
                track.facts.last_raised = judged.event.raised.is_some();
                track.facts.last_installed = judged.replaced;
            }
        }
        match (kind, judged.outcome) {
            (StepKind::Step, Some(Outcome::Success)) => {
                track.cooling.start(mark, true);
                track.latch.clear();
            }
            (StepKind::Step, Some(Outcome::Failure(kind))) => {
                track.cooling.start(mark, false);
                track.latch.fail(contract, kind, mark);
            }
            (StepKind::Step, Some(Outcome::Abort)) if abort_fails => {
                track.cooling.start(mark, false);
                track.latch.fail(contract, FailureKind::Raised, mark);
            }
            (StepKind::Step, Some(Outcome::Abort)) => track.cooling.may_start(mark, false),
            (StepKind::Force, Some(Outcome::Success)) => {
                track.cooling.may_start(mark, false);
                track.cooling.may_clear();
                track.latch.clear();
            }
            (StepKind::Overflow, Some(Outcome::Success)) => {
                track.cooling.may_start(mark, false);
                track.cooling.may_clear();
                track.latch.clear();
            }
            (StepKind::Overflow, Some(Outcome::Failure(kind))) => {
                track.cooling.may_start(mark, true);
                track.latch.may_fail(contract, kind, mark);
            }
            (StepKind::Overflow, Some(Outcome::Abort)) => {
                track.cooling.may_start(mark, false);
                if abort_fails {
                    track.latch.may_fail(contract, FailureKind::Raised, mark);
                }
            }
            (StepKind::Step, None) if judged.step.pressure != Pressure::None && !enough => {
                track.facts.declines += 1;
                track.cooling.may_start(mark, false);
                if contract.attempt.noop == CountsAs::Failure && judged.step.pressure == Pressure::Summarize {
                    track.latch.may_fail(contract, FailureKind::NoView, mark);
                }
            }
            _ => {}
        }
        let could_trim = judged.trimmable > 0 && kind == StepKind::Step && judged.step.pressure != Pressure::None;
        track.facts.chances_latched += u32::from(could_trim);
        if judged.trimmed {
            track.facts.trims += 1;
            track.facts.trims_latched += 1;
            if kind != StepKind::Force {
                track.cooling.may_start(mark, false);
            }
        }
        if kind == StepKind::Overflow && (judged.attempted() || judged.trimmed) {
            track.recovered_at = (track.appended, mark.standing);
            // Whether an interrupted recovery is used up is not said.
            let used = u32::from(judged.outcome != Some(Outcome::Abort));
            track.recoveries = if smaller { (0, 0) } else { (track.recoveries.0 + used, track.recoveries.1 + 1) };
        } else if smaller {
            // Another step made the view smaller: whether that renews the recoveries is not said.
            track.recoveries.0 = 0;
        }
        let latched = track.latch.is_latched();
        let exempt = |kind: &FailureKind| contract.latch().is_some_and(|rules| rules.exempt.contains(kind));
        let struck = match judged.outcome {
            Some(Outcome::Failure(kind)) => !exempt(&kind),
            Some(Outcome::Abort) => abort_fails,
            Some(Outcome::Success) | None => false,
        };
        if latched && kind != StepKind::Force && ((kind == StepKind::Step && struck) || !latched_before) {
            let own = track.own - judged.event.appended.len() as u64;
            track.at_latch = Some((now.appended, track.ui_only, own, now.time.0));
            track.facts.latchings += 1;
            track.facts.rewinds_latched = 0;
            track.facts.trims_latched = 0;
            track.facts.chances_latched = 0;
        }
    }
}

/// Why a usable summary was not installed, by what the host meant it to be.
fn unfit(step: &StepCommand) -> FailureKind {
    use crate::history::Answer;
    match step.answers.last() {
        Some(Answer::Inflated) => FailureKind::Inflated,
        Some(Answer::Equal) => FailureKind::Equal,
        Some(Answer::Ineffective) => FailureKind::Ineffective,
        _ => FailureKind::NoView,
    }
}
