//! Two workers that take turns at one child process: while it is at work for one of them, the other judges what it has
//! answered and writes down what it is to be asked next.
//!
//! The turns alternate strictly, so that the child is asked the same in the same order in every run.

use std::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
struct State {
    /// Whose turn it is, of those that are there.
    next: usize,
    there: [bool; 2],
    taken: bool,
}

/// What the two share.
#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pass(&self, mut state: MutexGuard<'_, State>, from: usize) {
        if state.there[1 - from] {
            state.next = 1 - from;
        }
        drop(state);
        self.changed.notify_all();
    }
}

/// One of two that take turns. Dropped, it leaves the other alone.
#[derive(Debug)]
pub(crate) struct Lane {
    shared: Arc<Shared>,
    number: usize,
}

/// Two that take turns; the first one begins.
pub(crate) fn pair() -> [Lane; 2] {
    let shared = Arc::new(Shared::default());
    shared.state().there = [true; 2];
    [0, 1].map(|number| Lane { shared: Arc::clone(&shared), number })
}

thread_local! {
    static LANE: RefCell<Option<Lane>> = const { RefCell::new(None) };
}

impl Lane {
    /// Makes this the lane of the current thread, until [`leave`].
    pub(crate) fn install(self) {
        LANE.with(|lane| *lane.borrow_mut() = Some(self));
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.there[self.number] = false;
        if state.next == self.number && !state.taken {
            self.shared.pass(state, self.number);
        }
    }
}

/// The current thread takes turns no longer.
pub(crate) fn leave() {
    LANE.with(|lane| lane.borrow_mut().take());
}

/// Whether the current thread takes turns.
#[cfg(any(test, feature = "adapter"))]
pub(crate) fn takes_turns() -> bool {
    LANE.with(|lane| lane.borrow().is_some())
}

/// A turn. Dropped, it is the other one's.
#[cfg(any(test, feature = "adapter"))]
#[derive(Debug)]
pub(crate) struct Turn {
    shared: Arc<Shared>,
    number: usize,
}

/// Waits for the turn of the current thread. None where it takes no turns, or has its turn already.
#[cfg(any(test, feature = "adapter"))]
pub(crate) fn take() -> Option<Turn> {
    LANE.with(|lane| {
        let lane = lane.borrow();
        let Lane { shared, number } = lane.as_ref()?;
        let mut state = shared.state();
        while state.next != *number {
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        // Nobody passes it on before it is dropped: if it is taken, then by this thread.
        (!std::mem::replace(&mut state.taken, true)).then(|| Turn { shared: Arc::clone(shared), number: *number })
    })
}

#[cfg(any(test, feature = "adapter"))]
impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.taken = false;
        self.shared.pass(state, self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn turns_alternate_until_one_leaves() {
        let order = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for lane in pair() {
                let order = &order;
                scope.spawn(move || {
                    let number = lane.number;
                    lane.install();
                    for nth in 0..if number == 0 { 3 } else { 5 } {
                        let turn = take();
                        assert!(turn.is_some() && take().is_none(), "a turn is taken once");
                        order.lock().unwrap().push((number, nth));
                    }
                    leave();
                    assert!(take().is_none() && !takes_turns());
                });
            }
        });
        let order = order.into_inner().unwrap();
        assert_eq!(order, [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2), (1, 3), (1, 4)]);
    }
}
