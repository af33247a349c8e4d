//! The marker of a cut, as `field.marker` declares it, and the joining of parts, as `field.join` does.

use crate::contract::{FieldRules, Join};
use crate::unit::Unit;

/// A marker: a literal, with a place for a number or without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    head: String,
    /// What follows the number, if there is one.
    tail: Option<String>,
}

impl Marker {
    /// The declared marker; an empty one is none.
    pub(crate) fn of(rules: &FieldRules) -> Option<Self> {
        let literal = rules.marker.as_deref().filter(|literal| !literal.is_empty())?;
        Some(match literal.split_once("{n}") {
            Some((head, tail)) => Self { head: head.to_owned(), tail: Some(tail.to_owned()) },
            None => Self { head: literal.to_owned(), tail: None },
        })
    }

    /// Its text for the number `n`.
    pub(crate) fn text(&self, n: usize) -> String {
        match &self.tail {
            Some(tail) => format!("{}{n}{tail}", self.head),
            None => self.head.clone(),
        }
    }

    /// Whether it holds a number.
    pub(crate) fn has_number(&self) -> bool {
        self.tail.is_some()
    }

    /// The literal parts of it, in order.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.head.as_str()).chain(self.tail.as_deref())
    }

    /// How many bytes of `text` it takes, where `text` begins with one.
    pub(crate) fn at_start(&self, text: &str) -> Option<usize> {
        let rest = text.strip_prefix(self.head.as_str())?;
        let Some(tail) = &self.tail else { return Some(self.head.len()) };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0 && rest[digits..].starts_with(tail.as_str())).then(|| self.head.len() + digits + tail.len())
    }

    /// How many bytes of `text` it takes, where `text` ends with one.
    pub(crate) fn at_end(&self, text: &str) -> Option<usize> {
        let Some(tail) = &self.tail else { return text.ends_with(self.head.as_str()).then_some(self.head.len()) };
        let rest = text.strip_suffix(tail.as_str())?;
        let digits = rest.bytes().rev().take_while(u8::is_ascii_digit).count();
        let front = &rest[..rest.len() - digits];
        (digits > 0 && front.ends_with(self.head.as_str())).then(|| self.head.len() + digits + tail.len())
    }

    /// Whether `text` contains one.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// Where the first one in `text` stands.
    pub(crate) fn find(&self, text: &str) -> Option<std::ops::Range<usize>> {
        let mut from = 0;
        loop {
            // With an empty head the number leads.
            let at = match self.head.is_empty() {
                true => from + text[from..].find(|c: char| c.is_ascii_digit())?,
                false => from + text[from..].find(self.head.as_str())?,
            };
            if let Some(len) = self.at_start(&text[at..]) {
                return Some(at..at + len);
            }
            from = at + text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }

    /// The greatest length that it has for numbers up to `n`.
    pub(crate) fn longest(&self, unit: Unit, n: usize) -> usize {
        unit.len(&self.text(n))
    }
}

impl Join {
    /// Joins `parts` to a field. With no part there is nothing, not even what stands before and after.
    ///
    /// ```
    /// use plimsoll::Join;
    /// assert_eq!(Join::default().join(["a", "", "b"]), "a\n\nb");
    /// ```
    #[must_use]
    pub fn join<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> String {
        let mut field = String::new();
        let mut any = false;
        for part in parts.into_iter().filter(|part| !(self.skip_empty && part.is_empty())) {
            field.push_str(if any { &self.separator } else { &self.before });
            field.push_str(part);
            any = true;
        }
        if any {
            field.push_str(&self.after);
        }
        field
    }

    /// The length of what stands before and after the whole.
    pub(crate) fn wrap(&self, unit: Unit) -> usize {
        unit.len(&self.before) + unit.len(&self.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker(literal: &str) -> Marker {
        Marker::of(&FieldRules { marker: Some(literal.to_owned()), ..FieldRules::default() }).unwrap()
    }

    #[test]
    fn a_marker_with_a_number_is_found_with_any_number() {
        let marker = marker("[{n} cut]");
        assert_eq!(marker.text(12), "[12 cut]");
        assert_eq!(marker.at_start("[7 cut]x"), Some(7));
        assert_eq!(marker.at_end("x[123 cut]"), Some(9));
        assert_eq!(marker.find("a[ cut][[5 cut]"), Some(8..15));
        assert_eq!(marker.at_start("[n cut]"), None);
        assert!(!marker.is_in("[12cut]"));
    }

    #[test]
    fn a_marker_can_begin_with_its_number() {
        assert_eq!(marker("{n} more").find("ab 3 x 45 more"), Some(7..14));
        assert_eq!(marker("…").find("a…"), Some(1..4));
    }
}
