//! A served candidate is the one in process.

use std::fs::File;
use std::io::{self, BufReader};
use std::time::{Duration, Instant};

use plimsoll::adapter::{Launcher, serve};
use plimsoll::{
    Action, Capability, Compactor, Contract, Conversation, Error, Host, Input, Message, Pressure, RejectionKind, Reply,
    Restart, Role, StepKind, Stop,
};

use crate::script::user;

/// Keeps the last two visible messages and summarises the rest. Each attempt leaves a status for the person.
#[derive(Debug, Default)]
struct KeepTwo {
    off: bool,
}

impl Compactor for KeepTwo {
    fn contract(&self) -> Contract {
        use Capability as C;
        Contract::claiming(&[C::Summarize, C::View, C::Log, C::Rewind, C::Restart, C::Auto, C::Usage, C::Arrivals])
    }

    fn name(&self) -> String {
        "keep-two".to_owned()
    }

    fn step(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
        if self.off || host.pressure() != Pressure::Summarize || conversation.view().len() < 4 {
            return Ok(Action::None);
        }
        conversation.append(Message::new("", Role::System, "compacting").ui_only());
        let visible: Vec<Message> =
            conversation.view().iter().filter(|message| message.is_visible()).cloned().collect();
        let (old, kept) = visible.split_at(visible.len() - 2);
        let summary = host.summarize(old)?;
        if summary.text.trim().is_empty() {
            conversation.receive(summary.arrived);
            conversation.append(Message::new("", Role::System, "nothing came of it").ui_only());
            return Ok(Action::None);
        }
        let mut view = vec![Message::new("", Role::System, summary.text).summary()];
        view.extend_from_slice(kept);
        view.extend(summary.arrived.iter().cloned());
        conversation.receive(summary.arrived);
        conversation.install(view);
        Ok(Action::Summarize)
    }

    fn restart(&mut self, _: &mut [Conversation], _: &Restart) -> Result<(), Error> {
        self.off = false;
        Ok(())
    }

    fn auto(&mut self, on: bool) -> Result<(), Error> {
        self.off = !on;
        Ok(())
    }

    fn usage(&mut self, conversation: &mut Conversation, tokens: u64, upto: &str) -> Result<(), Error> {
        conversation.receive_extra(Message::new(format!("note-{upto}"), Role::System, format!("{tokens} tokens")));
        Ok(())
    }
}

/// What the host does, in both worlds; what was seen.
fn play(candidate: &mut dyn Compactor) -> Vec<String> {
    let mut seen = Vec::new();
    let mut conversations = vec![Conversation::new("a"), Conversation::new("b")];
    let summary = |text: &str| Reply::Summary { text: text.to_owned(), stop: Stop::End, usable: true };
    let steps = [
        (Pressure::None, summary("unused")),
        (Pressure::Summarize, Reply::Rejection(RejectionKind::Timeout)),
        (Pressure::Summarize, summary(" ")),
        (Pressure::Summarize, summary("it was \u{1f6a2} said")),
        (Pressure::Summarize, summary("and \"again\"\n")),
    ];
    for (round, (pressure, reply)) in steps.into_iter().enumerate() {
        for (at, conversation) in conversations.iter_mut().enumerate() {
            let ids = (0..3).map(|n| user(&format!("m{at}{round}{n}"))).collect();
            candidate.append(conversation, ids).unwrap();
            let late = vec![user(&format!("late{at}{round}"))];
            let host = Host::new(StepKind::Step, pressure, (1_000.0, round as f64), vec![reply.clone()], late);
            let action = candidate.step(conversation, &host).map_err(|error| (error.break_kind(), error.to_string()));
            let changes = conversation.take_changes();
            let inputs: Vec<Input> = host.close().into_iter().map(|call| call.input).collect();
            seen.push(format!("{action:?} {changes:?} {inputs:?} {:?}", conversation.view()));
        }
    }
    let [first, _] = &mut conversations[..] else { panic!("two conversations") };
    candidate.rewind(first, "m021").unwrap();
    seen.push(format!("{:?}", first.view()));
    candidate.auto(false).unwrap();
    candidate.restart(&mut conversations, &Restart::new(2_000.0, 0.0, Vec::new())).unwrap();
    for conversation in &mut conversations {
        candidate.read(conversation).unwrap();
        seen.push(format!("{:?} {:?}", conversation.view(), conversation.log()));
    }
    seen
}

#[test]
fn a_served_candidate_is_the_one_in_process() {
    let launcher = launcher();
    let mut process = launcher.lease().unwrap();
    assert_eq!(process.name(), "keep-two");
    let mut direct = KeepTwo::default();
    assert_eq!(process.contract(), direct.contract());
    for (wire, here) in play(&mut process).into_iter().zip(play(&mut direct)) {
        assert_eq!(wire, here);
    }
    drop(process);
    let again = play(&mut launcher.lease().unwrap());
    assert_eq!(again, play(&mut KeepTwo::default()), "a child that was reset is as new");
}

#[test]
fn many_requests_take_little_time() {
    let launcher = launcher();
    let mut process = launcher.lease().unwrap();
    let mut conversation = Conversation::new("a");
    let start = Instant::now();
    for _ in 0..2_000 {
        let host = Host::new(StepKind::Step, Pressure::None, (1_000.0, 0.0), Vec::new(), Vec::new());
        process.step(&mut conversation, &host).unwrap();
    }
    println!("{:?} a request", start.elapsed() / 2_000);
    assert!(start.elapsed() < Duration::from_secs(10));
}

/// Not a test: what the child runs. The test runner writes on standard output, so the protocol goes to another stream.
#[test]
fn child() {
    if std::env::var_os("PLIMSOLL_TEST_SERVES").is_some() {
        let output = File::options().write(true).open("/dev/fd/3").unwrap();
        serve(|| Box::new(KeepTwo::default()), BufReader::new(io::stdin()), output).unwrap();
    }
}

/// Starts this test program again, as a child that serves.
fn launcher() -> Launcher {
    let script = r#"PLIMSOLL_TEST_SERVES=1 exec "$0" --exact served::child --nocapture 3>&1 >/dev/null"#;
    let program = std::env::current_exe().unwrap();
    let command = ["sh", "-c", script, program.to_str().unwrap()].map(str::to_owned).to_vec();
    Launcher::new(command, Duration::from_secs(10))
}
