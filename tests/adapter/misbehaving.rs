//! Child processes that misbehave, and how each ends.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use plimsoll::adapter::{Launcher, Process};
use plimsoll::{
    Action, BreakKind, Compactor, Conversation, Error, Host, Message, Pressure, RejectionKind, Reply, Role, StepKind,
};
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
fn launcher(script: &str, timeout: Duration) -> (Launcher, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("adapter.py");
    fs::write(&path, format!("{PRELUDE}{script}")).unwrap();
    let command = vec!["python3".to_owned(), path.to_str().unwrap().to_owned()];
    (Launcher::new(command, timeout).hello_timeout(Duration::from_secs(20)), directory)
}

fn host() -> Host {
    let reply = Reply::Rejection(RejectionKind::Rejected);
    Host::new(StepKind::Step, Pressure::Summarize, (1_000.0, 0.0), vec![reply], Vec::new())
}

pub(crate) fn user(id: &str) -> Message {
    Message::new(id, Role::User, format!("{id} says something"))
}

/// One message and one step.
fn one_step(process: &mut Process) -> Result<Action, Error> {
    let mut conversation = Conversation::new("a");
    process.append(&mut conversation, vec![user("m1")])?;
    process.step(&mut conversation, &host())
}

/// How a script breaks off in its first step, and that it says the same again.
fn broken(script: &str) -> (BreakKind, String) {
    let (launcher, _directory) = launcher(script, Duration::from_secs(10));
    let mut process = launcher.lease().unwrap();
    let error = one_step(&mut process).unwrap_err();
    assert_eq!(one_step(&mut process).unwrap_err(), error);
    (error.break_kind().unwrap_or_else(|| panic!("merely raised: {error}")), error.to_string())
}

#[track_caller]
fn assert_broken(script: &str, kind: BreakKind, says: &[&str]) {
    let (found, message) = broken(script);
    assert_eq!(found, kind, "{message}");
    for part in says {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
}

#[test]
fn an_exit_is_a_crash_with_status_and_stderr() {
    let script = "
for ask in requests():
    sys.stderr.write('no \\x1b[31mluck'); sys.exit(3)
";
    assert_broken(script, BreakKind::Crash, &["exit status: 3", "before it answered `step`", "no \\u{1b}[31mluck"]);
}

#[test]
fn a_signal_is_a_crash() {
    let script = "
for ask in requests():
    os.kill(os.getpid(), 6)
";
    assert_broken(script, BreakKind::Crash, &["signal: 6"]);
}

#[test]
fn closed_pipes_are_a_crash() {
    let stdout = "
for ask in requests():
    os.close(1); time.sleep(60)
";
    assert_broken(stdout, BreakKind::Crash, &["closed a pipe"]);
    let stdin = "
for ask in requests():
    raw(json.dumps({'jsonrpc': '2.0', 'id': 's', 'method': 'summarize', 'params': {'text': 'x'}}))
    os.close(0); time.sleep(60)
";
    let (launcher, _directory) = launcher(stdin, Duration::from_secs(2));
    let kind = one_step(&mut launcher.lease().unwrap()).unwrap_err().break_kind();
    // The answer can still have gone into the pipe before it was closed.
    assert!(matches!(kind, Some(BreakKind::Crash | BreakKind::Timeout)), "{kind:?}");
}

#[test]
fn silence_is_a_timeout() {
    let (launcher, _directory) = launcher("for ask in requests(): time.sleep(60)", Duration::from_millis(300));
    let start = Instant::now();
    let error = one_step(&mut launcher.lease().unwrap()).unwrap_err();
    assert_eq!(error.break_kind(), Some(BreakKind::Timeout));
    assert_eq!(error.to_string(), "no answer to `step` within 0.3 s");
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn endless_summariser_calls_are_a_timeout() {
    let script = "
for ask in requests():
    while True:
        raw(json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'summarize', 'params': {'text': 'x'}}))
        sys.stdin.readline()
";
    let (launcher, _directory) = launcher(script, Duration::from_millis(500));
    let error = one_step(&mut launcher.lease().unwrap()).unwrap_err();
    assert_eq!(error.break_kind(), Some(BreakKind::Timeout));
}

#[test]
fn what_is_not_the_protocol_is_a_protocol_error() {
    let answers: &[(&str, &[&str])] = &[
        ("raw('thinking ...')", &["not JSON", "the line: thinking ..."]),
        ("sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", &["not UTF-8"]),
        ("raw('')", &["not JSON"]),
        ("say(ask['id'] + 1, step())", &["`id` is ", "the open request has"]),
        ("say(str(ask['id']), step())", &["`id` is "]),
        ("say(ask['id'], {'action': 'none', 'view': None})", &["`result.appended` is missing"]),
        ("say(ask['id'], step([{'id': 'm7'}]))", &["`result.view[0].id` is \"m7\""]),
        ("say(ask['id'], step(appended=[{'id': 'x', 'role': 'system', 'content': ''}]))", &["own ids start with \"own\""]),
        ("say(ask['id'], step(action='\\ud83d'))", &["`result.action` has a lone surrogate escape"]),
        ("raw('{\"jsonrpc\":\"2.0\",\"id\":' + '[' * 100000)", &["recursion limit", "[cut]"]),
        ("raw(json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'log', 'params': {}}))", &["\"log\"", "`summarize` alone"]),
        ("raw(json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'summarize', 'params': {}}))", &["neither `items` nor `text`"]),
        ("sys.stdout.write('x' * (70 << 20)); sys.stdout.flush(); time.sleep(60)", &["longer than 64 MiB", "[cut]"]),
    ];
    for (answer, says) in answers {
        assert_broken(&format!("\nfor ask in requests():\n    {answer}\n"), BreakKind::Protocol, says);
    }
}

#[test]
fn a_summary_is_asked_for_in_a_step_alone() {
    let script = "
ask = next(requests())
say(ask['id'], step())
raw(json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'summarize', 'params': {'text': 'x'}}))
for ask in requests(): say(ask['id'], step())
";
    let (launcher, _directory) = launcher(script, Duration::from_secs(10));
    let mut process = launcher.lease().unwrap();
    one_step(&mut process).unwrap();
    let error = process.append(&mut Conversation::new("a"), vec![user("m2")]).unwrap_err();
    assert_eq!(error.break_kind(), Some(BreakKind::Protocol), "{error}");
}

#[test]
fn a_second_reply_is_a_protocol_error() {
    let script = "
for ask in requests():
    say(ask['id'], step())
    say(ask['id'], step())
";
    let (launcher, _directory) = launcher(script, Duration::from_secs(10));
    let mut process = launcher.lease().unwrap();
    one_step(&mut process).unwrap();
    let error = process.append(&mut Conversation::new("a"), vec![user("m2")]).unwrap_err();
    assert_eq!(error.break_kind(), Some(BreakKind::Protocol), "{error}");
}

#[test]
fn a_missing_method_names_the_claim() {
    let script = "
for ask in requests():
    if ask['method'] == 'step': say(ask['id'], step())
    else: fail(ask['id'], -32601, 'what?')
";
    let (launcher, _directory) = launcher(script, Duration::from_secs(10));
    let mut process = launcher.lease().unwrap();
    let error = process.rewind(&mut Conversation::new("a"), "m1").unwrap_err();
    assert_eq!(error.break_kind(), Some(BreakKind::Unsupported));
    assert_eq!(error.to_string(), "the candidate claims `rewind`, and it answers \"method not found\" to `rewind`");

    let listed = format!("MORE = {{'methods': ['step', 'view']}}{script}");
    let (launcher, _directory) = self::launcher(&listed, Duration::from_secs(10));
    let error = launcher.lease().unwrap().rewind(&mut Conversation::new("a"), "m1").unwrap_err();
    assert_eq!(error.to_string(), "the candidate claims `rewind`, and `methods` does not list `rewind`");
}

#[test]
fn a_flood_of_stderr_blocks_nothing_and_its_tail_is_kept() {
    let script = "
for ask in requests():
    sys.stderr.write('x' * (1 << 20)); sys.stderr.flush()
    if ask['params']['monotonic_s'] == 0.0: say(ask['id'], step()); continue
    sys.stderr.write('the end'); sys.stderr.flush(); os._exit(1)
";
    let (launcher, _directory) = launcher(script, Duration::from_secs(10));
    let mut process = launcher.lease().unwrap();
    let mut conversation = Conversation::new("a");
    process.step(&mut conversation, &host()).unwrap();
    let later = Host::new(StepKind::Step, Pressure::None, (1_000.0, 1.0), Vec::new(), Vec::new());
    let error = process.step(&mut conversation, &later).unwrap_err().to_string();
    assert!(error.ends_with("xthe end") && error.len() < 2_300, "{} bytes", error.len());
}

#[test]
fn a_grandchild_that_keeps_the_pipes_delays_nothing_and_is_killed() {
    let script = "
for ask in requests():
    child = subprocess.Popen(['sleep', '61.25'])
    sys.stderr.write(str(child.pid)); sys.stderr.flush(); os._exit(4)
";
    let start = Instant::now();
    let (kind, message) = broken(script);
    assert_eq!(kind, BreakKind::Crash);
    assert!(message.contains("exit status: 4"), "{message}");
    assert!(start.elapsed() < Duration::from_secs(8));
    let grandchild = message.rsplit('\n').next().unwrap();
    assert!(!runs(grandchild), "{grandchild} still runs");
}

#[test]
fn a_broken_child_is_reaped_and_a_dropped_launcher_ends_the_others() {
    let script = "
for ask in requests():
    say(ask['id'], step(appended=[{'role': 'system', 'content': str(os.getpid())}]))
";
    let (launcher, _directory) = launcher(script, Duration::from_secs(10));
    let mut pids = Vec::new();
    for _ in 0..2 {
        let mut process = launcher.lease().unwrap();
        let mut conversation = Conversation::new("a");
        process.step(&mut conversation, &host()).unwrap();
        pids.push(conversation.log()[0].content.clone());
    }
    assert_eq!(pids[0], pids[1], "the child that came back is lent again");
    let held = [launcher.lease().unwrap(), launcher.lease().unwrap()];
    drop(held);
    assert!(runs(&pids[0]));
    drop(launcher);
    assert!(!runs(&pids[0]));
}

#[test]
fn an_adapter_that_never_starts_ends_the_run() {
    let (launcher, _directory) = launcher("sys.exit('no such model')", Duration::from_secs(5));
    for _ in 0..3 {
        assert_eq!(launcher.gave_up(), None);
        let error = launcher.lease().unwrap_err();
        assert_eq!(error.break_kind(), Some(BreakKind::Crash));
        assert!(error.to_string().contains("before it answered `hello`"), "{error}");
    }
    let sentence = launcher.gave_up().unwrap();
    assert!(sentence.contains("failed 3 times in a row at `hello`") && sentence.contains("no such model"), "{sentence}");
    assert_eq!(launcher.lease().unwrap_err().to_string(), sentence);

    let nothing = Launcher::new(vec!["/no/such/program".to_owned()], Duration::from_secs(5));
    assert!(nothing.lease().unwrap_err().to_string().starts_with("cannot start `/no/such/program`"));
    assert!(nothing.gave_up().is_some());
}

#[test]
fn hello_is_read_strictly() {
    for (more, says) in [
        ("{'protocol': 2}", "`result.protocol` is 2; the harness speaks version 1"),
        ("{'version': 3}", "`result.version`: invalid type"),
        ("{'contract': {}}", "`result.contract`: the contract names no `capabilities`"),
        ("{'contract': {'capabilities': [], 'latch': {'strikes': 0}}}", "latch.strikes"),
    ] {
        let (launcher, _directory) = launcher(&format!("MORE = {more}\nfor ask in requests(): pass"), Duration::from_secs(5));
        let error = launcher.lease().unwrap_err();
        assert_eq!(error.break_kind(), Some(BreakKind::Protocol));
        assert!(error.to_string().contains(says), "{error}");
    }
    let (launcher, _directory) = launcher("print('loading')\nfor ask in requests(): pass", Duration::from_secs(5));
    let error = launcher.lease().unwrap_err().to_string();
    assert!(error.contains("standard output carries the protocol alone") && error.contains("the line: loading"), "{error}");
}

#[test]
fn a_step_that_raises_is_read_afterwards() {
    let script = "
for ask in requests():
    own = {'id': 'own1', 'role': 'system', 'content': 'failed', 'ui_only': True}
    if ask['method'] == 'step': fail(ask['id'], 1, 'no luck')
    else: say(ask['id'], {'view': [{'id': 'm1'}, own], 'log': [{'id': 'm1'}, own]})
";
    let (launcher, _directory) = launcher(script, Duration::from_secs(10));
    let mut process = launcher.lease().unwrap();
    let mut conversation = Conversation::new("a");
    process.append(&mut conversation, vec![user("m1")]).unwrap();
    let error = process.step(&mut conversation, &host()).unwrap_err();
    assert_eq!((error.break_kind(), error.to_string().as_str()), (None, "no luck"));
    let changes = conversation.take_changes();
    assert_eq!(changes.appended, [Message::new("own1", Role::System, "failed").ui_only()]);
    assert!(!changes.installed && conversation.view().len() == 2);
}

#[test]
fn items_are_told_without_ids_and_a_view_that_is_the_same_is_not_installed() {
    let script = "
for ask in requests():
    same = [{'role': 'user', 'content': 'm1 says something'}]
    cut = [{'role': 'user', 'content': '\\ud83d', 'trimmed': True, 'id': 'm1'}]
    say(ask['id'], step(same if ask['params']['pressure'] == 'summarize' else cut, None))
";
    let (launcher, _directory) = launcher(script, Duration::from_secs(10));
    let mut process = launcher.lease().unwrap();
    let mut conversation = Conversation::new("a");
    process.append(&mut conversation, vec![user("m1")]).unwrap();
    assert_eq!(process.step(&mut conversation, &host()).unwrap(), Action::Unreported);
    assert!(!conversation.take_changes().installed);
    let trim = Host::new(StepKind::Step, Pressure::Trim, (1_000.0, 1.0), Vec::new(), Vec::new());
    process.step(&mut conversation, &trim).unwrap();
    assert_eq!((conversation.view()[0].id.as_str(), conversation.view()[0].content.as_str()), ("m1", "\u{fffd}"));
}

fn runs(pid: &str) -> bool {
    assert!(pid.parse::<u32>().is_ok(), "{pid:?} is no process id");
    let output = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
    let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}
