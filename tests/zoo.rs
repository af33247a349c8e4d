use plimsoll::{Effort, Suite, zoo};

#[test]
fn table() {
    for row in zoo::all() {
        let report = Suite::fallible(row.name(), || Ok(row.make())).effort(Effort::Smoke).witness_dir(None).run().unwrap();
        let failing: Vec<String> = report.requirements.iter().filter(|r| r.witness_steps.is_some()).map(|r| format!("{}{}:{}", r.id, r.folded_under.as_ref().map(|f| format!("<{f}")).unwrap_or_default(), r.witness_steps.unwrap())).collect();
        println!("{:32} {:?} {:?} {:?} {:?}", row.name(), row.breaks(), report.first, failing, report.aborted);
    }
}
