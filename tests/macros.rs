//! The macro, used as a third party uses it: by its path, in a module without imports.

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
