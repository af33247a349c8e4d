//! `plimsoll adapter-check`: what of the protocol an adapter lacks, for its author.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::AdapterCheckArgs;
use super::schema::Listener;
use super::screen::{Failure, cannot, print};
use crate::adapter::{Launcher, Speaker, Tap};
use crate::generate::{Budget, Effort, Planned, plan};
use crate::history::{Command, History, StepKind};
use crate::limit_check::{Control, LimitBudget, check_side};
use crate::play::play;
use crate::report::escaped;
use crate::trace::Trace;
use crate::{Capability, Compactor, Contract, Error, Pressure};

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

/// Plays something for each claim, line by line.
fn try_claims(contract: &Contract, make: &dyn Fn() -> Result<Box<dyn Compactor>, Error>, found: &mut Found) {
    let mut said = BTreeSet::new();
    for claim in &contract.capabilities {
        let broken = match example(contract, *claim) {
            Some(history) => {
                let trace = play(&history, contract, make);
                trace.broken.map(|broken| broken.message)
            }
            None => at_limit(contract, *claim, make),
        };
        match broken {
            None => found.line(claim.name(), "answered"),
            Some(message) => {
                found.line(claim.name(), "not answered");
                if said.insert(message.clone()) {
                    found.wrong(&message);
                }
            }
        }
    }
}

/// Plays a few cases at a limit. How the candidate broke off, if it did.
fn at_limit(
    contract: &Contract,
    claim: Capability,
    make: &dyn Fn() -> Result<Box<dyn Compactor>, Error>,
) -> Option<String> {
    let budget = LimitBudget { cases: CASES, shrinks: 0, ..LimitBudget::default() };
    let control = Control { only: &[], until: &[], stop: &|| false, tell: &|_| {} };
    let report = check_side(contract, make, claim, &budget, control)?;
    report.breaks.first().map(|broken| broken.message.clone())
}

/// The shortest history that needs `claim`; none: it is no matter of histories.
fn example(contract: &Contract, claim: Capability) -> Option<History> {
    let histories = directed(contract);
    let needs = |history: &&History| {
        history.commands.iter().any(|command| match (claim, command) {
            (Capability::Restart, Command::Restart { .. })
            | (Capability::Rewind, Command::Rewind { .. })
            | (Capability::Auto, Command::Auto { .. })
            | (Capability::Usage, Command::Usage { .. })
            | (Capability::Log | Capability::View, _) => true,
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
        })
    };
    histories.iter().filter(needs).min_by_key(|history| history.commands.len()).cloned()
}

/// One history for each claimed requirement, and more for some.
fn directed(contract: &Contract) -> Vec<History> {
    let budget = Budget::new(Effort::Smoke, contract.weight);
    let directed = plan(contract, 0, budget, Vec::new()).take_while(|planned| planned.target.is_some());
    directed.map(|Planned { history, .. }| history).collect()
}

/// Plays the same histories line by line and as wholes.
fn compare(
    contract: &Contract,
    single: &dyn Fn() -> Result<Box<dyn Compactor>, Error>,
    whole: &dyn Fn() -> Result<Box<dyn Compactor>, Error>,
    found: &mut Found,
) {
    let mut histories: Vec<History> =
        contract.capabilities.iter().filter_map(|claim| example(contract, *claim)).collect();
    histories.dedup();
    for history in &histories {
        let (one, other) = (play(history, contract, single), play(history, contract, whole));
        if let Some(differs) = difference(&one, &other) {
            found.line("batch", "differs");
            found.wrong(&format!("a case in one line is not answered as line by line: {differs}"));
            return;
        }
    }
    found.line("batch", "as line by line");
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
            0 => "adapter-check: it speaks the protocol\n".to_owned(),
            _ => format!("\nadapter-check: {count} {things} wrong\n"),
        });
        u8::from(count > 0)
    }
}
