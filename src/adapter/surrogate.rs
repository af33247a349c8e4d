//! Lone surrogate escapes (`"\ud83d"`): what a candidate writes that has cut a character in two.
//!
//! No Rust string can hold one. In a text that is judged it becomes U+FFFD, which the requirements on well-formed text
//! find; anywhere else it is a fault of the protocol.

use serde_json::Value;

use super::members::At;
use super::protocol::Fault;

/// Members whose text is judged.
const JUDGED: [&str; 4] = ["content", "reasoning", "text", "instructions"];

/// The line with each lone surrogate escape replaced by a character that does not occur in it, and that character. None
/// where there is no lone surrogate escape.
pub(super) fn mark(line: &str) -> Option<(String, char)> {
    let lone = lone_escapes(line.as_bytes());
    if lone.is_empty() {
        return None;
    }
    let mark = unused(line)?;
    let mut marked = String::with_capacity(line.len());
    let mut from = 0;
    for at in lone {
        marked.push_str(&line[from..at]);
        marked.push(mark);
        from = at + ESCAPE;
    }
    marked.push_str(&line[from..]);
    Some((marked, mark))
}

/// Whether the line has a lone surrogate escape.
pub(super) fn has_lone(line: &str) -> bool {
    let may = line.contains("\\ud") || line.contains("\\uD");
    may && !lone_escapes(line.as_bytes()).is_empty()
}

/// Replaces each mark by U+FFFD in judged texts.
pub(super) fn settle(value: &mut Value, mark: char) -> Result<(), Fault> {
    walk(value, mark, false, &At::root(""))
}

/// The length of an escape such as `\ud83d`, in bytes.
const ESCAPE: usize = 6;

fn walk(value: &mut Value, mark: char, judged: bool, at: &At<'_>) -> Result<(), Fault> {
    match value {
        Value::String(text) if text.contains(mark) => {
            if !judged {
                return Err(at.fault(" has a lone surrogate escape"));
            }
            *text = text.replace(mark, "\u{fffd}");
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                walk(item, mark, false, &at.index(index))?;
            }
        }
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                if name.contains(mark) {
                    return Err(at.fault(" has a member whose name has a lone surrogate escape"));
                }
                walk(member, mark, JUDGED.contains(&name.as_str()), &at.name(name))?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn lone_escapes(line: &[u8]) -> Vec<usize> {
    let mut lone = Vec::new();
    let mut at = 0;
    while at < line.len() {
        if line[at] != b'\\' {
            at += 1;
            continue;
        }
        match unit(line, at) {
            Some(0xd800..=0xdbff) if matches!(unit(line, at + ESCAPE), Some(0xdc00..=0xdfff)) => at += 2 * ESCAPE,
            Some(0xd800..=0xdfff) => {
                lone.push(at);
                at += ESCAPE;
            }
            _ => at += 2,
        }
    }
    lone
}

/// The UTF-16 unit that is escaped at `at`, if one is.
fn unit(line: &[u8], at: usize) -> Option<u16> {
    let digits = line.get(at..at + ESCAPE)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)? as u16))
}

/// A private-use character that the line holds neither as it is nor escaped. The line is walked through once, however many
/// it holds.
fn unused(line: &str) -> Option<char> {
    let mut used = [false; (LAST - FIRST) as usize + 1];
    let mut note = |unit: u32| {
        if let Some(used) = unit.checked_sub(FIRST).and_then(|at| used.get_mut(at as usize)) {
            *used = true;
        }
    };
    line.chars().for_each(|character| note(character as u32));
    let bytes = line.as_bytes();
    let escapes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\\');
    escapes.filter_map(|(at, _)| unit(bytes, at)).for_each(|unit| note(unit.into()));
    let free = used.iter().position(|used| !used)?;
    char::from_u32(FIRST + free as u32)
}

/// The private-use characters of the basic plane.
const FIRST: u32 = 0xe000;
const LAST: u32 = 0xf8ff;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_escaped_backslashes_are_left_alone() {
        for line in [r#""\ud83d\ude00""#, r#""\\ud83d""#, r#""plain""#] {
            assert_eq!(mark(line), None, "{line}");
        }
    }

    #[test]
    fn judged_texts_get_the_replacement_character() {
        let line = r#"{"content":"a\ud83d \ude00\ud83d\ude00 \ue000","id":"x"}"#;
        let (marked, with) = mark(line).unwrap();
        let mut value = serde_json::from_str(&marked).unwrap();
        settle(&mut value, with).unwrap();
        assert_eq!(value["content"], "a\u{fffd} \u{fffd}\u{1f600} \u{e000}");
    }

    #[test]
    fn a_mark_is_a_character_that_the_line_lacks() {
        let all: String = ('\u{e000}'..='\u{f8ff}').filter(|c| *c != '\u{e123}').collect();
        assert_eq!(mark(&format!(r#""{all}\ud800""#)).unwrap().1, '\u{e123}');
        assert_eq!(mark(&format!(r#""{all}\uE123\ud800""#)), None);
    }

    #[test]
    fn elsewhere_it_is_a_fault() {
        let (marked, with) = mark(r#"{"result":{"view":[{"id":"\udc00"}]}}"#).unwrap();
        let mut value = serde_json::from_str(&marked).unwrap();
        let fault = settle(&mut value, with).unwrap_err().to_string();
        assert_eq!(fault, "`result.view[0].id` has a lone surrogate escape");
    }
}
