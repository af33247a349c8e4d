//! Histories against the reference and its oracle.
#![no_main]

plimsoll::fuzz_compactor!(plimsoll::Reference::default);
