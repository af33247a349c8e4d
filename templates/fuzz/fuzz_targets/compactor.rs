//! `cargo +nightly fuzz run --fuzz-dir . -s none compactor`: histories against a compactor.
#![no_main]

// Put yours in its place: anything that gives a fresh `plimsoll::Compactor`.
plimsoll::fuzz_compactor!(plimsoll::Reference::default);
