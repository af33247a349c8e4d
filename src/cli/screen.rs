//! Writing to the two standard streams.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use crate::{Report, TextReport};

/// Why a command ends without a result, and its exit code.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) code: u8,
    pub(super) message: String,
}

/// It could not run.
pub(super) fn cannot(message: impl Into<String>) -> Failure {
    Failure { code: 2, message: message.into() }
}

/// The arguments make no sense.
pub(super) fn usage(message: impl Into<String>) -> Failure {
    Failure { code: 3, message: message.into() }
}

/// Why something that was printed is lost.
static LOST: OnceLock<String> = OnceLock::new();

/// Prints `text` to standard output. A reader that has gone away is no reason to fail: the exit code still tells. What is
/// lost otherwise is told by [`lost`].
pub(super) fn print(text: &str) {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => _ = LOST.set(error.to_string()),
        _ => {}
    }
}

/// Why something that was printed did not reach standard output, if so.
pub(super) fn lost() -> Option<&'static str> {
    LOST.get().map(String::as_str)
}

/// Prints a line to standard error.
pub(super) fn warn(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// A report as a person reads it here: as wide as the terminal, in colours where it shows them and `NO_COLOR` does not say
/// otherwise.
pub(super) fn shown(report: &Report, (before, after): &(String, String)) -> String {
    let out = io::stdout();
    let mut text = TextReport::new(report).replay(before, after);
    if let Some(columns) = if out.is_terminal() { columns() } else { None } {
        text = text.width(columns);
    }
    let colours = anstream::AutoStream::choice(&out) != anstream::ColorChoice::Never;
    text.colours(colours).to_string()
}

/// How wide the terminal is: as it says, or, where it says nothing of its size, as `COLUMNS` does.
fn columns() -> Option<usize> {
    let told = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|columns| *columns > 0);
    let size = terminal_size::terminal_size();
    size.map(|(terminal_size::Width(columns), _)| columns.into()).or_else(told)
}

/// The name among `names` that may have been meant by `wrong`, as a remark to put into an error.
pub(super) fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let wrong = wrong.to_ascii_lowercase();
    let near = |name: &'a str| (strsim::damerau_levenshtein(&wrong, &name.to_ascii_lowercase()), name);
    let found = names.into_iter().map(near).min().filter(|(distance, _)| *distance <= 1 + wrong.len() / 4);
    found.map_or(String::new(), |(_, name)| format!(" (did you mean {name}?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_offered_and_a_far_one_is_not() {
        assert_eq!(
            nearest("self-counting-trottle", ["silent", "self-counting-throttle"]),
            " (did you mean self-counting-throttle?)"
        );
        assert_eq!(nearest("THR_1", ["LAT-1", "THR-1"]), " (did you mean THR-1?)");
        assert_eq!(nearest("x", ["reference"]), "");
    }
}
