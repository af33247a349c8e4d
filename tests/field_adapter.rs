//! Reducers, trimmers and assemblers that are child processes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![cfg(feature = "adapter")]

use std::time::Duration;

use plimsoll::adapter::Launcher;
use plimsoll::{LimitBudget, LimitReport, check_assembler, check_reducer, check_trimmer};

/// A candidate of a few lines of Python: `body` defines `answer(method, params)` and `contract`.
fn candidate(body: &str) -> Launcher {
    let script = format!(
        r#"
import json, sys
{body}
for line in sys.stdin:
    request = json.loads(line)
    method, params = request["method"], request.get("params", {{}})
    if method == "hello":
        result = {{"protocol": 1, "name": "python", "version": "0", "contract": contract}}
    elif method in ("reset", "bye"):
        result = {{}}
    else:
        result = answer(method, params)
    print(json.dumps({{"jsonrpc": "2.0", "id": request["id"], "result": result}}), flush=True)
    if method == "bye":
        break
"#
    );
    Launcher::new(vec!["python3".to_owned(), "-c".to_owned(), script], Duration::from_secs(20))
}

fn budget() -> LimitBudget {
    let mut budget = LimitBudget::default();
    (budget.cases, budget.small, budget.shrinks) = (700, 1, 120);
    budget
}

fn contract(launcher: &Launcher) -> plimsoll::Contract {
    launcher.lease().unwrap().introduction().contract.clone()
}

fn reasons(report: &LimitReport) -> Vec<(&str, &str)> {
    report.findings.iter().filter_map(|f| Some((f.id, f.failure.as_ref()?.reason))).collect()
}

const BOTH_ENDS: &str = r#"
contract = {"capabilities": ["field"], "field": {"structure": "text", "tail": 4, "unit": "UNIT", "marker": "[...]"}}
def size(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2 if "UNIT" == "utf16_units" else len(text)
def cut(text, start, end):
    if "UNIT" == "utf16_units":
        return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")
    return text[start:end]
def answer(method, params):
    text, limit = params["blocks"][0]["text"], params["limit"]["max"]
    total = size(text)
    if total <= limit:
        return {"text": text, "notice": None}
    marker = "[...]" if limit >= 5 else ""
    room = limit - len(marker)
    out = cut(text, 0, room // 2) + marker + cut(text, total - (room - room // 2), total)
    return {"text": out, "notice": {"before": total, "after": size(out)}}
"#;

#[test]
fn a_reducer_in_another_language_is_judged() {
    let launcher = candidate(&BOTH_ENDS.replace("UNIT", "code_points"));
    let report = check_reducer(&contract(&launcher), &launcher, &budget());
    assert!(report.passed(), "{report}");
}

#[test]
fn a_lone_surrogate_is_judged_and_not_choked_on() {
    let launcher = candidate(&BOTH_ENDS.replace("UNIT", "utf16_units"));
    let report = check_reducer(&contract(&launcher), &launcher, &budget());
    assert!(report.breaks.is_empty(), "{report}");
    assert!(reasons(&report).contains(&("RED-7", "replacement_character")), "{report}");
    assert!(!report.broken().contains(&"RED-4"), "{report}");
}

#[test]
fn a_trimmer_in_another_language_is_judged() {
    let launcher = candidate(
        r#"
contract = {"capabilities": ["fit"], "fit": {"unit": "messages"}, "messages": ["system", "calls", "tool_role", "ui_only"]}
def answer(method, params):
    messages, limit = params["messages"], params["limit"]["max"]
    assert params["limit"]["unit"] == "messages"
    visible = [m for m in messages if not m.get("ui_only")]
    lead = [m for n, m in enumerate(visible) if all(x["role"] == "system" for x in visible[: n + 1])]
    rest = visible[len(lead):]
    if len(visible) <= limit:
        return {"view": [{"id": m["id"]} for m in messages]}
    kept = lead + rest[len(rest) - max(0, limit - len(lead)):] if limit > len(lead) else lead
    return {"view": kept} if len(kept) <= limit else {"infeasible": True}
"#,
    );
    let report = check_trimmer(&contract(&launcher), &launcher, &budget());
    assert!(report.breaks.is_empty(), "{report}");
    assert!(reasons(&report).contains(&("FIT-5", "result_without_call")), "{report}");
    assert!(!report.broken().contains(&"FIT-3"), "{report}");
}

#[test]
fn an_assembler_in_another_language_is_judged() {
    let launcher = candidate(
        r#"
contract = {"capabilities": ["request"], "field": {"structure": "text"}, "request": {"paths": ["ask", "stream"]}}
def answer(method, params):
    limit, path = params["limit"]["max"], params["path"]
    visible = [m for m in params["messages"] if not m.get("ui_only")]
    text = "\n\n".join(m["content"] for m in visible if m["role"] == "system" and m["content"])
    cut = None
    if len(text) > limit and path == "ask":
        cut = {"before": len(text), "after": limit}
        text = text[:limit]
    return {"instructions": text or None, "sent": [m["id"] for m in visible], "notice": cut}
"#,
    );
    let report = check_assembler(&contract(&launcher), &launcher, &budget());
    assert_eq!(reasons(&report).first(), Some(&("ASM-1", "too_long")), "{report}");
    assert!(
        report.finding("ASM-1").unwrap().failure.as_ref().unwrap().witness.to_line().contains("stream"),
        "{report}"
    );
    assert!(report.breaks.is_empty(), "{report}");
}

#[test]
fn a_candidate_that_crashes_is_started_again_and_the_run_goes_on() {
    let launcher = candidate(
        r#"
contract = {"capabilities": ["field"], "field": {"structure": "text"}}
def answer(method, params):
    text, limit = params["blocks"][0]["text"], params["limit"]["max"]
    return {"text": text[:limit].encode("ascii").decode(), "notice": None if len(text) <= limit else {"before": len(text), "after": limit}}
"#,
    );
    let mut budget = budget();
    (budget.cases, budget.shrinks) = (160, 40);
    let report = check_reducer(&contract(&launcher), &launcher, &budget);
    assert_eq!(report.breaks.len(), 1, "{report}");
    assert!(report.breaks[0].cases > 1 && report.finding("RED-1").unwrap().holds(), "{report}");
}
