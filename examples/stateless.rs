//! A compaction that is a function over messages, and what it takes to judge it.
//!
//! `cargo run --example stateless`

use plimsoll::{Action, Capability, Compactor, Contract, Conversation, Error, Feature, Host};
use plimsoll::{Message, Pressure, Role, Stop, Suite, TextReport};

/// Puts a summary in the place of everything but the system prompt, the latest request and the last message.
fn compact(view: &[Message], ask: impl Fn(&[Message]) -> Option<String>) -> Option<Vec<Message>> {
    let prompt = view.iter().take_while(|message| message.role == Role::System && !message.is_own()).count();
    let request = view.iter().rposition(|message| message.role == Role::User && message.is_visible());
    let last = view.iter().rposition(Message::is_visible);
    let kept = |at: usize| at < prompt || Some(at) == request || Some(at) == last || view[at].ui_only;
    let old: Vec<usize> = (0..view.len()).filter(|at| !kept(*at)).collect();
    if old.iter().filter(|at| !view[**at].is_own()).count() < 4 {
        return None;
    }
    let input: Vec<Message> = old.iter().map(|at| view[*at].clone()).collect();
    let summary = ask(&input).filter(|text| !text.trim().is_empty())?;
    let mut shorter = view.to_vec();
    shorter[old[0]] = Message::new("", Role::System, summary).summary();
    let mut at = 0;
    shorter.retain(|_| {
        at += 1;
        at - 1 == old[0] || !old.contains(&(at - 1))
    });
    let size = |view: &[Message]| view.iter().filter(|m| m.is_visible()).map(|m| m.content.chars().count()).sum::<usize>();
    (size(&shorter) < size(view)).then_some(shorter)
}

// From here on it is plugged in.

struct Stateless;

impl Compactor for Stateless {
    fn contract(&self) -> Contract {
        let claims = Contract::claiming(&[Capability::Summarize, Capability::View]);
        claims.with_messages(&[Feature::UiOnly, Feature::System])
    }
    fn step(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
        let ask = |input: &[Message]| host.summarize(input).ok().filter(|s| s.stop == Stop::End).map(|s| s.text);
        let wanted = host.pressure() == Pressure::Summarize;
        let Some(shorter) = wanted.then(|| compact(conversation.view(), ask)).flatten() else { return Ok(Action::None) };
        conversation.install(shorter);
        Ok(Action::Summarize)
    }
}

fn main() -> Result<(), String> {
    let report = Suite::new(|| Stateless).from_env()?.run()?;
    print!("{}", TextReport::new(&report));
    if report.passed() { Ok(()) } else { Err("it does not conform".to_owned()) }
}
