//! Notices a candidate that does not return.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::generate::Planned;
use crate::limit_case::LimitCase;

/// What a worker plays.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    History(Planned),
    Case(LimitCase),
}

#[derive(Debug, Default)]
struct Beat {
    /// Since when the candidate has been called without returning.
    since: Option<Instant>,
    task: Option<Task>,
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

    pub(crate) fn begin(&self, task: Task) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).task = Some(task);
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

    /// What a candidate has been at without returning for longer than it may.
    pub(crate) fn stuck(&self) -> Option<Task> {
        let deadline = self.deadline?;
        let hearts = self.hearts.lock().unwrap_or_else(PoisonError::into_inner);
        hearts.iter().find_map(|heart| {
            let beat = heart.0.lock().unwrap_or_else(PoisonError::into_inner);
            let late = beat.since.is_some_and(|since| since.elapsed() > deadline);
            beat.task.clone().filter(|_| late)
        })
    }
}
