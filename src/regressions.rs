//! The folder of witnesses that play each time: what stands in it, and what of it is for a candidate.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use crate::contract::{Capability, Contract};
use crate::limit_case::LimitCase;
use crate::snapshot::adapted;
use crate::witness::Witness;

/// The folder, where none is named.
pub(crate) use crate::witness::REGRESSIONS as DIR;

/// The witness files of `dir` and of the folders in it, in the order of their paths; none where `dir` itself is not there and
/// need not be.
///
/// # Errors
///
/// The file or folder that cannot be looked at, and why: what stands in it would be passed over without a word.
pub(crate) fn files(dir: &Path, need_not_be: bool) -> Result<Option<Vec<PathBuf>>, String> {
    // A link that leads nowhere is there.
    let missing = |error: Error| error.kind() == ErrorKind::NotFound;
    if need_not_be && fs::symlink_metadata(dir).is_err_and(missing) {
        return Ok(None);
    }
    let mut paths = Vec::new();
    walk(dir, &mut Vec::new(), &mut paths)?;
    paths.sort();
    Ok(Some(paths))
}

fn walk(dir: &Path, above: &mut Vec<PathBuf>, paths: &mut Vec<PathBuf>) -> Result<(), String> {
    let named = |error: Error| format!("{}: {error}", dir.display());
    let real = dir.canonicalize().map_err(named)?;
    if above.contains(&real) {
        return Err(format!("{}: this link leads back to a folder that it stands in", dir.display()));
    }
    above.push(real);
    let entries: Result<Vec<_>, _> = fs::read_dir(dir).map_err(named)?.collect();
    let mut entries: Vec<PathBuf> = entries.map_err(named)?.into_iter().map(|entry| entry.path()).collect();
    // Of several that cannot be looked at, the same one is named each time.
    entries.sort();
    for path in entries {
        let is_witness = path.extension().is_some_and(|end| end == "jsonl");
        match fs::metadata(&path) {
            Ok(there) if there.is_dir() => walk(&path, above, paths)?,
            // Whether it can be read is asked when it is to be played.
            Ok(_) | Err(_) if is_witness => paths.push(path),
            Ok(_) => {}
            // It may be a folder.
            Err(error) => return Err(format!("{}: {error}", path.display())),
        }
    }
    above.pop();
    Ok(())
}

/// A candidate, by what decides which witnesses are for it.
pub(crate) struct For<'a> {
    /// Its name; none: whatever name a witness has.
    pub(crate) name: Option<&'a str>,
    /// Cases for this part only; none: everything.
    pub(crate) part: Option<Capability>,
    /// What it is held to now.
    pub(crate) contract: &'a Contract,
}

/// What a file is to a candidate.
pub(crate) enum Kept {
    /// To be played, under the contract as it is now.
    Plays(Box<Witness>),
    /// For another candidate, or another part.
    OfAnother,
    /// No witness; the file is named.
    Unreadable(String),
    /// It cannot be played under the contract as it is now; the file is named.
    Unfit(String),
}

impl For<'_> {
    pub(crate) fn keep(&self, path: &Path) -> Kept {
        // To read a pipe is to wait for whoever writes to it.
        if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Kept::Unreadable(format!("{}: it is no file", path.display()));
        }
        let witness = match Witness::load(path) {
            Ok(witness) => witness,
            Err(error) => return Kept::Unreadable(error),
        };
        let named = witness.candidate.name.as_str();
        let of_another = self.name.is_some_and(|name| !named.is_empty() && named != name);
        if of_another || self.part.is_some() && witness.case.as_ref().map(LimitCase::side) != self.part {
            return Kept::OfAnother;
        }
        if witness.contract == *self.contract {
            return Kept::Plays(Box::new(witness));
        }
        match adapted(&witness, self.contract) {
            Ok(witness) => Kept::Plays(Box::new(witness)),
            Err(why) => Kept::Unfit(format!(
                "{}: {why}; it was found under another contract, and is not played",
                path.display()
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parts, Reference, Suite, macros, text_reducer};

    /// A case that the reducer of `prefix` fails.
    const RED_3: &str = include_str!("../tests/cli/witnesses/red-3.jsonl");

    /// What the test `regressions` of a module panics with, the folder being `root`'s.
    fn panics(root: &Path, part: Option<Capability>, suite: impl Fn() -> Suite) -> Option<String> {
        let test = std::panic::AssertUnwindSafe(|| macros::regressions(suite, root.to_str().unwrap(), part));
        std::panic::catch_unwind(test).err().map(|panic| *panic.downcast::<String>().unwrap())
    }

    fn prefix(name: &'static str) -> impl Fn() -> Suite {
        let contract = Witness::parse(RED_3).unwrap().contract;
        let reducer = || text_reducer(|text, max| text.chars().take(max).collect());
        move || {
            let contract = contract.clone();
            Suite::new(move || Parts::new(contract.clone()).named(name).reducer(reducer()))
        }
    }

    #[test]
    fn the_test_of_a_module_plays_what_the_command_plays() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(panics(root.path(), None, prefix("prefix")), None);
        let inner = root.path().join(DIR).join("seed-3");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("red-3.jsonl"), RED_3).unwrap();
        let says = panics(root.path(), None, prefix("prefix")).unwrap();
        assert!(says.contains("red-3.jsonl fails:") && says.contains("RED-3 fails: "), "{says}");
        // It is for that candidate; a part by itself has no name.
        assert_eq!(panics(root.path(), None, prefix("other")), None);
        assert!(panics(root.path(), Some(Capability::Field), prefix("other")).is_some());
        assert_eq!(panics(root.path(), Some(Capability::Fit), prefix("other")), None);
    }

    #[test]
    fn nobody_is_held_to_the_contract_of_another_day() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(DIR)).unwrap();
        fs::write(root.path().join(DIR).join("red-3.jsonl"), RED_3.replace("\"name\":\"prefix\"", "\"name\":\"\""))
            .unwrap();
        let reference = || Suite::new(|| Reference::new(Contract::claiming(&[Capability::Summarize])));
        assert_eq!(panics(root.path(), None, reference), None);
        assert!(panics(root.path(), None, prefix("any")).is_some());
    }

    #[test]
    fn what_cannot_be_read_fails_the_test_and_is_named() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join(DIR);
        fs::write(&dir, "").unwrap();
        let says = panics(root.path(), None, prefix("prefix")).unwrap();
        assert!(says.contains(DIR) && says.contains("name another folder"), "{says}");
        fs::remove_file(&dir).unwrap();
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("torn.jsonl"), "{").unwrap();
        let says = panics(root.path(), None, prefix("prefix")).unwrap();
        assert!(says.contains("torn.jsonl: ") && says.contains("take it out of the folder"), "{says}");
    }
}
