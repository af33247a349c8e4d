//! Candidates that raise errors, and how that is told.

use std::fs;
use std::path::Path;

use super::{Ran, plimsoll_in};

const HELPERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/adapters");

/// What a step raises: more than a line holds, and nothing for a terminal.
const RAISES: &str = r#"raise ValueError("no tokens \x1b[31min here; " + 100 * "long ")"#;

/// A check, with these options, of an adapter that claims this and does this in a step.
fn check(dir: &Path, claims: &str, step: &str, options: &[&str]) -> Ran {
    let adapter = format!(
        r#"import sys
sys.path.insert(0, {HELPERS:?})
import plimsoll

class Adapter(plimsoll.Keeper):
    name, version = "raising", "1"
    contract = {{"capabilities": {claims}}}
    Conversation = plimsoll.Conversation
    def step(self, conversation, host):
        {step}
    def fit(self, messages, limit):
        {RAISES}

plimsoll.run(Adapter())
"#
    );
    fs::write(dir.join("adapter.py"), adapter).unwrap();
    let ran = plimsoll_in(dir, &[&["check", "--effort", "smoke"], options, &["--", "python3", "adapter.py"]].concat());
    assert_ne!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", ran.out);
    ran
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const WAY_OUT: &str = "... run plimsoll adapter-check -- python3 adapter.py ";

#[test]
fn a_candidate_that_raises_in_every_step_is_told_so() {
    let dir = tempfile::tempdir().unwrap();
    let forms =
        ["--html", "page.html", "--summary", "sum.md", "--junit", "j.xml", "--sarif", "s.json", "--json", "r.json"];
    for only in [&["-r", "OUT-1"][..], &[]] {
        let ran = check(dir.path(), r#"["summarize", "view"]"#, RAISES, &[only, &forms].concat());
        let says = r"the first: ValueError: no tokens \u{1b}[31min here; long";
        let out = one_line(&ran.out);
        assert!(out.contains(says) && out.contains(WAY_OUT), "{}", ran.out);
        let report: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(dir.path().join("r.json")).unwrap()).unwrap();
        let steps = &report["steps"];
        assert_eq!(&report["raised"][0]["times"], steps);
        assert!(out.contains(&format!("the candidate raised an error in {steps} of {steps} steps; ")), "{}", ran.out);
        for form in ["page.html", "sum.md", "j.xml", "s.json"] {
            let text = fs::read_to_string(dir.path().join(form)).unwrap();
            assert!(text.contains(&format!("raised an error in {steps} of {steps} steps")), "{form}:\n{text}");
            assert!(text.contains("plimsoll adapter-check -- python3 adapter.py"), "{form}:\n{text}");
        }
    }
    let ran = check(dir.path(), r#"["summarize", "view"]"#, RAISES, &["-r", "OUT-1"]);
    let says =
        "nothing in this run exercised it, perhaps because the candidate raises errors, which is to be mended first";
    assert!(one_line(&ran.out).contains(says), "{}", ran.out);
}

#[test]
fn a_trimmer_that_raises_in_every_case_is_told_so() {
    let dir = tempfile::tempdir().unwrap();
    let ran = check(dir.path(), r#"["fit"]"#, "pass", &["-r", "FIT-1"]);
    let out = one_line(&ran.out);
    assert!(out.contains("FIT-1 MUST vacuous") && out.contains(WAY_OUT), "{}", ran.out);
    let told =
        out.split_once("raised an error in ").and_then(|(_, told)| told.split_once(" cases of `fit`; the first: "));
    let Some((counts, _)) = told else { panic!("{}", ran.out) };
    let (times, of) = counts.split_once(" of ").unwrap();
    assert_eq!(times, of);
}

#[test]
fn errors_now_and_then_are_a_design_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let step = "self.n = getattr(self, 'n', 0) + 1\n        if self.n % 50 == 0: raise ValueError('rare')";
    let ran = check(dir.path(), r#"["summarize", "view"]"#, step, &["-r", "OUT-1", "--json", "r.json"]);
    assert!(ran.out.contains("OUT-1 MUST vacuous") && !ran.out.contains("raised an error"), "{}", ran.out);
}
