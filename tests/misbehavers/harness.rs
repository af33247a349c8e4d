//! A run of the command against one misbehaver, watched from outside.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// What was seen of a run.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    /// The JSON report, if there is one.
    pub(crate) report: Value,
    pub(crate) took: Duration,
    /// The most memory that the harness had at once, in KiB.
    pub(crate) peak: u64,
    /// Processes of the run that are left.
    pub(crate) left: Vec<String>,
    /// How many processes the adapter was.
    pub(crate) started: usize,
}

/// Runs `plimsoll check` against the misbehaver `mode`.
pub(crate) fn run(mode: &str, timeout: &str, requirements: &[&str]) -> Watched {
    let dir = tempfile::tempdir().unwrap();
    let pids = dir.path().join("pids");
    fs::create_dir(&pids).unwrap();
    let adapter = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/misbehavers/adapter.py");
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.args(["check", "--effort", "smoke", "--jobs", "2", "--json", "report.json", "--timeout", timeout]);
    // It is this slow to start on a busy machine; who never starts costs the whole of it.
    command.args(["--hello-timeout", if matches!(mode, "hang-at-hello" | "deaf") { "1.5" } else { "60" }]);
    requirements.iter().for_each(|id| _ = command.args(["-r", id]));
    command.args(["--", "python3", "-S", adapter, mode]).arg(&pids).current_dir(dir.path());
    let begun = Instant::now();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let reader = |mut stream: Box<dyn Read + Send>| {
        thread::spawn(move || {
            let mut text = Vec::new();
            stream.read_to_end(&mut text).unwrap();
            String::from_utf8(text).unwrap()
        })
    };
    let out = reader(Box::new(child.stdout.take().unwrap()));
    let err = reader(Box::new(child.stderr.take().unwrap()));
    let mut peak = 0;
    let status = loop {
        peak = high_water(child.id()).unwrap_or(0).max(peak);
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => thread::sleep(Duration::from_millis(4)),
        }
    };
    let took = begun.elapsed();
    let started: Vec<String> =
        fs::read_dir(&pids).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let started: Vec<String> = started.into_iter().filter(|name| name != "done").collect();
    let report = fs::read_to_string(dir.path().join("report.json")).unwrap_or_default();
    Watched {
        code: status.code(),
        out: out.join().unwrap(),
        err: err.join().unwrap(),
        report: serde_json::from_str(&report).unwrap_or_default(),
        took,
        peak,
        left: still_there(&started),
        started: started.len(),
    }
}

/// Those that still run. What was killed a moment ago has a moment to be gone.
fn still_there(pids: &[String]) -> Vec<String> {
    let until = Instant::now() + Duration::from_secs(3);
    loop {
        let left: Vec<String> = pids.iter().filter(|pid| runs(pid)).cloned().collect();
        if left.is_empty() || Instant::now() > until {
            return left;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn runs(pid: &str) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(pid).join("status")).unwrap_or_default();
    // A zombie whose new parent does not reap it runs no more.
    !status.is_empty() && !status.lines().any(|line| line.starts_with("State:") && line.contains('Z'))
}

fn high_water(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
