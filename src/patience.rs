//! How often a candidate may break off before the rest is not played.

use crate::trace::BreakKind;

/// A late answer costs its whole deadline.
const LATE: u64 = 12;
/// A candidate that says the same each time, and of which nothing else was seen, will say it of the rest as well.
const ALIKE: u64 = 10;

/// Counts the breaks of a run.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    /// Something was seen that can be judged.
    judged: bool,
    /// The first break, without what is of one case.
    first: Option<(BreakKind, String)>,
    /// Another one was not like it.
    differ: bool,
}

impl Patience {
    /// Something was seen that can be judged.
    pub(crate) fn judged(&mut self) {
        self.judged = true;
    }

    /// The candidate broke off with `message`, in this way for the `times`th time: how it is said that it is enough, `most`
    /// being enough whatever it says; the sentence goes on with what `things` are, "histories" say.
    pub(crate) fn ends(
        &mut self,
        kind: BreakKind,
        message: &str,
        times: u64,
        most: u64,
        things: &str,
    ) -> Option<String> {
        let (first, words) = self.first.get_or_insert_with(|| (kind, gist(message).to_owned()));
        self.differ |= *first != kind || words != gist(message);
        let most = if kind == BreakKind::Timeout { LATE } else { most };
        let alike = !self.judged && !self.differ;
        if times >= most {
            Some(format!("the candidate broke off in {times} {things} ({}); the rest was not played", kind.name()))
        } else if alike && times >= ALIKE {
            Some(format!(
                "the candidate broke off in {times} {things}, each time in the same way ({}) and before anything could be \
                 judged; the rest was not played",
                kind.name()
            ))
        } else {
            None
        }
    }
}

/// The message without the line that was heard and what the candidate said on standard error, which differ from case to case.
fn gist(message: &str) -> &str {
    [THE_LINE, THE_STDERR]
        .iter()
        .fold(message, |message, mark| message.split_once(mark).map_or(message, |(head, _)| head))
}

/// What stands in the message of a break before the line against the protocol.
pub(crate) const THE_LINE: &str = "; the line: ";
/// What stands there before the end of standard error.
pub(crate) const THE_STDERR: &str = "; its standard error ends:\n";

#[cfg(test)]
mod tests {
    use super::*;

    /// In which break of `messages`, counted from 1, it is enough.
    fn enough(messages: impl IntoIterator<Item = String>, judged: bool) -> Option<usize> {
        let mut patience = Patience::default();
        if judged {
            patience.judged();
        }
        let ends = |(at, message): (usize, String)| {
            let ended = patience.ends(BreakKind::Protocol, &message, at as u64 + 1, 100, "histories")?;
            assert!(ended.contains(&format!("in {} histories", at + 1)) && ended.contains("protocol_error"), "{ended}");
            Some(at + 1)
        };
        messages.into_iter().enumerate().find_map(ends)
    }

    #[test]
    fn the_same_words_are_enough_sooner_unless_something_was_seen() {
        let same = |at: usize| format!("`result.appended` is missing{THE_LINE}{{\"id\":{at}}}");
        assert_eq!(enough((0..200).map(same), false), Some(10));
        assert_eq!(enough((0..200).map(same), true), Some(100));
        let other = |at: usize| if at == 3 { "`id` is missing".to_owned() } else { same(at) };
        assert_eq!(enough((0..200).map(other), false), Some(100));
        assert_eq!(enough((0..9).map(same), false), None);
    }

    #[test]
    fn a_late_answer_is_dear() {
        let mut patience = Patience::default();
        patience.judged();
        assert!(patience.ends(BreakKind::Timeout, "late", 11, 100, "cases").is_none());
        assert!(patience.ends(BreakKind::Timeout, "late", 12, 100, "cases").is_some());
    }
}
