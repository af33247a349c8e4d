//! Nothing but the decoding of a history: what the others' speed is measured against.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    std::hint::black_box(plimsoll::fuzz::history(&plimsoll::Contract::default(), bytes));
});
