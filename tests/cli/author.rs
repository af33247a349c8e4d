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
