//! An agent whose pull requests show when it pays for a summary: one line at the end of this file.
//!
//! `cargo run --example timelines` judges it; `cargo test --example timelines` compares what it does in each named history
//! with `examples/timelines/snapshots/`. [`latch-20-to-10.diff`](latch-20-to-10.diff) is what a reviewer sees of a change of
//! [`REOPENS_AFTER`] from 20 to 10.

#![expect(clippy::print_stdout, reason = "it is a command")]

use plimsoll::{Action, Compactor, Contract, Conversation, Error, Host};
use plimsoll::{Message, Pressure, RejectionKind, Role, Stop, Suite, TextReport};

/// Visible messages after which a failed compaction is tried again.
const REOPENS_AFTER: usize = 20;
/// Seconds between two attempts in which nothing new is said.
const COOLDOWN_S: f64 = 60.0;

#[derive(Debug)]
struct Agent {
    reopens_after: usize,
    /// The wall clock and the messages that had been said at the last attempt.
    tried: Option<(f64, usize)>,
    /// The messages that had been said when one failed.
    failed: Option<usize>,
}

impl Agent {
    fn new() -> Self {
        Self::reopening_after(REOPENS_AFTER)
    }

    fn reopening_after(reopens_after: usize) -> Self {
        Self { reopens_after, tried: None, failed: None }
    }

    /// What people and tools have said; what the agent writes about itself does not count.
    fn said(conversation: &Conversation) -> usize {
        conversation.log().iter().filter(|message| message.is_visible() && !message.is_own()).count()
    }

    fn waits(&self, said: usize, now_s: f64) -> bool {
        let cooling = self.tried.is_some_and(|(at_s, before)| now_s - at_s < COOLDOWN_S && said == before);
        let latched = self.failed.is_some_and(|before| said - before < self.reopens_after);
        cooling || latched
    }
}

impl Compactor for Agent {
    fn name(&self) -> String {
        "timelines-example".to_owned()
    }

    fn contract(&self) -> Contract {
        let text = r#"{
            "capabilities": ["summarize", "throttle", "latch", "log", "view"],
            "messages": ["ui_only", "system"],
            "attempt": {"abort": "failure"},
            "latch": {"reopen_growth": N}
        }"#;
        let contract = Contract::from_json(&text.replace('N', &self.reopens_after.to_string()));
        contract.unwrap_or_else(|error| unreachable!("{error}"))
    }

    fn step(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
        let said = Self::said(conversation);
        if host.pressure() != Pressure::Summarize || self.waits(said, host.wall()) {
            return Ok(Action::None);
        }
        let view = conversation.view();
        let request = view.iter().rposition(|message| message.role == Role::User && message.is_visible());
        let last = view.iter().rposition(Message::is_visible);
        // What only the person sees stands in nobody's way.
        let leads = |message: &&Message| message.role == Role::System || !message.is_visible();
        let prompt = view.iter().take_while(leads).count();
        let old = |at: usize| at >= prompt && Some(at) != request && Some(at) != last && view[at].is_visible();
        let input: Vec<Message> = (0..view.len()).filter(|at| old(*at)).map(|at| view[at].clone()).collect();
        if input.iter().filter(|message| !message.is_own()).count() < 4 {
            return Ok(Action::None);
        }
        let answer = host.summarize(&input);
        self.tried = Some((host.wall(), said));
        let cut_off = matches!(&answer, Err(rejection) if rejection.kind == RejectionKind::CutOff);
        let text = answer.ok().filter(|summary| summary.stop == Stop::End && !summary.text.trim().is_empty());
        let size = |messages: &[Message]| messages.iter().map(|message| message.content.chars().count()).sum::<usize>();
        let Some(summary) = text.filter(|summary| summary.text.chars().count() < size(&input)) else {
            self.failed = Some(said);
            if !cut_off {
                conversation.append(Message::new("", Role::System, "compaction failed").ui_only());
            }
            return Ok(Action::None);
        };
        self.failed = None;
        let kept = |at: &usize| !old(*at);
        let (before, after): (Vec<usize>, Vec<usize>) = (0..view.len()).filter(kept).partition(|at| *at < prompt);
        let mut shorter: Vec<Message> = before.iter().map(|at| view[*at].clone()).collect();
        shorter.push(Message::new("", Role::Assistant, summary.text).summary());
        shorter.extend(after.iter().map(|at| view[*at].clone()));
        conversation.install(shorter);
        Ok(Action::Summarize)
    }
}

fn main() -> Result<(), String> {
    let report = Suite::new(Agent::new).from_env()?.run()?;
    print!("{}", TextReport::new(&report));
    if report.passed() { Ok(()) } else { Err("it does not conform".to_owned()) }
}

plimsoll::snapshot_tests!(agent, Agent::new);

/// The diff that the README shows is the one that the change makes.
#[cfg(test)]
mod shown {
    use plimsoll::{Suite, named_histories};

    use super::Agent;

    fn timelines(reopens_after: usize) -> Vec<plimsoll::Timeline> {
        let suite = Suite::new(move || Agent::reopening_after(reopens_after));
        suite.timelines(&named_histories()).expect("it starts")
    }

    #[test]
    fn a_change_of_one_line() {
        let mut diff = String::new();
        for (old, new) in timelines(20).iter().zip(&timelines(10)).filter(|(old, new)| old.text != new.text) {
            let (from, to) = (format!("a/{}.snap", old.name), format!("b/{}.snap", new.name));
            let lines = similar::TextDiff::from_lines(&old.text, &new.text);
            diff += &lines.unified_diff().context_radius(1).header(&from, &to).to_string();
        }
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/timelines/latch-20-to-10.diff");
        if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
            std::fs::write(path, &diff).expect("it can be written");
        }
        assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), diff);
        assert!(
            include_str!("../../README.md").contains(diff.trim_end()),
            "the README shows another diff than\n{diff}"
        );
    }
}
