//! `plimsoll init`: a starter that gives a verdict as it is.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::folder_has_a_name;
use super::screen::{Failure, cannot, nearest, print, usage};

/// A file of a starter.
struct File {
    path: &'static str,
    text: &'static str,
}

const fn file(path: &'static str, text: &'static str) -> File {
    File { path, text }
}

/// How an adapter in TypeScript runs.
const TYPESCRIPT: &str = "examples/adapters/minimal.ts is the same in TypeScript, which Node runs as it is from 22.18 on; for \
                          Node 20 compile it, with {\"type\": \"module\"} in package.json: npx -p typescript tsc --target es2022 \
                          --module nodenext adapter.ts; then plimsoll check -- node adapter.js";

/// What there are starters for, and what to do next.
const KINDS: &[(&str, &[File], &str)] = &[
    (
        "rust",
        &[
            file("Cargo.toml", include_str!("../../templates/rust/Cargo.toml.in")),
            file("src/lib.rs", include_str!("../../templates/rust/src/lib.rs")),
            file("tests/conformance.rs", include_str!("../../templates/rust/tests/conformance.rs")),
        ],
        "cargo test",
    ),
    (
        "python",
        &[
            file("plimsoll.py", include_str!("../../examples/adapters/plimsoll.py")),
            file("adapter.py", include_str!("../../examples/adapters/minimal.py")),
        ],
        "plimsoll check -- python3 adapter.py",
    ),
    (
        "node",
        &[
            file("plimsoll.mjs", include_str!("../../examples/adapters/plimsoll.mjs")),
            file("plimsoll.d.mts", include_str!("../../examples/adapters/plimsoll.d.mts")),
            file("adapter.mjs", include_str!("../../examples/adapters/minimal.mjs")),
        ],
        "plimsoll check -- node adapter.mjs",
    ),
    (
        "fuzz",
        &[
            file("Cargo.toml", include_str!("../../templates/fuzz/Cargo.toml.in")),
            file(".gitignore", include_str!("../../templates/fuzz/gitignore")),
            file("fuzz_targets/reducer.rs", include_str!("../../templates/fuzz/fuzz_targets/reducer.rs")),
            file("fuzz_targets/compactor.rs", include_str!("../../templates/fuzz/fuzz_targets/compactor.rs")),
        ],
        "cargo +nightly fuzz run --fuzz-dir . -s none reducer",
    ),
];

/// The names of the kinds.
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, ..)| *name)
}

pub(super) fn init(kind: &str, dir: &Path, crate_path: Option<&Path>) -> Result<u8, Failure> {
    let Some((_, files, next)) = KINDS.iter().find(|(name, ..)| *name == kind) else {
        let near = match kind.to_ascii_lowercase().as_str() {
            "typescript" | "ts" => format!("; take node, whose helper has types: {TYPESCRIPT}"),
            "javascript" | "js" => "; take node".to_owned(),
            _ => String::new(),
        };
        return Err(usage(format!(
            "there is no starter for {kind:?}{}: there are {}{near}",
            nearest(kind, kinds()),
            kinds().collect::<Vec<_>>().join(", ")
        )));
    };
    folder_has_a_name(dir, "DIR")?;
    let there: Vec<PathBuf> = files.iter().map(|file| dir.join(file.path)).filter(|path| path.exists()).collect();
    if let Some(first) = there.first() {
        return Err(cannot(format!(
            "{} is there already, and nothing is overwritten; name an empty directory",
            first.display()
        )));
    }
    let source = match crate_path {
        None => format!("\"{}\"", env!("CARGO_PKG_VERSION")),
        Some(path) => {
            let path = path.canonicalize().map_err(|error| cannot(format!("{}: {error}", path.display())))?;
            if !path.join("Cargo.toml").is_file() {
                return Err(cannot(format!(
                    "{} has no Cargo.toml: name the folder of the crate plimsoll",
                    path.display()
                )));
            }
            format!("{{ path = {:?} }}", path.display().to_string())
        }
    };
    let mut told = String::new();
    for File { path, text } in *files {
        // The shortest adapter is the starter, under the name of what it is to become.
        let is_adapter = path.starts_with("adapter.");
        let named = |text: &str| text.replace("minimal", "adapter").replace("Minimal", "Adapter");
        let text = if is_adapter { named(text) } else { (*text).to_owned() };
        let path = dir.join(path);
        let parent = path.parent().unwrap_or(dir);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text.replace("@PLIMSOLL@", &source)))
            .map_err(|error| cannot(format!("cannot write {}: {error}", path.display())))?;
        told.push_str(&format!("{}\n", path.display()));
    }
    let mut next = (*next).to_owned();
    if crate_path.is_none() && files.iter().any(|file| file.text.contains("@PLIMSOLL@")) {
        next = format!(
            "plimsoll is on no registry yet, so write into Cargo.toml where a checkout of it is, as\n\n    \
             plimsoll = {{ path = \"../plimsoll\" }}\n\n(--crate-path PATH does that when the starter is made); then: {next}"
        );
    }
    told.push_str(&format!("\nnext, in {}: {next}\n", dir.display()));
    if kind == "node" {
        told.push_str(&format!("\n{TYPESCRIPT}\n"));
    }
    print(&told);
    Ok(0)
}
