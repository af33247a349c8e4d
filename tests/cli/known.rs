//! The list of known failures.

use super::{Ran, plimsoll_in};

/// A run against the candidate that fails THR-1 and more, with this list.
fn with(list: &str) -> Ran {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("known.toml"), list).unwrap();
    let candidate = ["--candidate", "self-counting-throttle", "-r", "THR-1", "-r", "LOG-1", "-r", "LAT-1"];
    plimsoll_in(dir.path(), &[&["check", "--effort", "smoke", "--known", "known.toml"][..], &candidate].concat())
}

const THR_1: &str =
    "[[known]]\nid = \"THR-1\"\nreason = \"attempted although the cooldown is running\"\nsince = \"0.1\"\n";

#[test]
fn a_listed_failure_is_known() {
    let ran = with(THR_1);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(ran.closing_line(), "conformance: 1 passed, 0 failed, 2 skipped (1 known to fail)");
    assert!(ran.out.contains("known: THR-1"), "{}", ran.out);
}

#[test]
fn an_unlisted_failure_fails() {
    let ran = with("");
    assert_eq!((ran.code, ran.closing_line()), (Some(1), "conformance: 1 passed, 1 failed, 1 skipped"));
}

#[test]
fn a_listed_pass_fails_and_says_what_to_edit() {
    let ran = with(&format!("{THR_1}[[known]]\nid = \"LOG-1\"\n"));
    assert_eq!(
        (ran.code, ran.closing_line()),
        (Some(1), "conformance: 0 passed, 1 failed, 2 skipped (1 known to fail)")
    );
    assert!(ran.out.contains("LOG-1 is listed and its verdict is pass: delete the row"), "{}", ran.out);
}

/// The screen shows spaces where the report has underscores.
#[test]
fn a_reason_may_be_written_as_the_screen_shows_it() {
    let dir = tempfile::tempdir().unwrap();
    let check = ["check", "--effort", "smoke", "--candidate", "prefix", "-r", "RED-4", "--known", "known.toml"];
    for (reason, code) in [("trailing block lost", 0), ("trailing_block_lost", 0), ("trailing block", 1)] {
        let row = format!("[[known]]\nid = \"RED-4\"\nreason = \"{reason}\"\n");
        std::fs::write(dir.path().join("known.toml"), row).unwrap();
        let ran = plimsoll_in(dir.path(), &check);
        // What is known and nothing else says nothing: the code is that of a run with nothing to hold.
        assert_eq!(ran.out.contains("RED-4 fails for another reason"), code == 1, "{reason}: {}", ran.out);
        assert_eq!(ran.code == Some(1), code == 1, "{reason}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn another_reason_fails_and_says_which() {
    let ran = with("[[known]]\nid = \"THR-1\"\nreason = \"moonshine\"\n");
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("now \"attempted although the cooldown is running\""), "{}", ran.out);
}

#[test]
fn a_listed_one_that_is_not_claimed_fails() {
    let ran = with(&format!("{THR_1}[[known]]\nid = \"LAT-1\"\n"));
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("LAT-1 is listed and not claimed: delete the row"), "{}", ran.out);
}
