//! What playing a history costs beside the candidate that it is played against: a bare loop that only drives the candidate,
//! against the whole harness (the candidate driven, the oracle following, every requirement judging) on the same histories.
//!
//! `cargo bench --bench histories`, in one run, so that the ratios mean something. `drawn` plays histories from the grammar
//! that the suite searches, `long` one history of 10, 100 and 1,000 steps; the throughput counts steps. Where the system tells
//! how long a thread was at work (Linux), that is measured, and what else the machine does counts little.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use plimsoll::fuzz::{guard, history};
use plimsoll::{
    Answer, Command, Compactor, Contract, Conversation, Draft, History, Host, Name, Reference, RejectionKind, Reply,
    Restart, Role, Scribe, StepCommand, Stop,
};

/// The time that this thread was at work; else the time that went by.
struct Work;

impl Work {
    fn now() -> Duration {
        static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
        let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let at_work = told.and_then(|told| told.split(' ').next()?.parse().ok());
        at_work.map_or_else(|| BEGUN.elapsed(), Duration::from_nanos)
    }
}

impl Measurement for Work {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        Self::now()
    }
    fn end(&self, start: Duration) -> Duration {
        Self::now() - start
    }
    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }
    fn zero(&self) -> Duration {
        Duration::ZERO
    }
    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }
    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// Drives the reference through `history` as a host would, and looks at nothing.
fn drive(contract: &Contract, history: &History) -> usize {
    let scribe = Scribe::new(history.seed, contract);
    let names = 0..history.conversations() as u32;
    let mut conversations: Vec<Conversation> =
        names.map(|name| Conversation::new(scribe.conversation(Name(name)))).collect();
    let mut candidate = Reference::default();
    let (mut wall_s, mut monotonic_s, mut steps) = (86_400.0, 0.0, 0);
    for command in &history.commands {
        // What the candidate answers is for others to judge.
        let _ = match command {
            Command::Append { conversation, messages } => {
                let messages = messages.iter().map(|draft| scribe.message(draft)).collect();
                candidate.append(&mut conversations[conversation.0 as usize], messages)
            }
            Command::Step(step) => {
                wall_s += step.after_s;
                monotonic_s += step.after_s;
                let arrived = step.arrived.iter().map(|draft| scribe.message(draft)).collect();
                let calls = 0..step.answers.len().max(1);
                let replies = calls.map(|call| reply(step.answer(call), scribe.summary(steps, call))).collect();
                let host = Host::new(step.kind, step.pressure, (wall_s, monotonic_s), replies, arrived);
                steps += 1;
                candidate.step(&mut conversations[step.conversation.0 as usize], &host).map(drop)
            }
            Command::Clock { wall_by_s } => {
                wall_s += wall_by_s;
                Ok(())
            }
            Command::Rewind { conversation, to } => {
                candidate.rewind(&mut conversations[conversation.0 as usize], &scribe.id(*to))
            }
            Command::Restart { without } => {
                monotonic_s = 0.0;
                candidate.restart(&mut conversations, &Restart::new(wall_s, 0.0, without.clone()))
            }
            Command::Auto { on } => candidate.auto(*on),
            Command::Usage { conversation, tokens, upto } => {
                candidate.usage(&mut conversations[conversation.0 as usize], *tokens, &scribe.id(*upto))
            }
            _ => Ok(()),
        };
        for conversation in &mut conversations {
            let _ = conversation.take_changes();
        }
    }
    conversations.iter().map(|conversation| conversation.view().len()).sum()
}

fn reply(answer: Answer, said: String) -> Reply {
    let rejection = Reply::Rejection;
    match answer {
        Answer::Rejected => rejection(RejectionKind::Rejected),
        Answer::Overflow => rejection(RejectionKind::Overflow),
        Answer::Timeout => rejection(RejectionKind::Timeout),
        Answer::Transport => rejection(RejectionKind::Transport),
        Answer::Aborted => rejection(RejectionKind::Aborted),
        Answer::Empty => Reply::Summary { text: String::new(), stop: Stop::End, usable: false },
        Answer::Blank => Reply::Summary { text: " ".to_owned(), stop: Stop::End, usable: false },
        Answer::Refusal => Reply::Summary { text: said, stop: Stop::Refusal, usable: false },
        _ => Reply::Summary { text: said, stop: Stop::End, usable: true },
    }
}

fn steps(history: &History) -> impl Iterator<Item = &StepCommand> {
    history.commands.iter().filter_map(|command| match command {
        Command::Step(step) => Some(step),
        _ => None,
    })
}

/// Histories from the grammar, less those that the two would not play alike: a text that needs a certain length is found by
/// playing more than once, and a process that ends during a call unwinds.
fn drawn(contract: &Contract) -> Vec<History> {
    let mut state = 1u64;
    let mut byte = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let all = std::iter::repeat_with(move || {
        let bytes: Vec<u8> = (0..64).map(|_| byte() & 0x7f).collect();
        history(contract, &bytes)
    });
    let odd = |answer: &Answer| {
        matches!(answer, Answer::Equal | Answer::Ineffective | Answer::CutOff | Answer::Inflated | Answer::Length)
    };
    let plain =
        |history: &History| steps(history).count() > 2 && !steps(history).any(|step| step.answers.iter().any(odd));
    all.take(2_000).filter(plain).take(200).collect()
}

/// So many steps, a minute and a second apart, each after a user's message, a call and its result; every other attempt fails.
fn long(steps: u32) -> History {
    let draft = |key: u32, role: Role, call: u32| {
        let mut draft = Draft::default();
        (draft.key, draft.role) = (key, role);
        match role {
            Role::Assistant => draft.calls = vec![call],
            Role::Tool => draft.answers = Some(call),
            _ => {}
        }
        draft
    };
    let commands = (0..steps).flat_map(|at| {
        let roles = [Role::User, Role::Assistant, Role::Tool];
        let messages = (1..).zip(roles).map(|(key, role)| draft(3 * at + key, role, at)).collect();
        let mut step = StepCommand::new(Name(0));
        step.after_s = 61.0;
        step.answers = vec![if at % 2 == 0 { Answer::Ok } else { Answer::Rejected }];
        [Command::Append { conversation: Name(0), messages }, Command::Step(step)]
    });
    History::new(1, commands.collect())
}

fn pair(criterion: &mut Criterion<Work>, name: &str, parameter: u32, histories: &[History]) {
    let contract = Contract::default();
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3));
    group.throughput(Throughput::Elements(histories.iter().map(|history| steps(history).count() as u64).sum()));
    group.bench_function(BenchmarkId::new("bare", parameter), |b| {
        b.iter(|| histories.iter().map(|history| drive(&contract, black_box(history))).sum::<usize>());
    });
    group.bench_function(BenchmarkId::new("whole", parameter), |b| {
        b.iter(|| histories.iter().filter(|history| guard(Reference::default, black_box(history)).is_ok()).count());
    });
    group.finish();
}

fn histories(criterion: &mut Criterion<Work>) {
    let drawn = drawn(&Contract::default());
    pair(criterion, "drawn", drawn.len() as u32, &drawn);
    for steps in [10, 100, 1_000] {
        pair(criterion, "long", steps, &[long(steps)]);
    }
}

criterion_group!(name = benches; config = Criterion::default().with_measurement(Work); targets = histories);
criterion_main!(benches);
