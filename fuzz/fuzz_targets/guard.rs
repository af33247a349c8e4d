//! Histories against the reference and its oracle.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll::{Contract, Reference, fuzz};

fuzz_target!(|bytes: &[u8]| {
    let history = fuzz::history(&Contract::default(), bytes);
    fuzz::guard(Reference::default, &history).unwrap();
});
