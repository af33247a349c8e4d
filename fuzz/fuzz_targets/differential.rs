//! Histories against the reference and a conforming candidate of another design, side by side.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use plimsoll::fuzz::{self, Fuzzer, Input};
use plimsoll::{Contract, Reference, zoo};

/// What changes the inputs.
static FUZZER: LazyLock<Fuzzer> = LazyLock::new(|| Fuzzer::new(Input::History, Reference::default));

fuzz_target!(|bytes: &[u8]| {
    let history = fuzz::history(&Contract::default(), bytes);
    let other = || zoo::find("quiet").expect("a conforming row").make();
    fuzz::differential(Reference::default, other, &history).expect("they differ only where there is a choice");
});
plimsoll::fuzz_mutator!(FUZZER);
