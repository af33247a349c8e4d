//! `plimsoll adapter-check`: what of the protocol an adapter lacks, for its author.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::AdapterCheckArgs;
use super::schema::Listener;
use super::screen::{Failure, cannot, print};
use crate::adapter::{Launcher, Speaker, Tap};
use crate::generate::{Budget, Effort, Planned, plan};
use crate::history::{Command, Draft, History, Name, StepCommand, StepKind};
use crate::limit_check::{Control, LimitBudget, check_side};
use crate::play::play;
use crate::report::escaped;
use crate::trace::{Call, Event, Reply, Trace};
use crate::{Capability, Compactor, Contract, Error, Pressure, Role};

/// Cases at a limit for each side.
const CASES: u64 = 8;

pub(super) fn adapter_check(args: &AdapterCheckArgs) -> Result<u8, Failure> {
    let mut found = Found::default();
    let listener = Arc::new(Mutex::new(Listener::new().map_err(cannot)?));
    let heard = Arc::clone(&listener);
    let tap = move |speaker: Speaker, line: &[u8]| {
        heard.lock().unwrap_or_else(PoisonError::into_inner).hear(speaker, line);
    };
    let launcher = Launcher::new(args.command.clone(), args.timeout).tapped(Tap(Arc::new(tap)));
    match launcher.lease() {
        Ok(child) => {
            let hello = child.introduction().clone();
            let contract = hello.contract.clone();
            drop(child);
            let batch = if hello.batch { ", whole cases in one line" } else { "" };
            print(&format!("{} {}, protocol 1{batch}\n", escaped(&hello.name), escaped(&hello.version)));
            for member in &hello.unknown {
                found.wrong(&format!(
                    "the contract has a member `{member}`, which no version of the specification knows"
                ));
            }
            if let Err(error) = contract.check() {
                found.wrong(&format!("the contract contradicts itself: {error}"));
            }
            let make = |launcher: Launcher| move || launcher.lease().map(|child| Box::new(child) as Box<dyn Compactor>);
            let single = make(launcher.clone().line_by_line());
            try_claims(&contract, &single, &mut found);
            if hello.batch {
                compare(&contract, &single, &make(launcher.clone()), &mut found);
            } else {
                found.line(
                    "batch",
                    "not offered: `\"batch\":true` in the answer to `hello` saves most of the time of a run",
                );
            }
        }
        Err(error) => found.wrong(&error.to_string()),
    }
    for fault in listener.lock().unwrap_or_else(PoisonError::into_inner).faults() {
        found.wrong(fault);
    }
    Ok(found.close())
}

/// What became of a claim.
enum Outcome {
    Answered,
    /// The request was sent, and no answer of the protocol came.
    NotAnswered(String),
    /// The request was never sent: how the candidate broke off before it, if it did.
    NotTried(Option<String>),
}

/// Plays something for each claim, line by line.
fn try_claims(contract: &Contract, make: &dyn Fn() -> Result<Box<dyn Compactor>, Error>, found: &mut Found) {
    let mut said = BTreeSet::new();
    for claim in &contract.capabilities {
        let outcome = match example(contract, *claim) {
            Some(history) => outcome(*claim, &play(&history, contract, make)),
            None => at_limit(contract, *claim, make),
        };
        let (says, message) = match outcome {
            Outcome::Answered => ("answered", None),
            Outcome::NotAnswered(message) => ("not answered", Some(message)),
            Outcome::NotTried(message) => {
                found.untried = true;
                ("not tried", message)
            }
        };
        found.line(claim.name(), says);
        if let Some(message) = message.filter(|message| said.insert(message.clone())) {
            found.wrong(&message);
        }
    }
}

/// Whether the command that needs `claim` was reached, and answered.
fn outcome(claim: Capability, trace: &Trace) -> Outcome {
    let message = || trace.broken.as_ref().map(|broken| broken.message.clone());
    let at = trace.history.commands.iter().position(|command| needs(claim, command));
    let Some(at) = at else { return Outcome::NotTried(message()) };
    match (&trace.broken, trace.events.get(at)) {
        // What breaks off later is some other claim's matter, or comes at the end, where all of it is looked at.
        (Some(broken), _) if broken.command == at || broken.command >= trace.history.commands.len() => {
            Outcome::NotAnswered(broken.message.clone())
        }
        // Messages arrive during a call, and there was none.
        (_, Some(event)) if claim == Capability::Arrivals && event.calls.is_empty() => Outcome::NotTried(message()),
        (_, Some(_)) => Outcome::Answered,
        (_, None) => Outcome::NotTried(message()),
    }
}

/// Plays a few cases at a limit.
fn at_limit(contract: &Contract, claim: Capability, make: &dyn Fn() -> Result<Box<dyn Compactor>, Error>) -> Outcome {
    let budget = LimitBudget { cases: CASES, shrinks: 0, ..LimitBudget::default() };
    let control = Control { only: &[], until: &[], first: &[], stop: &|| false, tell: &|_| {} };
    match check_side(contract, make, claim, &budget, control) {
        Some(report) => match report.breaks.first() {
            Some(broken) => Outcome::NotAnswered(broken.message.clone()),
            None if report.cases == 0 => Outcome::NotTried(None),
            None => Outcome::Answered,
        },
        None => Outcome::NotTried(None),
    }
}

/// Whether a command asks for what `claim` claims.
fn needs(claim: Capability, command: &Command) -> bool {
    match (claim, command) {
        (Capability::Restart, Command::Restart { .. })
        | (Capability::Rewind, Command::Rewind { .. })
        | (Capability::Auto, Command::Auto { .. })
        | (Capability::Usage, Command::Usage { .. })
        | (Capability::Log | Capability::View, Command::Step(_)) => true,
        (Capability::Conversations, command) => command.conversation().is_some_and(|name| name.0 > 0),
        (claim, Command::Step(step)) => match claim {
            Capability::Summarize | Capability::Throttle | Capability::Latch => {
                step.pressure == Pressure::Summarize && step.kind == StepKind::Step
            }
            Capability::Trim => step.pressure == Pressure::Trim,
            Capability::Force => step.kind == StepKind::Force,
            Capability::Overflow => step.kind == StepKind::Overflow,
            Capability::Arrivals => !step.arrived.is_empty(),
            _ => false,
        },
        _ => false,
    }
}

/// The shortest history that needs `claim`; none: it is no matter of histories.
fn example(contract: &Contract, claim: Capability) -> Option<History> {
    let asks = |history: &&History| history.commands.iter().any(|command| needs(claim, command));
    let directed = directed(contract);
    directed.iter().filter(asks).min_by_key(|history| history.commands.len()).cloned().or_else(|| plain(claim))
}

/// The plainest history that needs `claim`, where the plan has none.
fn plain(claim: Capability) -> Option<History> {
    let draft = |key| Draft::new(key, if key % 2 == 1 { Role::User } else { Role::Assistant });
    let conversation = Name(u32::from(claim == Capability::Conversations));
    let mut step = StepCommand::new(conversation);
    let mut before = None;
    match claim {
        Capability::Trim => step.pressure = Pressure::Trim,
        Capability::Force => step.kind = StepKind::Force,
        Capability::Overflow => step.kind = StepKind::Overflow,
        Capability::Arrivals => step.arrived = vec![draft(13)],
        Capability::Restart => before = Some(Command::Restart { without: Vec::new() }),
        Capability::Rewind => before = Some(Command::Rewind { conversation, to: 8 }),
        Capability::Auto => before = Some(Command::Auto { on: false }),
        Capability::Usage => before = Some(Command::Usage { conversation, tokens: 1_000, upto: 12 }),
        Capability::Summarize
        | Capability::Throttle
        | Capability::Latch
        | Capability::Conversations
        | Capability::Log
        | Capability::View => {}
        _ => return None,
    }
    let append = Command::Append { conversation, messages: (1..=12).map(draft).collect() };
    let commands = std::iter::once(append).chain(before).chain([Command::Step(step)]);
    Some(History::new(0, commands.collect()))
}

/// One history for each claimed requirement, and more for some.
fn directed(contract: &Contract) -> Vec<History> {
    let budget = Budget::new(Effort::Smoke, contract.weight);
    let directed = plan(contract, 0, budget, Vec::new()).take_while(|planned| planned.target.is_some());
    directed.map(|Planned { history, .. }| history).collect()
}

/// What a history has to show for a comparison to be worth something.
const SHOWN: [fn(&Command, &Event) -> bool; 4] = [
    // A summary is installed.
    |_, event| {
        let usable = |call: &Call| matches!(call.reply, Reply::Summary { usable: true, .. });
        event.calls.iter().any(usable) && !(event.states.is_empty() && event.appended.is_empty())
    },
    |_, event| event.raised.is_some(),
    |command, event| needs(Capability::Arrivals, command) && !event.calls.is_empty(),
    |command, _| needs(Capability::Restart, command),
];

/// At most so many histories are looked through for them, and none of more commands.
const LOOKED_THROUGH: usize = 64;
const COMMANDS: usize = 60;

/// Plays the same histories line by line and as wholes: one for each claim, and whatever shows more.
fn compare(
    contract: &Contract,
    single: &dyn Fn() -> Result<Box<dyn Compactor>, Error>,
    whole: &dyn Fn() -> Result<Box<dyn Compactor>, Error>,
    found: &mut Found,
) {
    let mut shown = [false; SHOWN.len()];
    let (mut seen, mut compared): (Vec<History>, usize) = (Vec::new(), 0);
    let examples: Vec<History> = contract.capabilities.iter().filter_map(|claim| example(contract, *claim)).collect();
    let more = directed(contract).into_iter().filter(|history| history.commands.len() <= COMMANDS);
    let more = more.take(LOOKED_THROUGH).map(|history| (false, history));
    for (always, history) in examples.into_iter().map(|history| (true, history)).chain(more) {
        if seen.contains(&history) || (!always && shown.iter().all(|shown| *shown)) {
            continue;
        }
        let one = play(&history, contract, single);
        let mut new = false;
        for (shown, shows) in shown.iter_mut().zip(SHOWN) {
            let here = history.commands.iter().zip(&one.events).any(|(command, event)| shows(command, event));
            new |= here && !*shown;
            *shown |= here;
        }
        if always || new {
            compared += 1;
            if let Some(differs) = difference(&one, &play(&history, contract, whole)) {
                found.line("batch", "differs");
                found.wrong(&format!("a case in one line is not answered as line by line: {differs}"));
                return;
            }
        }
        seen.push(history);
    }
    found.line("batch", if compared == 0 { "nothing to compare" } else { "as line by line" });
}

fn difference(one: &Trace, other: &Trace) -> Option<String> {
    if let Some(broken) = other.broken.as_ref().filter(|_| one.broken.is_none()) {
        return Some(broken.message.clone());
    }
    let at = one.events.iter().zip(&other.events).position(|(one, other)| one != other);
    let at =
        at.or_else(|| (one.events.len() != other.events.len()).then_some(one.events.len().min(other.events.len())));
    let command = |at: usize| one.history.commands.get(at).map(|command| format!("{command:?}")).unwrap_or_default();
    at.map(|at| format!("at command {} of {}, {}", at + 1, one.history.commands.len(), command(at)))
        .or_else(|| (one.finals != other.finals).then(|| "the state at the end is another one".to_owned()))
}

/// What has been found.
#[derive(Debug, Default)]
struct Found {
    wrong: Vec<String>,
    /// Whether a claim was not tried.
    untried: bool,
}

impl Found {
    fn line(&mut self, name: &str, says: &str) {
        print(&format!("  {name:14} {says}\n"));
    }

    fn wrong(&mut self, sentence: &str) {
        let lines: Vec<String> = sentence.lines().map(escaped).collect();
        self.wrong.push(lines.join("\n      "));
    }

    /// Tells what is wrong. The exit code.
    fn close(self) -> u8 {
        for sentence in &self.wrong {
            print(&format!("\nwrong: {sentence}\n"));
        }
        let count = self.wrong.len();
        let things = if count == 1 { "thing is" } else { "things are" };
        print(&match count {
            0 if self.untried => "adapter-check: it speaks the protocol, as far as it was tried\n".to_owned(),
            0 => "adapter-check: it speaks the protocol\n".to_owned(),
            _ => format!("\nadapter-check: {count} {things} wrong\n"),
        });
        u8::from(count > 0)
    }
}
