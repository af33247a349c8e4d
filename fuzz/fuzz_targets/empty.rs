//! Nothing but the decoding of what `PLIMSOLL_INPUT` names, and the changing of it: what the others' speed is measured
//! against.
#![no_main]

use std::hint::black_box;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use plimsoll::Reference;
use plimsoll::fuzz::{Fuzzer, Input};

fn fuzzer() -> &'static Fuzzer {
    static FUZZER: OnceLock<Fuzzer> = OnceLock::new();
    FUZZER.get_or_init(|| {
        let name = std::env::var("PLIMSOLL_INPUT").unwrap_or_else(|_| "history".to_owned());
        let input = Input::ALL.iter().find(|input| input.name() == name);
        Fuzzer::new(*input.expect("history, field, fit or request"), Reference::default)
    })
}

fuzz_target!(|bytes: &[u8]| {
    black_box(fuzzer().witness(bytes));
});
plimsoll::fuzz_mutator!(fuzzer());
