//! Where random draws come from: a seed, or bytes that somebody else chose.

use std::ops::Range;

use fastrand::Rng;

/// Draws numbers.
#[derive(Debug)]
pub(crate) enum Source<'b> {
    /// From a seed, without end.
    Seeded(Rng),
    /// From bytes; when they are spent every draw is the least.
    Bytes(&'b [u8]),
}

impl<'b> Source<'b> {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self::Seeded(Rng::with_seed(seed))
    }

    pub(crate) fn bytes(bytes: &'b [u8]) -> Self {
        Self::Bytes(bytes)
    }

    /// Whether every further draw is the least.
    pub(crate) fn is_spent(&self) -> bool {
        matches!(self, Self::Bytes([]))
    }

    /// A number in `range`, which must not be empty.
    pub(crate) fn u64(&mut self, range: Range<u64>) -> u64 {
        match self {
            Self::Seeded(rng) => rng.u64(range),
            Self::Bytes(bytes) => {
                let width = range.end - range.start;
                let mut value = 0;
                // One byte for what fits in one, so that a byte is a decision.
                for _ in 0..if width > 256 { 2 } else { 1 } {
                    let (first, rest) = bytes.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
                    *bytes = rest;
                    value = value << 8 | u64::from(first);
                }
                range.start + value % width
            }
        }
    }

    pub(crate) fn u32(&mut self, range: Range<u32>) -> u32 {
        self.u64(u64::from(range.start)..u64::from(range.end)) as u32
    }

    pub(crate) fn usize(&mut self, range: Range<usize>) -> usize {
        self.u64(range.start as u64..range.end as u64) as usize
    }

    pub(crate) fn u8(&mut self, range: Range<u8>) -> u8 {
        self.u64(u64::from(range.start)..u64::from(range.end)) as u8
    }

    pub(crate) fn bool(&mut self) -> bool {
        self.u64(0..2) == 1
    }

    /// A part from 0 to below 1, in steps of a hundredth.
    pub(crate) fn part(&mut self) -> f64 {
        self.u64(0..100) as f64 / 100.0
    }
}
