//! Laws of log, throttle and latch of the reference, each under proptest and under quickcheck.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "common/engines.rs"]
mod engines;

use plimsoll::{
    Action, Compactor, Contract, Conversation, Host, Latch, Message, Pressure, Reference, RejectionKind, Reply, Role,
    StepKind, Stop, from_json_lines, to_json_lines,
};

/// What happens to a conversation, drawn by either engine from two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Grow(u8),
    UiOnly(u8),
    Wait(u8),
    Step { fails: bool },
}

impl Event {
    fn of((kind, amount): (u8, u8)) -> Self {
        match kind % 5 {
            0 => Self::Grow(1 + amount % 25),
            1 => Self::UiOnly(1 + amount % 25),
            2 => Self::Wait(amount % 90),
            3 => Self::Step { fails: false },
            _ => Self::Step { fails: true },
        }
    }
}

/// What was done at each step.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Done {
    calls: usize,
    action: Action,
    visible: Vec<String>,
}

/// The reference over `events`, from a conversation with enough to summarise.
fn play(contract: Contract, events: &[Event]) -> (Vec<Done>, Conversation) {
    let mut candidate = Reference::new(contract);
    let mut conversation = Conversation::new("a");
    let (mut next, mut visible) = (0, 0);
    let mut message = |ui_only: bool| {
        next += 1;
        // What the model sees does not depend on how many messages for the person came before.
        visible += u32::from(!ui_only);
        let role = if visible % 2 == 0 { Role::Assistant } else { Role::User };
        let message = Message::new(format!("m{next}"), role, "a message of some length ".repeat(5));
        if ui_only { message.ui_only() } else { message }
    };
    conversation.receive((0..8).map(|_| message(false)).collect());
    let (mut now, mut done) = (0.0, Vec::new());
    for event in events {
        match *event {
            Event::Grow(n) => conversation.receive((0..n).map(|_| message(false)).collect()),
            Event::UiOnly(n) => conversation.receive((0..n).map(|_| message(true)).collect()),
            Event::Wait(s) => now += f64::from(s),
            Event::Step { fails } => {
                let rejected = Reply::Rejection(RejectionKind::Rejected);
                let answered: Reply =
                    serde_json::from_str(r#"{"summary":{"text":"in short","stop":"end","usable":true}}"#).unwrap();
                let reply = if fails { rejected } else { answered };
                let host =
                    Host::new(StepKind::Step, Pressure::Summarize, (1_000.0 + now, now), vec![reply], Vec::new());
                let action = candidate.step(&mut conversation, &host).unwrap();
                let visible =
                    conversation.view().iter().filter(|m| m.is_visible()).map(|m| m.content.clone()).collect();
                done.push(Done { calls: host.close().len(), action, visible });
            }
        }
    }
    (done, conversation)
}

/// A log that is saved and loaded is the same log.
fn saved_is_loaded(texts: &[(String, u8)]) -> bool {
    let message = |(at, (content, flags)): (usize, &(String, u8))| {
        let role = [Role::System, Role::User, Role::Assistant, Role::Tool][usize::from(flags % 4)];
        let mut message = Message::new(format!("m{at}"), role, content.clone());
        message.ui_only = flags & 4 != 0;
        message.hidden = flags & 8 != 0;
        message.pinned = flags & 16 != 0;
        message.reasoning = (flags & 32 != 0).then(|| content.clone());
        message.calls = if flags & 64 != 0 { vec![content.clone()] } else { Vec::new() };
        message
    };
    let log: Vec<Message> = texts.iter().enumerate().map(message).collect();
    let text = to_json_lines(&log);
    from_json_lines(&text).as_deref() == Ok(&log[..]) && text.lines().count() == log.len()
}

/// With every summary failing, calls are bounded by the growth: one, and one more for each full distance.
fn failures_cost_at_most_one_call_a_distance(events: &[Event]) -> bool {
    let events: Vec<Event> = events
        .iter()
        .map(|event| if matches!(event, Event::Step { .. }) { Event::Step { fails: true } } else { *event })
        .collect();
    let growth: u64 = events.iter().map(|event| if let Event::Grow(n) = event { u64::from(*n) } else { 0 }).sum();
    let calls: usize = play(Contract::default(), &events).0.iter().map(|done| done.calls).sum();
    calls as u64 <= 1 + growth / 20
}

/// Without a latch and without growth, calls are bounded by the time: one, and one more for each full cooldown.
fn a_cooldown_bounds_calls_by_time(events: &[Event]) -> bool {
    let quiet = events.iter().filter(|event| !matches!(event, Event::Grow(_)));
    let events: Vec<Event> = quiet
        .map(|event| if matches!(event, Event::Step { .. }) { Event::Step { fails: true } } else { *event })
        .collect();
    let mut contract = Contract::default();
    contract.latch = None;
    let waited: u64 = events.iter().map(|event| if let Event::Wait(s) = event { u64::from(*s) } else { 0 }).sum();
    let calls: usize = play(contract, &events).0.iter().map(|done| done.calls).sum();
    calls as u64 <= 1 + waited / 60
}

/// Messages for the person only change no decision and nothing that the model sees.
fn ui_only_messages_change_nothing(events: &[Event]) -> bool {
    let without: Vec<Event> = events.iter().copied().filter(|event| !matches!(event, Event::UiOnly(_))).collect();
    play(Contract::default(), events).0 == play(Contract::default(), &without).0
}

/// More strikes never mean fewer calls, where every summary fails.
fn more_strikes_are_more_patient(events: &[Event]) -> bool {
    let events: Vec<Event> = events
        .iter()
        .map(|event| if matches!(event, Event::Step { .. }) { Event::Step { fails: true } } else { *event })
        .collect();
    let calls = |strikes: u32| {
        let mut latch = Latch::default();
        latch.strikes = strikes;
        let mut contract = Contract::default();
        contract.latch = Some(latch);
        contract.throttle.cooldown_s = None;
        play(contract, &events).0.iter().map(|done| done.calls).take(6).sum::<usize>()
    };
    calls(1) <= calls(3)
}

/// The log only grows, and keeps every message of the host in order.
fn the_log_is_append_only(events: &[Event]) -> bool {
    let (_, conversation) = play(Contract::default(), events);
    let sent: u32 = 8 + events
        .iter()
        .map(|e| if let Event::Grow(n) | Event::UiOnly(n) = e { u32::from(*n) } else { 0 })
        .sum::<u32>();
    let kept: Vec<String> = conversation.log().iter().filter(|m| !m.is_own()).map(|m| m.id.clone()).collect();
    kept == (1..=sent).map(|n| format!("m{n}")).collect::<Vec<_>>()
}

/// The law of the summaries: what stops at the cap is not installed.
#[test]
fn a_cut_summary_is_not_installed() {
    let reply = format!(r#"{{"summary":{{"text":"in short","stop":"{}","usable":false}}}}"#, Stop::Length.name());
    let reply: Reply = serde_json::from_str(&reply).unwrap();
    let mut conversation = Conversation::new("a");
    conversation.receive((0..8).map(|n| Message::new(format!("m{n}"), Role::Assistant, "words ".repeat(20))).collect());
    let before = conversation.view().to_vec();
    let host = Host::new(StepKind::Step, Pressure::Summarize, (0.0, 0.0), vec![reply], Vec::new());
    assert_eq!(Reference::default().step(&mut conversation, &host).unwrap(), Action::None);
    assert_eq!(conversation.view()[..8], before[..]);
}

mod under_proptest {
    use super::*;
    use proptest::prelude::*;

    fn events() -> impl Strategy<Value = Vec<Event>> {
        prop::collection::vec((any::<u8>(), any::<u8>()).prop_map(Event::of), 0..40)
    }

    proptest! {
        #![proptest_config(engines::proptest())]

        #[test]
        fn log(texts in prop::collection::vec((any::<String>(), any::<u8>()), 0..12)) {
            prop_assert!(saved_is_loaded(&texts));
        }

        #[test]
        fn latch(events in events()) {
            prop_assert!(failures_cost_at_most_one_call_a_distance(&events));
            prop_assert!(more_strikes_are_more_patient(&events));
        }

        #[test]
        fn throttle(events in events()) {
            prop_assert!(a_cooldown_bounds_calls_by_time(&events));
            prop_assert!(ui_only_messages_change_nothing(&events));
        }

        #[test]
        fn appended(events in events()) {
            prop_assert!(the_log_is_append_only(&events));
        }
    }
}

mod under_quickcheck {
    use super::*;

    fn events(pairs: &[(u8, u8)]) -> Vec<Event> {
        pairs.iter().copied().map(Event::of).collect()
    }

    #[test]
    fn log() {
        let law: fn(Vec<(String, u8)>) -> bool = |texts| saved_is_loaded(&texts);
        engines::quickcheck().quickcheck(law);
    }

    #[test]
    fn latch() {
        let law: fn(Vec<(u8, u8)>) -> bool = |pairs| {
            let events = events(&pairs);
            failures_cost_at_most_one_call_a_distance(&events) && more_strikes_are_more_patient(&events)
        };
        engines::quickcheck().quickcheck(law);
    }

    #[test]
    fn throttle() {
        let law: fn(Vec<(u8, u8)>) -> bool = |pairs| {
            let events = events(&pairs);
            a_cooldown_bounds_calls_by_time(&events) && ui_only_messages_change_nothing(&events)
        };
        engines::quickcheck().quickcheck(law);
    }

    #[test]
    fn appended() {
        let law: fn(Vec<(u8, u8)>) -> bool = |pairs| the_log_is_append_only(&events(&pairs));
        engines::quickcheck().quickcheck(law);
    }
}
