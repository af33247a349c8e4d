//! Timelines of the reference, and what holds for all snapshots.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use plimsoll::{Reference, Suite, Timeline, named_histories, reference_timelines, requirement};

use super::assert_shows;

/// Rows that a timeline may have.
const ROWS: usize = 40;

/// Snapshots that are no timelines.
const OTHERS: &[&str] = &[
    "console-errors",
    "console-explain",
    "console-failure",
    "console-help",
    "console-incident",
    "console-list",
    "console-report",
    "console-zoo",
    "coverage",
    "diff-sizes",
    "form-badge",
    "form-junit",
    "form-sarif",
    "form-summary",
    "json-report",
    "markdown-matrix",
    "public-api",
];

#[test]
fn timelines() {
    plimsoll::macros_snapshot::compared(&reference_timelines(), |Timeline { name, description, text, .. }| {
        assert_shows(name, description, text);
    });
}

#[test]
fn a_timeline_is_read_at_a_glance() {
    for timeline in &reference_timelines() {
        let Timeline { name, description, text, .. } = timeline;
        assert!(name == "contract" || text.lines().count() <= ROWS, "{name} has too many rows");
        assert!(text.is_ascii(), "{name} is not ASCII");
        assert!(text.lines().all(|line| line.len() <= 150 || name == "contract"), "{name} is too wide");
        assert!(description.ends_with('.') && description.len() <= 180, "{name}: {description}");
        assert!(!name.contains(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '-'), "{name}");
    }
}

#[test]
fn the_reference_keeps_what_each_history_is_about() {
    for named in named_histories() {
        let witness = &named.witness;
        assert!(!witness.seen.is_empty(), "{} does not say where such a one was seen", named.name);
        assert!(!witness.requirements.is_empty(), "{} is about no requirement", named.name);
        assert!(witness.requirements.iter().all(|id| requirement(id).is_some()), "{}", named.name);
        let contract = witness.contract.clone();
        let replay = Suite::new(move || Reference::new(contract.clone())).replay(witness).unwrap();
        assert!(!replay.fails() && replay.others.is_empty(), "{}:\n{replay}", named.name);
        assert!(replay.unexercised.is_empty(), "{} does not exercise {:?}", named.name, replay.unexercised);
    }
}

/// What is left out of a history for a candidate's sake leaves a history that a host can play.
#[test]
fn a_sound_candidate_breaks_nothing_in_any_history() {
    let named = named_histories();
    let mut wrong = Vec::new();
    for row in plimsoll::zoo::all().filter(|row| row.is_conforming()) {
        let timelines = Suite::fallible(row.name(), move || Ok(row.make())).timelines(&named).unwrap();
        for timeline in timelines.iter().skip(1) {
            let broken = timeline.text.lines().filter_map(|line| line.strip_prefix("broken    "));
            // Advice that a design does not follow is no fault.
            let broken = broken.filter(|id| *id != "none" && !row.also().contains(id));
            wrong.extend(broken.map(|id| format!("{} breaks {id} in {}", row.name(), timeline.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn two_histories_are_not_the_same() {
    let named = named_histories();
    let texts: BTreeSet<String> = named
        .iter()
        .map(|named| {
            named.witness.render(None).split_once('\n').unwrap().1.to_owned() + &format!("{:?}", named.witness.contract)
        })
        .collect();
    assert_eq!(texts.len(), named.len());
}

#[test]
fn every_snapshot_is_claimed() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().to_string_lossy().into_owned();
    // What waits for a review is not there yet.
    let there = fs::read_dir(dir).unwrap().map(name).filter(|name| !name.ends_with(".snap.new"));
    let there: BTreeSet<String> = there.collect();
    let named = reference_timelines().into_iter().map(|timeline| timeline.name);
    let claimed = named.chain(OTHERS.iter().map(|name| (*name).to_owned()));
    let claimed: BTreeSet<String> = claimed.map(|name| format!("{name}.snap")).collect();
    let lists = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>().join(", ");
    let problem = format!("no test claims [{}]; not there are [{}]", lists(&there, &claimed), lists(&claimed, &there));
    assert!(there == claimed, "{problem}");
}

/// Nothing in any snapshot depends on the machine, the day, or a seed.
#[test]
fn a_snapshot_is_the_same_everywhere() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains('\u{1b}'), "{} has a colour", path.display());
        for machine in ["/tmp", "/home", "/root", "target/debug", env!("CARGO_MANIFEST_DIR")] {
            assert!(!text.contains(machine), "{} has a path: {machine}", path.display());
        }
        let hex = |word: &str| {
            word.len() >= 7
                && word.chars().all(|c| c.is_ascii_hexdigit())
                && word.chars().any(|c| c.is_ascii_digit())
                && word.chars().any(|c| c.is_ascii_alphabetic())
        };
        let hash = text.split(|c: char| !c.is_ascii_alphanumeric()).find(|word| hex(word));
        assert!(hash.is_none(), "{} has what looks like a hash: {hash:?}", path.display());
        let numbered = text.match_indices("seed").find(|(at, _)| {
            let behind = text[at + 4..].trim_start_matches([' ', '=', ':', '"']);
            behind.starts_with(|c: char| c.is_ascii_digit())
        });
        assert!(numbered.is_none(), "{} has a seed: {numbered:?}", path.display());
        let day = |word: &str| {
            let parts: Vec<&str> = word.split('-').collect();
            let digits = |part: &&str| part.chars().all(|c| c.is_ascii_digit());
            parts.len() == 3 && parts.iter().all(digits) && parts.iter().map(|part| part.len()).eq([4, 2, 2])
        };
        let day = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').find(|word| day(word));
        assert!(day.is_none(), "{} has a day: {day:?}", path.display());
        // The interface is Rust, and has its own names for these.
        let debug = ["Some(", "Ok(", "Err(", "PhantomData"].into_iter().find(|word| text.contains(word));
        let debug = debug.filter(|_| !path.ends_with("public-api.snap"));
        assert!(debug.is_none(), "{} has what `Debug` prints: {debug:?}", path.display());
    }
}
