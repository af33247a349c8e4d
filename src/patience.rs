//! How often a candidate may break off before the rest is not played.

use crate::trace::BreakKind;

/// A late answer costs its whole deadline.
const LATE: u64 = 12;

/// The candidate broke off in this way for the `times`th time: how it is said that it is enough, `most` being enough of what
/// is not late; the sentence goes on with what `things` are, "histories" say.
pub(crate) fn ends(kind: BreakKind, times: u64, most: u64, things: &str) -> Option<String> {
    let most = if kind == BreakKind::Timeout { LATE } else { most };
    let enough = || format!("the candidate broke off in {times} {things} ({}); the rest was not played", kind.name());
    (times >= most).then(enough)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_answer_is_dear() {
        let enough = |kind| (1..=100).find(|times| ends(kind, *times, 100, "cases").is_some());
        assert_eq!((enough(BreakKind::Timeout), enough(BreakKind::Crash)), (Some(12), Some(100)));
    }
}
