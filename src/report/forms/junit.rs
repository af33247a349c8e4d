//! JUnit: what continuous integration shows as tests.

use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

use super::Forms;
use crate::report::areas::{grouped, is_break};
use crate::report::escaped;
use crate::report::told::{again, under};
use crate::requirement::requirement;
use crate::verdict::{RequirementReport, Tally, Verdict};

impl Forms<'_> {
    /// The report as JUnit XML: a suite for each area, a case for each requirement, skipped ones included; what keeps the run
    /// from being whole is a case by itself.
    ///
    /// # Errors
    ///
    /// If it cannot be written as XML.
    pub(crate) fn junit(&self) -> Result<String, String> {
        let report = self.report;
        let mut document = Document::new(format!("plimsoll: {}", self.candidate()));
        for (area, about, rows) in grouped(&report.requirements) {
            let mut suite = TestSuite::new(format!("{area}: {about}"));
            suite.add_property(("seed", report.seed.to_string().as_str()));
            suite.add_property(("effort", report.effort.as_str()));
            suite.add_property(("specification", report.spec.as_str()));
            if !report.filter.is_empty() {
                suite.add_property(("only", report.filter.join(", ").as_str()));
            }
            suite.add_test_cases(rows.iter().map(|row| self.case(row)));
            document.add_test_suite(suite);
        }
        // What a run passes with is no error.
        let raised = if report.passed() { Vec::new() } else { self.raised() };
        let remarks = [self.breaks(), self.remarks(), raised].concat();
        if !remarks.is_empty() {
            let mut suite = TestSuite::new("the run itself");
            for remark in &remarks {
                let name = remark.split(':').next().unwrap_or_default();
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
                status.set_message(remark.lines().map(escaped).collect::<Vec<_>>().join("; "));
                suite.add_test_case(TestCase::new(name, status));
            }
            document.add_test_suite(suite);
        }
        let text = document.to_string().map_err(|error| format!("the JUnit report cannot be written: {error}"))?;
        Ok(format!("{}\n", text.trim_end()))
    }

    fn case(&self, row: &RequirementReport) -> TestCase {
        let verdict = row.verdict.name().replace('_', " ");
        let reason = row.reason.as_deref().map_or_else(|| verdict.clone(), escaped);
        let soft = matches!(row.verdict, Verdict::Advice | Verdict::NotReached);
        let tally = if self.report.strict && soft { Tally::Failed } else { row.tally() };
        let status = match tally {
            Tally::Passed => TestCaseStatus::success(),
            Tally::Skipped => {
                let mut status = TestCaseStatus::skipped();
                let why = if row.verdict == Verdict::Known { format!("{verdict}: {reason}") } else { verdict };
                status.set_message(why);
                status
            }
            Tally::Failed => {
                let kind = if is_break(row.verdict) { NonSuccessKind::Error } else { NonSuccessKind::Failure };
                let mut status = TestCaseStatus::non_success(kind);
                status.set_message(reason).set_type(verdict).set_description(self.described(row));
                status
            }
        };
        let mut case = TestCase::new(row.id.clone(), status);
        case.set_classname(format!("plimsoll.{}", crate::report::areas::area(&row.id)));
        if row.verdict == Verdict::Advice && tally == Tally::Passed {
            case.set_system_out(format!("advice: {}", self.described(row)));
        }
        case
    }

    /// The sentence, the history, the difference, and the command that plays it again.
    fn described(&self, row: &RequirementReport) -> String {
        let mut parts: Vec<String> = requirement(&row.id).map(|it| it.sentence().to_owned()).into_iter().collect();
        parts.extend(row.timeline.as_ref().map(|timeline| timeline.trim_end().to_owned()));
        parts.extend(row.detail.as_ref().map(|detail| detail.lines().map(escaped).collect::<Vec<_>>().join("\n")));
        parts.extend(again(row).map(str::to_owned));
        parts.extend(under(self.report, row));
        parts.extend(self.replay(row));
        parts.join("\n\n")
    }
}
