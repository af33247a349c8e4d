//! What a shell completes with, and the manual.

use super::{plimsoll, plimsoll_in};

/// The commands, as the help has them.
fn commands() -> Vec<String> {
    let help = plimsoll(&["--help"]).out;
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let names = list.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names: Vec<String> = names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    assert!(names.len() > 15, "{help}");
    names.into_iter().filter(|name| name != "help").collect()
}

#[test]
fn every_shell_knows_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = plimsoll(&["completions", shell]);
        assert_eq!(ran.code, Some(0), "{shell}: {}", ran.err);
        for command in commands() {
            assert!(ran.out.contains(&command), "{shell} does not know {command}");
        }
    }
    let ran = plimsoll(&["completions", "csh"]);
    assert!(ran.code == Some(3) && ran.err.contains("bash"), "{}", ran.err);
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let ran = plimsoll(&["man"]);
    assert!(ran.code == Some(0) && ran.out.contains(".TH plimsoll"), "{}{}", ran.out, ran.err);
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(plimsoll_in(dir.path(), &["man", "--out", "man1"]).code, Some(0));
    for command in commands() {
        assert!(ran.out.contains(&command.replace('-', "\\-")), "{command} is not in the manual");
        let page = std::fs::read_to_string(dir.path().join(format!("man1/plimsoll-{command}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
    }
    std::fs::write(dir.path().join("file"), "").unwrap();
    let ran = plimsoll_in(dir.path(), &["man", "--out", "file"]);
    assert!(ran.code == Some(2) && ran.err.contains("--out"), "{}", ran.err);
}
