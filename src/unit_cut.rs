//! Cutting texts at a length in some unit, never inside a character.

use crate::unit::Unit;

impl Unit {
    /// The longest beginning of `text` that is at most `len` long.
    ///
    /// ```
    /// use plimsoll::Unit;
    /// assert_eq!(Unit::CodePoints.prefix("a🙂b", 2), "a🙂");
    /// assert_eq!(Unit::Utf8Bytes.prefix("a🙂b", 4), "a");
    /// assert_eq!(Unit::Utf16Units.prefix("a🙂b", 2), "a");
    /// ```
    #[must_use]
    pub fn prefix(self, text: &str, len: usize) -> &str {
        if len >= text.len() {
            return text;
        }
        let at = match self {
            Self::CodePoints => str_indices::chars::to_byte_idx(text, len),
            Self::Utf8Bytes => len,
            Self::Utf16Units => str_indices::utf16::to_byte_idx(text, len),
        };
        let boundary = (0..=at).rev().find(|at| text.is_char_boundary(*at));
        boundary.map_or("", |at| &text[..at])
    }

    /// The longest end of `text` that is at most `len` long.
    ///
    /// ```
    /// use plimsoll::Unit;
    /// assert_eq!(Unit::CodePoints.suffix("a🙂b", 2), "🙂b");
    /// assert_eq!(Unit::Utf8Bytes.suffix("a🙂b", 4), "b");
    /// ```
    #[must_use]
    pub fn suffix(self, text: &str, len: usize) -> &str {
        if len >= text.len() {
            return text;
        }
        // The characters of the end cannot be more bytes than four for each unit.
        let from = text.len().saturating_sub(len.saturating_mul(4));
        let near = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(from);
        let end = &text[near..];
        let excess = self.len(end).saturating_sub(len);
        let mut cut = self.prefix(end, excess).len();
        if self.len(&end[..cut]) < excess {
            cut += end[cut..].chars().next().map_or(0, char::len_utf8);
        }
        &end[cut..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_and_suffix_are_the_longest_that_fit() {
        let text = "aé中🙂e\u{301}👨\u{200d}👩z";
        for unit in Unit::ALL {
            for len in 0..=text.len() + 1 {
                let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
                let best = ends.clone().filter(|at| unit.len(&text[..*at]) <= len).max().unwrap();
                assert_eq!(unit.prefix(text, len), &text[..best]);
                let best = ends.filter(|at| unit.len(&text[*at..]) <= len).min().unwrap();
                assert_eq!(unit.suffix(text, len), &text[best..]);
            }
        }
    }
}
