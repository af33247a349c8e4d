//! What a failure is like: the kinds of failure that a requirement answers, and public reports of such.

use std::sync::OnceLock;

use serde::Deserialize;

/// A kind of failure, as `spec/kinds.json` has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kind {
    pub(crate) kind: String,
    /// What goes wrong, in a few words.
    pub(crate) sentence: String,
    /// Some public reports of it, as `owner/project#number`.
    pub(crate) reports: Vec<String>,
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

/// The kinds of failure that the requirement `id` answers.
pub(crate) fn kinds_of(id: &str) -> impl Iterator<Item = &'static Kind> {
    let Catalogue { kinds, sourced } = catalogue();
    let sources = sourced.iter().find(|row| row.id == id).map_or(&[][..], |row| &row.sources);
    sources.iter().filter_map(|source| kinds.iter().find(|kind| kind.kind == *source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_has_the_kinds_that_it_answers() {
        let kinds: Vec<&str> = kinds_of("THR-1").map(|kind| kind.kind.as_str()).collect();
        assert_eq!(kinds, ["self-trigger"]);
        assert!(kinds_of("THR-1").all(|kind| kind.reports.contains(&"gptme/gptme#3812".to_owned())));
        assert_eq!(kinds_of("LOG-5").count(), 0);
    }

    #[test]
    fn every_kind_says_something() {
        assert_eq!(catalogue().kinds.len(), 41);
        assert_eq!(catalogue().sourced.len(), crate::requirements().count());
        let said = |kind: &Kind| !kind.sentence.is_empty() && kind.reports.iter().all(|report| report.contains('#'));
        assert!(catalogue().kinds.iter().all(said));
    }
}
