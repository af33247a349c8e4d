//! The trace format: what is read is written, and read again.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plimsoll::fuzz::trace(bytes).expect("nothing is lost"));
