//! The tables of `plimsoll power`.

use std::fmt::Write;

use super::power::{Kill, SHARES, Trials};

/// What was measured of one known-bad candidate.
pub(super) struct Line {
    pub(super) name: &'static str,
    /// The id that it breaks first.
    pub(super) id: &'static str,
    /// With the whole search.
    pub(super) whole: Trials,
    /// With each share alone, in the order of [`SHARES`]; none were measured where it is empty.
    pub(super) shares: Vec<Trials>,
}

/// What a file of these tables begins with.
pub(super) const TITLE: &str = "# Power\n";

/// The greatest number of steps of each bucket.
const BUCKETS: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// The one in the middle, or the later of the two: none, where it was not found in half of the trials.
fn middle(trials: &Trials) -> Option<Kill> {
    sorted(trials).get(trials.len() / 2).copied().flatten()
}

/// The one that took longest: none, where it was not found in one of them.
fn worst(trials: &Trials) -> Option<Kill> {
    sorted(trials).last().copied().flatten()
}

/// The earliest first, and those that found nothing last.
fn sorted(trials: &Trials) -> Trials {
    let mut sorted = trials.clone();
    sorted.sort_by_key(|kill| kill.map_or((u64::MAX, None), |kill| (kill.steps, Some(kill))));
    sorted
}

fn number(value: Option<u64>) -> String {
    value.map_or("-".to_owned(), |value| value.to_string())
}

/// The bucket of a number of steps.
fn bucket(steps: Option<u64>) -> &'static str {
    const NAMES: [&str; 5] = ["<1k", "<10k", "<100k", "<1M", "more"];
    steps.map_or("-", |steps| NAMES[BUCKETS.iter().filter(|most| steps >= **most).count()])
}

fn median(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

/// The columns of a line, but for its name.
fn cells(line: &Line) -> Vec<String> {
    let steps = |kill: Option<Kill>| number(kill.map(|kill| kill.steps));
    let (middle_of, worst_of) = (middle(&line.whole), worst(&line.whole));
    let found: Vec<&Kill> = line.whole.iter().flatten().collect();
    let witness = median(found.iter().map(|kill| kill.witness as u64).collect());
    let shrinks = median(found.iter().map(|kill| kill.shrinks as u64).collect());
    let histories = number(middle_of.map(|kill| kill.histories));
    let mut cells =
        vec![line.id.to_owned(), steps(middle_of), steps(worst_of), histories, number(witness), number(shrinks)];
    cells.extend(line.shares.iter().map(|trials| bucket(middle(trials).map(|kill| kill.steps)).to_owned()));
    cells
}

const COLUMNS: [&str; 6] = ["breaks", "steps", "worst", "histories", "witness", "shrink"];

fn names(shares: bool) -> Vec<&'static str> {
    COLUMNS.into_iter().chain(SHARES.iter().filter(|_| shares).map(|share| share.name())).collect()
}

/// The width of a column.
fn width(name: &str) -> usize {
    name.len().max(7)
}

pub(super) fn heading(shares: bool) -> String {
    let names = names(shares);
    let columns = names.iter().map(|name| format!(" {name:>width$}", width = width(name))).collect::<String>();
    format!("{:<40}{columns}\n", "candidate")
}

pub(super) fn row(line: &Line, shares: bool) -> String {
    let cells = cells(line).into_iter().zip(names(shares));
    let cells = cells.map(|(cell, name)| format!(" {cell:>width$}", width = width(name))).collect::<String>();
    format!("{:<40}{cells}\n", line.name)
}

/// What the lines say together, a line each.
fn said(lines: &[Line], seeds: u64, most: u64) -> Vec<String> {
    let all = lines.len();
    let percent = |count: usize| (count * 100).checked_div(all).unwrap_or(0);
    let count = |keep: &dyn Fn(&Line) -> bool| lines.iter().filter(|line| keep(line)).count();
    let always = count(&|line| worst(&line.whole).is_some());
    let early = count(&|line| middle(&line.whole).is_some_and(|kill| kill.steps < 1_000));
    let late = count(&|line| worst(&line.whole).is_some_and(|kill| kill.steps < 100_000));
    let shrinks: Vec<u64> =
        lines.iter().flat_map(|line| line.whole.iter().flatten().map(|kill| kill.shrinks as u64)).collect();
    let most_shrinks = number(shrinks.iter().max().copied());
    let mut said = vec![
        format!("rejected in every trial: {always} of {all}, {seeds} trials each"),
        format!("median below 1,000 steps: {early} of {all}, {} %", percent(early)),
        format!("worst below 100,000 steps: {late} of {all}, {} %", percent(late)),
        format!("executions of a shrink: median {}, most {most_shrinks}", number(median(shrinks))),
    ];
    if lines.iter().any(|line| !line.shares.is_empty()) {
        for (at, share) in SHARES.iter().enumerate() {
            let found = |line: &Line, of: fn(&Trials) -> Option<Kill>| {
                line.shares.get(at).is_some_and(|trials| of(trials).is_some())
            };
            let (mid, each) = (count(&|line| found(line, middle)), count(&|line| found(line, worst)));
            said.push(format!(
                "{} alone, within {most} steps: {each} of {all} in every trial, {mid} in half of them",
                share.name()
            ));
        }
        let random = |line: &Line| line.shares.iter().skip(1).any(|trials| middle(trials).is_some());
        let directed = |line: &Line| line.shares.first().is_some_and(|trials| middle(trials).is_some());
        let (of, both) = (count(&directed), count(&|line| directed(line) && random(line)));
        said.push(format!("of {of} that the directed histories find, another share finds {both}"));
    }
    said
}

pub(super) fn summary(lines: &[Line], seeds: u64, most: u64) -> String {
    said(lines, seeds, most).iter().fold(String::new(), |text, line| text + line + "\n")
}

pub(super) fn markdown(lines: &[Line], seeds: u64, most: u64) -> String {
    let mut out = TITLE.to_owned();
    // Writing to a string does not fail.
    let _ = write_markdown(&mut out, lines, seeds, most);
    out
}

fn write_markdown(out: &mut String, lines: &[Line], seeds: u64, most: u64) -> std::fmt::Result {
    let shares = lines.iter().any(|line| !line.shares.is_empty());
    writeln!(
        out,
        "
What the suite itself is worth, measured by the known-bad candidates that it has built in (`plimsoll zoo`). Written by
`plimsoll power --markdown FILE`; the same version and the same options give the same file, but for candidates
that answer differently each time.
"
    )?;
    said(lines, seeds, most).iter().try_for_each(|line| writeln!(out, "- {line}"))?;
    writeln!(
        out,
        "
A trial is a run with one of the seeds 0 to {}, which ends at the first failure of an id that the candidate names. `steps` and
`histories` are those up to that failure, in the middle of the trials, shrinking not counted; `worst` the steps of the longest trial;
`witness` the commands of the shortest history that is left, and `shrink` the histories that were played to come to it, both in the
middle. Candidates at a limit are played cases, and these count as steps and as histories.",
        seeds.saturating_sub(1)
    )?;
    if shares {
        writeln!(
            out,
            "
The columns behind these are of the shares of the search, each alone and with {most} steps: in which bucket the steps in the middle
of the trials are, or `-` where it was not found in half of them. For candidates at a limit `exhaustive` is the small scope and `uniform`
the random cases."
        )?;
    }
    let names = names(shares);
    writeln!(out, "\n| candidate | {} |", names.join(" | "))?;
    writeln!(out, "|---|---|{}", "--:|".repeat(names.len() - 1))?;
    lines.iter().try_for_each(|line| writeln!(out, "| `{}` | {} |", line.name, cells(line).join(" | ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kill(steps: u64) -> Option<Kill> {
        Some(Kill { steps, histories: 1, witness: 3, shrinks: 20 })
    }

    #[test]
    fn what_was_not_found_is_later_than_everything() {
        let trials = vec![kill(5), None, kill(2), kill(9)];
        assert_eq!((middle(&trials), worst(&trials)), (kill(9), None));
        assert_eq!(middle(&vec![None, kill(1), None]), None);
        assert_eq!(["<1k", "<10k", "-"], [Some(999), Some(1_000), None].map(bucket));
    }
}
