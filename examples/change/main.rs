//! Three operations that run again when something has changed, each beside the twin that reacts to its own traces.
//!
//! `cargo run --example change`

#![expect(clippy::print_stdout, reason = "it is a command")]

mod bot;
mod health;
mod retry;

use plimsoll::{Capability, ChangeGuard, Contract, Effort, Parts, Report, Suite};

/// Holds what `make` gives to the general form: one change after a success, two after a failure.
fn check<G: ChangeGuard + 'static>(name: &str, make: impl Fn() -> G + Send + Sync + 'static) -> Result<Report, String> {
    let (name, contract) = (name.to_owned(), Contract::claiming(&[Capability::Change]));
    let parts = move || Parts::new(contract.clone()).named(name.clone()).guard(make());
    Suite::new(parts).effort(Effort::Smoke).witness_dir(None).run()
}

fn main() -> Result<(), String> {
    let reports = [
        check("retry, by the lines that others wrote", || retry::Retry::new(retry::Watches::Lines))?,
        check("retry, by the time stamp", || retry::Retry::new(retry::Watches::TimeStamp))?,
        check("bot, by the comments of others", || bot::Bot::new(bot::Watches::Others))?,
        check("bot, by the number of comments", || bot::Bot::new(bot::Watches::Number))?,
        check("health, by the findings of others", || health::Health::new(health::Watches::Findings))?,
        check("health, by the version", || health::Health::new(health::Watches::Version))?,
    ];
    for report in &reports {
        let first = report.first.as_deref().map_or("conforms".to_owned(), |id| format!("breaks {id}"));
        println!("{:<40} {first:<14} {}", report.candidate.name, report.closing_line());
    }
    Ok(())
}
