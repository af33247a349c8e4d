//! What is asked: steps, after how long, and how the summariser answers.

use super::super::own::measures;
use super::Pen;
use crate::contract::{Capability, Contract, Feature};
use crate::history::{Answer, Command, Draft, Name, Pressure, StepCommand, StepKind};
use crate::message::Role;

/// Seconds before a step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum After {
    Seconds(f64),
    /// The cooldown, and so many more.
    Cooldown(f64),
}

/// The cooldown.
pub(crate) const COOL: After = After::Cooldown(0.0);

impl From<f64> for After {
    fn from(seconds: f64) -> Self {
        Self::Seconds(seconds)
    }
}

/// What the summariser does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pick {
    Is(Answer),
    /// It fails in a way that counts as a strike.
    Fail,
}

/// A failure that counts as a strike.
pub(crate) const FAIL: Pick = Pick::Fail;

impl From<Answer> for Pick {
    fn from(answer: Answer) -> Self {
        Self::Is(answer)
    }
}

impl Pen<'_> {
    fn answers(&self, pick: Pick) -> Vec<Answer> {
        match pick {
            Pick::Is(Answer::Ok) => Vec::new(),
            Pick::Is(answer) => vec![answer],
            Pick::Fail => vec![self.failure()],
        }
    }

    fn seconds(&self, after: After) -> f64 {
        match after {
            After::Seconds(seconds) => seconds,
            After::Cooldown(more) => (self.cooldown() + more).max(0.0),
        }
    }

    pub(crate) fn step(&mut self, name: Name, after: impl Into<After>, pick: impl Into<Pick>) -> &mut Self {
        let (after_s, answers) = (self.seconds(after.into()), self.answers(pick.into()));
        self.push(Command::Step(StepCommand { after_s, answers, ..StepCommand::new(name) }))
    }

    /// A step during whose first summariser call `roles` arrive.
    pub(crate) fn arriving(
        &mut self,
        name: Name,
        after: impl Into<After>,
        pick: impl Into<Pick>,
        roles: &[Role],
    ) -> &mut Self {
        let (after_s, answers) = (self.seconds(after.into()), self.answers(pick.into()));
        let claimed = self.contract.claims(Capability::Arrivals);
        let arrived = roles.iter().filter(|_| claimed).map(|role| self.draft(*role)).collect();
        self.push(Command::Step(StepCommand { after_s, answers, arrived, ..StepCommand::new(name) }))
    }

    /// A step during whose first summariser call a message with each flag arrives that there is.
    pub(crate) fn arriving_flagged(&mut self, name: Name, after: impl Into<After>) -> &mut Self {
        let after_s = self.seconds(after.into());
        let has = |feature| self.contract.has(feature);
        let flags = [has(Feature::Pinned), has(Feature::Hidden), has(Feature::UiOnly)];
        let mut arrived = Vec::new();
        for at in (0..3).filter(|at| flags[*at] && self.contract.claims(Capability::Arrivals)) {
            let draft = self.draft(Role::User);
            arrived.push(Draft { pinned: at == 0, hidden: at == 1, ui_only: at == 2, ..draft });
        }
        self.push(Command::Step(StepCommand { after_s, arrived, ..StepCommand::new(name) }))
    }

    /// An attempt during which the process ends and starts again.
    pub(crate) fn cut_off(&mut self, name: Name, kind: StepKind) -> &mut Self {
        if self.contract.claims(Capability::Restart) {
            let before = self.commands.len();
            self.kind(name, kind, Answer::CutOff);
            if self.commands.len() > before {
                self.restart();
            }
        }
        self
    }

    pub(crate) fn pressed(&mut self, name: Name, after: impl Into<After>, pressure: Pressure) -> &mut Self {
        let after_s = self.seconds(after.into());
        if pressure == Pressure::None && measures(self.contract) {
            // Nobody can tell it that there is no pressure: no step, but the time.
            self.late_s += after_s;
            return self;
        }
        self.push(Command::Step(StepCommand { after_s, pressure, ..StepCommand::new(name) }))
    }

    pub(crate) fn kind(&mut self, name: Name, kind: StepKind, pick: impl Into<Pick>) -> &mut Self {
        self.kind_under(name, kind, Pressure::Summarize, pick)
    }

    /// The same, with a verdict of the host that does not matter to it.
    pub(crate) fn kind_under(
        &mut self,
        name: Name,
        kind: StepKind,
        pressure: Pressure,
        pick: impl Into<Pick>,
    ) -> &mut Self {
        let claimed = match kind {
            StepKind::Force => self.contract.claims(Capability::Force),
            StepKind::Overflow => self.contract.claims(Capability::Overflow),
            StepKind::Step => true,
        };
        let answers = self.answers(pick.into());
        if claimed {
            self.push(Command::Step(StepCommand { kind, pressure, answers, ..StepCommand::new(name) }));
        }
        self
    }

    /// Seconds of the longest cooldown.
    pub(crate) fn cooldown(&self) -> f64 {
        self.contract.cooldown().map_or(0.0, |cooldown| cooldown.longest())
    }

    pub(crate) fn strikes(&self) -> u32 {
        self.contract.latch().map_or(1, |latch| latch.strikes)
    }

    /// A way to fail that counts as a strike.
    pub(crate) fn failure(&self) -> Answer {
        failures(self.contract).into_iter().find(|answer| is_strike(self.contract, *answer)).unwrap_or(Answer::Rejected)
    }

    /// So many failures, a cooldown apart, as latch.
    pub(crate) fn latch(&mut self, name: Name) -> &mut Self {
        let (failure, wait) = (self.failure(), self.cooldown());
        for at in 0..self.strikes() {
            self.step(name, if at == 0 { 0.0 } else { wait }, failure);
        }
        self
    }
}

/// The ways in which the candidate's summariser can be made to fail.
pub(crate) fn failures(contract: &Contract) -> Vec<Answer> {
    // The order is that in which they are tried: what most often happens first.
    let all = [
        Answer::Rejected,
        Answer::Timeout,
        Answer::Transport,
        Answer::Overflow,
        Answer::Empty,
        Answer::Blank,
        Answer::Length,
        Answer::Refusal,
        Answer::Inflated,
        Answer::Equal,
        Answer::Ineffective,
    ];
    let effect = contract.attempt.min_effect > 0.0;
    let can = |answer: &Answer| {
        answer.failure().is_some_and(|kind| contract.attempt.outcomes.contains(&kind))
            && (*answer != Answer::Ineffective || effect)
    };
    all.into_iter().filter(can).collect()
}

/// Whether the latch counts this failure.
fn is_strike(contract: &Contract, answer: Answer) -> bool {
    let exempt = |kind| contract.latch().is_some_and(|latch| latch.exempt.contains(&kind));
    !answer.failure().is_some_and(exempt)
}
