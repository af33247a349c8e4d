//! The log on disk.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::message::{Message, from_json_lines, to_json_lines};

/// A log on disk: JSON lines, one message a line, only ever appended to.
///
/// ```
/// use plimsoll::{LogFile, Message, Role};
/// # let dir = std::env::temp_dir().join(format!("plimsoll-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir).unwrap();
/// let mut log = LogFile::open(dir.join("a.jsonl")).unwrap();
/// log.append(&[Message::new("m1", Role::User, "hello")]).unwrap();
/// log.append(&[Message::new("m2", Role::Assistant, "hello yourself")]).unwrap();
/// assert_eq!(log.load().unwrap().len(), 2);
/// # std::fs::remove_dir_all(&dir).unwrap();
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct LogFile {
    path: PathBuf,
    file: File,
}

impl LogFile {
    /// Opens the log at `path`; a new one is created empty. What stands in it stays.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened for appending.
    pub fn open(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        Ok(Self { path, file })
    }

    /// Appends messages, in order, and hands them to the disk.
    ///
    /// # Errors
    ///
    /// If they cannot be written. A part of the last line may stand in the file then; [`LogFile::load`] names it.
    pub fn append(&mut self, messages: &[Message]) -> io::Result<()> {
        self.file.write_all(to_json_lines(messages).as_bytes())?;
        self.file.sync_data()
    }

    /// Reads everything that was ever appended, in order.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or a line is not a message: the file, the line, and why.
    pub fn load(&self) -> Result<Vec<Message>, String> {
        let text = std::fs::read_to_string(&self.path).map_err(|e| format!("{}: {e}", self.path.display()))?;
        from_json_lines(&text).map_err(|e| format!("{}: {e}", self.path.display()))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}
