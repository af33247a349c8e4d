//! `plimsoll incident`: the history that started it all.

use std::fmt::Write;

use super::candidates::built_in;
use super::screen::{Failure, cannot, print};
use crate::{Capability, Command, Compactor, Contract, Input, Reference, Trace, Witness, runner};

/// With its contract in full: what was, is no matter of today's defaults.
const HISTORY: &str = include_str!("incident.jsonl");

const HEAD: &str = "\
The summariser refuses. Then five tool results come, with a step after each, all inside the cooldown of 60 s.
One history, three compactors:
";

const FOOT: &str = "
as shipped      The throttle asks whether the log has grown since the last attempt, and counts the status message that
                the attempt itself has written. Every step calls the model with all there is, for nothing.
count cured     Only what the model sees counts. A tool result is real growth, so the cooldown is lifted all the same:
                a throttle alone does not stop this.
with the latch  One failure closes the latch, until 20 visible messages have come. Nothing is paid for meanwhile.

The first one's own bug needs no tool result at all; the suite finds the shortest history that shows it:
  plimsoll check --candidate self-counting-throttle
";

pub(super) fn incident() -> Result<u8, Failure> {
    let witness = Witness::parse(HISTORY).map_err(|error| cannot(format!("src/cli/incident.jsonl: {error}")))?;
    let shipped = built_in("self-counting-throttle", None)?;
    let latched = witness.contract.clone();
    let mut cured = Contract { latch: None, ..latched.clone() };
    cured.capabilities.retain(|claimed| *claimed != Capability::Latch);
    let reference = |contract: &Contract| {
        let contract = contract.clone();
        move || -> Box<dyn Compactor> { Box::new(Reference::new(contract.clone())) }
    };
    let columns = [
        ("as shipped", play(&witness, &cured, &*shipped)),
        ("count cured", play(&witness, &cured, &reference(&cured))),
        ("with the latch", play(&witness, &latched, &reference(&latched))),
    ];
    print(&text(&columns));
    Ok(0)
}

fn play(witness: &Witness, contract: &Contract, make: &dyn Fn() -> Box<dyn Compactor>) -> Trace {
    runner::played(contract, &witness.history, &|| Ok(make()))
}

fn text(columns: &[(&str, Trace)]) -> String {
    let mut text = format!("{HEAD}\n{:>6}  {:<29}", "time", "the host");
    let titles: String = columns.iter().map(|(title, _)| format!("{title:<20}")).collect();
    // Writing to a string does not fail, here and below.
    let _ = writeln!(text, "{}", titles.trim_end());
    let Some((_, first)) = columns.first() else { return text };
    for (at, (command, event)) in first.history.commands.iter().zip(&first.events).enumerate() {
        let (words, cells): (String, Vec<String>) = match command {
            Command::Append { messages, .. } if messages.len() == 1 => ("1 tool result".to_owned(), Vec::new()),
            Command::Append { messages, .. } => (format!("{} messages", messages.len()), Vec::new()),
            Command::Step(_) => {
                let calls = columns.iter().map(|(_, trace)| trace.events.get(at).map_or(0, |event| event.calls.len()));
                let cell = |calls: usize| if calls == 0 { ".".to_owned() } else { format!("+{calls} call, rejected") };
                ("step, summary wanted".to_owned(), calls.map(cell).collect())
            }
            _ => continue,
        };
        row(&mut text, &format!("{:>6}  {words:<29}", event.elapsed_s), &cells);
    }
    text.push('\n');
    sum(&mut text, "calls made", columns, Trace::calls);
    sum(&mut text, "messages sent to the model", columns, messages);
    sum(&mut text, "characters sent", columns, crate::report::sent);
    text + FOOT
}

fn sum(text: &mut String, name: &str, columns: &[(&str, Trace)], of: impl Fn(&Trace) -> usize) {
    let cells: Vec<String> = columns.iter().map(|(_, trace)| of(trace).to_string()).collect();
    row(text, &format!("        {name:<29}"), &cells);
}

fn row(text: &mut String, head: &str, cells: &[String]) {
    let cells: String = cells.iter().map(|cell| format!("{cell:<20}")).collect();
    let _ = writeln!(text, "{}", format!("{head}{cells}").trim_end());
}

fn messages(trace: &Trace) -> usize {
    let items = |input: &Input| match input {
        Input::Items(items) => items.len(),
        _ => 1,
    };
    trace.events.iter().flat_map(|event| &event.calls).map(|call| items(&call.input)).sum()
}
