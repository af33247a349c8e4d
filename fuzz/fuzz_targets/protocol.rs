//! The decoder of the adapter protocol, both directions.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plimsoll::fuzz::protocol(bytes));
