//! clark-agent-compaction 0.1.0 under the suite, in process: `cargo run --release`, with `--truncate` its reducer.
//!
//! README.md says what is real, what is claimed, and what was found. Options are the variables of `plimsoll::Suite`.

use std::process::ExitCode;

use clark_agent_compaction::{
    CharHeuristic, CompactionConfig, PlainMessage, PlainToolCall, TokenEstimator, finalize_compaction,
    prepare_compaction, truncate_to_token_budget_with_estimator,
};
use plimsoll::{
    Action, Compactor, Contract, Conversation, Error, Host, Message, Parts, Pressure, Role, Suite, TextReport,
    text_reducer,
};

const VERSION: &str = "0.1.0";

/// What `truncate_to_token_budget` puts in the place of what it cuts.
const MARKER: &str = "\n[truncated during context compaction]\n";

const CONTRACT: &str = r#"{
    "capabilities": ["summarize", "view"],
    "messages": ["calls", "parallel_calls", "tool_role"],
    "attempt": {
        "pending": "host",
        "outcomes": ["rejected", "overflow", "timeout", "transport", "empty", "blank", "inflated", "equal", "ineffective"]
    }
}"#;

const TRUNCATE: &str = r#"{
    "capabilities": ["field"],
    "field": {
        "unit": "utf8_bytes", "structure": "text", "tail": 100, "notice": "marker",
        "marker": "\n[truncated during context compaction]\n", "join": {"strip": true}
    }
}"#;

/// The caller that the crate's README shows: the summary first, then what it says to keep.
struct Clark {
    contract: Contract,
}

impl Compactor for Clark {
    fn contract(&self) -> Contract {
        self.contract.clone()
    }

    fn name(&self) -> String {
        "clark-agent-compaction".to_owned()
    }

    fn version(&self) -> String {
        VERSION.to_owned()
    }

    fn step(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
        // The verdict on size is the host's: under pressure every size reaches the threshold.
        let limit = if host.pressure() == Pressure::Summarize { 0 } else { usize::MAX };
        let config = CompactionConfig { auto_compact_token_limit: limit, ..CompactionConfig::default() };
        let view: Vec<Message> = conversation.view().to_vec();
        let transcript: Vec<PlainMessage> = view.iter().map(rendered).collect();
        let Some(prepared) = prepare_compaction(&transcript, &config, &CharHeuristic) else {
            return Ok(Action::None);
        };
        // What becomes of a call that fails is the caller's business: this one leaves everything as it was.
        let Ok(summary) = host.summarize_text(&prepared.request.prompt) else {
            return Ok(Action::None);
        };
        let compacted = finalize_compaction(&prepared.plan, &summary.text);
        let mut replacement = vec![Message::new("", Role::User, compacted.summary_message).summary()];
        replacement.extend(compacted.recent_user_messages.into_iter().map(|text| kept(&view, text)));
        conversation.install(replacement);
        Ok(Action::Summarize)
    }
}

fn rendered(message: &Message) -> PlainMessage {
    let content = message.content.clone();
    match message.role {
        Role::System => PlainMessage::system(content),
        Role::User => PlainMessage::user(content),
        Role::Assistant => {
            let calls = message.calls.iter().map(|id| PlainToolCall::new("look", format!("{{\"id\":\"{id}\"}}")));
            PlainMessage::assistant_with_tool_calls(content, calls.collect())
        }
        Role::Tool => PlainMessage::tool_result(message.call_id.clone().unwrap_or_default(), "look", content, false),
    }
}

/// The message whose text was kept, whole or shortened in its middle.
fn kept(view: &[Message], text: String) -> Message {
    let head = text.split(MARKER).next().unwrap_or_default();
    let of = |message: &&Message| message.role == Role::User && message.content.starts_with(head);
    let whole = view.iter().find(|message| message.role == Role::User && message.content == text);
    let mut message = whole.or(view.iter().rfind(of)).cloned().unwrap_or_default();
    message.trimmed |= message.content != text;
    message.content = text;
    message
}

/// One token a byte, so that a budget is a limit in bytes.
struct Bytes;

impl TokenEstimator for Bytes {
    fn estimate(&self, text: &str) -> usize {
        text.len()
    }

    fn max_chars_for_tokens(&self, tokens: usize) -> usize {
        tokens
    }
}

fn main() -> Result<ExitCode, String> {
    let suite = if std::env::args().any(|argument| argument == "--truncate") {
        let contract = Contract::from_json(TRUNCATE)?;
        let reduce = |text: &str, max: usize| truncate_to_token_budget_with_estimator(text, max, &Bytes);
        Suite::new(move || {
            Parts::new(contract.clone()).named("clark-agent-compaction, truncation").reducer(text_reducer(reduce))
        })
    } else {
        let contract = Contract::from_json(CONTRACT)?;
        Suite::new(move || Clark { contract: contract.clone() })
    };
    let report = suite.from_env()?.run()?;
    print!("{}", TextReport::new(&report));
    Ok(ExitCode::from(report.exit_code()))
}
