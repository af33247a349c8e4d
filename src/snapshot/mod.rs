//! Named histories, and what a candidate does in each as a few rows of text: made to be read in the diff of a pull request.

mod adapt;
mod declared;

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::candidate::Compactor;
use crate::contract::Contract;
use crate::model::Reference;
use crate::report::rows;
use crate::runner::{Draw, Replay};
use crate::suite::Suite;
use crate::witness::Witness;

pub(crate) use adapt::adapted;

/// All of `spec/histories` and `spec/cases`: the name of the file, and what stands in it.
const NAMED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/named.rs"));

/// A history, or a case at a limit, that has a name: those of `spec/histories` and `spec/cases`, or one of your own.
///
/// ```
/// let named = plimsoll::named_histories();
/// let first = named.iter().find(|history| history.name == "incident").unwrap();
/// assert!(first.witness.note.ends_with('.'));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NamedHistory {
    /// Lower case, with dashes: the name of its file, and of its snapshot.
    pub name: String,
    /// What is played; `note` is the sentence that says what to look at.
    pub witness: Witness,
}

impl NamedHistory {
    /// A history of your own under a name.
    #[must_use]
    pub fn new(name: impl Into<String>, witness: Witness) -> Self {
        Self { name: name.into(), witness }
    }
}

/// The named histories and cases of the specification, by name.
///
/// # Panics
///
/// Never in a released version: a test of this crate reads each of them.
#[must_use]
pub fn named_histories() -> Vec<NamedHistory> {
    let read = |(name, text): &(&str, &str)| {
        let witness = Witness::parse(text).unwrap_or_else(|error| panic!("spec/{name}.jsonl: {error}"));
        NamedHistory::new(*name, witness)
    };
    let mut named: Vec<NamedHistory> = NAMED.iter().map(read).collect();
    named.sort_by(|a, b| a.name.cmp(&b.name));
    named
}

/// What a candidate did in a named history: at most a few dozen rows of ASCII, the same bytes on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeline {
    /// The name of the history.
    pub name: String,
    /// What to look at, in a sentence.
    pub description: String,
    /// The rows, each with its line end.
    pub text: String,
}

impl Suite {
    /// What the candidate does in each of `histories`, under the contract that it declares, or that of
    /// [`contract`](Suite::contract); and, first, a timeline with the name `contract`: what it declares, a parameter a row,
    /// and the histories that it does not play, since they need what it does not claim.
    ///
    /// A flag that its messages do not have is left out of what the host says, and calls too. Decisions that the contract
    /// does not allow are marked, and are no error here. Of the options only the timeout counts.
    ///
    /// ```
    /// use plimsoll::{Reference, Suite, named_histories};
    /// let timelines = Suite::new(Reference::default).timelines(&named_histories()).unwrap();
    /// assert_eq!(timelines[0].name, "contract");
    /// println!("{}", timelines[1].text);
    /// ```
    ///
    /// # Errors
    ///
    /// If the candidate does not start, or does not return; if two histories have one name, or one is called `contract`.
    pub fn timelines(&self, histories: &[NamedHistory]) -> Result<Vec<Timeline>, String> {
        each_its_name(histories)?;
        let contract = self.declared()?;
        let mut timelines = Vec::new();
        let mut unplayed = Vec::new();
        for named in histories {
            match adapted(&named.witness, &contract) {
                Ok(witness) => timelines.push(drawn(named, &self.show(&witness, DRAW)?, "")),
                Err(why) => unplayed.push((named.name.as_str(), why)),
            }
        }
        timelines.insert(0, declared::timeline(&contract, &unplayed));
        Ok(timelines)
    }
}

/// The timelines of the reference, each history under the contract that stands in it: those under `snapshots/` in the
/// repository.
///
/// # Panics
///
/// If the reference does not return.
#[must_use]
pub fn reference_timelines() -> Vec<Timeline> {
    of_reference(&named_histories()).unwrap_or_else(|error| panic!("{error}"))
}

/// What the reference does in each of `histories`, under the contract that stands in it.
pub(crate) fn of_reference(histories: &[NamedHistory]) -> Result<Vec<Timeline>, String> {
    each_its_name(histories)?;
    let of = |named: &NamedHistory| -> Result<Timeline, String> {
        let contract = named.witness.contract.clone();
        let make = move || -> Box<dyn Compactor> { Box::new(Reference::new(contract.clone())) };
        let suite = Suite::fallible("reference", move || Ok(make()));
        let replay = suite.show(&named.witness, DRAW).map_err(|error| format!("{}: {error}", named.name))?;
        Ok(drawn(named, &replay, &declared::differences(&named.witness.contract)))
    };
    let mut timelines = vec![declared::timeline(&Contract::default(), &[])];
    for named in histories {
        timelines.push(of(named)?);
    }
    Ok(timelines)
}

/// A name is that of a file: the second of two would be compared with the first.
fn each_its_name(histories: &[NamedHistory]) -> Result<(), String> {
    let mut taken = HashSet::from(["contract"]);
    match histories.iter().find(|named| !taken.insert(&named.name)) {
        None => Ok(()),
        Some(NamedHistory { name, .. }) => {
            Err(format!("there is a timeline with the name `{name}` already: give the history another"))
        }
    }
}

const DRAW: Draw = Draw { history: rows, rows: true, consulted: false };

fn drawn(named: &NamedHistory, replay: &Replay, differences: &str) -> Timeline {
    let mut text = format!("history   {}\n", named.name);
    // Writing to a string does not fail, here and below.
    if !named.witness.seen.is_empty() {
        let _ = writeln!(text, "seen      {}", named.witness.seen);
    }
    if !differences.is_empty() {
        let _ = writeln!(text, "contract  {differences}");
    }
    let about: Vec<&str> = replay.named.iter().map(|(id, _)| id.as_str()).collect();
    if !about.is_empty() {
        let _ = writeln!(text, "about     {}", about.join(", "));
    }
    let _ = write!(text, "\n{}\n", replay.timeline);
    let failing = replay.named.iter().filter(|(_, why)| why.is_some()).map(|(id, _)| id);
    let broken: Vec<&String> = failing.chain(replay.others.iter().map(|(id, _)| id)).collect();
    if broken.is_empty() && replay.broken.is_none() {
        text.push_str("broken    none\n");
    }
    for id in broken {
        let _ = writeln!(text, "broken    {id}");
    }
    Timeline { name: named.name.clone(), description: named.witness.note.clone(), text }
}
