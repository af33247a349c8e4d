//! The fuzz corpus and all regressions, replayed by the call that the fuzz target makes.

use std::fs;
use std::path::Path;

use plimsoll::{Contract, Reference, fuzz};

#[test]
fn guard() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let mut played = 0;
    for folder in ["corpus/guard", "regressions/guard"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().is_some_and(|name| name == ".gitkeep") {
                continue;
            }
            let history = fuzz::history(&Contract::default(), &fs::read(&path).unwrap());
            let result = fuzz::guard(Reference::default, &history);
            assert!(result.is_ok(), "{}: {}", path.display(), result.unwrap_err());
            played += 1;
        }
    }
    assert!(played >= 20, "the corpus is missing");
}
