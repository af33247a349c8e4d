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
    let reports = dir.path().join("reports");
    let test = |name: &str| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args([name, "--exact"]).env("PLIMSOLL_REPORTS", &reports);
        command
    };
    // Of one requirement there is no report of the whole.
    assert!(test("inside::reference::log_1").output().unwrap().status.success());
    assert!(!reports.exists());
    for module in ["inside::reference", "by_closure"] {
        assert!(test(&format!("{module}::verdict")).output().unwrap().status.success());
        for (form, has) in [("html", "LOG-1"), ("md", "## plimsoll: reference"), ("sarif", "LOG-1")] {
            let name = format!("macros-{}.{form}", module.replace("::", "-"));
            let text = std::fs::read_to_string(reports.join(&name)).unwrap();
            assert!(text.contains(has), "{name}: {text}");
        }
    }
    std::fs::write(dir.path().join("file"), "").unwrap();
    let blocked = test("by_closure::verdict").env("PLIMSOLL_REPORTS", dir.path().join("file")).output().unwrap();
    let says = String::from_utf8_lossy(&blocked.stdout).into_owned();
    assert!(!blocked.status.success() && says.contains("PLIMSOLL_REPORTS: cannot write"), "{says}");
}
