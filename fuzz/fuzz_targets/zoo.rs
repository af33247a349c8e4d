//! Whatever the built-in candidate that `PLIMSOLL_CANDIDATE` names can do: how soon a fuzzer finds what is known to be bad.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use plimsoll::fuzz::{Fuzzer, Input};
use plimsoll::{Capability, Compactor, zoo};

fn fuzzer() -> &'static Fuzzer {
    static FUZZER: OnceLock<Fuzzer> = OnceLock::new();
    FUZZER.get_or_init(|| {
        let name = std::env::var("PLIMSOLL_CANDIDATE").unwrap_or_else(|_| "prefix".to_owned());
        let row = zoo::find(&name).unwrap_or_else(|| panic!("no built-in candidate has the name {name:?}"));
        let contract = row.make().contract();
        let input = match contract {
            _ if contract.converses() => Input::History,
            _ if contract.claims(Capability::Field) => Input::Field,
            _ if contract.claims(Capability::Fit) => Input::Fit,
            _ => Input::Request,
        };
        Fuzzer::new(input, move || row.make())
    })
}

fuzz_target!(|bytes: &[u8]| fuzzer().fuzz(bytes));
plimsoll::fuzz_mutator!(fuzzer());
