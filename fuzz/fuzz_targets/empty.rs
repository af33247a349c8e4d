//! Nothing but the decoding of what `PLIMSOLL_INPUT` names, and the changing of it: what the others' speed is measured
//! against.
//!
//! Where `PLIMSOLL_SAMPLE` names a folder, the sample that speed is measured on goes there first.
#![no_main]

use std::collections::BTreeSet;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use plimsoll::Reference;
use plimsoll::fuzz::{Fuzzer, Input};

/// How many inputs the sample has.
const SAMPLE: usize = 240;
/// The most bytes that a small input has.
const SMALL: usize = 1024;
/// The most changes that an input of the sample has gone through.
const CHANGES: u32 = 16;

fn fuzzer() -> &'static Fuzzer {
    static FUZZER: OnceLock<Fuzzer> = OnceLock::new();
    FUZZER.get_or_init(|| {
        let name = std::env::var("PLIMSOLL_INPUT").unwrap_or_else(|_| "history".to_owned());
        let input = Input::ALL.iter().find(|input| input.name() == name);
        let fuzzer = Fuzzer::new(*input.expect("history, field, fit or request"), Reference::default);
        if let Some(folder) = std::env::var_os("PLIMSOLL_SAMPLE") {
            sample(&fuzzer, &seeds(), Path::new(&folder));
        }
        fuzzer
    })
}

/// Small inputs as a run meets them, the same each time: in turn one drawn from the grammar and one of `seeds`, changed by
/// our own mutator, once to sixteen times. One that is large by then, and one that is there already, counts for nothing.
fn sample(fuzzer: &Fuzzer, seeds: &[Vec<u8>], folder: &Path) {
    let (mut kept, mut begun) = (BTreeSet::new(), 0u32);
    while kept.len() < SAMPLE {
        let number = begun.to_le_bytes();
        // Bytes that are no trace file draw from the grammar.
        let seed = seeds.get((begun / 2) as usize % seeds.len().max(1)).filter(|_| begun.is_multiple_of(2));
        let first = seed.map_or(&number[..], Vec::as_slice);
        let mut input = vec![0; 1 << 20];
        input[..first.len()].copy_from_slice(first);
        let mut size = first.len();
        for change in 0..=begun / 2 % CHANGES {
            let seed = begun.wrapping_mul(CHANGES) + change;
            size = fuzzer.mutate(&mut input, size, 1 << 20, seed).expect("a megabyte is room enough");
        }
        begun += 1;
        if size <= SMALL && kept.insert(input[..size].to_vec()) {
            let name = format!("{:03}.jsonl", kept.len());
            std::fs::write(folder.join(name), &input[..size]).expect("the sample is written");
        }
    }
    eprintln!("{SAMPLE} small inputs of {begun} begun");
}

/// All files of the folders that `PLIMSOLL_SEEDS` lists, one a line, by their names.
fn seeds() -> Vec<Vec<u8>> {
    let folders = std::env::var("PLIMSOLL_SEEDS").unwrap_or_default();
    let files = folders.lines().flat_map(|folder| std::fs::read_dir(folder).expect("a folder of seeds"));
    let files: BTreeSet<PathBuf> = files.map(|file| file.expect("a seed").path()).collect();
    let files = files.iter().filter(|file| file.extension().is_some_and(|end| end == "jsonl"));
    files.map(|file| std::fs::read(file).expect("a seed is readable")).collect()
}

fuzz_target!(|bytes: &[u8]| {
    black_box(fuzzer().witness(bytes));
});
plimsoll::fuzz_mutator!(fuzzer());
