//! Candidates by name or by command.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::CandidateArgs;
use super::screen::{Failure, cannot, nearest, usage, warn};
use crate::adapter::Launcher;
use crate::report::{escaped, shell};
use crate::{Compactor, Contract, KnownFailure, KnownFailures, Reference, Suite, zoo};

/// Makes a built-in candidate.
pub(super) type Make = Arc<dyn Fn() -> Box<dyn Compactor> + Send + Sync>;

/// What a run is made against.
pub(super) enum Candidate {
    /// A built-in one, by its name.
    BuiltIn(String, Make),
    /// A command.
    Command(Vec<String>, Launcher),
}

impl Candidate {
    /// The one that the arguments name; a command is started once, and ended together with the others when `stop` is set.
    /// The reference takes on `contract`.
    pub(super) fn of(
        args: &CandidateArgs,
        contract: Option<&Contract>,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, Failure> {
        if args.command.is_empty() {
            let name = args.candidate.as_deref().unwrap_or("reference");
            return Ok(Self::BuiltIn(name.to_owned(), built_in(name, contract)?));
        }
        let mut launcher = Launcher::new(args.command.clone(), args.timeout);
        if let Some(hello) = args.hello_timeout {
            launcher = launcher.hello_timeout(hello);
        }
        if args.line_by_line {
            launcher = launcher.line_by_line();
        }
        let launcher = launcher.stop_when(Arc::clone(stop));
        let first = launcher.lease().map_err(|error| cannot(escaped_lines(&error.to_string())))?;
        for member in &first.introduction().unknown {
            warn(&format!(
                "plimsoll: warning: the contract has a member `{}`, which no version of the specification knows: it is \
                 ignored; see spec/contract.md for the names",
                escaped(member)
            ));
        }
        Ok(Self::Command(args.command.clone(), launcher))
    }

    /// A suite for it.
    pub(super) fn suite(&self, timeout: Duration) -> Suite {
        match self {
            Self::BuiltIn(name, make) => {
                let make = Arc::clone(make);
                Suite::fallible(name.clone(), move || Ok(make())).timeout(timeout).built_in(name)
            }
            Self::Command(command, launcher) => {
                let (lease, gave_up) = (launcher.clone(), launcher.clone());
                Suite::fallible(shell(command), move || Ok(Box::new(lease.lease()?)))
                    .keeps_deadline()
                    .waits()
                    .gave_up(move || gave_up.gave_up())
            }
        }
    }

    /// The command that replays a witness is its file between these two.
    pub(super) fn replay(&self) -> (String, String) {
        let after = match self {
            Self::BuiltIn(name, _) => format!(" --candidate {}", shell(&[name])),
            Self::Command(command, _) => format!(" -- {}", shell(command)),
        };
        ("plimsoll replay ".to_owned(), after)
    }

    /// Waits a moment until nobody else uses its children, so that they end before this process does.
    pub(super) fn let_go(self) {
        if let Self::Command(_, launcher) = self {
            let until = Instant::now() + Duration::from_secs(2);
            while !launcher.is_last() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// Makes the built-in candidate of this name.
pub(super) fn built_in(name: &str, contract: Option<&Contract>) -> Result<Make, Failure> {
    if name == "reference" {
        let contract = contract.cloned().unwrap_or_default();
        return Ok(Arc::new(move || Box::new(Reference::new(contract.clone()))));
    }
    if let Some(row) = zoo::find(name) {
        return Ok(Arc::new(move || row.make()));
    }
    let near = nearest(name, std::iter::once("reference").chain(zoo::all().map(zoo::Row::name)));
    Err(usage(format!(
        "no built-in candidate has the name {name:?}{near}; `plimsoll zoo` lists them, and a command goes after `--`"
    )))
}

/// A named contract.
#[derive(Debug, Deserialize)]
pub(super) struct Profile {
    pub(super) name: String,
    contract: serde_json::Value,
    #[serde(default)]
    known: Vec<KnownFailure>,
}

impl Profile {
    /// All of them, as spec/profiles.json has them.
    pub(super) fn all() -> Result<Vec<Self>, Failure> {
        #[derive(Deserialize)]
        struct File {
            profiles: Vec<Profile>,
        }
        let file: Result<File, _> = serde_json::from_str(include_str!("../../spec/profiles.json"));
        file.map(|file| file.profiles).map_err(|error| cannot(format!("spec/profiles.json: {error}")))
    }

    /// The profile of this name.
    pub(super) fn find(name: &str) -> Result<Self, Failure> {
        let profiles = Self::all()?;
        let names: Vec<String> = profiles.iter().map(|profile| profile.name.clone()).collect();
        let found = profiles.into_iter().find(|profile| profile.name == name);
        found.ok_or_else(|| usage(format!("no profile has the name {name:?}: there are {}", names.join(", "))))
    }

    pub(super) fn contract(&self) -> Result<Contract, Failure> {
        Contract::from_value(self.contract.clone()).map_err(|error| cannot(format!("profile {}: {error}", self.name)))
    }

    /// The failures that come with it.
    pub(super) fn known(&self) -> KnownFailures {
        KnownFailures::new(self.known.clone())
    }
}

/// Foreign text of several lines.
pub(super) fn escaped_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(escaped).collect();
    lines.join("\n")
}
