//! `Arbitrary` for quickcheck.

use ::quickcheck::{Arbitrary, Gen};

use super::{FieldUnder, HistoryUnder, Under, smaller_fields};
use crate::generate::{draw, field};
use crate::shrink::plainer;

impl<C: Under + 'static> Arbitrary for HistoryUnder<C> {
    fn arbitrary(random: &mut Gen) -> Self {
        Self::new(draw(&C::contract(), u64::arbitrary(random)))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(plainer(&self.history, &C::contract()).into_iter().map(Self::new))
    }
}

impl<C: Under + 'static> Arbitrary for FieldUnder<C> {
    fn arbitrary(random: &mut Gen) -> Self {
        Self::new(field::draw(&C::contract().field, u64::arbitrary(random)))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(smaller_fields(&self.case, &C::contract()).into_iter().map(Self::new))
    }
}
