//! A retry loop on a real file. It waits until somebody has changed the file, tries again, and writes into the same file how
//! that went.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use plimsoll::{ChangeBy, ChangeEvent, ChangeGuard, Error, GuardName, GuardedAttempt, GuardedOutcome};
use tempfile::TempDir;

/// What the loop takes for a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watches {
    /// Lines that it did not write itself.
    Lines,
    /// The file's time stamp: the twin, which wakes itself up.
    TimeStamp,
}

/// The loop and its file.
pub(crate) struct Retry {
    watches: Watches,
    home: TempDir,
    /// Lines of others, and the time stamp, when the last attempt began; and how many new lines it takes.
    seen: Option<(usize, SystemTime, usize)>,
}

/// How the loop's own lines begin.
const OWN: &str = "# retried";

impl Retry {
    pub(crate) fn new(watches: Watches) -> Self {
        let home = tempfile::tempdir().unwrap_or_else(|error| panic!("no directory for the file: {error}"));
        let mut retry = Self { watches, home, seen: None };
        retry.write("address = nowhere").unwrap_or_else(|error| panic!("no file: {error}"));
        retry
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(self.home.path().join("settings"))?;
        let before = file.metadata()?.modified()?;
        writeln!(file, "{line}")?;
        Self::later(&file, before)
    }

    fn touch(&mut self) -> io::Result<()> {
        let file = OpenOptions::new().append(true).open(self.home.path().join("settings"))?;
        let before = file.metadata()?.modified()?;
        Self::later(&file, before)
    }

    /// The clock of a file system is coarse: two writes in a row must not bear the same stamp.
    fn later(file: &fs::File, before: SystemTime) -> io::Result<()> {
        let now = file.metadata()?.modified()?;
        if now > before { Ok(()) } else { file.set_modified(before + Duration::from_millis(1)) }
    }

    /// Lines of others, and the time stamp.
    fn state(&self) -> io::Result<(usize, SystemTime)> {
        let path = self.home.path().join("settings");
        let lines = fs::read_to_string(&path)?.lines().filter(|line| !line.starts_with(OWN)).count();
        Ok((lines, fs::metadata(&path)?.modified()?))
    }

    fn happen(&mut self, event: ChangeEvent) -> io::Result<()> {
        match (event.by, event.relevant) {
            (ChangeBy::External, true) => self.write("address = somewhere else"),
            (ChangeBy::Itself, true) => self.write(OWN),
            // Saved unchanged, by whomever.
            _ => self.touch(),
        }
    }

    /// Whether to try again; if so, what is there now is seen.
    fn wakes(&mut self, outcome: GuardedOutcome) -> io::Result<bool> {
        let (lines, stamp) = self.state()?;
        let wakes = self.seen.is_none_or(|(seen, then, needed)| match self.watches {
            Watches::Lines => lines - seen >= needed,
            Watches::TimeStamp => stamp != then,
        });
        if wakes {
            self.seen = Some((lines, stamp, if outcome == GuardedOutcome::Ok { 1 } else { 2 }));
        }
        Ok(wakes)
    }
}

impl ChangeGuard for Retry {
    fn change(&mut self, _: GuardName, event: ChangeEvent) -> Result<(), Error> {
        self.happen(event).map_err(|error| Error::raised(error.to_string()))
    }

    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        let wakes = self.wakes(attempt.outcome).map_err(|error| Error::raised(error.to_string()))?;
        if wakes {
            attempt.during.iter().try_for_each(|event| self.change(guard, *event))?;
        }
        Ok(wakes)
    }
}
