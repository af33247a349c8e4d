//! Plays a witness again.

use std::fmt;
use std::sync::mpsc;
use std::time::Duration;

use super::{Examiner, Factory, Shown, Suspect};
use crate::contract::Contract;
use crate::generate::{Planned, Share};
use crate::heart::{Task, Watch};
use crate::limit_case::LimitCase;
use crate::limit_check;
use crate::oracle::{Judgement, judge};
use crate::report::{escaped, timeline};
use crate::requirement::{Requirement, requirement, requirements};
use crate::witness::Witness;

/// What a witness shows when it is played again.
///
/// ```
/// use plimsoll::{Reference, Suite, Witness};
/// let text = r#"{"plimsoll":"witness","format":1,"seed":7,"requirements":["THR-6"],"contract":{"capabilities":["summarize"]}}
/// {"append":{"conversation":"a","messages":[{"key":1,"role":"user"}]}}
/// {"step":{"conversation":"a","pressure":"none"}}"#;
/// let replay = Suite::new(Reference::default).replay(&Witness::parse(text).unwrap()).unwrap();
/// assert!(!replay.fails());
/// println!("{replay}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "ask it whether the witness still fails"]
pub struct Replay {
    /// What happened, one event a row; of a case at a limit the case and its answer.
    pub timeline: String,
    /// The ids that the witness names, in its order, and why each is broken, if it is. A witness that names none is held
    /// against all that its contract claims, and those that are broken stand here.
    pub named: Vec<(String, Option<String>)>,
    /// Those of them that the history, as it was played now, does not exercise: that they hold says nothing.
    pub unexercised: Vec<String>,
    /// Others that the contract claims and that are broken too, with why. They make no failure of the replay.
    pub others: Vec<(String, String)>,
    /// How the candidate broke off, if it did: a panic, a process that ended, a break of the protocol, no method for a
    /// claim. A call that does not return in time is an error of [`Suite::replay`](crate::Suite::replay) instead.
    pub broken: Option<String>,
}

impl Replay {
    /// Whether one of the requirements that it names is still broken, or the candidate broke off.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.broken.is_some() || self.named.iter().any(|(_, why)| why.is_some())
    }
}

impl fmt::Display for Replay {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}", self.timeline)?;
        for (id, why) in &self.named {
            match why {
                Some(why) => writeln!(out, "{id} fails: {}", escaped(why))?,
                None if self.unexercised.contains(id) => {
                    writeln!(out, "{id} is not exercised: the candidate did not get to where it speaks")?;
                }
                None => writeln!(out, "{id} holds")?,
            }
        }
        for (id, why) in &self.others {
            writeln!(out, "{id} fails too, which the witness does not name: {}", escaped(why))?;
        }
        if let Some(broken) = &self.broken {
            writeln!(out, "the candidate broke off:")?;
            broken.lines().try_for_each(|line| writeln!(out, "  {}", escaped(line)))?;
        }
        if self.named.is_empty() && self.broken.is_none() {
            writeln!(out, "nothing that the contract claims is broken")?;
        }
        Ok(())
    }
}

/// How what was played is shown.
#[derive(Clone, Copy)]
pub(crate) struct Draw {
    /// A history.
    pub(crate) history: fn(&Contract, &Judgement<'_>, Option<usize>) -> String,
    /// Whether a case at a limit is shown in the rows of a snapshot.
    pub(crate) rows: bool,
    /// Whether a case at a limit is followed by the requirements that it exercises.
    pub(crate) consulted: bool,
}

impl Default for Draw {
    /// For a person who looks for a failure.
    fn default() -> Self {
        Self { history: timeline, rows: false, consulted: false }
    }
}

/// Plays `witness` against a candidate; each call may take as long as `deadline`.
pub(crate) fn replay(
    make: &Factory,
    witness: &Witness,
    deadline: Option<Duration>,
    draw: Draw,
) -> Result<Replay, String> {
    for id in &witness.requirements {
        if requirement(id).is_none() {
            return Err(format!("the witness names {id:?}: no requirement that is checked has this id"));
        }
    }
    let watch = Watch::new(deadline);
    let heart = watch.heart();
    let (to, from) = mpsc::channel();
    let (witness, make) = (witness.clone(), make.clone());
    let work = move || {
        heart.install();
        heart.begin(match &witness.case {
            Some(case) => Task::Case(case.clone()),
            None => Task::History(planned(&witness)),
        });
        // Nobody listens any longer once the candidate took too long.
        let _ = to.send(play(&make, &witness, draw));
    };
    // A candidate that never returns keeps its thread.
    let spawned = std::thread::Builder::new().name("plimsoll-replay".to_owned()).stack_size(8 << 20).spawn(work);
    spawned.map_err(|error| format!("cannot start a thread: {error}"))?;
    loop {
        match from.recv_timeout(Duration::from_millis(50)) {
            Ok(replay) => return Ok(replay),
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err("the replay panicked".to_owned()),
            Err(mpsc::RecvTimeoutError::Timeout) if watch.stuck().is_some() => {
                let seconds = deadline.unwrap_or_default().as_secs_f64();
                return Err(format!("the candidate did not return within {seconds} s"));
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
    }
}

fn planned(witness: &Witness) -> Planned {
    Planned { share: Share::Directed, target: None, history: witness.history.clone() }
}

fn play(make: &Factory, witness: &Witness, draw: Draw) -> Replay {
    let contract = &witness.contract;
    if let Some(case) = &witness.case {
        return play_case(make, witness, case, draw);
    }
    let claimed: Vec<&'static Requirement> = requirements()
        .filter(|row| row.applies(contract) || witness.requirements.iter().any(|id| id == row.id))
        .collect();
    let examiner = Examiner { contract, make: &**make, requirements: &claimed };
    let examined = examiner.examine(&planned(witness));
    let unexercised = claimed.iter().zip(&examined.exercised).filter(|(_, times)| **times == 0);
    let unexercised: Vec<&str> = unexercised.map(|(requirement, _)| requirement.id).collect();
    let suspects: Vec<Suspect> = examined.suspects.into_iter().map(|(suspect, _)| suspect).collect();
    let mut found: Vec<(usize, &'static str, String)> = Vec::new();
    for suspect in &suspects {
        let Some(Shown { command, detail: why, .. }) = examiner.shows(suspect, &witness.history) else { continue };
        let ids = match suspect {
            Suspect::Observed(at, _) | Suspect::Differed(at) => vec![claimed[*at].id],
            Suspect::Decided(wrong) => examiner.blamed(wrong, &witness.history).0,
            Suspect::Broke(_) => continue,
        };
        for id in ids {
            if !found.iter().any(|(_, other, _)| *other == id) {
                found.push((command, id, why.clone()));
            }
        }
    }
    let trace = examiner.play(&witness.history);
    let why = |id: &str| found.iter().find(|(_, other, _)| *other == id).map(|(_, _, why)| why.clone());
    let is_named = |id: &str| witness.requirements.iter().any(|other| other == id);
    let fault = found.iter().filter(|(_, id, _)| is_named(id)).map(|(command, ..)| *command).min();
    let mut named: Vec<_> = witness.requirements.iter().map(|id| (id.clone(), why(id))).collect();
    let mut others: Vec<_> =
        found.iter().filter(|(_, id, _)| !is_named(id)).map(|(_, id, why)| ((*id).to_owned(), why.clone())).collect();
    if named.is_empty() {
        named = others.drain(..).map(|(id, why)| (id, Some(why))).collect();
    }
    let broken = trace.broken.as_ref().map(|broken| broken.message.clone());
    let silent = |(id, why): &&(String, Option<String>)| why.is_none() && unexercised.contains(&id.as_str());
    let unexercised = named.iter().filter(silent).map(|(id, _)| id.clone()).collect();
    let timeline = (draw.history)(contract, &judge(contract, &trace), fault);
    Replay { timeline, named, unexercised, others, broken }
}

/// Plays a witness that is one case at a limit.
fn play_case(make: &Factory, witness: &Witness, case: &LimitCase, draw: Draw) -> Replay {
    let is_named = |id: &str| witness.requirements.iter().any(|other| other == id);
    let (report, mut timeline) = limit_check::replay(&witness.contract, &**make, case, draw.rows);
    if draw.consulted {
        timeline.push('\n');
        for finding in report.findings.iter().filter(|finding| finding.claimed && finding.exercised > 0) {
            let why =
                finding.failure.as_ref().map_or("holds".to_owned(), |why| format!("broken: {}", escaped(&why.detail)));
            timeline += &format!("  consulted  {:<7} {why}\n", finding.id);
        }
    }
    let found = report.findings.iter().filter_map(|finding| Some((finding, finding.failure.as_ref()?)));
    let found: Vec<_> = found.filter(|(finding, _)| finding.claimed || is_named(finding.id)).collect();
    let because = |id: &str| found.iter().find(|(finding, _)| finding.id == id).map(|(_, why)| why.detail.clone());
    let mut named: Vec<_> = witness.requirements.iter().map(|id| (id.clone(), because(id))).collect();
    let others = found.iter().filter(|(finding, _)| !is_named(finding.id));
    let mut others: Vec<_> = others.map(|(finding, why)| (finding.id.to_owned(), why.detail.clone())).collect();
    if named.is_empty() {
        named = others.drain(..).map(|(id, why)| (id, Some(why))).collect();
    }
    let broken = report.breaks.first().map(|broken| broken.message.clone());
    let silent = |id: &str| report.finding(id).is_some_and(|finding| finding.exercised == 0);
    let unexercised = named.iter().filter(|(id, why)| why.is_none() && silent(id)).map(|(id, _)| id.clone()).collect();
    Replay { timeline, named, unexercised, others, broken }
}

/// The timeline of a trace.
#[cfg(feature = "cli")]
pub(crate) fn drawn(contract: &Contract, trace: &crate::trace::Trace, fault: Option<usize>) -> String {
    timeline(contract, &judge(contract, trace), fault)
}

/// Plays a history once.
#[cfg(feature = "cli")]
pub(crate) fn played(
    contract: &Contract,
    history: &crate::History,
    make: &crate::play::Make<'_>,
) -> crate::trace::Trace {
    crate::play::play(history, contract, make)
}
