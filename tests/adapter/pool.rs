//! How children are started, lent, given back and ended.

use std::time::{Duration, Instant};

use plimsoll::adapter::Launcher;
use plimsoll::{BreakKind, Compactor, Conversation};

use crate::script::{host, launcher, one_step, runs, state};

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
    assert_eq!(state(&pids[0]), "", "it is reaped");
}

#[test]
fn a_crashed_child_is_reaped_and_the_next_case_gets_a_new_one() {
    let script = "
for ask in requests():
    sys.stderr.write(str(os.getpid())); sys.stderr.flush(); os._exit(1)
";
    let (launcher, _directory) = launcher(script, Duration::from_secs(10));
    let mut pids: Vec<String> = Vec::new();
    for _ in 0..2 {
        let error = one_step(&mut launcher.lease().unwrap()).unwrap_err().to_string();
        pids.push(error.rsplit('\n').next().unwrap().to_owned());
    }
    assert_ne!(pids[0], pids[1]);
    assert_eq!(launcher.gave_up(), None);
    for pid in &pids {
        assert_eq!(state(pid), "", "it is reaped");
    }
}

#[test]
fn a_daemon_that_leaves_the_group_delays_nothing_for_long() {
    let script = "
for ask in requests():
    subprocess.Popen(['sleep', '4'], start_new_session=True)
    time.sleep(60)
";
    let (launcher, _directory) = launcher(script, Duration::from_millis(500));
    let start = Instant::now();
    let error = one_step(&mut launcher.lease().unwrap()).unwrap_err();
    drop(launcher);
    assert_eq!(error.break_kind(), Some(BreakKind::Timeout));
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn launchers_are_shared_by_threads() {
    fn shared<T: Clone + Send + Sync>(_: &T) {}
    fn sent<T: Send>(_: &T) {}
    let (launcher, _directory) = launcher("for ask in requests(): say(ask['id'], step())", Duration::from_secs(10));
    shared(&launcher);
    sent(&launcher.lease().unwrap());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| one_step(&mut launcher.lease().unwrap()).unwrap());
        }
    });
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
    assert!(
        sentence.contains("failed 3 times in a row at `hello`") && sentence.contains("no such model"),
        "{sentence}"
    );
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
        let (launcher, _directory) =
            launcher(&format!("MORE = {more}\nfor ask in requests(): pass"), Duration::from_secs(5));
        let error = launcher.lease().unwrap_err();
        assert_eq!(error.break_kind(), Some(BreakKind::Protocol));
        assert!(error.to_string().contains(says), "{error}");
    }
    let (launcher, _directory) = launcher("print('loading')\nfor ask in requests(): pass", Duration::from_secs(5));
    let error = launcher.lease().unwrap_err().to_string();
    assert!(
        error.contains("standard output carries the protocol alone") && error.contains("the line: loading"),
        "{error}"
    );
}
