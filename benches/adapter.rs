//! What the adapter layer costs: histories a second over a candidate that does nothing, in Python and in JavaScript, against a
//! bare pipe that moves the same bytes with the same JSON libraries, one child each.
//!
//! `cargo bench --bench adapter --features adapter`, in one run, so that the ratios mean something. Each row is the
//! round with the median ratio out of seven: the two sides of a ratio are measured one right after the other.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark tells a person, and ends where it cannot go on"
)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll::adapter::Launcher;
use plimsoll::{Effort, Suite};
use serde_json::Value;

const ROUNDS: usize = 7;

/// A run over one child. How many histories it played.
fn run(command: Vec<String>, whole: bool) -> u64 {
    let launcher = Launcher::new(command.clone(), Duration::from_secs(60));
    let launcher = if whole { launcher } else { launcher.line_by_line() };
    // One requirement that every history exercises: what is measured is the way there and back.
    let suite = Suite::fallible(command.join(" "), move || Ok(Box::new(launcher.lease()?)));
    let suite = suite.keeps_deadline().waits().jobs(1).effort(Effort::Smoke).witness_dir(None).requirement("LOG-3");
    suite.run().unwrap().histories
}

/// The same lines over a bare pipe, each side reading and writing JSON.
fn pipe(command: &[&str], asked: &[Value]) -> Duration {
    let mut child =
        Command::new(command[0]).args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    let begun = Instant::now();
    for ask in asked {
        to.write_all(format!("{ask}\n").as_bytes()).unwrap();
        line.clear();
        from.read_line(&mut line).unwrap();
        let _: Value = serde_json::from_str(&line).unwrap();
    }
    let took = begun.elapsed();
    drop(to);
    child.wait().unwrap();
    took
}

fn timed(measured: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    measured();
    begun.elapsed().as_secs_f64()
}

fn main() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/echo");
    let dir = tempfile::tempdir().unwrap();
    println!(
        "{:8} {:14} {:>12} {:>12} {:>9}   of {ROUNDS} rounds",
        "child", "mode", "histories/s", "bare pipe/s", "ratio"
    );
    for (program, file) in [("python3", "py"), ("node", "mjs")] {
        let echo = here.join(format!("echo.{file}")).to_str().unwrap().to_owned();
        let bare = here.join(format!("pipe.{file}")).to_str().unwrap().to_owned();
        for (mode, whole) in [("batch", true), ("line by line", false)] {
            let paths = ["asked", "said"].map(|name| dir.path().join(name).to_str().unwrap().to_owned());
            let tee = format!(r#"tee "$0" | {program} "$2" | tee "$1""#);
            let recorded = ["sh", "-c", &tee, &paths[0], &paths[1], &echo].map(str::to_owned).to_vec();
            run(recorded, whole);
            std::thread::sleep(Duration::from_secs(1));
            let lines = |path: &str| -> Vec<Value> {
                fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
            };
            let asked = lines(&paths[0]);
            let mut histories = 0;
            let mut rounds = Vec::new();
            for _ in 0..ROUNDS {
                let command = || vec![program.to_owned(), echo.clone()];
                let suite = timed(|| histories = run(command(), whole));
                let started = timed(|| drop(Launcher::new(command(), Duration::from_secs(60)).lease().unwrap()));
                let piped = pipe(&[program, &bare, &paths[1]], &asked).as_secs_f64();
                // The time that the program takes to start is no part of either.
                rounds.push((
                    piped / (suite - started),
                    histories as f64 / (suite - started),
                    histories as f64 / piped,
                ));
            }
            rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (ratio, suite, bare) = rounds[ROUNDS / 2];
            let [least, most] = [rounds[0].0, rounds[ROUNDS - 1].0].map(|ratio| 100.0 * ratio);
            println!(
                "{program:8} {mode:14} {suite:12.0} {bare:12.0} {:7.0} %   {least:.0} to {most:.0} %",
                100.0 * ratio
            );
        }
    }
}
