//! Files that a command writes: told beforehand whether it can, and never over somebody else's.

use std::path::Path;

use super::screen::{Failure, cannot, usage};
use crate::report::escaped;

/// Whether `path` can be written to by a run that has yet to begin: its directory is there, and what stands there now is
/// nothing, or such a file of an earlier run.
pub(super) fn writable(path: &Path, what: &str) -> Result<(), Failure> {
    let shown = escaped(&path.display().to_string());
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !parent.is_dir() {
        let parent = escaped(&parent.display().to_string());
        return Err(usage(format!("{what} {shown}: there is no directory {parent}; make it, or name another")));
    }
    if path.is_dir() {
        return Err(usage(format!("{what} {shown}: that is a directory; name a file")));
    }
    // A pipe or a device is written to and not read.
    if !path.is_file() {
        return Ok(());
    }
    let there = std::fs::read(path).map_err(|error| cannot(format!("{what} {shown}: {error}")))?;
    let there = String::from_utf8_lossy(&there);
    if there.trim().is_empty() || ["plimsoll", "conformance:"].iter().any(|word| there.contains(word)) {
        return Ok(());
    }
    Err(usage(format!("{what} {shown}: a file is there that no run has written; move it away, or name another")))
}

/// Writes `text` to `path`.
pub(super) fn write(path: &Path, what: &str, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text)
        .map_err(|error| cannot(format!("cannot write {what} {}: {error}", escaped(&path.display().to_string()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_somebody_else_stays_and_an_earlier_report_goes() {
        let dir = tempfile::tempdir().unwrap();
        let [foreign, ours, empty] = ["notes.html", "report.html", "new.html"].map(|name| dir.path().join(name));
        std::fs::write(&foreign, "my notes").unwrap();
        std::fs::write(&ours, "<p>conformance: 1 passed, 0 failed, 0 skipped</p>").unwrap();
        std::fs::write(&empty, "").unwrap();
        let refused = writable(&foreign, "the page").unwrap_err();
        assert_eq!(refused.code, 3);
        assert!(refused.message.contains("no run has written; move it away"), "{}", refused.message);
        writable(&ours, "the page").unwrap();
        writable(&empty, "the page").unwrap();
        writable(&dir.path().join("other.html"), "the page").unwrap();
        assert!(writable(&dir.path().join("none/other.html"), "the page").unwrap_err().message.contains("make it"));
        assert!(writable(dir.path(), "the page").unwrap_err().message.contains("name a file"));
    }
}
