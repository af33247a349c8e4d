//! Plays one case of the general form, and says what happened.

use std::fmt::Write;

use crate::change::{ChangeAct, ChangeCase, ChangeEvent, Kept};
use crate::contract::{Capability, Contract};
use crate::limit_case::LimitCase;
use crate::limit_play::{Break, Judge, Side, lacks, made};
use crate::play::{Make, guarded};
use crate::requirement::Check;
use crate::requirement::change::{Attempted, Guarding, Twins};
use crate::text::counted;

/// A guard under test, a fresh one for each case and each of its variants.
pub(crate) struct GuardSide<'a> {
    pub(crate) contract: &'a Contract,
    pub(crate) make: &'a Make<'a>,
}

impl GuardSide<'_> {
    /// Whether each attempt ran.
    fn run(&self, case: &ChangeCase) -> Result<Vec<bool>, Break> {
        let mut candidate = made(self.make)?;
        let guard = candidate.guard().ok_or_else(|| lacks(Self::CLAIM, "guard"))?;
        let mut ran = Vec::new();
        let mut now_s = 0.0;
        for act in &case.acts {
            let told = match act {
                ChangeAct::Wait(seconds) => {
                    now_s += f64::from(*seconds);
                    Ok(())
                }
                ChangeAct::Event { event, times } => {
                    (0..*times).try_for_each(|_| guarded(|| guard.change(case.guard, *event)))
                }
                ChangeAct::Attempt(attempt) => {
                    guarded(|| guard.attempt(case.guard, attempt, now_s)).map(|answer| ran.push(answer))
                }
            };
            told.map_err(|error| Break::of(&error))?;
        }
        Ok(ran)
    }

    /// What variants of the case say about the attempt that was decided wrongly.
    fn twins(&self, case: &ChangeCase, from: usize, wrong: usize) -> Result<Twins, Break> {
        let is_attempt = |act: &&ChangeAct| matches!(act, ChangeAct::Attempt(_));
        let before = case.acts[..=from].iter().filter(is_attempt).count();
        // What may not run must not run at any attempt since.
        let ran = |own, irrelevant| {
            let ran = self.run(&case.variant(from, wrong, Kept { own, irrelevant }))?;
            Ok(ran.iter().skip(before).any(|ran| *ran))
        };
        Ok(Twins {
            moved: ran(true, true)?,
            plain: ran(false, false)?,
            own: ran(true, false)?,
            irrelevant: ran(false, true)?,
        })
    }
}

impl Side for GuardSide<'_> {
    type Seen = Guarding;
    const CLAIM: Capability = Capability::Change;

    fn judge(check: &Check) -> Option<Judge<Guarding>> {
        match check {
            Check::Guard(judge) => Some(*judge),
            _ => None,
        }
    }

    fn play(&self, case: &LimitCase, _: bool) -> Option<Result<Guarding, Break>> {
        let LimitCase::Change(case) = case else { return None };
        let seen = || {
            let ran = self.run(case)?;
            let mut seen = Guarding::new(&self.contract.change, case, &ran);
            if let Some((wrong, last)) = seen.wrong().and_then(|wrong| Some((wrong.act, wrong.last?.act))) {
                seen.twins = Some(self.twins(case, last, wrong)?);
            }
            Ok(seen)
        };
        Some(seen())
    }

    fn used(&self, _: &Guarding) -> Option<(usize, usize)> {
        None
    }

    fn shown(&self, seen: &Guarding) -> String {
        let rules = &self.contract.change;
        let mut out = format!(
            "  guard `{}`, reopened by {} after a success, by {} after a failure\n",
            seen.guard.name(),
            relevant(rules.after_success),
            relevant(rules.after_failure)
        );
        // Writing to a string does not fail.
        for (at, act) in seen.acts.iter().enumerate() {
            let attempted = seen.attempts.iter().find(|attempted| attempted.act == at);
            let _ = writeln!(out, "    {:>3}  {}{}", at + 1, described(act), attempted.map_or(String::new(), decided));
            if seen.wrong().is_some_and(|wrong| wrong.act == at) {
                break;
            }
        }
        out
    }
}

/// The acts of a case.
pub(crate) fn unanswered(case: &ChangeCase) -> String {
    let mut out = format!("  guard `{}`\n", case.guard.name());
    for (at, act) in case.acts.iter().take(40).enumerate() {
        let _ = writeln!(out, "    {:>3}  {}", at + 1, described(act));
    }
    if case.acts.len() > 40 {
        let _ = writeln!(out, "    ...  {} more acts", case.acts.len() - 40);
    }
    out
}

fn relevant(count: u32) -> String {
    counted(count, "relevant external change")
}

fn described(act: &ChangeAct) -> String {
    match act {
        ChangeAct::Wait(seconds) => format!("{seconds} s pass"),
        ChangeAct::Event { event, times: 1 } => word(*event),
        ChangeAct::Event { event, times } => format!("{} x {times}", word(*event)),
        ChangeAct::Attempt(attempt) => {
            let during: Vec<String> = attempt.during.iter().map(|event| word(*event)).collect();
            let during =
                if during.is_empty() { String::new() } else { format!(", meanwhile {}", during.join(" and ")) };
            format!("attempt: {}{during}", attempt.outcome.name())
        }
    }
}

fn word(event: ChangeEvent) -> String {
    format!("{} change by {}", if event.relevant { "a relevant" } else { "an irrelevant" }, event.by.name())
}

fn decided(attempted: &Attempted) -> String {
    let did = if attempted.ran { "ran" } else { "did not run" };
    let why = match attempted.last {
        None => "the first".to_owned(),
        Some(since) => format!("{} of {} changes", since.relevant, since.needed),
    };
    let wrong = if attempted.ran == attempted.due() { "" } else { "   <- wrong" };
    format!(" -> {did} ({why}){wrong}")
}
