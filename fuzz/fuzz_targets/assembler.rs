//! Views against the reference assembler.
#![no_main]

plimsoll::fuzz_assembler!(plimsoll::ReferenceAssembler::default());
