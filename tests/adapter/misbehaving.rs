//! Child processes that misbehave in a step, and how each ends.

use std::time::{Duration, Instant};

use plimsoll::{Action, BreakKind, Compactor, Conversation, Host, Message, Pressure, Role, StepKind};

use crate::script::{host, launcher, one_step, runs, user};

/// How a script breaks off in its first step, and that it says the same again.
fn broken(script: &str) -> (BreakKind, String) {
    let (launcher, _directory) = launcher(script, Duration::from_secs(60));
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
fn summariser_calls_that_wait_for_no_answer_are_a_timeout() {
    let script = "
for ask in requests():
    while True:
        raw(json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'summarize', 'params': {'text': 'x'}}))
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
        ("raw(' '); raw(''); raw('{')", &["not JSON", "the line: {"]),
        ("say(ask['id'] + 1, step())", &["`id` is ", "the open request has"]),
        ("say(str(ask['id']), step())", &["`id` is "]),
        ("say(ask['id'], {'action': 'none', 'view': None})", &["`result.appended` is missing"]),
        ("say(ask['id'], step([{'id': 'm7'}]))", &["`result.view[0].id` is \"m7\""]),
        (
            "say(ask['id'], step(appended=[{'id': 'x', 'role': 'system', 'content': ''}]))",
            &["own ids start with \"own\""],
        ),
        ("say(ask['id'], step(action='\\ud83d'))", &["`result.action` has a lone surrogate escape"]),
        ("raw('{\"jsonrpc\":\"2.0\",\"id\":' + '[' * 100000)", &["recursion limit", "[cut]"]),
        (
            "raw(json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'log', 'params': {}}))",
            &["\"log\"", "`summarize` alone"],
        ),
        (
            "raw(json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'summarize', 'params': {}}))",
            &["neither `items` nor `text`"],
        ),
        ("sys.stdout.write('x' * (70 << 20)); sys.stdout.flush(); time.sleep(60)", &["longer than 64 MiB", "[cut]"]),
    ];
    for (answer, says) in answers {
        assert_broken(&format!("\nfor ask in requests():\n    {answer}\n"), BreakKind::Protocol, says);
    }
}

/// A step that succeeds, and an append that breaks the protocol.
fn assert_broken_after_a_step(script: &str) {
    let (launcher, _directory) = launcher(script, Duration::from_secs(10));
    let mut process = launcher.lease().unwrap();
    one_step(&mut process).unwrap();
    let error = process.append(&mut Conversation::new("a"), vec![user("m2")]).unwrap_err();
    assert_eq!(error.break_kind(), Some(BreakKind::Protocol), "{error}");
}

#[test]
fn a_summary_is_asked_for_in_a_step_alone() {
    let script = "
ask = next(requests())
say(ask['id'], step())
raw(json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'summarize', 'params': {'text': 'x'}}))
for ask in requests(): say(ask['id'], step())
";
    assert_broken_after_a_step(script);
}

#[test]
fn a_second_reply_is_a_protocol_error() {
    let script = "
for ask in requests():
    say(ask['id'], step())
    say(ask['id'], step())
";
    assert_broken_after_a_step(script);
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
    let (launcher, _directory) = crate::script::launcher(&listed, Duration::from_secs(10));
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

#[test]
fn own_messages_of_a_step_that_raised_are_found_in_the_view() {
    let script = "
CLAIMS.remove('log')
for ask in requests():
    own = {'id': 'own1', 'role': 'system', 'content': 'failed', 'ui_only': True}
    if ask['method'] == 'step': fail(ask['id'], 1, 'no luck')
    else: say(ask['id'], {'view': [{'id': 'm1'}, own]})
";
    let (launcher, _directory) = launcher(script, Duration::from_secs(10));
    let mut process = launcher.lease().unwrap();
    let mut conversation = Conversation::new("a");
    process.append(&mut conversation, vec![user("m1")]).unwrap();
    process.step(&mut conversation, &host()).unwrap_err();
    let changes = conversation.take_changes();
    assert_eq!((changes.appended.len(), changes.installed, conversation.log().len()), (1, false, 2));
}
