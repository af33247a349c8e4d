//! The sides of a candidate at a limit: each that is claimed is run, in a thread of its own.

use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use super::record::SideLine;
use super::{Given, Setup, Tick};
use crate::contract::Capability;
use crate::heart::{Task, Watch};
use crate::limit_budget::LimitBudget;
use crate::limit_check::{check_case, check_side};
use crate::limit_report::{Failure, LimitBreak, LimitReport};
use crate::limit_run::{Control, Event};
use crate::limit_show::unanswered;
use crate::requirement::Requirement;
use crate::verdict::{BrokenReport, LimitShare, RaisedReport, Report, RequirementReport, Tally, Verdict};
use crate::witness::{Witness, WitnessDir};

/// What a side tells.
enum News {
    Played(Capability, u64),
    Found(&'static str, Box<Failure>),
    Broke(Box<LimitBreak>),
    Shrinking,
    Done(Capability, Box<LimitReport>),
}

/// After an interruption, so long for the sides to say what they have.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The sides that a candidate can have, in the order of the specification.
const SIDES: [Capability; 5] =
    [Capability::Field, Capability::Fit, Capability::Request, Capability::Gauge, Capability::Change];

/// Runs the sides that `claimed` asks for, and enters what they say into `report`. Why it ended early, if it did.
pub(super) fn run(
    setup: &Setup,
    claimed: &[&'static Requirement],
    witnesses: Option<&WitnessDir>,
    report: &mut Report,
) -> Option<String> {
    let asked = |side: &Capability| {
        let judges = |requirement: &&Requirement| requirement.check.side() == Some(*side);
        setup.contract.claims(*side) && claimed.iter().copied().any(|requirement| judges(&requirement))
    };
    let given = |side: &Capability| match &setup.given {
        None => true,
        Some(Given::Case(case)) => case.side() == *side,
        Some(Given::History(_)) => false,
    };
    let sides: Vec<Capability> = SIDES.iter().copied().filter(asked).filter(given).collect();
    // A side is the smallest part.
    let mine = |(at, side): (usize, Capability)| setup.shard.has(at).then_some(side);
    let sides: Vec<Capability> = sides.into_iter().enumerate().filter_map(mine).collect();
    let (to, from) = mpsc::channel();
    let watch = Watch::new(setup.deadline);
    let mut workers = Vec::new();
    for side in sides.iter().copied() {
        match start(setup, side, &watch, to.clone()) {
            Ok(worker) => workers.push(worker),
            Err(error) => return Some(format!("cannot start a thread: {error}")),
        }
    }
    drop(to);
    let mut listener = Listener { setup, witnesses, played: Vec::new(), found: 0, shrinking: false, done: Vec::new() };
    let ended = listener.listen(&from, &watch);
    if setup.deadline.is_none() {
        // Candidates that keep their deadline return: their children end with the run.
        workers.into_iter().for_each(|worker| _ = worker.join());
    }
    let mut done = listener.done;
    done.sort_by_key(|(side, _)| sides.iter().position(|other| other == side));
    for (side, found) in &done {
        if let Some(results) = setup.results.as_ref().filter(|_| ended.is_none()) {
            results.side(SideLine::new(*side, found));
        }
        enter(setup, *side, found, witnesses, report);
    }
    ended
}

fn start(
    setup: &Setup,
    side: Capability,
    watch: &Watch,
    to: mpsc::Sender<News>,
) -> std::io::Result<std::thread::JoinHandle<()>> {
    let mut budget = LimitBudget::for_run(&setup.contract, setup.effort, setup.seed);
    if let Some((_, cases)) = setup.alone {
        budget.cases = cases as u64;
    }
    let share = setup.alone.map(|(share, _)| share);
    let (contract, make, stop) = (setup.contract.clone(), Arc::clone(&setup.make), Arc::clone(&setup.stop));
    let (only, until, given) = (setup.only.clone(), setup.until.clone(), setup.given.clone());
    let cases = |given: &Given| match given {
        Given::Case(case) if case.side() == side => Some(case.clone()),
        _ => None,
    };
    let first: Vec<_> = setup.first.iter().filter_map(cases).collect();
    let heart = watch.heart();
    let known = setup.recorded.as_ref().and_then(|recorded| recorded.side(side));
    let work = move || {
        if let Some(report) = known {
            // Nobody listens any longer after the run has ended.
            _ = to.send(News::Done(side, Box::new(report)));
            return;
        }
        heart.install();
        // Nobody listens any longer after the run has ended.
        let tell = |event: Event<'_>| {
            _ = match event {
                Event::Begins(case) => {
                    heart.begin(Task::Case(case.clone()));
                    Ok(())
                }
                Event::Played(cases) if cases % 16 == 0 => to.send(News::Played(side, cases)),
                Event::Played(_) => Ok(()),
                Event::Found(id, failure) => to.send(News::Found(id, Box::new(failure.clone()))),
                Event::Broke(broken) => to.send(News::Broke(Box::new(broken.clone()))),
                Event::Shrinking => to.send(News::Shrinking),
            };
        };
        let stop = || stop.load(Ordering::Relaxed);
        let control = Control { only: &only, until: &until, first: &first, share, stop: &stop, tell: &tell };
        let found = match &given {
            Some(Given::Case(case)) => Some(check_case(&contract, &*make, case, &budget, control)),
            _ => check_side(&contract, &*make, side, &budget, control),
        };
        if let Some(report) = found {
            let _ = to.send(News::Done(side, Box::new(report)));
        }
    };
    std::thread::Builder::new().name(format!("plimsoll-{}", side.name())).stack_size(8 << 20).spawn(work)
}

struct Listener<'a> {
    setup: &'a Setup,
    witnesses: Option<&'a WitnessDir>,
    played: Vec<(Capability, u64)>,
    found: u64,
    shrinking: bool,
    done: Vec<(Capability, LimitReport)>,
}

impl Listener<'_> {
    /// Takes what the sides tell until all are done. Why it ended before, if it did.
    fn listen(&mut self, from: &mpsc::Receiver<News>, watch: &Watch) -> Option<String> {
        let mut stopped: Option<Instant> = None;
        loop {
            match from.recv_timeout(Duration::from_millis(100)) {
                Ok(news) => self.take(news),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if let Some(Task::Case(case)) = watch.stuck() {
                        let seconds = self.setup.deadline.unwrap_or_default().as_secs_f64();
                        let why = "the candidate did not return";
                        let file = self.write(&[], "stuck", why, "", Witness::of_case(self.contract(), case), "");
                        let place =
                            |(dir, name): (&WitnessDir, String)| format!("; the case: {}", dir.path(&name).display());
                        let file = self.witnesses.zip(file).map(place).unwrap_or_default();
                        return Some(format!("{why} within {seconds} s in a case at a limit{file}"));
                    }
                }
            }
            self.progress();
            if self.setup.stopped() && stopped.get_or_insert_with(Instant::now).elapsed() > LAST_WORDS {
                break;
            }
            // What breaks off in an interruption is no reason of its own.
            let gave_up = self.setup.gave_up();
            if gave_up.is_some() && !self.setup.stopped() {
                return gave_up;
            }
        }
        self.setup.ended()
    }

    fn take(&mut self, news: News) {
        match news {
            News::Played(side, cases) => match self.played.iter_mut().find(|(other, _)| *other == side) {
                Some((_, known)) => *known = cases,
                None => self.played.push((side, cases)),
            },
            News::Found(id, failure) => {
                self.found += 1;
                // On disk before anything is shrunk: nothing that follows can lose it.
                let witness = Witness::of_case(self.contract(), failure.witness);
                self.write(&[id], &slug(id, failure.reason), "found, not shrunk yet", "", witness, &failure.shown);
            }
            News::Broke(broken) => {
                self.found += 1;
                let witness = Witness::of_case(self.contract(), broken.witness);
                self.write(&[], broken.kind.name(), "found, not shrunk yet", &broken.message, witness, "");
            }
            News::Shrinking => self.shrinking = true,
            News::Done(side, report) => self.done.push((side, *report)),
        }
    }

    fn contract(&self) -> crate::contract::Contract {
        self.setup.contract.clone()
    }

    fn progress(&self) {
        if let Some(progress) = &self.setup.progress {
            let cases = self.played.iter().map(|(_, cases)| cases).sum();
            let budget = LimitBudget::for_run(&self.setup.contract, self.setup.effort, self.setup.seed);
            let budget = budget.cases * self.played.len() as u64;
            let (suspects, shrinking) = (self.found, self.shrinking);
            progress(Tick { histories: 0, steps: 0, cases, budget, suspects, shrinking });
        }
    }

    fn write(
        &self,
        ids: &[&str],
        slug: &str,
        reason: &str,
        detail: &str,
        witness: Witness,
        shown: &str,
    ) -> Option<String> {
        write(self.setup, self.witnesses?, ids, slug, (reason, detail), witness, shown)
    }
}

fn slug(id: &str, reason: &str) -> String {
    format!("{id}-{reason}")
}

/// Writes a witness. Its name.
fn write(
    setup: &Setup,
    dir: &WitnessDir,
    ids: &[&str],
    slug: &str,
    (reason, detail): (&str, &str),
    mut witness: Witness,
    shown: &str,
) -> Option<String> {
    witness.candidate = setup.candidate.clone();
    witness.requirements = ids.iter().map(|id| (*id).to_owned()).collect();
    (witness.reason, witness.detail) = (reason.to_owned(), detail.to_owned());
    let name = dir.name(slug);
    dir.write(&name, &witness.render_case(shown)).ok().map(|()| name)
}

/// Enters what a side says into the rows of the report.
fn enter(setup: &Setup, side: Capability, found: &LimitReport, witnesses: Option<&WitnessDir>, report: &mut Report) {
    report.limits.push(LimitShare { capability: side.name().to_owned(), cases: found.cases, kept: found.kept });
    if let Some((times, message)) = &found.raised {
        let (side, message) = (Some(side.name().to_owned()), message.clone());
        report.raised.push(RaisedReport { side, times: *times, message });
    }
    if let Some(why) = &found.cut_short {
        report.cut_short.get_or_insert_with(|| why.clone());
    }
    let before = setup.first.iter().filter(|given| matches!(given, Given::Case(case) if case.side() == side)).count();
    let written = |ids: &[&str], slug: &str, why: (&str, &str), case: &crate::limit_case::LimitCase, shown: &str| {
        let witness = Witness::of_case(setup.contract.clone(), case.clone());
        write(setup, witnesses?, ids, slug, why, witness, shown)
    };
    for (mut row, finding) in found.rows().into_iter().zip(&found.findings) {
        if let Some(Failure { reason, detail, witness, shown, after, .. }) = &finding.failure {
            // What was found before plays first.
            row.again = *after <= before as u64;
            row.witness = written(&[finding.id], &slug(finding.id, reason), (reason, detail), witness, shown);
        }
        if let Some(known) = report.requirements.iter_mut().find(|known| known.id == row.id) {
            merge(known, row);
        }
    }
    for LimitBreak { kind, message, witness, cases } in &found.breaks {
        let verdict = Verdict::of_break(*kind);
        let reason = format!("the candidate broke off: {}", kind.name());
        let file = written(&[], &format!("{}-{}", side.name(), kind.name()), (&reason, message), witness, "");
        let mut against = Vec::new();
        let marked = |row: &&mut RequirementReport| {
            row.verdict == verdict && row.detail.as_deref() == Some(message) && row.witness.is_none()
        };
        for row in report.requirements.iter_mut().filter(marked) {
            row.witness.clone_from(&file);
            against.push(row.id.clone());
        }
        report.broken.push(BrokenReport {
            verdict,
            histories: *cases,
            message: message.clone(),
            witness: file,
            timeline: Some(unanswered(witness)),
            against,
            of: Some((side.name().to_owned(), found.cases)),
        });
    }
}

/// Adds what a side says of a requirement to what histories showed of it.
fn merge(known: &mut RequirementReport, row: RequirementReport) {
    if row.verdict == Verdict::NotClaimed {
        return;
    }
    let exercised = known.exercised + row.exercised;
    let fails = |row: &RequirementReport| row.tally() == Tally::Failed || row.verdict == Verdict::Advice;
    let unheard = matches!(known.verdict, Verdict::Vacuous | Verdict::NotReached | Verdict::NotClaimed);
    if unheard || fails(&row) && row.verdict != Verdict::Vacuous {
        // A case is shorter than any history.
        *known = row;
    }
    known.exercised = exercised;
}
