//! Comparing a reduced text with what it was made from.

use std::collections::BTreeMap;

use crate::marker::Marker;
use crate::unit::Unit;

/// Where each of `parts`, in order and without overlap, is found in `text`, as early as possible. The list ends at the
/// first that is not found.
pub(crate) fn found_in_order<'a>(text: &str, parts: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
    let mut from = 0;
    let mut ends = Vec::new();
    for part in parts {
        let Some(at) = text[from..].find(part) else { break };
        from += at + part.len();
        ends.push(from);
    }
    ends
}

/// The same from the end of `text`: where each of `parts`, given from the last to the first, begins, as late as possible.
pub(crate) fn found_from_end<'a>(text: &str, parts: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
    let mut to = text.len();
    let mut starts = Vec::new();
    for part in parts {
        let Some(at) = text[..to].rfind(part) else { break };
        to = at;
        starts.push(at);
    }
    starts
}

/// Whether some way to cut one of `parts` leaves all the others in `text`, in order.
pub(crate) fn all_but_one_survive(text: &str, parts: &[&str]) -> bool {
    let ends = found_in_order(text, parts.iter().copied());
    let starts = found_from_end(text, parts.iter().rev().copied());
    let last = parts.len().saturating_sub(1);
    parts.is_empty()
        || (0..parts.len()).any(|cut| {
            let before = if cut == 0 { Some(0) } else { ends.get(cut - 1).copied() };
            let after = if cut == last { Some(text.len()) } else { starts.get(last - cut - 1).copied() };
            before.zip(after).is_some_and(|(before, after)| before <= after)
        })
}

/// How a text may differ from a subsequence of its origin.
pub(crate) struct Additions<'a> {
    pub(crate) marker: Option<&'a Marker>,
    pub(crate) separator: &'a str,
    /// There was no room for a whole marker: a part of one may stand for it.
    pub(crate) partial: bool,
}

/// Whether `text`, without its markers, is a subsequence of `origin`. A marker may have a separator of its own on either
/// side. Text that only looks like a marker may be either: the reading that makes it a subsequence counts.
pub(crate) fn is_subsequence(text: &str, origin: &str, additions: &Additions<'_>) -> bool {
    // After each beginning of the text, the least of the origin that it takes. What markers lead to is kept for later.
    let mut later: BTreeMap<usize, usize> = BTreeMap::new();
    let first =
        additions.marker.and_then(|marker| if additions.partial { Some(0) } else { Some(marker.find(text)?.start) });
    // Up to the first marker, and what may stand before it, there is one reading only.
    let plain = first.map_or(text.len(), |first| first.saturating_sub(additions.separator.len()));
    let plain = (0..=plain).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let mut taken = advance(&text[..plain], origin);
    let mut at = plain;
    loop {
        if let Some(other) = later.remove(&at) {
            taken = Some(taken.map_or(other, |taken| taken.min(other)));
        }
        let Some(from) = taken else {
            match later.first_key_value() {
                Some((next, _)) => at = *next,
                None => return false,
            }
            continue;
        };
        let rest = &text[at..];
        let Some(character) = rest.chars().next() else { return true };
        for len in added(rest, additions) {
            let entry = later.entry(at + len).or_insert(from);
            *entry = from.min(*entry);
        }
        taken = origin[from..].find(character).map(|skipped| from + skipped + character.len_utf8());
        at += character.len_utf8();
    }
}

/// The least of `origin` that has `text` as a subsequence.
fn advance(text: &str, origin: &str) -> Option<usize> {
    let mut rest = origin.chars();
    text.chars().all(|character| rest.any(|other| other == character)).then(|| origin.len() - rest.as_str().len())
}

/// How many bytes at the start of `rest` a marker can account for.
fn added(rest: &str, additions: &Additions<'_>) -> Vec<usize> {
    let mut lens = Vec::new();
    let Some(marker) = additions.marker else { return lens };
    let separator = additions.separator;
    for lead in [0, separator.len()] {
        if lead > 0 && !rest.starts_with(separator) {
            continue;
        }
        if let Some(len) = marker.at_start(&rest[lead..]) {
            lens.push(lead + len);
            if !separator.is_empty() && rest[lead + len..].starts_with(separator) {
                lens.push(lead + len + separator.len());
            }
        }
        if separator.is_empty() {
            break;
        }
    }
    if additions.partial {
        let whole = marker.text(0);
        let common = rest.char_indices().zip(whole.chars()).take_while(|((_, a), b)| a == b);
        lens.extend(common.map(|((at, a), _)| at + a.len_utf8()));
        let ends = whole.char_indices().skip(1).map(|(at, _)| &whole[at..]);
        lens.extend(ends.filter(|end| rest == *end).map(str::len));
    }
    lens
}

/// The length of the longest thing in `text` that a person would call one character: a base with what combines with it,
/// and a line break of two characters.
pub(crate) fn longest_character(text: &str, unit: Unit) -> usize {
    let (mut longest, mut run, mut last) = (0, 0, ' ');
    for character in text.chars() {
        let joins = extends(character)
            || last == '\u{200d}'
            || (last == '\r' && character == '\n')
            || (flag(last) && flag(character));
        run = if joins { run } else { 0 } + unit.len_char(character);
        longest = longest.max(run);
        last = character;
    }
    longest
}

fn flag(character: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&character)
}

fn extends(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}' | '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}'
        | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}' | '\u{e31}'..='\u{e3a}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::FieldRules;

    fn subsequence(text: &str, origin: &str, marker: &str) -> bool {
        let marker = Marker::of(&FieldRules { marker: Some(marker.to_owned()), ..FieldRules::default() });
        is_subsequence(text, origin, &Additions { marker: marker.as_ref(), separator: "|", partial: false })
    }

    #[test]
    fn markers_may_stand_in_a_subsequence() {
        assert!(subsequence("ac", "abc", "[]"));
        assert!(!subsequence("ca", "abc", "[]"));
        assert!(subsequence("a[]c", "abc", "[]"));
        assert!(subsequence("a|[]|c", "abc", "[]"));
        assert!(!subsequence("a[c", "abc", "[]"));
        assert!(subsequence("a[12]c", "abc", "[{n}]"));
        assert!(subsequence("", "abc", "[]"));
    }

    #[test]
    fn text_that_looks_like_a_marker_is_read_as_what_fits() {
        assert!(subsequence("[]a[]", "[]ab", "[]"));
        assert!(subsequence("[][]", "[]", "[]"));
        assert!(subsequence("x[][]", "x[]y", "[]"));
        assert!(subsequence("[][x", "[]x", "[]"));
        assert!(!subsequence("[]xx", "[]x", "[]"));
    }

    #[test]
    fn one_part_may_be_missing_and_no_second() {
        assert!(all_but_one_survive("ab cd", &["ab", "xx", "cd"]));
        assert!(all_but_one_survive("ab cd", &["ab", "cd"]));
        assert!(!all_but_one_survive("ab", &["ab", "xx", "cd"]));
        assert!(all_but_one_survive("", &["ab"]));
    }

    #[test]
    fn a_family_is_one_character() {
        assert_eq!(longest_character("a👨\u{200d}👩\u{200d}👧b", Unit::CodePoints), 5);
        assert_eq!(longest_character("e\u{301}", Unit::Utf8Bytes), 3);
        assert_eq!(longest_character("abc", Unit::CodePoints), 1);
    }
}
