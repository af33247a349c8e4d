//! The badge: the JSON that a badge service draws.

use serde_json::json;

use super::Forms;
use crate::verdict::Verdict;

impl Forms<'_> {
    /// A badge in the endpoint format of shields (schema version 1): what the candidate was held to, how much of it holds, and
    /// how much was claimed at all.
    pub(crate) fn badge(&self) -> String {
        let report = self.report;
        let (claimed, all) = (self.claimed(), report.requirements.len());
        let holds = report.requirements.iter().filter(|row| row.verdict == Verdict::Pass).count();
        let known = report.requirements.iter().filter(|row| row.verdict == Verdict::Known).count();
        let held_to = self.profile.clone().unwrap_or_else(|| "its own contract".to_owned());
        let part = if report.filter.is_empty() { "" } else { ", a part only" };
        let (message, colour) = match report.exit_code() {
            2 | 3 => (self.state().to_owned(), "lightgrey"),
            code => {
                let colour = match (code, holds == claimed, known) {
                    (0, true, _) => "brightgreen",
                    (0, false, 0) => "green",
                    (0, false, _) => "yellow",
                    _ => "red",
                };
                let known = if known == 0 { String::new() } else { format!(", {known} known not to") };
                (format!("{holds} of {claimed} hold{known}, {claimed} of {all} claimed{part}"), colour)
            }
        };
        let badge = json!({
            "schemaVersion": 1,
            "label": format!("plimsoll: {held_to}"),
            "message": message,
            "color": colour,
            "isError": report.exit_code() != 0,
        });
        format!("{badge}\n")
    }
}
