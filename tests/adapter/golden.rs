//! Transcripts of version 1: what a harness and a candidate of that version say to each other, line by line, the harness first.
//! Both sides of this version are held to them.
//!
//! `PLIMSOLL_GOLDEN=write` writes them anew. A difference is a change of the protocol, and needs another version.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use plimsoll::adapter::{Launcher, serve};
use plimsoll::{
    Action, Block, Capability, ChangeBy, ChangeEvent, ChangeGuard, Compactor, Contract, Conversation, Error, Gauge,
    GaugeSettings, GuardName, GuardedAttempt, GuardedOutcome, Host, Infeasible, Limit, Measured, Message, Pressure,
    Reduced, Reducer, RejectionKind, Reply, Reported, Restart, Role, StepKind, Stop, Trimmer, Unit,
};

/// A little of everything.
#[derive(Debug, Default)]
struct All {
    settings: Option<GaugeSettings>,
    changed: bool,
}

impl Reducer for All {
    fn reduce(&self, blocks: &[Block], limit: Limit) -> Result<Reduced, Infeasible> {
        let text: String = blocks.iter().map(|block| block.text.as_str()).collect();
        let whole = text.chars().count();
        match limit.max {
            0 => Err(Infeasible::new()),
            max if whole <= max => Ok(Reduced::whole(text)),
            max => {
                let mut reduced = Reduced::whole(text.chars().take(max).collect::<String>());
                reduced.notice = Some(plimsoll::Cut::new(whole, max));
                Ok(reduced)
            }
        }
    }
}

impl Trimmer for All {
    fn fit(&self, mut messages: Vec<Message>, limit: Limit) -> Result<Vec<Message>, Infeasible> {
        messages.drain(..messages.len().saturating_sub(limit.max));
        Ok(messages)
    }
}

impl Gauge for All {
    fn measure(&mut self, messages: &[Message], reported: Option<&Reported>) -> Result<Measured, Error> {
        let tokens = reported.and_then(|reported| reported.tokens).unwrap_or(messages.len() as u64);
        Ok(Measured::new(Pressure::Trim, Some(tokens)))
    }

    fn configure(&mut self, settings: GaugeSettings) -> Result<GaugeSettings, Error> {
        if settings.trigger < settings.target {
            return Err(Error::raised("trigger is below target"));
        }
        self.settings = Some(settings);
        Ok(settings)
    }
}

impl ChangeGuard for All {
    fn change(&mut self, _: GuardName, event: ChangeEvent) -> Result<(), Error> {
        self.changed |= event.relevant;
        Ok(())
    }

    fn attempt(&mut self, _: GuardName, _: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        Ok(std::mem::take(&mut self.changed))
    }
}

impl Compactor for All {
    fn contract(&self) -> Contract {
        use Capability as C;
        Contract::claiming(&[
            C::Summarize,
            C::View,
            C::Log,
            C::Rewind,
            C::Restart,
            C::Auto,
            C::Usage,
            C::Arrivals,
            C::Force,
            C::Field,
            C::Fit,
            C::Gauge,
            C::Change,
        ])
    }

    fn name(&self) -> String {
        "all".to_owned()
    }

    fn step(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
        if host.pressure() != Pressure::Summarize {
            return Ok(Action::None);
        }
        conversation.append(Message::new("", Role::System, "compacting").ui_only());
        let seen: Vec<Message> = conversation.view().iter().filter(|message| message.is_visible()).cloned().collect();
        let summary = host.summarize(&seen)?;
        let mut view = vec![Message::new("", Role::Assistant, summary.text).summary()];
        view.extend(summary.arrived.iter().cloned());
        conversation.receive(summary.arrived);
        conversation.install(view);
        Ok(Action::Summarize)
    }

    fn restart(&mut self, _: &mut [Conversation], _: &Restart) -> Result<(), Error> {
        Ok(())
    }

    fn auto(&mut self, _: bool) -> Result<(), Error> {
        Ok(())
    }

    fn usage(&mut self, _: &mut Conversation, _: u64, _: &str) -> Result<(), Error> {
        Ok(())
    }

    fn reducer(&mut self) -> Option<&dyn Reducer> {
        Some(self)
    }

    fn trimmer(&mut self) -> Option<&dyn Trimmer> {
        Some(self)
    }

    fn gauge(&mut self) -> Option<&mut dyn Gauge> {
        Some(self)
    }

    fn guard(&mut self) -> Option<&mut dyn ChangeGuard> {
        Some(self)
    }
}

/// What a host does in a conversation.
fn converse(candidate: &mut dyn Compactor) -> Result<(), Error> {
    let mut talk = Conversation::new("a");
    let mut call = Message::new("m2", Role::Assistant, "");
    call.calls = vec!["c1".to_owned()];
    let mut result = Message::new("m3", Role::Tool, "line \"one\"\n\u{1f6a2}");
    result.call_id = Some("c1".to_owned());
    candidate.append(&mut talk, vec![Message::new("m1", Role::User, "first"), call, result])?;
    candidate.usage(&mut talk, 17, "m3")?;
    candidate.auto(true)?;
    let summary = |text: &str, stop| Reply::Summary { text: text.to_owned(), stop, usable: true };
    let steps = [
        (StepKind::Step, Pressure::None, vec![Reply::Rejection(RejectionKind::Rejected)], Vec::new()),
        (StepKind::Step, Pressure::Summarize, vec![Reply::Rejection(RejectionKind::Timeout)], Vec::new()),
        (
            StepKind::Force,
            Pressure::Summarize,
            vec![summary("what was said", Stop::End)],
            vec![Message::new("m4", Role::User, "late")],
        ),
    ];
    for (kind, pressure, replies, arrived) in steps {
        let (raises, arrives) = (replies == [Reply::Rejection(RejectionKind::Timeout)], !arrived.is_empty());
        let host = Host::new(kind, pressure, (1_000.5, 2.0), replies, arrived);
        let stepped = candidate.step(&mut talk, &host);
        drop(host.close());
        // Only who is rehearsed does not raise.
        assert!(stepped.is_ok() || raises, "{stepped:?}");
        if arrives {
            candidate.read(&mut talk)?;
        }
    }
    candidate.rewind(&mut talk, "m3")?;
    candidate.restart(std::slice::from_mut(&mut talk), &Restart::new(2_000.0, 0.0, vec!["ui_only".to_owned()]))?;
    candidate.read(&mut talk)
}

/// What is asked besides.
fn ask_at_limits(candidate: &mut dyn Compactor) -> Result<(), Error> {
    let limit = |max| Limit::new(max, Unit::CodePoints);
    for max in [0, 4, 40] {
        let blocks = [Block::removable("some text"), Block::required("!")];
        let _ = candidate.reducer().unwrap().try_reduce(&blocks, limit(max))?;
    }
    let messages = vec![Message::new("m1", Role::User, "one"), Message::new("m2", Role::Assistant, "two")];
    let _ = candidate.trimmer().unwrap().try_fit(messages.clone(), limit(1))?;
    let gauge = candidate.gauge().unwrap();
    gauge.measure(&messages, None)?;
    gauge.measure(&messages, Some(&Reported::new(Some(9), "m1")))?;
    gauge.configure(GaugeSettings::new(9, 5, 10))?;
    assert!(gauge.configure(GaugeSettings::new(1, 5, 10)).is_err());
    let guard = candidate.guard().unwrap();
    guard.change(GuardName::File, ChangeEvent::new(ChangeBy::External, true))?;
    let during = vec![ChangeEvent::new(ChangeBy::Itself, false)];
    guard.attempt(GuardName::File, &GuardedAttempt::new(GuardedOutcome::Fail, during), 3.0).map(drop)
}

/// Speaks as a harness with what `command` starts; `whole`: the conversation goes in one line.
fn speak(command: Vec<String>, whole: bool) -> Result<(), Error> {
    let launcher = Launcher::new(command, Duration::from_secs(30));
    let mut candidate = launcher.lease()?;
    if whole {
        assert!(candidate.rehearse());
        converse(&mut candidate)?;
        candidate.perform()?;
    }
    converse(&mut candidate)?;
    if !whole {
        drop(candidate);
        candidate = launcher.lease()?;
        ask_at_limits(&mut candidate)?;
    }
    Ok(())
}

/// The candidate of the transcript: it says its lines, and ends where the harness does not say its own.
const PLAYER: &str = r#"
import json, sys
lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
for due, answer in zip(lines[::2], lines[1::2]):
    said = json.loads(sys.stdin.readline())
    due = json.loads(due)
    for line in (said, due):
        line["params"].pop("harness", None) if "params" in line else None
    if said != due:
        sys.exit("the harness says " + json.dumps(said) + " and the transcript " + json.dumps(due))
    print(answer, flush=True)
"#;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adapter/golden").join(name)
}

/// Writes the transcript of the two sides as they are now.
fn write(path: &Path, whole: bool) {
    let dir = tempfile::tempdir().unwrap();
    let (asked, said) = (dir.path().join("asked"), dir.path().join("said"));
    let script =
        r#"tee "$1" | (PLIMSOLL_TEST_GOLDEN=1 exec "$0" --exact golden::child --nocapture 3>&1 >/dev/null) | tee "$2""#;
    let program = std::env::current_exe().unwrap();
    let parts = [program.as_path(), &asked, &said].map(|path| path.to_str().unwrap().to_owned());
    let command = [["sh", "-c", script].map(str::to_owned).to_vec(), parts.to_vec()].concat();
    speak(command, whole).unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let (asked, said) = (fs::read_to_string(asked).unwrap(), fs::read_to_string(said).unwrap());
    let lines = asked.lines().zip(said.lines()).map(|(asked, said)| format!("{asked}\n{said}\n"));
    fs::write(path, lines.collect::<String>()).unwrap();
}

/// Not a test: what the child runs. The test runner writes on standard output, so the protocol goes to another stream.
#[test]
fn child() {
    if std::env::var_os("PLIMSOLL_TEST_GOLDEN").is_some() {
        let output = File::options().write(true).open("/dev/fd/3").unwrap();
        serve(|| Box::new(All::default()), BufReader::new(io::stdin()), output).unwrap();
    }
}

fn both_sides(name: &str, whole: bool) {
    let path = path(name);
    if std::env::var("PLIMSOLL_GOLDEN").is_ok_and(|wish| wish == "write") {
        write(&path, whole);
    }
    let transcript = fs::read_to_string(&path).unwrap();
    assert!(transcript.lines().count() >= if whole { 4 } else { 40 });

    let asked: String = transcript.lines().step_by(2).map(|line| format!("{line}\n")).collect();
    let due: String = transcript.lines().skip(1).step_by(2).map(|line| format!("{line}\n")).collect();
    let mut said = Vec::new();
    serve(|| Box::new(All::default()), asked.as_bytes(), &mut said).unwrap();
    assert_eq!(String::from_utf8(said).unwrap(), due, "{name}: a candidate says something else");

    let command = ["python3", "-c", PLAYER, path.to_str().unwrap()].map(str::to_owned).to_vec();
    if let Err(error) = speak(command, whole) {
        panic!("{name}: {error}");
    }
}

#[test]
fn line_by_line_both_sides_say_what_version_1_says() {
    both_sides("single.jsonl", false);
}

#[test]
fn as_a_whole_both_sides_say_what_version_1_says() {
    both_sides("case.jsonl", true);
}
