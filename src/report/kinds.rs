//! What a failure is like: the kinds of failure that a requirement answers, and public reports of such.

use std::sync::OnceLock;

use serde::Deserialize;

use crate::oracle::{ATTEMPTED, MISSING, Require};

/// A kind of failure, as `spec/kinds.json` has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kind {
    pub(crate) kind: String,
    /// The decision that it is seen in, where a failure of the other one is nothing like it.
    #[serde(default)]
    decision: Option<Decision>,
    /// What goes wrong, in a few words.
    pub(crate) sentence: String,
    /// Some public reports of it, as `owner/project#number`.
    pub(crate) reports: Vec<String>,
}

/// A wrong decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Decision {
    /// An attempt was made where none was permitted.
    Attempted,
    /// None was made where one was due.
    Missing,
    /// The first one was not made: nothing had gone before that might have kept it off.
    MissingFirst,
}

impl Decision {
    /// What the reason of a failure tells of.
    fn told_by(reason: &str) -> Option<Self> {
        match reason.strip_prefix(MISSING) {
            Some(due) if due == Require::FirstAttempt.words() => Some(Self::MissingFirst),
            Some(_) => Some(Self::Missing),
            None => reason.starts_with(ATTEMPTED).then_some(Self::Attempted),
        }
    }
}

#[derive(Debug, Deserialize)]
struct Sourced {
    id: String,
    sources: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Registry {
    requirements: Vec<Sourced>,
}

#[derive(Debug, Deserialize)]
struct Kinds {
    kinds: Vec<Kind>,
}

#[derive(Debug)]
struct Catalogue {
    kinds: Vec<Kind>,
    sourced: Vec<Sourced>,
}

/// Both files are part of this crate, and a test below reads them: what could not be read would have nothing to say here.
fn catalogue() -> &'static Catalogue {
    static READ: OnceLock<Catalogue> = OnceLock::new();
    READ.get_or_init(|| {
        let kinds = serde_json::from_str(include_str!("../../spec/kinds.json")).map(|file: Kinds| file.kinds);
        let registry = serde_json::from_str(include_str!("../../spec/requirements.json"));
        Catalogue {
            kinds: kinds.unwrap_or_default(),
            sourced: registry.map(|file: Registry| file.requirements).unwrap_or_default(),
        }
    })
}

/// The kinds of failure that the requirement `id` answers, less those that a failure for this reason cannot be.
pub(crate) fn kinds_of(id: &str, reason: Option<&str>) -> impl Iterator<Item = &'static Kind> {
    let decision = reason.and_then(Decision::told_by);
    let other = move |kind: &&Kind| kind.decision.zip(decision).is_some_and(|(its, told)| its != told);
    let Catalogue { kinds, sourced } = catalogue();
    let sources = sourced.iter().find(|row| row.id == id).map_or(&[][..], |row| &row.sources);
    sources.iter().filter_map(|source| kinds.iter().find(|kind| kind.kind == *source)).filter(move |kind| !other(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_has_the_kinds_that_it_answers() {
        let kinds: Vec<&str> = kinds_of("THR-1", None).map(|kind| kind.kind.as_str()).collect();
        assert_eq!(kinds, ["self-trigger"]);
        assert!(kinds_of("THR-1", None).all(|kind| kind.reports.contains(&"gptme/gptme#3812".to_owned())));
        assert_eq!(kinds_of("LOG-5", None).count(), 0);
    }

    #[test]
    fn an_attempt_too_many_is_no_attempt_that_is_missing() {
        let kinds =
            |reason: String| kinds_of("FRC-3", Some(&reason)).map(|kind| kind.kind.as_str()).collect::<Vec<_>>();
        assert_eq!(kinds(format!("{MISSING}overflow proved")), ["emergency-starved"]);
        assert_eq!(kinds(format!("{ATTEMPTED}no recovery is left")), [""; 0]);
        assert_eq!(kinds("view grew".to_owned()), ["emergency-starved"]);
    }

    #[test]
    fn what_never_began_is_not_stuck() {
        let kinds = |due: Require| kinds_of("THR-4", Some(&format!("{MISSING}{}", due.words()))).count();
        assert_eq!((kinds(Require::FirstAttempt), kinds(Require::CooldownOver)), (0, 1));
    }

    #[test]
    fn every_kind_says_something() {
        assert_eq!(catalogue().kinds.len(), 41);
        assert_eq!(catalogue().sourced.len(), crate::requirements().count());
        let said = |kind: &Kind| !kind.sentence.is_empty() && kind.reports.iter().all(|report| report.contains('#'));
        assert!(catalogue().kinds.iter().all(said));
    }
}
