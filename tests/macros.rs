//! The macro, used as a third party uses it: by its path, in a module without imports.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod inside {

    plimsoll::conformance_tests!(reference, plimsoll::Reference::default);
}

plimsoll::conformance_tests!(by_closure, || plimsoll::Reference::new(plimsoll::Contract::claiming(&[
    plimsoll::Capability::Summarize,
    plimsoll::Capability::Throttle,
])),);

#[test]
fn every_requirement_has_its_test() {
    let ids: Vec<String> =
        plimsoll::requirements().map(|row| row.id().to_ascii_lowercase().replace('-', "_")).collect();
    assert_eq!(by_closure::SHARED.tests(), ids, "add the missing ones to `__requirement_tests!` in src/macros.rs");
}

#[test]
fn the_forms_of_a_report_go_where_the_environment_says() {
    let dir = tempfile::tempdir().unwrap();
    let names = ["PLIMSOLL_HTML", "PLIMSOLL_SUMMARY", "PLIMSOLL_SARIF"];
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["inside::reference::log_1", "--exact"]);
    names.iter().for_each(|name| {
        command.env(name, dir.path().join(name));
    });
    assert!(command.output().unwrap().status.success());
    for name in names {
        let text = std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert!(text.contains("plimsoll") && text.contains("LOG-1") || name == "PLIMSOLL_SUMMARY", "{name}: {text}");
    }
    let blocked = command.env("PLIMSOLL_SARIF", dir.path()).output().unwrap();
    let says = String::from_utf8_lossy(&blocked.stdout).into_owned();
    assert!(!blocked.status.success() && says.contains("PLIMSOLL_SARIF: cannot write"), "{says}");
}
