//! `plimsoll power`.

use std::fs;

use super::{plimsoll, plimsoll_in};

#[test]
fn it_tells_how_soon_a_candidate_is_rejected_and_by_which_share() {
    let dir = tempfile::tempdir().unwrap();
    let options =
        ["power", "--seeds", "3", "--most", "3000", "--candidate", "self-counting-throttle", "--candidate", "prefix"];
    let ran = plimsoll_in(dir.path(), &[&options[..], &["--markdown", "power.md"]].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let row = |name: &str| {
        ran.out.lines().find(|line| line.starts_with(name)).unwrap().split_whitespace().collect::<Vec<_>>()
    };
    // What the directed histories find, the random ones find, too; a case at a limit is in no directed history.
    assert_eq!((row("self-counting-throttle")[1], row("self-counting-throttle")[5]), ("THR-1", "3"));
    assert!(row("self-counting-throttle")[7..].iter().all(|bucket| ["<1k", "<10k"].contains(bucket)), "{}", ran.out);
    assert_eq!(row("prefix")[7..], ["-", "<1k", "-", "-", "<1k", "-"]);
    assert!(ran.out.contains("rejected in every trial: 2 of 2, 3 trials each\n"), "{}", ran.out);
    let kept = fs::read_to_string(dir.path().join("power.md")).unwrap();
    assert!(kept.starts_with("# Power\n") && kept.contains("| `prefix` | RED-3 | "), "{kept}");
    // The same once more gives the same file.
    plimsoll_in(dir.path(), &[&options[..], &["--markdown", "power.md"]].concat());
    assert_eq!(fs::read_to_string(dir.path().join("power.md")).unwrap(), kept);
}

#[test]
fn what_is_not_found_fails_and_what_is_not_ours_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("notes.md"), "mine").unwrap();
    let ran = plimsoll_in(dir.path(), &["power", "--markdown", "notes.md"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("is left as it is; name another file with --markdown"), "{}", ran.err);
    assert_eq!(fs::read_to_string(dir.path().join("notes.md")).unwrap(), "mine");
    for (path, says) in
        [("-", "names no file"), ("nowhere/power.md", "cannot write the tables"), (".", "cannot write the tables")]
    {
        let ran = plimsoll_in(dir.path(), &["power", "--markdown", path]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{path}: {}", ran.err);
        assert!(ran.err.contains(says), "{}", ran.err);
    }
    for (options, says) in [
        (&["--most", "0"][..], "0 is not in 1.."),
        (&["--candidate", "quiet"], "quiet is sound: add --sound"),
        (&["--candidate", "prefix", "--sound"], "prefix is known to be bad: leave out --sound"),
        (&["--candidate", "quite"], "did you mean"),
        (&["--candidate", "reference"], "run `plimsoll check`, which judges it"),
        (&["--candidate", "reference", "--sound"], "run `plimsoll check`, which judges it"),
    ] {
        let ran = plimsoll(&[&["power"][..], options].concat());
        assert_eq!(ran.code, Some(3), "{}", ran.err);
        assert!(ran.err.contains(says), "{}", ran.err);
    }
}

#[test]
fn sound_ones_are_run_with_each_seed() {
    let ran = plimsoll(&["power", "--sound", "--candidate", "quiet", "--seeds", "2", "--effort", "smoke"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.ends_with("1 sound candidate, 2 seeds each, effort smoke: 0 of 2 runs failed\n"), "{}", ran.out);
}
