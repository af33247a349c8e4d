//! Histories and cases. Never sees a requirement.

pub(crate) mod field;
mod field_small;
pub(crate) mod fit;
pub(crate) mod request;
pub(crate) mod texts;

/// Cases of two kinds.
pub(crate) struct Cases<C> {
    /// All of a small scope, the smallest first.
    pub(crate) whole: Box<dyn Iterator<Item = C>>,
    /// Random ones, without end.
    pub(crate) random: Box<dyn Iterator<Item = C>>,
}

impl<C: 'static> Cases<C> {
    pub(crate) fn map<D: 'static>(self, change: fn(C) -> D) -> Cases<D> {
        Cases { whole: Box::new(self.whole.map(change)), random: Box::new(self.random.map(change)) }
    }

    /// At most so many in all, a quarter of them random at least.
    pub(crate) fn up_to(self, most: u64) -> impl Iterator<Item = C> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        self.whole.take(most - most / 4).chain(self.random).take(most)
    }
}
