//! One history: played, judged, and held against every requirement.

use std::collections::BTreeSet;

use super::compare::{self, Compared, Twin};
use super::own;
use crate::candidate::Compactor;
use crate::candidate::Error;
use crate::contract::{Capability, Contract, Weight};
use crate::generate::Planned;
use crate::history::{Answer, Command, History, StepCommand, StepKind};
use crate::oracle::{Forbid, Judged, Wrong, judge};
use crate::play::play;
use crate::requirement::{Blame, Case, Cause, Check, Requirement, Trials};
use crate::trace::{BreakKind, Trace};

/// Something that may be a failure, before it is shrunk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Suspect {
    /// A monitor saw the requirement at this position broken, for this reason.
    Observed(usize, &'static str),
    /// A decision was wrong.
    Decided(Wrong),
    /// Two runs that should agree do not: the requirement at this position.
    Differed(usize),
    /// The candidate broke off.
    Broke(BreakKind),
}

/// What one history showed.
#[derive(Debug, Default)]
pub(crate) struct Examined {
    /// For each requirement, how often it was exercised.
    pub(crate) exercised: Vec<u64>,
    /// What was found, and the causes that stand in the history as it was played.
    pub(crate) suspects: Vec<(Suspect, BTreeSet<Cause>)>,
    pub(crate) broken: Option<(BreakKind, String)>,
    pub(crate) steps: u64,
    /// In how many steps the candidate raised an error, and the first.
    pub(crate) raised: Option<(u64, String)>,
}

/// How something shows in a history.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// The command at which it does.
    pub(crate) command: usize,
    /// It, in a sentence.
    pub(crate) detail: String,
    /// Whether the candidate raised an error there.
    pub(crate) raised: bool,
}

impl Examined {
    /// A history in which not the candidate but the harness failed.
    pub(super) fn harness(requirements: usize, message: &str) -> Self {
        let kind = BreakKind::Harness;
        Self {
            exercised: vec![0; requirements],
            suspects: vec![(Suspect::Broke(kind), BTreeSet::new())],
            broken: Some((kind, format!("the harness failed, and not the candidate: {message}"))),
            steps: 0,
            raised: None,
        }
    }
}

/// Commands that are left out one by one before anything is blamed.
const NEEDED_TRIES: usize = 24;

/// What is needed to examine a history.
pub(crate) struct Examiner<'a> {
    pub(crate) contract: &'a Contract,
    pub(crate) make: &'a dyn Fn() -> Result<Box<dyn Compactor>, Error>,
    /// The requirements that are claimed and asked for.
    pub(crate) requirements: &'a [&'static Requirement],
}

impl Examiner<'_> {
    pub(crate) fn play(&self, history: &History) -> Trace {
        play(history, self.contract, self.make)
    }

    /// Plays a planned history and looks at everything.
    pub(crate) fn examine(&self, planned: &Planned) -> Examined {
        let trace = self.play(&planned.history);
        let mut examined = self.look(&trace);
        self.compare(planned, &trace, &mut examined);
        examined
    }

    fn look(&self, trace: &Trace) -> Examined {
        let judgement = judge(self.contract, trace);
        let case = Case { contract: self.contract, judgement: &judgement };
        let mut examined = Examined { exercised: vec![0; self.requirements.len()], ..Examined::default() };
        examined.steps = judgement.steps.len() as u64;
        let mut raised = trace.events.iter().filter_map(|event| event.raised.as_ref());
        examined.raised = raised.next().map(|first| (1 + raised.count() as u64, first.clone()));
        if let Some(broken) = &trace.broken {
            examined.broken = Some((broken.kind, broken.message.clone()));
            examined.suspects.push((Suspect::Broke(broken.kind), BTreeSet::new()));
        }
        for (at, requirement) in self.requirements.iter().enumerate() {
            match requirement.check {
                Check::Observe(monitor)
                | Check::Both { observe: monitor, .. }
                | Check::Send { observe: monitor, .. } => {
                    let seen = monitor(&case);
                    examined.exercised[at] = seen.exercised;
                    if let Some(violation) = seen.violation {
                        examined.suspects.push((Suspect::Observed(at, violation.reason), BTreeSet::new()));
                    }
                }
                Check::Decide { exercised, .. } => {
                    examined.exercised[at] =
                        case.steps().iter().filter(|judged| exercised(&case, judged)).count() as u64;
                }
                Check::Compare { .. }
                | Check::Reduce(_)
                | Check::Fit(_)
                | Check::Assemble(_)
                | Check::Guard(_)
                | Check::Gauge(_) => {}
            }
        }
        for judged in case.steps() {
            if let Some(wrong) = judged.wrong() {
                let causes = Blame::new(self.contract, &trace.history, case.steps(), judged, &wrong).causes;
                let suspect = Suspect::Decided(wrong.clone());
                if !examined.suspects.iter().any(|(other, _)| *other == suspect) {
                    examined.suspects.push((suspect, causes));
                }
            }
        }
        examined
    }

    /// Plays it once more, as it is and without what must not matter, where that tells something.
    fn compare(&self, planned: &Planned, trace: &Trace, examined: &mut Examined) {
        // A crowd is played once: what two plays tell is told by smaller histories.
        if trace.broken.is_some() || planned.target == Some("ISO-2") {
            return;
        }
        let heavy = self.contract.weight == Weight::Heavy;
        let directed = planned.share.is_chosen();
        for (at, requirement) in self.requirements.iter().enumerate() {
            let Some(twin) = Twin::of(requirement.id) else { continue };
            let every = match twin {
                Twin::Repeat => 16,
                Twin::WithoutUiOnly => 2,
                Twin::Alone | Twin::Restarts => 4,
            };
            let wanted = if heavy {
                directed && planned.target.is_none_or(|id| id == requirement.id)
            } else {
                directed || planned.history.seed.is_multiple_of(every)
            };
            if !wanted || !twin.tells(self.contract, &planned.history) {
                continue;
            }
            if let Check::Compare { exercised, .. } = requirement.check {
                let judgement = judge(self.contract, trace);
                let case = Case { contract: self.contract, judgement: &judgement };
                examined.exercised[at] += case.steps().iter().filter(|judged| exercised(&case, judged)).count() as u64;
            }
            if self.differs(twin, &planned.history, trace).is_some() {
                examined.suspects.push((Suspect::Differed(at), BTreeSet::new()));
            }
        }
    }

    fn differs(&self, twin: Twin, history: &History, trace: &Trace) -> Option<(usize, String)> {
        let difference = |other: &Trace, compared| compare::difference(self.contract, trace, other, compared);
        match twin {
            Twin::Repeat => difference(&self.play(history), Compared::Repeat),
            Twin::WithoutUiOnly => {
                let other = self.play(&compare::without_ui_only(history));
                difference(&other, Compared::Without).or_else(|| {
                    // Own words count only where they are the same when the same is played twice.
                    let found = difference(&other, Compared::WithoutToTheWord)?;
                    difference(&self.play(history), Compared::WithoutToTheWord).is_none().then_some(found)
                })
            }
            Twin::Alone => compare::stepped(history).into_iter().find_map(|name| {
                let other = self.play(&compare::alone(self.contract, history, name)?);
                let without = "where the other conversations make none";
                compare::other_decision(self.contract, trace, &other, Some(name), without)
            }),
            Twin::Restarts => {
                let twin = compare::restarts(self.contract, history)?;
                let fewer = twin.commands.len() < history.commands.len();
                let without = if fewer { "without the restart" } else { "where it restarts twice" };
                compare::other_decision(self.contract, trace, &self.play(&twin), None, without)
            }
        }
    }

    /// Whether `suspect` shows in `history`, and how.
    pub(crate) fn shows(&self, suspect: &Suspect, history: &History) -> Option<Shown> {
        let trace = self.play(history);
        let (command, detail) = self.seen(suspect, history, &trace)?;
        let raised = trace.events.get(command).is_some_and(|event| event.raised.is_some());
        Some(Shown { command, detail, raised })
    }

    fn seen(&self, suspect: &Suspect, history: &History, trace: &Trace) -> Option<(usize, String)> {
        match suspect {
            Suspect::Broke(kind) => {
                let broken = trace.broken.as_ref().filter(|broken| broken.kind == *kind);
                broken.map(|broken| (broken.command, broken.message.clone()))
            }
            Suspect::Differed(at) => {
                let twin = Twin::of(self.requirements[*at].id)?;
                let tells = trace.broken.is_none() && twin.tells(self.contract, history);
                tells.then(|| self.differs(twin, history, trace)).flatten()
            }
            Suspect::Observed(at, reason) => {
                let judgement = judge(self.contract, trace);
                let case = Case { contract: self.contract, judgement: &judgement };
                let (Check::Observe(monitor)
                | Check::Both { observe: monitor, .. }
                | Check::Send { observe: monitor, .. }) = self.requirements[*at].check
                else {
                    return None;
                };
                let violation = monitor(&case).violation.filter(|violation| violation.reason == *reason)?;
                Some((violation.command, judgement.externals.numbered(&violation.detail)))
            }
            Suspect::Decided(wrong) => {
                let judgement = judge(self.contract, trace);
                let judged = judgement.steps.iter().find(|judged| judged.wrong().as_ref() == Some(wrong))?;
                Some((judged.command, crate::requirement::sentence(judged, wrong, self.contract)))
            }
        }
    }

    /// Plays the witness with small changes, where it alone does not tell two causes apart.
    fn trials(&self, wrong: &Wrong, history: &History, at: usize, blame: &Blame<'_>) -> Trials {
        let mut trials = Trials::default();
        let Command::Step(step) = &history.commands[at] else { return trials };
        if let Some(cooldown) = self.contract.cooldown().filter(|_| blame.missing_step()) {
            let mut later = History::new(history.seed, history.commands[..=at].to_vec());
            later.commands[at] =
                Command::Step(StepCommand { after_s: step.after_s + cooldown.longest() + 1.0, ..step.clone() });
            let trace = self.play(&later);
            trials.later_helps = trace.events.get(at).is_some_and(|event| !event.calls.is_empty());
        }
        if blame.missing_step()
            && let Some(larger) = own::larger(self.contract, history, at)
        {
            let trace = self.play(&larger);
            trials.size_helps = trace.events.get(at).is_some_and(|event| !event.calls.is_empty());
        }
        if blame.attempted(Forbid::Latched) && self.contract.claims(Capability::Force) {
            // A forced failure adds own messages, and touches nothing automatic.
            let mut commands = history.commands[..at].to_vec();
            let last = commands.iter_mut().rev().find_map(|command| match command {
                Command::Append { conversation, messages } if *conversation == step.conversation => messages
                    .iter()
                    .rposition(|draft| draft.is_visible() && draft.calls.is_empty())
                    .map(|at| messages.remove(at)),
                _ => None,
            });
            let force = StepCommand {
                kind: StepKind::Force,
                answers: vec![Answer::Rejected],
                ..StepCommand::new(step.conversation)
            };
            commands.extend([Command::Step(force), Command::Step(step.clone())]);
            let less = History::new(history.seed, commands);
            if last.is_some() && less.check().is_ok() {
                trials.own_counts = Some(self.shows(&Suspect::Decided(wrong.clone()), &less).is_some());
            }
        }
        trials
    }

    /// The witness of a wrong decision without the commands that it can do without, whatever the shrinker left: a cause is
    /// blamed only where it cannot be removed. Where the candidate raised an error, it still does.
    pub(crate) fn needed(&self, wrong: &Wrong, raised: bool, history: &History) -> History {
        let mut history = history.clone();
        let mut tries = NEEDED_TRIES;
        for at in (0..history.commands.len().saturating_sub(1)).rev() {
            if tries == 0 {
                break;
            }
            if matches!(history.commands[at], Command::Append { .. }) {
                continue;
            }
            tries -= 1;
            let less = without(&history, at);
            // The same wrong decision for another reason may be another fault.
            if self.decides_last(&less) == Some((wrong.clone(), raised)) {
                history = less;
            }
        }
        history
    }

    /// What is wrong with the decision at the last command, and whether the candidate raised an error there.
    fn decides_last(&self, history: &History) -> Option<(Wrong, bool)> {
        history.check().ok()?;
        let trace = self.play(history);
        let judgement = judge(self.contract, &trace);
        let last = judgement.steps.last().filter(|judged| judged.command + 1 == history.commands.len());
        last.and_then(|judged| Some((judged.wrong()?, judged.event.raised.is_some())))
    }

    /// Whether an attempt is missing without the steps that declined, too, for whatever reason it is due then: what never
    /// attempts is not kept from it by having declined.
    fn misses_undeclined(&self, history: &History, trace: &Trace, judged: &Judged<'_>) -> bool {
        let mut less = History::new(history.seed, history.commands[..=judged.command].to_vec());
        let declined = |at: usize| match &history.commands[at] {
            Command::Step(step) => step.kind == StepKind::Step && trace.events[at].calls.is_empty(),
            _ => false,
        };
        for at in (0..judged.command).rev().filter(|at| declined(*at)) {
            less = without(&less, at);
        }
        matches!(self.decides_last(&less), Some((Wrong::Missing(_), _)))
    }

    /// The requirements to blame for a wrong decision in its shortest witness, and the causes that stand in it.
    pub(crate) fn blamed(&self, wrong: &Wrong, history: &History) -> (Vec<&'static str>, BTreeSet<Cause>) {
        let trace = self.play(history);
        let judgement = judge(self.contract, &trace);
        let Some(judged) = judgement.steps.iter().find(|judged| judged.wrong().as_ref() == Some(wrong)) else {
            return (Vec::new(), BTreeSet::new());
        };
        let mut blame = Blame::new(self.contract, history, &judgement.steps, judged, wrong);
        blame.trials = self.trials(wrong, history, judged.command, &blame);
        if blame.has(Cause::Declined) && blame.missing_step() && self.misses_undeclined(history, &trace, judged) {
            blame.causes.remove(&Cause::Declined);
        }
        let blamed = crate::requirement::requirements().filter(|requirement| requirement.applies(self.contract));
        let blamed = blamed.filter(|requirement| match requirement.check {
            Check::Decide { blamed, .. } | Check::Both { blamed, .. } | Check::Compare { blamed, .. } => blamed(&blame),
            _ => false,
        });
        let mut ids: Vec<&'static str> = blamed.map(|requirement| requirement.id).collect();
        if blame.trials.size_helps {
            // Whatever else stands in the witness, it was the size.
            ids.retain(|id| matches!(*id, "MEA-6" | "THR-8"));
        }
        if ids.is_empty() {
            ids.extend(crate::requirement::fallback(self.contract, &blame));
        }
        (ids, blame.causes)
    }
}

/// The history without the command at `at`; the time that a step took is carried on to the next.
fn without(history: &History, at: usize) -> History {
    let mut commands = history.commands.clone();
    if let Command::Step(gone) = commands.remove(at)
        && let Some(Command::Step(next)) = commands[at..].iter_mut().find(|command| matches!(command, Command::Step(_)))
    {
        next.after_s += gone.after_s;
    }
    History::new(history.seed, commands)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::Reference;
    use crate::generate::{Budget, Effort, plan};
    use crate::history::{Draft, Name, Pressure};
    use crate::message::Role;
    use crate::model::{Behaviour, Machine};
    use crate::requirement::requirement;

    /// It makes no attempt but the first.
    struct Once;

    impl Behaviour for Once {
        fn is_cooling(&self, _: f64, _: f64) -> bool {
            true
        }
        fn growth_lifts(&self, _: &Contract, _: u64) -> bool {
            false
        }
    }

    fn step(after_s: f64) -> Command {
        let answers = vec![Answer::Rejected];
        Command::Step(StepCommand { after_s, answers, pressure: Pressure::Summarize, ..StepCommand::new(Name(0)) })
    }

    #[test]
    fn what_the_same_wrong_decision_does_not_need_is_left_out_and_its_time_carried() {
        let contract = Contract { latch: None, ..Contract::default() };
        let requirements = [requirement("THR-4").unwrap()];
        let make = || Ok(Box::new(Machine::new("once", contract.clone(), Once)) as Box<dyn Compactor>);
        let examiner = Examiner { contract: &contract, make: &make, requirements: &requirements };
        let draft = |key| Draft::new(key, Role::Assistant);
        let messages = (1..6).map(draft).collect();
        let append = Command::Append { conversation: Name(0), messages };
        let restart = Command::Restart { without: Vec::new() };
        let long = History::new(0, vec![append, step(0.0), restart, step(40.0), step(30.0)]);
        let trace = examiner.play(&long);
        let wrong = judge(&contract, &trace).steps.last().and_then(Judged::wrong).unwrap();
        let short = examiner.needed(&wrong, false, &long);
        // Without the first attempt another reason would require this one: it stays.
        assert_eq!(short.commands, [long.commands[0].clone(), step(0.0), step(70.0)]);
    }

    #[test]
    fn ten_thousand_conversations_take_seconds() {
        let mut contract = Contract::default();
        contract.conversations.max = 10_000;
        let budget = Budget::new(Effort::Default, Weight::Light);
        let planned = plan(&contract, 1, budget, vec!["ISO-2".to_owned()]).next().unwrap();
        assert_eq!((planned.target, planned.history.conversations()), (Some("ISO-2"), 10_000));
        let requirements = [requirement("ISO-2").unwrap()];
        let make = || Ok(Box::new(Reference::new(contract.clone())) as Box<dyn Compactor>);
        let examiner = Examiner { contract: &contract, make: &make, requirements: &requirements };
        let start = Instant::now();
        let examined = examiner.examine(&planned);
        assert!(examined.suspects.is_empty(), "{:?}", examined.suspects);
        assert!(examined.exercised[0] >= 20_000, "{:?}", examined.exercised);
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    }
}
