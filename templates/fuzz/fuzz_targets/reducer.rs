//! `cargo +nightly fuzz run --fuzz-dir . -s none reducer`: fields against a reducer. What it finds is shrunk before it panics, and lies
//! in `plimsoll-witnesses/`; `plimsoll replay` and `reducer_tests!` play it again.
#![no_main]

/// Put your reducer in its place. This one loses what stands last.
fn shorten(text: &str, max: usize) -> String {
    text.chars().take(max).collect()
}

plimsoll::fuzz_reducer!(plimsoll::text_reducer(shorten));
