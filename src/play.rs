//! Plays a history against a candidate and notes what is observed.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::candidate::{Compactor, Conversation, CutOff, Error, Host, Restart};
use crate::contract::{Capability, Contract, PressureSource};
use crate::heart::heartbeat;
use crate::history::{Answer, Command, History, Name, Pressure, Scribe, StepCommand};
use crate::message::Message;
use crate::script::{Manner, Script};
use crate::trace::{BreakKind, Broken, Event, Reply, State, Trace};

/// Makes a fresh candidate for a history.
pub(crate) type Make<'a> = dyn Fn() -> Result<Box<dyn Compactor>, Error> + 'a;

/// Plays `history`. A candidate that breaks off leaves a trace of what came before.
pub(crate) fn play(history: &History, contract: &Contract, make: &Make<'_>) -> Trace {
    play_with(history, contract, make, true)
}

/// The same for who only judges: where the candidate shows its log, no view is copied at the end. No requirement asks for one.
pub(crate) fn play_to_judge(history: &History, contract: &Contract, make: &Make<'_>) -> Trace {
    play_with(history, contract, make, false)
}

fn play_with(history: &History, contract: &Contract, make: &Make<'_>, views: bool) -> Trace {
    // The texts that make a view exactly as large as before are found by a first run with short ones.
    let mut lengths: Vec<Option<usize>> = vec![None; history.commands.len()];
    loop {
        let trace = play_once(history, contract, &lengths, make, views);
        match next_length(history, contract, &trace, &lengths) {
            Some((command, length)) => lengths[command] = Some(length),
            None => return trace,
        }
    }
}

/// Plays it with answers of these lengths. What breaks off as a whole is played again, command by command: that says which
/// command it was.
fn play_once(history: &History, contract: &Contract, lengths: &[Option<usize>], make: &Make<'_>, views: bool) -> Trace {
    let (mut whole, rehearsed) = Player { views, ..Player::new(history, contract, lengths) }.run(make, true);
    let Some(broken) = whole.broken.as_mut().filter(|_| rehearsed) else { return whole };
    let (parts, _) = Player::new(history, contract, lengths).run(make, false);
    if parts.broken.is_some() {
        return parts;
    }
    // A late answer is too dear to be waited for once more, and nothing is sent as a whole after it.
    if broken.kind == BreakKind::Timeout {
        broken.message.push_str("; it was late as a whole, and not line by line (not tried again as a whole)");
        return whole;
    }
    // Whoever was killed from outside, say, breaks off this once: that it was sent as a whole is no reason then.
    let (again, rehearsed) = Player::new(history, contract, lengths).run(make, true);
    broken.message.push_str(if again.broken.is_none() && rehearsed {
        "; it does not when the case is sent once more, as a whole or line by line"
    } else {
        "; it breaks off when the case is sent as a whole, and not line by line"
    });
    whole
}

fn needs_length(step: &StepCommand) -> bool {
    step.answers.iter().any(|answer| matches!(answer, Answer::Equal | Answer::Ineffective))
}

/// The next step whose summary has yet to be given its length, and that length. Zero: the step's summary cannot be made so,
/// and is an ordinary one.
fn next_length(
    history: &History,
    contract: &Contract,
    trace: &Trace,
    lengths: &[Option<usize>],
) -> Option<(usize, usize)> {
    let open = |(at, command): (usize, &Command)| matches!(command, Command::Step(step) if needs_length(step) && lengths[at].is_none());
    if !history.commands.iter().enumerate().any(open) {
        return None;
    }
    let mut views: Vec<Vec<&Message>> = vec![Vec::new(); history.conversations()];
    let mut externals = trace.externals.iter().map(|(_, _, message)| message);
    for (at, (command, event)) in history.commands.iter().zip(&trace.events).enumerate() {
        if let Command::Append { conversation, messages } = command {
            views[conversation.0 as usize].extend(externals.by_ref().take(messages.len()));
        }
        if let Command::Step(step) = command {
            let arrived: Vec<&Message> = externals.by_ref().take(step.arrived.len()).collect();
            let old = &views[step.conversation.0 as usize];
            if needs_length(step) && lengths[at].is_none() {
                return Some((at, length_for(contract, step, old, event, &arrived)));
            }
        }
        let name = command.conversation().unwrap_or_default().0 as usize;
        if let Some(view) = views.get_mut(name) {
            view.extend(event.appended.iter().chain(&event.extra));
        }
        for state in &event.states {
            views[state.conversation.0 as usize] = state.view.iter().collect();
        }
    }
    None
}

fn length_for(contract: &Contract, step: &StepCommand, old: &[&Message], event: &Event, arrived: &[&Message]) -> usize {
    let Some(new) = event.states.last().map(|state| &state.view) else { return 0 };
    let Some(Reply::Summary { text, usable: true, .. }) = event.calls.last().map(|call| &call.reply) else { return 0 };
    let gone = |message: &&&Message| !new.iter().any(|other| other.id == message.id);
    if old.iter().filter(gone).any(|message| message.reasoning.is_some() || !message.calls.is_empty()) {
        return 0;
    }
    let unit = contract.size.unit.unit();
    // What the attempt itself has said belongs to the view that its summary replaces.
    let said = event.appended.iter().filter(|own| !own.content.contains(text.trim()));
    let before = size(contract, old.iter().copied()) + size(contract, said);
    let (whole, arrived) = (size(contract, new), size(contract, arrived.iter().copied()));
    let after = whole - arrived.min(whole);
    if after >= before {
        return 0;
    }
    let mut room = before - after;
    if step.answers.contains(&Answer::Ineffective) {
        let effect = (before as f64 * contract.attempt.min_effect) as usize;
        if effect < 2 || room < effect {
            return 0;
        }
        room -= effect / 2;
    }
    unit.len(text) + room
}

fn size<'a>(contract: &Contract, view: impl IntoIterator<Item = &'a Message>) -> usize {
    let unit = contract.size.unit.unit();
    let of = |message: &Message| {
        unit.len(&message.content)
            + message.reasoning.as_deref().map_or(0, |text| unit.len(text))
            + contract.size.per_message
    };
    view.into_iter().filter(|message| message.is_visible()).map(of).sum()
}

/// Where the wall clock stands when a history begins, in seconds, by its seed.
fn first_wall(seed: u64) -> f64 {
    [1_000.0, 86_400.0, 1_000_000.0, 1_767_225_600.0][(seed % 4) as usize]
}

struct Player<'a> {
    history: &'a History,
    contract: &'a Contract,
    lengths: &'a [Option<usize>],
    scribe: Scribe,
    manner: Manner,
    conversations: Vec<Conversation>,
    wall_s: f64,
    monotonic_s: f64,
    elapsed_s: f64,
    steps: usize,
    sent: usize,
    /// Whether the last views are kept beside the logs.
    views: bool,
    trace: Trace,
}

impl<'a> Player<'a> {
    fn new(history: &'a History, contract: &'a Contract, lengths: &'a [Option<usize>]) -> Self {
        let scribe = Scribe::new(history.seed, contract);
        let names = 0..history.conversations() as u32;
        let conversations = names.map(|name| Conversation::new(scribe.conversation(Name(name)))).collect();
        let manner = Manner::new(&scribe, history.seed, contract);
        let externals = Vec::with_capacity(history.drafts().count());
        let events = Vec::with_capacity(history.commands.len());
        let trace = Trace { history: history.clone(), externals, events, finals: Vec::new(), broken: None };
        let (wall_s, monotonic_s) = (first_wall(history.seed), (history.seed % 3) as f64 * 50.0);
        Self {
            history,
            contract,
            lengths,
            scribe,
            manner,
            conversations,
            wall_s,
            monotonic_s,
            elapsed_s: 0.0,
            steps: 0,
            sent: 0,
            views: true,
            trace,
        }
    }

    /// Plays it; with a rehearsal, if the candidate wants one and it may have it. The trace, and whether there was one.
    fn run(mut self, make: &Make<'_>, whole: bool) -> (Trace, bool) {
        let mut at = 0;
        let mut rehearsed = false;
        let outcome = guarded(make).and_then(|mut candidate| {
            rehearsed = whole && candidate.rehearse();
            let performed = if rehearsed {
                // Nothing is asked yet, and so nothing can go wrong.
                let _ = Player::new(self.history, self.contract, self.lengths).commands(candidate.as_mut(), &mut 0);
                guarded(|| candidate.perform())
            } else {
                Ok(())
            };
            let played = performed.and_then(|()| self.commands(candidate.as_mut(), &mut at));
            // A candidate may panic when it is dropped, too, whatever came before.
            let dropped = guarded(|| {
                drop(candidate);
                Ok(())
            });
            played.and(dropped)
        });
        if let Err(error) = outcome {
            let kind = error.break_kind().unwrap_or(BreakKind::Protocol);
            self.trace.broken = Some(Broken { command: at, kind, message: error.to_string() });
        }
        (self.trace, rehearsed)
    }

    /// Plays all commands; `at` is the one that is being played.
    fn commands(&mut self, candidate: &mut dyn Compactor, at: &mut usize) -> Result<(), Error> {
        for command in &self.history.commands {
            self.command(candidate, *at, command)?;
            *at += 1;
        }
        self.finish(candidate)
    }

    fn messages(&mut self, name: Name, drafts: &[crate::history::Draft]) -> Vec<Message> {
        let messages: Vec<Message> = drafts.iter().map(|draft| self.scribe.message(draft)).collect();
        for (draft, message) in drafts.iter().zip(&messages) {
            if message.is_visible() {
                self.sent += message.content.len() + message.reasoning.as_ref().map_or(0, String::len);
            }
            self.trace.externals.push((name, draft.key, message.clone()));
        }
        messages
    }

    fn command(&mut self, candidate: &mut dyn Compactor, at: usize, command: &Command) -> Result<(), Error> {
        let mut event = Event::default();
        let done = match command {
            Command::Append { conversation, messages } => {
                let messages = self.messages(*conversation, messages);
                let target = &mut self.conversations[conversation.0 as usize];
                guarded(|| candidate.append(target, messages)).map(|()| self.changes(*conversation, &mut event))
            }
            Command::Step(step) => self.step(candidate, at, step, &mut event),
            Command::Clock { wall_by_s } => {
                self.wall_s += wall_by_s;
                Ok(())
            }
            Command::Rewind { conversation, to } => {
                let to = self.scribe.id(*to);
                let target = &mut self.conversations[conversation.0 as usize];
                guarded(|| candidate.rewind(target, &to)).map(|()| {
                    self.changes(*conversation, &mut event);
                    if event.states.is_empty() {
                        // Who has changed nothing shows the view all the same, as over the wire.
                        let view = self.conversations[conversation.0 as usize].view().to_vec();
                        event.states.push(State { conversation: *conversation, view, log: None });
                    }
                })
            }
            Command::Restart { without } => {
                self.monotonic_s = 0.0;
                let restart = Restart::new(self.wall_s, 0.0, without.clone());
                let conversations = &mut self.conversations;
                guarded(|| candidate.restart(conversations, &restart)).map(|()| {
                    for name in 0..self.conversations.len() as u32 {
                        let _ = self.conversations[name as usize].take_changes();
                        event.states.push(self.state(Name(name)));
                    }
                })
            }
            Command::Auto { on } => guarded(|| candidate.auto(*on)),
            Command::Usage { conversation, tokens, upto } => {
                let upto = self.scribe.id(*upto);
                let target = &mut self.conversations[conversation.0 as usize];
                guarded(|| candidate.usage(target, *tokens, &upto))
            }
        };
        (event.elapsed_s, event.wall_s, event.monotonic_s) = (self.elapsed_s, self.wall_s, self.monotonic_s);
        // What was seen of a command that broke off is not judged.
        done.map(|()| self.trace.events.push(event))
    }

    fn step(
        &mut self,
        candidate: &mut dyn Compactor,
        at: usize,
        step: &StepCommand,
        event: &mut Event,
    ) -> Result<(), Error> {
        self.elapsed_s += step.after_s;
        self.wall_s += step.after_s;
        self.monotonic_s += step.after_s;
        let arrived = self.messages(step.conversation, &step.arrived);
        let length = self.lengths[at].unwrap_or(0);
        let script = Script::new(&self.manner, step, self.steps, self.sent, length);
        self.steps += 1;
        // Who measures for itself is told nothing.
        let given = self.contract.pressure == PressureSource::Given;
        let pressure = if given { step.pressure } else { Pressure::None };
        let host = Host::scripted(step.kind, pressure, (self.wall_s, self.monotonic_s), script, arrived);
        let target = &mut self.conversations[step.conversation.0 as usize];
        let result = guarded(|| candidate.step(target, &host));
        event.calls = host.close();
        if event.cut_off() {
            // Whatever the step did after that, it did in no process.
            let _ = self.conversations[step.conversation.0 as usize].take_changes();
            return result.map(drop).or_else(|error| if error.break_kind().is_some() { Err(error) } else { Ok(()) });
        }
        match result {
            Ok(action) => event.action = Some(action),
            Err(error) if error.break_kind().is_some() => return Err(error),
            Err(error) => {
                event.raised = Some(error.to_string());
                guarded(|| candidate.read(target))?;
            }
        }
        // What becomes of messages that arrived is told by the view alone. It is read whether they did or not: what a
        // candidate is asked does not depend on what it answers, but for an error.
        let arrived = !step.arrived.is_empty() && event.delivered();
        if !step.arrived.is_empty() && event.raised.is_none() {
            let target = &mut self.conversations[step.conversation.0 as usize];
            guarded(|| candidate.read(target))?;
        }
        self.changes(step.conversation, event);
        if arrived && event.states.is_empty() {
            let view = self.conversations[step.conversation.0 as usize].view().to_vec();
            event.states.push(State { conversation: step.conversation, view, log: None });
        }
        Ok(())
    }

    fn changes(&mut self, name: Name, event: &mut Event) {
        let changes = self.conversations[name.0 as usize].take_changes();
        event.appended = changes.appended;
        event.extra = changes.extra;
        if changes.installed {
            let view = self.conversations[name.0 as usize].view().to_vec();
            event.states.push(State { conversation: name, view, log: None });
        }
    }

    fn state(&self, name: Name) -> State {
        let conversation = &self.conversations[name.0 as usize];
        let log = self.contract.claims(Capability::Log).then(|| conversation.log().to_vec());
        State { conversation: name, view: conversation.view().to_vec(), log }
    }

    fn finish(&mut self, candidate: &mut dyn Compactor) -> Result<(), Error> {
        let readable = self.contract.claims(Capability::View) || self.contract.claims(Capability::Log);
        let shows_log = self.contract.claims(Capability::Log);
        for name in 0..self.conversations.len() {
            if readable {
                guarded(|| candidate.read(&mut self.conversations[name]))?;
            }
            // Nothing comes after it, so that it need not be copied.
            let conversation = std::mem::take(&mut self.conversations[name]);
            let (log, view) = match (shows_log, self.views) {
                (true, true) => {
                    let (log, view) = conversation.into_parts();
                    (Some(log), view)
                }
                (true, false) => (Some(conversation.into_log()), Vec::new()),
                (false, _) => (None, conversation.into_view()),
            };
            self.trace.finals.push(State { conversation: Name(name as u32), view, log });
        }
        Ok(())
    }
}

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Calls the candidate. A panic is a crash, with its message; it prints nothing.
pub(crate) fn guarded<T>(call: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if INSIDE.get() {
                PANIC.with(|message| *message.borrow_mut() = info.to_string().replace('\n', ": "));
            } else {
                previous(info);
            }
        }));
    });
    let outer = INSIDE.replace(true);
    heartbeat(true);
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    heartbeat(false);
    INSIDE.set(outer);
    result.unwrap_or_else(|payload| match payload.downcast_ref::<CutOff>() {
        Some(CutOff) => Err(Error::raised("the process ended")),
        None => Err(Error::broken(BreakKind::Crash, PANIC.with(RefCell::take))),
    })
}
