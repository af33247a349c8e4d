#[test]
fn reference() {
    let report = plimsoll::Suite::new(plimsoll::Reference::default).run().unwrap();
    for row in &report.requirements {
        println!("{:8} {:?} {} {:?} {:?} {:?}", row.id, row.verdict, row.exercised, row.detail, row.witness_steps, row.folded_under);
    }
    println!("{:?} {}", report.shares, report.histories);
    println!("{:?}", report.broken);
    println!("{}", report.closing_line());
}
