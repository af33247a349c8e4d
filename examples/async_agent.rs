//! An async agent that owns its log, its message type and its model, and what it takes to judge its compaction.
//!
//! `cargo run --example async_agent`

#![expect(clippy::print_stdout, reason = "it is a command")]

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use plimsoll::{Action, Compactor, Contract, Conversation, Error, Host, Pressure, Suite, TextReport};
use plimsoll::{from_json_lines, to_json_lines};
use serde::{Deserialize, Serialize};

/// What the agent says of its compaction.
const CONTRACT: &str = r#"{
    "capabilities": ["summarize", "throttle", "latch", "view"],
    "messages": ["ui_only", "system"],
    "attempt": {"abort": "failure"}
}"#;

/// The agent's own message, which it stores as JSON lines.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Turn {
    id: String,
    role: String,
    content: String,
    #[serde(default)]
    ui_only: bool,
    #[serde(default)]
    summary: bool,
}

fn save(turns: &[Turn]) -> String {
    turns.iter().filter_map(|turn| serde_json::to_string(turn).ok()).map(|line| line + "\n").collect()
}

fn load(lines: &str) -> Vec<Turn> {
    lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

type Answer<'a> = Pin<Box<dyn Future<Output = Option<String>> + Send + 'a>>;

/// The agent's own idea of a model: a text, or nothing that can be used.
trait Model: Send + Sync {
    fn complete<'a>(&'a self, prompt: &'a [Turn]) -> Answer<'a>;
}

/// A function that answers at once is a model.
impl<F: Fn(&[Turn]) -> Option<String> + Send + Sync> Model for F {
    fn complete<'a>(&'a self, prompt: &'a [Turn]) -> Answer<'a> {
        Box::pin(async { self(prompt) })
    }
}

struct Agent {
    model: Arc<dyn Model>,
    log: Vec<Turn>,
    context: Vec<Turn>,
    /// Length of the log and the clock at the last attempt, and the length of the log when one failed.
    tried: Option<(usize, f64)>,
    failed: Option<usize>,
}

impl Agent {
    fn new() -> Self {
        Self { model: Arc::new(|_: &[Turn]| None), log: Vec::new(), context: Vec::new(), tried: None, failed: None }
    }

    fn receive(&mut self, turns: Vec<Turn>) {
        self.log.extend(turns.iter().cloned());
        self.context.extend(turns);
    }

    /// Messages that the model has been sent since the log was `from` long.
    fn growth(&self, from: usize) -> usize {
        self.log[from..].iter().filter(|turn| !turn.ui_only).count()
    }

    /// At the end of a turn in which the context has become too long. Whether it is shorter now.
    async fn compact(&mut self, now_s: f64) -> bool {
        let cooling = self.tried.is_some_and(|(length, at_s)| now_s - at_s < 60.0 && self.growth(length) == 0);
        let latched = self.failed.is_some_and(|length| self.growth(length) < 20);
        let system = |turn: &&Turn| turn.role == "system" && !turn.summary;
        let prompt = self.context.iter().take_while(system).count();
        let request = self.context.iter().rposition(|turn| turn.role == "user" && !turn.ui_only);
        let last = self.context.iter().rposition(|turn| !turn.ui_only);
        let kept = |at: usize| at < prompt || Some(at) == request || Some(at) == last || self.context[at].ui_only;
        let old: Vec<usize> = (0..self.context.len()).filter(|at| !kept(*at)).collect();
        if cooling || latched || old.iter().filter(|at| !self.context[**at].summary).count() < 4 {
            return false;
        }
        let prompt: Vec<Turn> = old.iter().map(|at| self.context[*at].clone()).collect();
        let before: usize = prompt.iter().map(|turn| turn.content.chars().count()).sum();
        self.tried = Some((self.log.len(), now_s));
        self.failed = Some(self.log.len());
        let Some(content) = Arc::clone(&self.model).complete(&prompt).await else { return false };
        if content.trim().is_empty() || content.chars().count() >= before {
            return false;
        }
        let summary = Turn { id: String::new(), role: "system".to_owned(), content, ui_only: false, summary: true };
        let turns = self.context.iter().enumerate().filter(|(at, _)| *at == old[0] || !old.contains(at));
        self.context = turns.map(|(at, turn)| if at == old[0] { summary.clone() } else { turn.clone() }).collect();
        self.failed = None;
        true
    }
}

// From here on it is plugged in.

impl Compactor for Agent {
    fn contract(&self) -> Contract {
        Contract::from_json(CONTRACT).expect("it can be read")
    }
    fn step(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
        let model = host.clone();
        self.model =
            Arc::new(move |prompt: &[Turn]| model.summarize(&from_json_lines(&save(prompt)).ok()?).ok()?.usable());
        self.receive(load(&to_json_lines(&conversation.log()[self.log.len()..])));
        let shorter = host.pressure() == Pressure::Summarize && block_on(self.compact(host.wall()));
        conversation.install(from_json_lines(&save(&self.context)).map_err(Error::raised)?);
        Ok(if shorter { Action::Summarize } else { Action::None })
    }
}

fn main() -> Result<(), String> {
    let report = Suite::new(Agent::new).from_env()?.run()?;
    print!("{}", TextReport::new(&report));
    if report.passed() { Ok(()) } else { Err("it does not conform".to_owned()) }
}

/// As small a runtime as there can be; an agent has its own.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
}
