//! Fields against the reference reducer.
#![no_main]

plimsoll::fuzz_reducer!(plimsoll::ReferenceReducer::default());
