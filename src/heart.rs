//! Notices a candidate that does not return.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::generate::Planned;

#[derive(Debug, Default)]
struct Beat {
    /// Since when the candidate has been called without returning.
    since: Option<Instant>,
    planned: Option<Planned>,
}

/// What one worker is doing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heart(Arc<Mutex<Beat>>);

thread_local! {
    static HEART: RefCell<Option<Heart>> = const { RefCell::new(None) };
}

impl Heart {
    /// Makes this the heart of the current thread.
    pub(crate) fn install(&self) {
        HEART.with(|heart| *heart.borrow_mut() = Some(self.clone()));
    }

    pub(crate) fn begin(&self, planned: &Planned) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).planned = Some(planned.clone());
    }

    fn set(&self, since: Option<Instant>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).since = since;
    }
}

/// Marks that the current thread calls the candidate, or that it returned.
pub(crate) fn heartbeat(inside: bool) {
    HEART.with(|heart| {
        if let Some(heart) = &*heart.borrow() {
            heart.set(inside.then(Instant::now));
        }
    });
}

/// Looks after the hearts of a run.
#[derive(Debug)]
pub(crate) struct Watch {
    deadline: Option<Duration>,
    hearts: Mutex<Vec<Heart>>,
}

impl Watch {
    pub(crate) fn new(deadline: Option<Duration>) -> Self {
        Self { deadline, hearts: Mutex::default() }
    }

    pub(crate) fn heart(&self) -> Heart {
        let heart = Heart::default();
        self.hearts.lock().unwrap_or_else(PoisonError::into_inner).push(heart.clone());
        heart
    }

    /// The history in which a candidate has not returned for longer than it may.
    pub(crate) fn stuck(&self) -> Option<Planned> {
        let deadline = self.deadline?;
        let hearts = self.hearts.lock().unwrap_or_else(PoisonError::into_inner);
        hearts.iter().find_map(|heart| {
            let beat = heart.0.lock().unwrap_or_else(PoisonError::into_inner);
            let late = beat.since.is_some_and(|since| since.elapsed() > deadline);
            beat.planned.clone().filter(|_| late)
        })
    }
}
