//! The reference holds every requirement at a limit, whatever the contract declares.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use plimsoll::{
    Contract, LimitBudget, LimitReport, ReferenceAssembler, ReferenceReducer, ReferenceTrimmer, check_assembler,
    check_reducer, check_trimmer,
};

fn contract(json: &str) -> Contract {
    Contract::from_json(&format!(r#"{{"capabilities": ["field", "request", "fit"], {json}}}"#)).unwrap()
}

fn assert_holds(contract: &Contract, report: &LimitReport) {
    for finding in report.findings.iter().filter(|finding| finding.claimed) {
        let failure = finding.failure.as_ref().map(|failure| (&failure.detail, failure.witness.to_line()));
        assert!(finding.failure.is_none(), "{} {failure:?} {:?}", finding.id, contract.field);
        assert!(finding.exercised > 0, "{} was never exercised by {:?}", finding.id, contract.field);
    }
    assert!(report.breaks.is_empty(), "{:?}", report.breaks);
}

const FIELDS: &[&str] = &[
    r#""field": {}"#,
    r#""field": {"marker": "[{n} cut]"}"#,
    r#""field": {"marker": "…", "notice": "marker"}"#,
    r#""field": {"unit": "utf8_bytes", "marker": "[cut]"}"#,
    r#""field": {"unit": "utf16_units", "notice": "none"}"#,
    r#""field": {"join": {"separator": "\n---\n", "before": "<", "after": ">"}}"#,
    r#""field": {"join": {"separator": "", "skip_empty": false}}"#,
    r#""field": {"join": {"strip": true}, "marker": "\n\n[cut]\n\n"}"#,
    r#""field": {"structure": "text", "tail": 2, "marker": "[{n}]"}"#,
    r#""field": {"structure": "text", "tail": 9, "notice": "marker", "marker": " … ", "unit": "utf8_bytes"}"#,
    r#""field": {"structure": "text"}"#,
    r#""field": {"max": 12}"#,
    r#""field": {"max": 300, "marker": "[cut]"}"#,
];

#[test]
fn the_reference_reducer_holds() {
    for fields in FIELDS {
        let contract = contract(fields);
        let reducer = ReferenceReducer::new(contract.field.clone());
        assert_holds(&contract, &check_reducer(&contract, &reducer, &LimitBudget::default()));
    }
}

#[test]
fn the_reference_reducer_holds_at_a_million() {
    for fields in [
        r#""field": {"max": 1048576}"#,
        r#""field": {"max": 1048576, "structure": "text", "tail": 2000, "marker": "\n\n[cut]\n\n"}"#,
        r#""field": {"max": 1048576, "unit": "utf16_units", "marker": "[{n}]", "join": {"strip": true}}"#,
    ] {
        let contract = contract(fields);
        let reducer = ReferenceReducer::new(contract.field.clone());
        assert_holds(&contract, &check_reducer(&contract, &reducer, &LimitBudget::default()));
    }
}

#[test]
fn the_reference_assembler_holds() {
    for fields in FIELDS {
        let contract = contract(fields);
        let assembler = ReferenceAssembler::new(contract.field.clone());
        assert_holds(&contract, &check_assembler(&contract, &assembler, &LimitBudget::default()));
    }
}

#[test]
fn the_reference_trimmer_holds() {
    for rules in [
        r#""fit": {}"#,
        r#""fit": {"unit": "tokens"}"#,
        r#""fit": {"unit": "tokens", "counter": "words", "per_message": 3}"#,
        r#""fit": {"unit": "code_points"}"#,
        r#""fit": {"unit": "utf8_bytes", "max": 20000}"#,
        r#""fit": {"max": 10}"#,
        r#""fit": {}, "messages": ["calls", "tool_role"]"#,
        r#""fit": {}, "messages": []"#,
    ] {
        let contract = contract(rules);
        let trimmer = ReferenceTrimmer::new(contract.fit.clone());
        assert_holds(&contract, &check_trimmer(&contract, &trimmer, &LimitBudget::default()));
    }
}
