//! `plimsoll adapter-check`: whether a case in one line is answered as it is line by line.

use super::adapter_check::{Found, directed, example, needs};
use crate::adapter::excerpt;
use crate::history::{Answer, Command, Draft, History, Name, StepCommand};
use crate::message::Message;
use crate::play::play;
use crate::report::BROKEN_HERE;
use crate::runner::drawn;
use crate::trace::{Call, Event, Reply, State, Trace};
use crate::{Capability, Compactor, Contract, Error, Pressure, Role};

/// What a history has to show for a comparison to be worth something.
const SHOWN: [fn(&Command, &Event) -> bool; 4] = [
    // A summary is installed.
    |_, event| {
        let usable = |call: &Call| matches!(call.reply, Reply::Summary { usable: true, .. });
        event.calls.iter().any(usable) && !(event.states.is_empty() && event.appended.is_empty())
    },
    // A step raises.
    |_, event| event.raised.is_some(),
    |command, event| needs(Capability::Arrivals, command) && !event.calls.is_empty(),
    |command, _| needs(Capability::Restart, command),
];

/// Which of them is a step that raises.
const RAISED: usize = 1;

/// At most so many histories are looked through for them, and none of more commands.
const LOOKED_THROUGH: usize = 64;
const COMMANDS: usize = 60;

/// Every way in which a call can fail, each after enough time and messages for another attempt: whoever raises, raises here.
fn failures() -> History {
    let answers = Answer::ALL.iter().filter(|answer| !matches!(answer, Answer::Ok | Answer::CutOff));
    let mut commands = Vec::new();
    for (at, answer) in (0..).zip(answers) {
        let key = |number| at * MESSAGES + number;
        let draft = |number| Draft::new(key(number), if number % 2 == 1 { Role::User } else { Role::Assistant });
        commands.push(Command::Append { conversation: Name(0), messages: (1..=MESSAGES).map(draft).collect() });
        let (after_s, answers) = (APART_S, vec![*answer]);
        commands.push(Command::Step(StepCommand {
            after_s,
            answers,
            pressure: Pressure::Summarize,
            ..StepCommand::new(Name(0))
        }));
    }
    History::new(0, commands)
}

/// So many messages, and so much time, lie between two of them.
const MESSAGES: u32 = 24;
const APART_S: f64 = 100_000.0;

/// Plays the same histories line by line and as wholes: one for each claim, and whatever shows more.
pub(super) fn compare(
    contract: &Contract,
    single: &dyn Fn() -> Result<Box<dyn Compactor>, Error>,
    whole: &dyn Fn() -> Result<Box<dyn Compactor>, Error>,
    found: &mut Found,
) {
    let mut shown = [false; SHOWN.len()];
    let (mut seen, mut compared): (Vec<History>, usize) = (Vec::new(), 0);
    let examples = contract.capabilities.iter().filter_map(|claim| example(contract, *claim, false));
    let fails = contract.claims(Capability::Summarize).then(failures);
    let examples: Vec<History> = examples.chain(fails.filter(|history| history.check().is_ok())).collect();
    let more = directed(contract).into_iter().filter(|history| history.commands.len() <= COMMANDS);
    let more = more.take(LOOKED_THROUGH).map(|history| (false, history));
    for (always, history) in examples.into_iter().map(|history| (true, history)).chain(more) {
        if seen.contains(&history) || (!always && shown.iter().all(|shown| *shown)) {
            continue;
        }
        let one = play(&history, contract, single);
        let mut new = false;
        for (shown, shows) in shown.iter_mut().zip(SHOWN) {
            let here = history.commands.iter().zip(&one.events).any(|(command, event)| shows(command, event));
            new |= here && !*shown;
            *shown |= here;
        }
        if always || new {
            compared += 1;
            if let Some(differs) = difference(contract, &one, &play(&history, contract, whole)) {
                found.line("batch", "differs");
                found.wrong(&format!("a case in one line is not answered as line by line: {differs}"));
                return;
            }
        }
        seen.push(history);
    }
    let readable = contract.claims(Capability::View) || contract.claims(Capability::Log);
    found.line(
        "batch",
        match (compared, readable && !shown[RAISED]) {
            (0, _) => "nothing to compare",
            (_, false) => "as line by line",
            (_, true) => "as line by line; no step raised: a `state` beside an `error` was not seen",
        },
    );
}

/// The first difference between a history line by line and the same in one line, in sentences and rows.
fn difference(contract: &Contract, one: &Trace, other: &Trace) -> Option<String> {
    if let Some(broken) = other.broken.as_ref().filter(|_| one.broken.is_none()) {
        return Some(broken.message.clone());
    }
    let pairs = one.events.iter().zip(&other.events);
    let Some((at, (left, right))) = pairs.enumerate().find(|(_, (left, right))| left != right) else {
        if one.events.len() != other.events.len() {
            return Some(format!("{} commands are answered, and {}", one.events.len(), other.events.len()));
        }
        let finals = one.finals.iter().zip(&other.finals).find(|(left, right)| left != right);
        return finals.map(|(left, right)| format!("at the end, {}", state(left, right)));
    };
    let (command, what) = (at + 1, what(left, right));
    let of = one.history.commands.len();
    let (head, left) = row(contract, one, at);
    let (_, right) = row(contract, other, at);
    let mut says = format!("at command {command} of {of}, {what}\n{:14}{head}", "");
    says.push_str(&format!("\n{:14}{left}\n{:14}{right}", "line by line", "in one line"));
    Some(says)
}

/// The head of a timeline, and the row of the command `at`.
fn row(contract: &Contract, trace: &Trace, at: usize) -> (String, String) {
    let mut trace = trace.clone();
    trace.history.commands.truncate(at + 1);
    trace.events.truncate(at + 1);
    let keys = trace.history.drafts().count();
    trace.externals.truncate(keys);
    (trace.finals, trace.broken) = (Vec::new(), None);
    let text = drawn(contract, &trace, Some(at));
    // The command of the fault is the last one that is marked.
    let row = text.lines().rfind(|line| line.starts_with('>')).unwrap_or_default();
    // It is marked as the place that is compared, and no requirement was asked.
    let row = row.trim_end().trim_end_matches(BROKEN_HERE);
    let trimmed = |line: &str| line.get(4..).unwrap_or_default().trim_end().to_owned();
    (trimmed(text.lines().next().unwrap_or_default()), trimmed(row))
}

/// What differs of what one command led to.
fn what(one: &Event, other: &Event) -> String {
    if one.calls.len() != other.calls.len() {
        return format!("the summariser is called {} times, and {} times", one.calls.len(), other.calls.len());
    }
    if one.calls != other.calls {
        return "the summariser is asked another thing".to_owned();
    }
    if one.action != other.action || one.raised.is_some() != other.raised.is_some() {
        let said = |event: &Event| match (&event.raised, event.action) {
            (Some(_), _) => "it raises".to_owned(),
            (None, Some(action)) => format!("`action` is {}", action.name()),
            (None, None) => "there is no `action`".to_owned(),
        };
        return format!("{}, and {}", said(one), said(other));
    }
    if one.raised != other.raised {
        return "the text of the error is another one".to_owned();
    }
    for (name, left, right) in [("`appended`", &one.appended, &other.appended), ("`extra`", &one.extra, &other.extra)] {
        if left != right {
            return format!("{name}: {}", list(left, right));
        }
    }
    match (one.states.is_empty(), other.states.is_empty()) {
        (true, false) => return "the view stays as it is, and is another one".to_owned(),
        (false, true) => return "the view is another one, and stays as it is".to_owned(),
        _ => {}
    }
    let states = one.states.iter().zip(&other.states).find(|(left, right)| left != right);
    states.map_or_else(|| "another state is shown".to_owned(), |(left, right)| state(left, right))
}

fn state(one: &State, other: &State) -> String {
    if one.view != other.view {
        return format!("the view: {}", list(&one.view, &other.view));
    }
    let (none, none_either) = (Vec::new(), Vec::new());
    let (left, right) = (one.log.as_ref().unwrap_or(&none), other.log.as_ref().unwrap_or(&none_either));
    format!("the log: {}", list(left, right))
}

/// The first place where two lists of messages differ.
fn list(one: &[Message], other: &[Message]) -> String {
    let at = one.iter().zip(other).position(|(left, right)| left != right).unwrap_or(one.len().min(other.len()));
    let shown = |message: Option<&Message>| message.map_or("nothing".to_owned(), brief);
    format!("number {} is {}, and {}", at + 1, shown(one.get(at)), shown(other.get(at)))
}

/// A message as it stands on the wire, cut.
fn brief(message: &Message) -> String {
    let text = serde_json::to_string(message).unwrap_or_default();
    excerpt(text.as_bytes(), SHOWN_OF_MESSAGE)
}

/// How many characters of a message are shown.
const SHOWN_OF_MESSAGE: usize = 120;
