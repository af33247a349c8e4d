//! The text of a list of known failures after a run: what is new, what is gone, and everything else as it was.

use std::collections::BTreeSet;

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, RawString, Table, value};

use crate::Verdict;
use crate::known::stays_mended;
use crate::report::escaped;
use crate::verdict::{DOES_NOT_REPEAT, Report, RequirementReport};

/// The names of the two lists.
const LISTS: [&str; 2] = ["known", "nondeterministic"];

/// A file as it is to be, and what was changed.
#[derive(Debug, Default)]
pub(super) struct Edited {
    pub(super) text: String,
    /// What was changed, a sentence each.
    pub(super) changes: Vec<String>,
}

/// Whether the text of a file can be edited so that nothing in it is lost; if not, why.
pub(super) fn can_be_edited(text: &str) -> Result<(), String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    LISTS.iter().try_for_each(|list| in_tables(&mut document, list).map(drop))
}

/// The text of a file after a run. Comments, order and what else a hand has written stay.
pub(super) fn edited(text: &str, report: &Report) -> Result<Edited, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let mut changes = Vec::new();
    let mut head = String::new();
    for list in LISTS {
        head += &in_tables(&mut document, list)?;
    }
    let row = |id: &str| report.requirements.iter().find(|row| row.id == id);
    let ids = |list: &ArrayOfTables| -> BTreeSet<String> { list.iter().map(id).collect() };

    let mut known = take(&mut document, "known");
    let mut nondeterministic = take(&mut document, "nondeterministic");
    let listed_apart = ids(&nondeterministic);
    let exact = ids(&known);
    let hides = |listed: &Table, row: &RequirementReport| {
        let reason = text_of(listed, "reason");
        id(listed).strip_suffix('*').is_some_and(|prefix| row.id.starts_with(prefix))
            && (reason.is_empty() || row.listed_reason() == Some(reason))
    };
    // What a failure that a wildcard stands for is, another row does not say.
    let free =
        |row: &&RequirementReport| row.is_listable() && !exact.contains(&row.id) && !listed_apart.contains(&row.id);

    let mut gone = Vec::new();
    let mut hidden = BTreeSet::new();
    for (at, listed) in known.iter_mut().enumerate() {
        let id = id(listed);
        if id.ends_with('*') {
            let behind = report.requirements.iter().filter(free).filter(|row| hides(listed, row));
            let behind: Vec<String> =
                behind.filter(|row| !hidden.contains(&row.id)).map(|row| row.id.clone()).collect();
            if behind.is_empty() {
                gone.push((at, format!("deleted {id}: nothing that it stands for fails so")));
            }
            hidden.extend(behind.into_iter().take(crate::known::HIDDEN));
            continue;
        }
        match row(&id) {
            Some(row) if row.is_listable() && row.reason.as_deref() != Some(DOES_NOT_REPEAT) => {
                corrected(listed, row, &mut changes)
            }
            Some(row) if row.verdict == Verdict::Nondeterministic || row.is_listable() => {
                gone.push((at, format!("moved {id}: it comes and goes")));
                nondeterministic.push(moved(listed));
            }
            Some(row) if row.verdict == Verdict::NotClaimed => {
                gone.push((at, format!("deleted {id}: it is not claimed")))
            }
            Some(row) => {
                let passes = matches!(row.verdict, Verdict::Pass | Verdict::Vacuous);
                let witness = stays_mended(text_of(listed, "witness")).filter(|_| passes);
                let witness = witness.map(|what| format!("; {}", escaped(&what))).unwrap_or_default();
                gone.push((at, format!("deleted {id}: its verdict is {}{witness}", row.verdict.name())))
            }
            None => {}
        }
    }
    head += &without(&mut known, gone, &mut changes);

    let not_claimed = |listed: &Table| row(&id(listed)).is_some_and(|row| row.verdict == Verdict::NotClaimed);
    let gone = nondeterministic.iter().enumerate().filter(|(_, listed)| not_claimed(listed));
    let gone = gone.map(|(at, listed)| (at, format!("deleted {}: it is not claimed", id(listed)))).collect();
    head += &without(&mut nondeterministic, gone, &mut changes);

    let listed: BTreeSet<String> = ids(&nondeterministic).into_iter().chain(exact).chain(hidden).collect();
    let version = &report.candidate.version;
    for row in report.requirements.iter().filter(|row| !listed.contains(&row.id)) {
        let comes_and_goes = row.verdict == Verdict::Nondeterministic || row.reason.as_deref() == Some(DOES_NOT_REPEAT);
        // Advice fails a strict run only.
        let fails = row.is_listable() && (row.verdict != Verdict::Advice || report.strict);
        let reason = row.listed_reason().unwrap_or_default();
        let members = [
            ("id", Some(row.id.as_str())),
            ("reason", row.listed_reason().filter(|_| !comes_and_goes)),
            ("since", Some(version.as_str()).filter(|version| !version.is_empty())),
            ("witness", row.witness.as_deref().filter(|_| !comes_and_goes)),
        ];
        if !fails && row.verdict != Verdict::Nondeterministic {
            continue;
        }
        let mut table = Table::new();
        for (name, text) in members.iter().filter_map(|(name, text)| Some((name, (*text)?))) {
            table.insert(name, value(text));
        }
        let list = if comes_and_goes { &mut nondeterministic } else { &mut known };
        table.decor_mut().set_prefix(if list.is_empty() && head.is_empty() { "" } else { "\n" });
        list.push(table);
        let kind = if comes_and_goes { " to [[nondeterministic]]" } else { "" };
        changes.push(format!("added {}{kind}: {}", row.id, escaped(reason)));
    }
    put(&mut document, [known, nondeterministic], head);
    Ok(Edited { text: document.to_string(), changes })
}

fn id(row: &Table) -> String {
    text_of(row, "id").to_owned()
}

fn text_of<'a>(row: &'a Table, name: &str) -> &'a str {
    row.get(name).and_then(Item::as_str).unwrap_or_default()
}

/// Sets the reason, and the witness where the row names one.
fn corrected(listed: &mut Table, row: &RequirementReport, changes: &mut Vec<String>) {
    let id = id(listed);
    for (name, now) in [("reason", row.listed_reason()), ("witness", row.witness.as_deref())] {
        let Some(now) = now else { continue };
        let was = text_of(listed, name);
        if was.is_empty() || was == now {
            continue;
        }
        changes.push(format!("changed {id}: {name} was {was:?}, and is {now:?}"));
        if let Some(item) = listed.get_mut(name).and_then(Item::as_value_mut) {
            // What stands beside it stays.
            let decor = item.decor().clone();
            *item = now.into();
            *item.decor_mut() = decor;
        }
    }
}

/// The row in the list of what comes and goes.
fn moved(listed: &Table) -> Table {
    let mut row = listed.clone();
    row.remove("reason");
    row.remove("witness");
    row.set_position(None);
    row
}

/// Makes an empty or inline list one of tables. What stood in front of it.
fn in_tables(document: &mut DocumentMut, list: &str) -> Result<String, String> {
    let Some((key, item)) = document.get_key_value(list) else { return Ok(String::new()) };
    if item.is_array_of_tables() {
        return Ok(String::new());
    }
    // A table has no place for what is said between the values of a list.
    let says = |text: Option<&RawString>| text.and_then(|text| text.as_str()).is_some_and(|text| text.contains('#'));
    let commented = |array: &Array| {
        says(Some(array.trailing())) || array.iter().any(|row| says(row.decor().prefix()) || says(row.decor().suffix()))
    };
    if item.as_array().is_some_and(commented) {
        return Err(format!(
            "`{list}` is one list with comments in it, which would be lost: write its rows as [[{list}]]"
        ));
    }
    let head = key.leaf_decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned();
    let tables = document.remove(list).and_then(|item| item.into_array_of_tables().ok()).unwrap_or_default();
    if !tables.is_empty() {
        document.insert(list, Item::ArrayOfTables(tables));
    }
    Ok(head)
}

fn take(document: &mut DocumentMut, list: &str) -> ArrayOfTables {
    document.remove(list).and_then(|item| item.into_array_of_tables().ok()).unwrap_or_default()
}

/// Deletes rows. What stood in front of the first of the file and of a deleted one, but for the lines right above a row, is
/// not theirs: it goes to the row that follows, or comes back.
fn without(list: &mut ArrayOfTables, gone: Vec<(usize, String)>, changes: &mut Vec<String>) -> String {
    let mut carried = String::new();
    let mut kept = ArrayOfTables::new();
    for (at, row) in list.iter().enumerate() {
        let mut row = row.clone();
        let prefix = row.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned();
        if let Some((_, change)) = gone.iter().find(|(gone, _)| *gone == at) {
            changes.push(change.clone());
            carried += above(&prefix);
        } else {
            if !carried.is_empty() {
                row.decor_mut().set_prefix(format!("{}{prefix}", std::mem::take(&mut carried)));
            }
            kept.push(row);
        }
    }
    *list = kept;
    carried
}

/// What stands in front of a row, without the comment right above it.
fn above(prefix: &str) -> &str {
    let end = prefix.rfind("\n\n").map_or(0, |at| at + 1);
    let comment = |text: &str| text.contains('#');
    if comment(&prefix[..end]) { &prefix[..end] } else { "" }
}

/// Puts the lists back, what stood in front of rows that are gone before them.
fn put(document: &mut DocumentMut, lists: [ArrayOfTables; 2], mut head: String) {
    if lists.iter().all(ArrayOfTables::is_empty) {
        // A file of comments is one, too.
        let trailing = format!("{head}{}", document.trailing().as_str().unwrap_or_default());
        document.set_trailing(trailing);
        return;
    }
    if document.is_empty() && lists.iter().flat_map(ArrayOfTables::iter).all(|row| row.position().is_none()) {
        // All rows are new: what stood in the file stood before them.
        head += document.trailing().as_str().unwrap_or_default();
        document.set_trailing("");
    }
    let mut head = Some(head);
    for (name, mut list) in LISTS.into_iter().zip(lists) {
        if let Some(first) = list.iter_mut().next()
            && let Some(head) = head.take().filter(|head| !head.is_empty())
        {
            let prefix = first.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
            let between = match (head.ends_with("\n\n"), prefix) {
                (true, prefix) => prefix.trim_start_matches('\n'),
                (false, "") if first.position().is_none() => "\n",
                (false, prefix) => prefix,
            };
            let prefix = format!("{head}{between}");
            first.decor_mut().set_prefix(prefix);
        }
        if !list.is_empty() {
            document.insert(name, Item::ArrayOfTables(list));
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::KnownFailures;
    use crate::runner::hold_to;
    use crate::verdict::{CandidateInfo, VACUOUS};

    /// A report in which these fail with these reasons; LAT-1 is not claimed, everything else passes.
    pub(in super::super) fn report(failing: &[(&str, &str)]) -> Report {
        let suite = crate::Suite::new(crate::Reference::default).effort(crate::Effort::Smoke).witness_dir(None);
        let mut report = suite.requirement("LOG-1").run().unwrap();
        let pass = report.requirements.remove(0);
        report.filter.clear();
        report.candidate = CandidateInfo { name: "mine".to_owned(), version: "2.0".to_owned() };
        report.requirements = crate::requirements()
            .map(|requirement| {
                let mut row = RequirementReport { id: requirement.id().to_owned(), ..pass.clone() };
                if let Some((_, reason)) = failing.iter().find(|(id, _)| *id == row.id) {
                    if *reason == VACUOUS {
                        row.verdict = Verdict::Vacuous;
                        return row;
                    }
                    row.verdict = Verdict::Fail;
                    row.reason = Some((*reason).to_owned());
                    row.witness = Some(format!("mine-{}.jsonl", row.id));
                }
                if row.id == "LAT-1" {
                    row.verdict = Verdict::NotClaimed;
                }
                row
            })
            .collect();
        report
    }

    pub(in super::super) fn after(text: &str, failing: &[(&str, &str)]) -> String {
        let report = report(failing);
        let edited = edited(text, &report).unwrap();
        // Whoever blesses twice changes nothing more.
        let again = super::edited(&edited.text, &report).unwrap();
        assert_eq!((again.text.as_str(), again.changes.len()), (edited.text.as_str(), 0), "{:?}", again.changes);
        let mut held = report.clone();
        hold_to(&KnownFailures::parse(&edited.text).unwrap(), &mut held);
        assert!(held.passed(), "{:?}\n{}", held.known_problems, edited.text);
        edited.text
    }

    pub(in super::super) const OLD: &str = "# What mine fails.\n\n# The cooldown.\n[[known]]\nid = \"THR-1\" # since ever\nreason = \"old\"\nlink = \"https://example.org/1\"\n\n# The second.\n[[known]]\nid = \"THR-2\"\n\n[[nondeterministic]]\nid = \"ISO-4\"\n# the end\n";

    #[test]
    fn a_reason_is_corrected_and_everything_else_stays() {
        let text = after(OLD, &[("THR-1", "new"), ("THR-2", "x")]);
        assert_eq!(text, OLD.replace("\"old\"", "\"new\""));
    }

    #[test]
    fn what_passes_goes_with_its_own_comment_and_no_other() {
        let text = after(OLD, &[("THR-2", "x")]);
        assert!(text.starts_with("# What mine fails.\n"), "{text}");
        assert!(!text.contains("The cooldown") && text.contains("# The second.\n[[known]]"), "{text}");
        let text = after(OLD, &[]);
        assert!(text.starts_with("# What mine fails.\n") && text.ends_with("# the end\n"), "{text}");
    }

    #[test]
    fn what_nothing_exercised_is_listed_too_and_no_failure_of_another_kind() {
        let text = after("", &[("VIEW-1", "guidance lost"), ("VIEW-7", VACUOUS)]);
        assert!(text.contains("[[known]]\nid = \"VIEW-7\"\nreason = \"vacuous\"\nsince = \"2.0\"\n"), "{text}");
        let text = after(&text, &[("VIEW-7", "order changed")]);
        assert!(text.contains("reason = \"order changed\"") && !text.contains("VIEW-1"), "{text}");
        let mut held = report(&[("VIEW-7", VACUOUS)]);
        hold_to(&KnownFailures::parse(&text).unwrap(), &mut held);
        assert!(!held.passed());
        let says = "VIEW-7 fails for another reason than listed: now \"vacuous\"";
        assert!(held.known_problems[0].contains(says), "{:?}", held.known_problems);
        // Advice that nothing exercised fails no run.
        held.requirements.iter_mut().for_each(|row| "SHOULD".clone_into(&mut row.level));
        held.requirements.retain(|row| row.id == "VIEW-7");
        assert_eq!(edited("", &held).unwrap().changes, [""; 0]);
    }

    #[test]
    fn what_did_not_repeat_is_no_steady_failure() {
        for (reason, steady) in [(DOES_NOT_REPEAT, false), ("log damaged", true)] {
            let mut held = report(&[("ISO-4", reason)]);
            hold_to(&KnownFailures::parse("[[nondeterministic]]\nid = \"ISO-4\"\n").unwrap(), &mut held);
            assert_eq!((held.nondeterministic[0].seen, held.nondeterministic[0].steady), (true, steady));
        }
    }

    #[test]
    fn what_is_new_is_added_with_reason_version_and_witness() {
        let text = after("", &[("THR-1", "a"), ("LAT-2", "b \"c\"")]);
        let row = |id: &str, reason: &str| {
            format!("[[known]]\nid = \"{id}\"\nreason = {reason}\nsince = \"2.0\"\nwitness = \"mine-{id}.jsonl\"\n")
        };
        assert_eq!(text, format!("{}\n{}", row("THR-1", "\"a\""), row("LAT-2", "'b \"c\"'")));
        let text = after("# Nothing fails.\n\nknown = []\n", &[("THR-1", "a")]);
        assert_eq!(text, format!("# Nothing fails.\n\n{}", row("THR-1", "\"a\"")));
        let text = after("# Only words.\n", &[("THR-1", "a")]);
        assert_eq!(text, format!("# Only words.\n\n{}", row("THR-1", "\"a\"")));
        let text = after(OLD, &[("THR-1", "old"), ("THR-2", "x"), ("THR-3", "y")]);
        let (first, second) = (text.find("THR-2").unwrap(), text.find("THR-3").unwrap());
        assert!(first < second && second < text.find("nondeterministic").unwrap(), "{text}");
        assert!(text.contains("https://example.org/1"), "{text}");
    }

    #[test]
    fn a_wildcard_stays_while_something_fails_behind_it() {
        let list = "[[known]]\nid = \"THR-*\"\n";
        assert_eq!(after(list, &[("THR-1", "a"), ("THR-2", "b")]), list);
        assert_eq!(after(list, &[]), "");
        let all: Vec<(&str, &str)> = crate::requirements()
            .map(crate::Requirement::id)
            .filter(|id| *id != "LAT-1")
            .take(23)
            .map(|id| (id, "a"))
            .collect();
        let text = after("[[known]]\nid = \"*\"\n", &all);
        assert_eq!(text.matches("[[known]]").count(), 4, "{text}");
        let mut held = report(&all);
        hold_to(&KnownFailures::parse("[[known]]\nid = \"*\"\n").unwrap(), &mut held);
        let last: Vec<&str> = all[20..].iter().map(|(id, _)| *id).collect();
        let says = "line 1: * hides 23 failures, and 20 are the most: give these a row of their own: ";
        assert_eq!(held.known_problems, [format!("{says}{}", last.join(", "))]);
        assert!(!held.passed() && held.tallies().1 == 3, "{:?}", held.tallies());
    }

    #[test]
    fn what_comes_and_goes_is_moved() {
        let mut report = report(&[("ISO-4", DOES_NOT_REPEAT)]);
        let row = report.requirements.iter_mut().find(|row| row.id == "THR-1").unwrap();
        (row.verdict, row.reason) = (Verdict::Nondeterministic, Some(DOES_NOT_REPEAT.to_owned()));
        let text = edited("[[known]]\nid = \"THR-1\"\nreason = \"a\"\nnote = \"n\"\n", &report).unwrap().text;
        assert_eq!(
            text,
            "[[nondeterministic]]\nid = \"THR-1\"\nnote = \"n\"\n\n[[nondeterministic]]\nid = \"ISO-4\"\nsince = \"2.0\"\n"
        );
    }
}
