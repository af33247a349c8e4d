//! What an agent needs of the seam so that it can keep the harness behind its own types.

use std::sync::Arc;

use plimsoll::{Host, LogFile, Message, Pressure, RejectionKind, Reply, Role, StepKind};

fn host(reply: Reply) -> Host {
    Host::new(StepKind::Step, Pressure::Summarize, (1_000.0, 0.0), vec![reply], Vec::new())
}

#[test]
fn a_host_fits_behind_an_agents_own_model() {
    fn fits<T: Clone + Send + Sync + 'static>(_: &T) {}

    trait Model: Send + Sync {
        fn complete(&self, prompt: &str) -> Option<String>;
    }
    impl Model for Host {
        fn complete(&self, prompt: &str) -> Option<String> {
            self.summarize_text(prompt).ok().map(|summary| summary.text)
        }
    }

    let host = host(Reply::Rejection(RejectionKind::Rejected));
    fits(&host);
    let model: Arc<dyn Model> = Arc::new(host.clone());
    let answer = std::thread::spawn(move || model.complete("everything so far")).join().unwrap();
    assert_eq!(answer, None);
    assert_eq!(host.close().len(), 1);
}

#[test]
fn a_host_counts_every_call_and_answers_none_after_the_step() {
    let host = host(Reply::Rejection(RejectionKind::Timeout));
    for _ in 0..3 {
        assert_eq!(host.summarize(&[]).unwrap_err().kind, RejectionKind::Timeout);
    }
    assert_eq!(host.close().len(), 3);
    assert_eq!(host.summarize(&[]).unwrap_err().kind, RejectionKind::Rejected);
}

#[test]
fn a_log_is_appended_to_and_a_torn_line_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.jsonl");
    LogFile::open(&path).unwrap().append(&[Message::new("m1", Role::User, "one\ntwo")]).unwrap();
    let mut log = LogFile::open(&path).unwrap();
    log.append(&[Message::new("m2", Role::System, "three").ui_only()]).unwrap();
    let ids: Vec<String> = log.load().unwrap().into_iter().map(|message| message.id).collect();
    assert_eq!(ids, ["m1", "m2"]);

    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 10]).unwrap();
    let error = log.load().unwrap_err();
    assert!(error.contains("log.jsonl") && error.contains("line 2"), "{error}");
}
