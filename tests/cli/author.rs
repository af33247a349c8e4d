//! `plimsoll adapter-check`: what an author is told.

#![cfg(unix)]

use super::{PLIMSOLL, plimsoll, plimsoll_in};

const ADAPTERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/adapters/");

#[test]
fn whoever_speaks_the_protocol_is_told_so() {
    let compared = "as line by line";
    for (name, batch) in [("reference", compared), ("prefix", "nothing to compare"), ("measures-for-itself", compared)]
    {
        let ran = plimsoll(&["adapter-check", "--", PLIMSOLL, "serve", "--candidate", name]);
        assert_eq!(
            (ran.code, ran.closing_line()),
            (Some(0), "adapter-check: it speaks the protocol"),
            "{name}: {}",
            ran.out
        );
        assert!(ran.out.contains(&format!("batch          {batch}")), "{name}: {}", ran.out);
        assert!(!ran.out.contains("not tried"), "{name}: {}", ran.out);
    }
    for file in ["minimal.py", "reference.py", "reducer.py", "trimmer.py"] {
        let ran = plimsoll(&["adapter-check", "--", "python3", &format!("{ADAPTERS}{file}")]);
        assert_eq!(
            (ran.code, ran.closing_line()),
            (Some(0), "adapter-check: it speaks the protocol"),
            "{file}: {}",
            ran.out
        );
    }
}

#[test]
fn whoever_raises_at_every_step_is_told_so() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::copy(format!("{ADAPTERS}plimsoll.py"), dir.path().join("plimsoll.py")).unwrap();
    let adapter = r#"
import plimsoll
class Boom(plimsoll.Keeper):
    name, version, contract = "boom", "1", {"capabilities": ["summarize", "throttle", "view"]}
    def step(self, conversation, host):
        raise ValueError("boom")
plimsoll.run(Boom())
"#;
    std::fs::write(dir.path().join("adapter.py"), adapter).unwrap();
    let ran = plimsoll_in(dir.path(), &["adapter-check", "--", "python3", "adapter.py"]);
    assert_eq!(ran.code, Some(1));
    for says in [
        "summarize      answered with an error: ",
        "ValueError: boom (adapter.py:6)",
        "3 claims answered with an error where nothing had failed",
    ] {
        assert!(ran.out.contains(says), "{}", ran.out);
    }
}

/// An adapter that answers `step` so, and what is said of it.
fn wrong(capabilities: &str, step: &str, says: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let adapter = format!(
        r#"
import json, sys
for line in sys.stdin:
    ask = json.loads(line)
    method, result = ask["method"], {{}}
    if method == "hello":
        result = {{"protocol": 1, "name": "new", "version": "1", "contract": {{"capabilities": {capabilities}}}}}
    if method == "step":
        result = {step}
    reply = {{"error": {{"code": -32601, "message": "?"}}}} if method in ("rewind", "usage", "case") else {{"result": result}}
    print(json.dumps({{"jsonrpc": "2.0", "id": ask["id"], **reply}}), flush=True)
"#
    );
    std::fs::write(dir.path().join("adapter.py"), adapter).unwrap();
    let ran = plimsoll_in(dir.path(), &["adapter-check", "--", "python3", "adapter.py"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    for part in says {
        assert!(ran.out.contains(part), "{part:?} is not in: {}", ran.out);
    }
}

#[test]
fn what_is_missing_is_said_with_the_line() {
    let good = r#"{"action": "none", "appended": [], "view": None}"#;
    wrong(
        r#"["summarize", "usage", "arrivals"]"#,
        good,
        &["summarize      answered", "usage          not answered", "arrivals       not tried", "claims `usage`"],
    );
    wrong(
        r#"["summarize", "rewind"]"#,
        good,
        &["rewind         not answered", "the candidate claims `rewind`, and it answers \"method not found\""],
    );
    wrong(
        r#"["summarize"]"#,
        r#"{"action": "none", "view": None}"#,
        &["`result.appended` is missing; the line: ", "\"appended\" is a required property", "adapter-check: "],
    );
    wrong(
        r#"["summarize"]"#,
        r#"{"action": "shrink", "appended": [], "view": None}"#,
        &["`result.action` is \"shrink\": expected none, trim, summarize or null"],
    );
    wrong(r#"["summarize", "sumarize"]"#, good, &["sumarize"]);
    wrong(r#"["view"]"#, good, &["`result.view` is missing"]);
}

/// An adapter with the helper module, whose candidate raises where the summariser fails, and whose error has this beside it.
fn raiser(capabilities: &str, beside: &str) -> crate::Ran {
    let dir = tempfile::tempdir().unwrap();
    let adapter = format!(
        r#"
import sys
sys.path.insert(0, {ADAPTERS:?})
import plimsoll

class Raiser(plimsoll.Keeper):
    name, version, contract = "raiser", "1", {{"capabilities": {capabilities}}}
    def step(self, conversation, host):
        if host.pressure == "summarize":
            host.summarize(text="x")

def state_after(self, request, ending):
    return {beside:?} if ending[0] == "error" and request["method"] == "step" else ""

plimsoll._Server._state_after = state_after
plimsoll.run(Raiser())
"#
    );
    std::fs::write(dir.path().join("adapter.py"), adapter).unwrap();
    plimsoll_in(dir.path(), &["adapter-check", "--", "python3", "adapter.py"])
}

#[test]
fn the_state_beside_an_error_is_held_to_what_view_answers() {
    for (beside, says) in [
        ("", "has no `state` beside its `error`"),
        (r#","state":null"#, "`step` in a case, raised: `state`: null is not of type"),
        (r#","state":[]"#, "`step` in a case, raised: `state`: [] is not of type"),
        (r#","state":{"view":[{"role":7}]}"#, "`step` in a case, raised: `state.view.0`"),
    ] {
        let ran = raiser(r#"["summarize", "view"]"#, beside);
        assert_eq!(ran.code, Some(1), "{beside}: {}", ran.out);
        assert!(ran.out.contains(says), "{beside}: {}", ran.out);
    }
    // A view that is another one is shown as a row of a timeline, and what differs in it.
    let ran = raiser(r#"["summarize", "view"]"#, r#","state":{"view":[]}"#);
    assert!(ran.out.contains("at command 2 of 2, the view stays as it is, and is another one"), "{}", ran.out);
    let rows: Vec<&str> = ran.out.lines().filter(|line| line.contains("step summarize")).collect();
    assert!(
        rows.len() == 2 && rows[0].trim().starts_with("line by line") && rows[1].trim().starts_with("in one line"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("StepCommand"), "{}", ran.out);
    // Who raises at other failures than the first one's is asked for them all, and who never does is told so.
    let ran = plimsoll(&["adapter-check", "--", "python3", &format!("{ADAPTERS}minimal.py")]);
    assert!(ran.out.contains("no step raised: a `state` beside an `error` was not seen"), "{}", ran.out);
}

#[test]
fn the_same_fault_is_told_once() {
    let ran = raiser(r#"["summarize", "view"]"#, r#","state":null"#);
    assert_eq!(ran.out.matches("`step` in a case, raised").count(), 1, "{}", ran.out);
}

#[test]
fn what_cannot_be_tried_at_all_is_no_finding() {
    for (command, says) in [
        (vec!["./no-such-command"], "cannot start `./no-such-command`: "),
        (vec!["sh", "-c", "exit 4"], "exit status: 4) before it answered `hello`"),
    ] {
        let ran = plimsoll(&[&["adapter-check", "--"], &command[..]].concat());
        assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
        assert!(ran.err.contains(says), "{}", ran.err);
    }
    let ran = plimsoll(&["adapter-check", "--", "echo", "hello"]);
    assert_eq!(ran.code, Some(1), "what it says is judged: {}{}", ran.out, ran.err);
}

/// The reference, which forgets in a case of one line what it does line by line.
#[test]
fn a_batch_that_is_another_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    let adapter = r#"
import json, subprocess, sys
served = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    served.stdin.write(line)
    served.stdin.flush()
    reply = served.stdout.readline()
    if json.loads(line)["method"] == "case":
        reply = reply.replace('"action":"summarize"', '"action":"trim"')
    print(reply, end="", flush=True)
"#;
    std::fs::write(dir.path().join("adapter.py"), adapter).unwrap();
    let ran = plimsoll_in(dir.path(), &["adapter-check", "--", "python3", "adapter.py", PLIMSOLL, "serve"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("batch          differs"), "{}", ran.out);
}
