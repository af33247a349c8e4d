//! A check that repeats its alert when an incident's record changes. It notes each alert in the record.

use plimsoll::{ChangeBy, ChangeEvent, ChangeGuard, Error, GuardName, GuardedAttempt, GuardedOutcome};

/// What the check takes for an update.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watches {
    /// What others found out.
    Findings,
    /// The version of the record: the twin, whose alert raises the next one.
    Version,
}

/// An incident, as its database keeps it.
#[derive(Default)]
struct Record {
    /// Raised by every update.
    version: u64,
    /// What is known, and by whom.
    findings: Vec<ChangeBy>,
    watchers: u32,
}

impl Record {
    fn update(&mut self, event: ChangeEvent) {
        self.version += 1;
        if event.relevant { self.findings.push(event.by) } else { self.watchers += 1 }
    }

    fn by_others(&self) -> u64 {
        self.findings.iter().filter(|by| **by == ChangeBy::External).count() as u64
    }
}

/// The check and the record that it looks at.
pub(crate) struct Health {
    watches: Watches,
    record: Record,
    /// What it had seen when it last alerted, and how much more it takes.
    alerted: Option<(u64, u64)>,
}

impl Health {
    pub(crate) fn new(watches: Watches) -> Self {
        Self { watches, record: Record::default(), alerted: None }
    }

    fn state(&self) -> u64 {
        match self.watches {
            Watches::Findings => self.record.by_others(),
            Watches::Version => self.record.version,
        }
    }
}

impl ChangeGuard for Health {
    fn change(&mut self, _: GuardName, event: ChangeEvent) -> Result<(), Error> {
        self.record.update(event);
        Ok(())
    }

    fn attempt(&mut self, _: GuardName, attempt: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        let alerts = self.alerted.is_none_or(|(seen, needed)| self.state() - seen >= needed);
        if alerts {
            self.alerted = Some((self.state(), if attempt.outcome == GuardedOutcome::Ok { 1 } else { 2 }));
            attempt.during.iter().for_each(|event| self.record.update(*event));
        }
        Ok(alerts)
    }
}
