//! Histories against the reference and a conforming candidate of another design, side by side.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll::{Contract, Reference, fuzz, zoo};

fuzz_target!(|bytes: &[u8]| {
    let history = fuzz::history(&Contract::default(), bytes);
    let other = || zoo::find("quiet").expect("a conforming row").make();
    fuzz::differential(Reference::default, other, &history).expect("they differ only where there is a choice");
});
