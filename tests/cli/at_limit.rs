//! Reducers, trimmers and assemblers under `plimsoll check`.

use std::path::Path;

use super::{PLIMSOLL, plimsoll_in, report};

fn rows(report: &serde_json::Value) -> Vec<(&str, &str, Option<&str>, Option<u64>)> {
    let rows = report["requirements"].as_array().unwrap().iter();
    let rows = rows.filter(|row| row["verdict"] != "not_claimed");
    rows.map(|row| {
        let text = |key: &str| row[key].as_str();
        (text("id").unwrap(), text("verdict").unwrap(), text("reason"), row["witness_steps"].as_u64())
    })
    .collect()
}

fn verdict<'a>(report: &'a serde_json::Value, id: &str) -> &'a str {
    let rows = report["requirements"].as_array().unwrap();
    rows.iter().find(|row| row["id"] == id).unwrap()["verdict"].as_str().unwrap()
}

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/adapters").join(name).display().to_string()
}

#[test]
fn a_failure_shows_its_case_and_a_command_that_replays_it() {
    let dir = tempfile::tempdir().unwrap();
    let check = ["check", "--effort", "smoke", "--candidate", "prefix", "--witness-dir", "found"];
    let ran = plimsoll_in(dir.path(), &check);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    for line in [
        "RED-4 MUST fail: trailing block lost",
        "  reduce 4 code points to 1",
        "  also      RED-3 fails, too, as a rule by the same fault",
    ] {
        assert!(ran.out.lines().any(|other| other == line), "{line}\n{}", ran.out);
    }
    assert!(ran.out.contains("    block 1    removable 1  \""), "{}", ran.out);
    let replay = ran.out.lines().find_map(|line| line.strip_prefix("  replay    plimsoll ")).unwrap();
    let arguments = shell_words::split(replay).unwrap();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let witness = std::fs::read_to_string(dir.path().join(arguments[1])).unwrap();
    assert!(witness.lines().nth(1).unwrap().starts_with(r#"{"reduce":{"blocks":["#), "{witness}");
    let again = plimsoll_in(dir.path(), &arguments);
    assert_eq!(again.code, Some(1), "{}{}", again.out, again.err);
    assert!(again.out.contains("RED-4 fails: the last block is gone"), "{}", again.out);
    let served = plimsoll_in(dir.path(), &["replay", arguments[1], "--", PLIMSOLL, "serve", "--candidate", "prefix"]);
    assert_eq!(served.code, Some(1), "{}{}", served.out, served.err);
    let sound = plimsoll_in(dir.path(), &["replay", arguments[1]]);
    assert_eq!(sound.code, Some(0), "{}{}", sound.out, sound.err);
    assert!(sound.out.contains("RED-4 holds"), "{}", sound.out);
}

#[test]
fn a_served_candidate_gets_the_same_verdicts() {
    for name in ["prefix", "silent", "wavers", "empty-answer", "shortens-again", "pins-unseen", "hidden-left-out"] {
        let within = report(&["--candidate", name]);
        let served = report(&["--", PLIMSOLL, "serve", "--candidate", name]);
        assert_eq!(rows(&within), rows(&served), "{name}");
        assert_eq!(within["limits"], served["limits"], "{name}");
        assert!(rows(&within).iter().any(|(_, verdict, ..)| *verdict == "fail"), "{name}");
    }
}

#[test]
fn one_requirement_alone_and_a_known_failure() {
    let alone = report(&["--candidate", "prefix", "-r", "RED-3"]);
    assert_eq!(alone["requirements"].as_array().unwrap().len(), 1);
    assert_eq!((verdict(&alone, "RED-3"), &alone["first"]), ("fail", &"RED-3".into()));
    let dir = tempfile::tempdir().unwrap();
    let list = "[[known]]\nid = \"RED-6\"\nreason = \"cut_without_notice\"\n";
    std::fs::write(dir.path().join("known.toml"), list).unwrap();
    let ran =
        plimsoll_in(dir.path(), &["check", "--effort", "smoke", "--candidate", "silent", "--known", "known.toml"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("known: RED-6"), "{}", ran.out);
}

#[test]
fn advice_fails_a_strict_run_only() {
    let dir = tempfile::tempdir().unwrap();
    let check = ["check", "--effort", "smoke", "--candidate", "every-block-a-little"];
    assert_eq!(plimsoll_in(dir.path(), &check).code, Some(0));
    let strict = plimsoll_in(dir.path(), &[&check[..], &["--strict"]].concat());
    assert_eq!(strict.code, Some(1), "{}", strict.out);
    assert!(strict.out.contains("RED-10 SHOULD advice: more than one block cut"), "{}", strict.out);
}

#[test]
#[cfg(unix)]
fn functions_in_python_are_candidates() {
    for (name, passed) in [("reducer.py", 13), ("trimmer.py", 8)] {
        let report = report(&["--", "python3", &example(name)]);
        let pass = rows(&report).iter().filter(|(_, verdict, ..)| *verdict == "pass").count();
        assert_eq!((pass, &report["passed"]), (passed, &true.into()), "{name}: {:?}", rows(&report));
    }
}

#[test]
#[cfg(unix)]
fn a_lone_surrogate_in_a_reply_is_judged() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
import json, sys
def cut(text, units):
    return text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "surrogatepass")
contract = {"capabilities": ["field"], "field": {"structure": "text", "unit": "utf16_units", "notice": "none"}}
for line in sys.stdin:
    request = json.loads(line)
    result = {"protocol": 1, "name": "half", "version": "0", "contract": contract} if request["method"] == "hello" else {}
    if request["method"] == "reduce":
        result = {"text": cut(request["params"]["blocks"][0]["text"], request["params"]["limit"]["max"])}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"#;
    let ran = plimsoll_in(dir.path(), &["check", "--effort", "smoke", "--", "python3", "-c", script]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("RED-7 MUST fail: replacement character"), "{}", ran.out);
}

#[test]
fn a_candidate_without_the_part_that_it_claims_is_told_so() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"n=0
while read -r line; do
  n=$((n + 1))
  case "$line" in
    *'"hello"'*) result='"result":{"protocol":1,"name":"bare","version":"1","contract":{"capabilities":["fit"]}}' ;;
    *'"fit"'*) result='"error":{"code":-32601,"message":"no"}' ;;
    *) result='"result":{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$n" "$result"
done"#;
    let ran = plimsoll_in(dir.path(), &["check", "--effort", "smoke", "--", "sh", "-c", script]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("the candidate claims `fit`, and it answers \"method not found\""), "{}", ran.out);
    assert!(ran.out.contains("not finished: the candidate broke off in 200 cases of `fit`"), "{}", ran.out);
}
