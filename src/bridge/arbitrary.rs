//! `Arbitrary` of the crate of that name: every input gives a value, and short ones give short histories.

use ::arbitrary::{Arbitrary, Result, Unstructured};

use super::{FieldUnder, HistoryUnder, Under};
use crate::generate::{bytes, decode};

impl<'a, C: Under> Arbitrary<'a> for HistoryUnder<C> {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        let len = input.arbitrary_len::<u8>()?;
        Ok(Self::new(decode(&C::contract(), input.bytes(len)?)))
    }

    fn arbitrary_take_rest(input: Unstructured<'a>) -> Result<Self> {
        Ok(Self::new(decode(&C::contract(), input.take_rest())))
    }
}

impl<'a, C: Under> Arbitrary<'a> for FieldUnder<C> {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        let len = input.arbitrary_len::<u8>()?;
        Ok(Self::new(bytes::reduce_case(&C::contract().field, input.bytes(len)?)))
    }

    fn arbitrary_take_rest(input: Unstructured<'a>) -> Result<Self> {
        Ok(Self::new(bytes::reduce_case(&C::contract().field, input.take_rest())))
    }
}
