//! Lists of messages against the reference trimmer.
#![no_main]

plimsoll::fuzz_trimmer!(plimsoll::ReferenceTrimmer::default());
