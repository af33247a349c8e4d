//! `cargo +nightly fuzz run -s none compactor`: histories against a compactor.
#![no_main]

// Put yours in its place: anything that gives a fresh `plimsoll::Compactor`.
plimsoll::fuzz_compactor!(plimsoll::Reference::default);
