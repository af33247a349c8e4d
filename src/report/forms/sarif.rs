//! SARIF: what code scanning shows beside the code.

use serde_json::{Value, json};

use super::Forms;
use crate::report::areas::is_break;
use crate::report::escaped;
use crate::report::told::{again, under};
use crate::requirement::{Level, Requirement, requirement};
use crate::verdict::{RequirementReport, Tally, Verdict};

impl Forms<'_> {
    /// The report as SARIF 2.1.0: a rule for each requirement, a result for each failure and each advice. A known failure
    /// is suppressed, one that goes with another names it. Each is at `source`, a path from the repository's root and a
    /// line: code scanning refuses a result without a place.
    pub(crate) fn sarif(&self, source: (&str, u32)) -> String {
        let report = self.report;
        let rows = || report.requirements.iter();
        let ids: Vec<&str> = rows().map(|row| row.id.as_str()).collect();
        let found = rows()
            .filter(|row| row.tally() == Tally::Failed || matches!(row.verdict, Verdict::Advice | Verdict::Known));
        let results: Vec<Value> = found.map(|row| self.result(row, &ids, source)).collect();
        let notes: Vec<Value> = [self.breaks(), self.remarks()]
            .concat()
            .iter()
            .map(|remark| json!({"level": "error", "message": {"text": escaped(remark)}}))
            .chain(self.raised().iter().map(|line| json!({"level": "warning", "message": {"text": escaped(line)}})))
            .collect();
        let document = json!({
            "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "plimsoll",
                    "version": report.suite,
                    "semanticVersion": report.suite,
                    "rules": rows().filter_map(|row| requirement(&row.id)).map(rule).collect::<Vec<_>>(),
                }},
                "invocations": [{
                    "executionSuccessful": report.exit_code() < 2,
                    "exitCode": report.exit_code(),
                    "toolExecutionNotifications": notes,
                }],
                "automationDetails": {"id": format!("plimsoll/{}/", self.candidate())},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        });
        format!("{document:#}\n")
    }

    fn result(&self, row: &RequirementReport, ids: &[&str], (file, line): (&str, u32)) -> Value {
        let reason = row.reason.as_deref().map_or_else(|| row.verdict.name().replace('_', " "), escaped);
        // What was not worked out any more has no more to say than why.
        let detail = row.detail.as_deref().filter(|detail| Some(*detail) != row.reason.as_deref());
        let detail = detail.map(|detail| format!(": {}", escaped(detail))).unwrap_or_default();
        let with = under(self.report, row).map(|under| format!("\nAlso: {under}.")).unwrap_or_default();
        let again = again(row).map(|again| format!("\nAgain: {again}.")).unwrap_or_default();
        let replay = self.replay(row).map(|command| format!("\nReplay: {command}")).unwrap_or_default();
        let mut result = json!({
            "ruleId": row.id,
            "ruleIndex": ids.iter().position(|id| *id == row.id),
            "level": level(row),
            "message": {"text": format!("{reason}{detail}{again}{with}{replay}")},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": uri(file)},
                "region": {"startLine": line},
            }}],
            "partialFingerprints": {"requirement/v1": format!("{}:{}", escaped(&self.report.candidate.name), row.id)},
        });
        if row.verdict == Verdict::Known {
            let note = row.note.clone().unwrap_or_else(|| "it is in the list of known failures".to_owned());
            result["suppressions"] = json!([{"kind": "external", "justification": escaped(&note)}]);
        }
        result
    }
}

fn rule(requirement: &'static Requirement) -> Value {
    let level = if requirement.level() == Level::Must { "error" } else { "warning" };
    json!({
        "id": requirement.id(),
        "shortDescription": {"text": requirement.sentence()},
        "fullDescription": {"text": requirement.sentence()},
        "help": {"text": format!("`plimsoll explain {}` says more.", requirement.id())},
        "defaultConfiguration": {"level": level},
    })
}

fn level(row: &RequirementReport) -> &'static str {
    match row.verdict {
        Verdict::Advice => "warning",
        verdict if is_break(verdict) => "error",
        _ if row.level == "SHOULD" => "warning",
        _ => "error",
    }
}

/// A path as a relative reference.
fn uri(path: &str) -> String {
    let mut text = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => text.push(byte as char),
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text
}
