//! `plimsoll adapter-check`: what of the protocol an adapter lacks, for its author.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::AdapterCheckArgs;
use super::adapter_batch::compare;
use super::candidates::escaped_lines;
use super::schema::Listener;
use super::screen::{Failure, cannot, print};
use crate::adapter::{Launcher, Speaker, Tap};
use crate::generate::{Budget, Effort, Planned, plan};
use crate::history::{Answer, Command, Draft, History, Name, StepCommand, StepKind};
use crate::limit_budget::LimitBudget;
use crate::limit_check::check_side;
use crate::limit_run::Control;
use crate::play::play;
use crate::report::escaped;
use crate::text::counted;
use crate::trace::{BreakKind, Trace};
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
        // What it says is judged; where it says nothing there is nothing to judge.
        Err(error) if error.break_kind() == Some(BreakKind::Protocol) => found.wrong(&error.to_string()),
        Err(error) => return Err(cannot(escaped_lines(&error.to_string()))),
    }
    for fault in listener.lock().unwrap_or_else(PoisonError::into_inner).faults() {
        found.wrong(&fault);
    }
    Ok(found.close())
}

/// What became of a claim.
enum Outcome {
    Answered,
    /// It was answered with an error, and nothing had failed that would explain it.
    Raised(String),
    /// The request was sent, and no answer of the protocol came.
    NotAnswered(String),
    /// The request was never sent: how the candidate broke off before it, if it did.
    NotTried(Option<String>),
}

/// Plays something for each claim, line by line.
fn try_claims(contract: &Contract, make: &dyn Fn() -> Result<Box<dyn Compactor>, Error>, found: &mut Found) {
    let mut said = BTreeSet::new();
    for claim in &contract.capabilities {
        let outcome = match example(contract, *claim, true) {
            Some(history) => outcome(*claim, &play(&history, contract, make)),
            None => at_limit(contract, *claim, make),
        };
        let (says, message) = match outcome {
            Outcome::Answered => ("answered".to_owned(), None),
            Outcome::Raised(error) => {
                found.raised += 1;
                (format!("answered with an error: {}", escaped(&error)), None)
            }
            Outcome::NotAnswered(message) => ("not answered".to_owned(), Some(message)),
            Outcome::NotTried(message) => {
                found.untried = true;
                ("not tried".to_owned(), message)
            }
        };
        found.line(claim.name(), &says);
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
        (_, Some(event)) => match (&event.raised, &trace.history.commands[at]) {
            (Some(error), Command::Step(step)) if step.answers.iter().all(|answer| *answer == Answer::Ok) => {
                Outcome::Raised(error.clone())
            }
            _ => Outcome::Answered,
        },
        (_, None) => Outcome::NotTried(message()),
    }
}

/// Plays a few cases at a limit.
fn at_limit(contract: &Contract, claim: Capability, make: &dyn Fn() -> Result<Box<dyn Compactor>, Error>) -> Outcome {
    let budget = LimitBudget { cases: CASES, shrinks: 0, ..LimitBudget::default() };
    let control = Control::none();
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
pub(super) fn needs(claim: Capability, command: &Command) -> bool {
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

/// The shortest history that needs `claim`; `sound`: one in which the summariser does what it is asked for, if there is one.
/// None: it is no matter of histories.
pub(super) fn example(contract: &Contract, claim: Capability, sound: bool) -> Option<History> {
    let asks = |history: &&History| history.commands.iter().any(|command| needs(claim, command));
    let fails = |history: &History| {
        let asked = history.commands.iter().find(|command| needs(claim, command));
        matches!(asked, Some(Command::Step(step)) if step.answers.iter().any(|answer| *answer != Answer::Ok))
    };
    let directed = directed(contract);
    let best = directed.iter().filter(asks).min_by_key(|history| (sound && fails(history), history.commands.len()));
    best.cloned().or_else(|| plain(claim))
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
pub(super) fn directed(contract: &Contract) -> Vec<History> {
    let budget = Budget::new(Effort::Smoke, contract.weight);
    let directed = plan(contract, 0, budget, Vec::new()).take_while(|planned| planned.target.is_some());
    directed.map(|Planned { history, .. }| history).collect()
}

/// What has been found.
#[derive(Debug, Default)]
pub(super) struct Found {
    wrong: Vec<String>,
    /// Whether a claim was not tried.
    untried: bool,
    /// How many claims were answered with an error.
    raised: usize,
}

impl Found {
    pub(super) fn line(&mut self, name: &str, says: &str) {
        print(&format!("  {name:14} {says}\n"));
    }

    pub(super) fn wrong(&mut self, sentence: &str) {
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
            0 if self.raised > 0 => format!(
                "adapter-check: it speaks the protocol{}, and {} answered with an error where nothing had failed: mend \
                 it before anything else\n",
                if self.untried { ", as far as it was tried" } else { "" },
                counted(self.raised, "claim")
            ),
            0 if self.untried => "adapter-check: it speaks the protocol, as far as it was tried\n".to_owned(),
            0 => "adapter-check: it speaks the protocol\n".to_owned(),
            _ => format!("\nadapter-check: {count} {things} wrong\n"),
        });
        u8::from(count > 0 || self.raised > 0)
    }
}
