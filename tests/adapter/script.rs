//! Adapters as scripts, and what is done with them.

use std::fs;
use std::process::Command;
use std::time::Duration;

use plimsoll::adapter::{Launcher, Process};
use plimsoll::{Action, Compactor, Conversation, Error, Host, Message, Pressure, RejectionKind, Reply, Role, StepKind};
use tempfile::TempDir;

/// What every script begins with: `lines` yields requests, `say` writes a reply.
const PRELUDE: &str = r#"
import json, os, subprocess, sys, time
def raw(text):
    sys.stdout.write(text + "\n"); sys.stdout.flush()
def say(id, result):
    raw(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}))
def fail(id, code, text):
    raw(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}}))
CLAIMS = ["summarize", "view", "rewind", "log"]
MORE = {}
def hello(id):
    say(id, {"protocol": 1, "name": "script", "version": "1", "contract": {"capabilities": CLAIMS}, **MORE})
def requests():
    for line in sys.stdin:
        ask = json.loads(line)
        if ask["method"] == "hello": hello(ask["id"])
        elif ask["method"] in ("reset", "append"): say(ask["id"], {})
        elif ask["method"] == "bye": say(ask["id"], {}); sys.exit(0)
        else: yield ask
def step(view=None, action="none", appended=()):
    return {"action": action, "appended": list(appended), "view": view}
"#;

/// A launcher of a script, which is kept as long as the directory is.
pub(crate) fn launcher(script: &str, timeout: Duration) -> (Launcher, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("adapter.py");
    fs::write(&path, format!("{PRELUDE}{script}")).unwrap();
    let command = vec!["python3".to_owned(), path.to_str().unwrap().to_owned()];
    (Launcher::new(command, timeout).hello_timeout(Duration::from_secs(20)), directory)
}

pub(crate) fn host() -> Host {
    let reply = Reply::Rejection(RejectionKind::Rejected);
    Host::new(StepKind::Step, Pressure::Summarize, (1_000.0, 0.0), vec![reply], Vec::new())
}

pub(crate) fn user(id: &str) -> Message {
    Message::new(id, Role::User, format!("{id} says something"))
}

/// One message and one step.
pub(crate) fn one_step(process: &mut Process) -> Result<Action, Error> {
    let mut conversation = Conversation::new("a");
    process.append(&mut conversation, vec![user("m1")])?;
    process.step(&mut conversation, &host())
}

pub(crate) fn runs(pid: &str) -> bool {
    // A zombie whose new parent does not reap it runs no more.
    !matches!(state(pid).chars().next(), None | Some('Z'))
}

/// What `ps` says of a process; empty where there is none.
pub(crate) fn state(pid: &str) -> String {
    assert!(pid.parse::<u32>().is_ok(), "{pid:?} is no process id");
    let output = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
