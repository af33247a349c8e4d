use plimsoll::{Effort, Suite, zoo};

#[test]
fn table() {
    let filter = std::env::var("ZOO").unwrap_or_default();
    let effort = if std::env::var("FULL").is_ok() { Effort::Default } else { Effort::Smoke };
    for row in zoo::all().filter(|row| filter.is_empty() || filter.split(',').any(|f| row.name() == f) || (filter == "good" && row.is_conforming()) || (filter == "bad" && !row.is_conforming())) {
        let start = std::time::Instant::now();
        let dir = std::path::PathBuf::from(format!("/tmp/zoo/{}", row.name()));
        let _ = std::fs::remove_dir_all(&dir);
        let report = Suite::fallible(row.name(), || Ok(row.make())).effort(effort).strict(true).witness_dir(dir).run().unwrap();
        let failing: Vec<String> = report.requirements.iter().filter(|r| r.witness_steps.is_some()).map(|r| format!("{}{}:{}", r.id, r.folded_under.as_ref().map(|f| format!("<{f}")).unwrap_or_default(), r.witness_steps.unwrap())).collect();
        let vacuous: Vec<String> = report.requirements.iter().filter(|r| r.verdict == plimsoll::Verdict::Vacuous).map(|r| r.id.clone()).collect();
        let first = report.first.clone().unwrap_or_default();
        let ok = if row.is_conforming() { failing.is_empty() } else { row.breaks().contains(&first.as_str()) };
        println!("{} {:32} {:?} first {first} {:?} vac {vacuous:?} {:?} {:?} {}ms", if ok { "  " } else { "!!" }, row.name(), row.breaks(), failing, report.aborted, report.broken.iter().map(|b| &b.message).collect::<Vec<_>>(), start.elapsed().as_millis());
    }
}
