//! What was found, shown with clark-agent-compaction alone.

use clark_agent_compaction::{
    CharHeuristic, CompactedTranscript, CompactionConfig, PlainMessage, finalize_compaction, prepare_compaction,
    truncate_to_token_budget,
};

fn compacted(transcript: &[PlainMessage], answer: &str) -> CompactedTranscript {
    let config = CompactionConfig { auto_compact_token_limit: 1, ..CompactionConfig::default() };
    let prepared = prepare_compaction(transcript, &config, &CharHeuristic).expect("it is above its threshold");
    finalize_compaction(&prepared.plan, answer)
}

fn talk() -> Vec<PlainMessage> {
    vec![
        PlainMessage::system("never touch production"),
        PlainMessage::user("look at the log"),
        PlainMessage::assistant("it says that the disk is full"),
    ]
}

/// OUT-2 and VIEW-6.
#[test]
fn an_empty_answer_is_a_summary() {
    let after = compacted(&talk(), " \n");
    assert!(after.summary_message.ends_with("(no summary was produced)"));
    assert_eq!(after.recent_user_messages, ["look at the log"], "the assistant's finding is nowhere");
}

/// OUT-3.
#[test]
fn a_long_answer_is_taken() {
    let answer = "word ".repeat(1_000);
    assert!(compacted(&talk(), &answer).summary_message.len() > 5_000, "sizes are compared nowhere");
}

/// OUT-6.
#[test]
fn a_transcript_of_which_nothing_goes_is_summarised() {
    let after = compacted(&[PlainMessage::user("look at the log")], "the user wants the log looked at");
    assert_eq!(after.recent_user_messages, ["look at the log"]);
}

/// By hand: a system message in the transcript is summarised and not kept.
#[test]
fn a_system_message_is_not_kept() {
    let after = compacted(&talk(), "the disk is full");
    assert!(!after.summary_message.contains("never touch production"));
}

/// RED-1 and RED-9.
#[test]
fn with_little_room_the_marker_comes_on_top() {
    let once = truncate_to_token_budget(&"x".repeat(100), 10);
    assert!(once.len() > 40, "the budget is 10 tokens, 40 bytes: {}", once.len());
    // White space that was kept is trimmed away, and a second pass keeps the end of the marker instead.
    let once = truncate_to_token_budget("xxxxxxxxxx\n\n\n\n", 1);
    assert_eq!(truncate_to_token_budget(&once, 1), format!("{once}on]\n"));
}
