//! Puts the named histories and cases of `spec/` into the library, so that a file more there is one more of them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut list = String::from("&[\n");
    for folder in ["spec/histories", "spec/cases"] {
        println!("cargo::rerun-if-changed={folder}");
        for path in files(&root.join(folder))? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            // Writing to a string does not fail.
            let _ = writeln!(list, "    ({name:?}, include_str!({:?})),", path.display().to_string());
        }
    }
    list.push(']');
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("named.rs"), list)
}

/// The trace files of a folder, by name.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
