//! Foreign text on its way to a person: nothing in it can reach the terminal as a command, or the shell as a word.

/// `text` with everything escaped, as Rust writes it, that cannot be seen: control characters, what changes the direction of
/// writing, what has no width or no meaning. Combining marks stay.
///
/// White space at line ends stays visible as it is; a line feed becomes `\n`.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    text.chars().for_each(|c| push(&mut safe, c));
    safe
}

/// `text` escaped, and cut at `most` characters where it is longer; no escape is cut in two.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let (mut safe, mut length) = (String::new(), 0);
    for c in text.chars() {
        let before = safe.len();
        push(&mut safe, c);
        length += safe[before..].chars().count();
        if length > most {
            safe.truncate(before);
            break;
        }
    }
    safe
}

/// The same, with dots in the place of what was cut off.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let whole = cut(text, most + 1);
    if whole.chars().count() > most || whole.len() < escaped(text).len() {
        cut(text, most.saturating_sub(DOTS.len())) + DOTS
    } else {
        whole
    }
}

const DOTS: &str = "...";

fn push(safe: &mut String, c: char) {
    if is_seen(c) { safe.push(c) } else { safe.extend(c.escape_default()) }
}

fn is_seen(c: char) -> bool {
    match c {
        ' '..='~' | '\u{a0}' | '\u{3000}' => true,
        // Letters by their class, and blank: the fillers of Hangul, and the empty pattern of Braille.
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}' => false,
        // What can be printed, the library knows; behind a letter it lets combining marks be.
        _ => !c.is_control() && ['a', c].iter().collect::<String>().escape_debug().count() == 2,
    }
}

/// `text` as text of Markdown, on one line: nothing in it is markup, a mention, or a link.
pub(super) fn markdown(text: &str) -> String {
    let text = escaped(text);
    let mut safe = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut last = None;
    while let Some(c) = chars.next() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            // A forge looks for people in what the markup has become: only two pieces of text make no name.
            '@' => safe += "@<!-- -->",
            // The scheme of an address.
            '/' if last == Some(':') => safe += "&#47;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => safe.extend(['\\', c]),
            // What begins a heading, a list or a rule, where it begins the line.
            '#' | '-' | '+' | '=' if last.is_none() => safe.extend(['\\', c]),
            '.' | ')' if starts_item(&safe) && chars.peek().is_none_or(|next| *next == ' ') => safe.extend(['\\', c]),
            _ => safe.push(c),
        }
        last = Some(c);
    }
    safe
}

/// Whether a point behind it would make it the number of a list's item.
fn starts_item(line: &str) -> bool {
    !line.is_empty() && line.chars().all(|c| c.is_ascii_digit())
}

/// `words` as a line that a shell splits into the same words again.
pub(crate) fn shell<S: AsRef<str>>(words: &[S]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| shell_word(word.as_ref())).collect();
    quoted.join(" ")
}

fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if word.chars().any(char::is_control) {
        // A shell that knows ANSI-C quoting gets the word back, and the terminal gets no control character.
        format!("$'{}'", escaped(&word.replace('\\', "\\\\").replace('\'', "\\'")))
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_is_left() {
        for hostile in ["\u{1b}[31mred", "a\r\nb", "\u{7}\u{9b}2J", "\u{202e}gnp.exe", "tab\there"] {
            let safe = escaped(hostile);
            assert!(safe.chars().all(|c| !c.is_control() && c != '\u{202e}'), "{safe:?}");
        }
        assert_eq!(escaped("größe 🚢"), "größe 🚢");
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(shell(&["python3", "adapter.py", "--x=1"]), "python3 adapter.py --x=1");
        assert_eq!(shell(&["sh", "-c", "echo 'a b'; $X"]), r"sh -c 'echo '\''a b'\''; $X'");
        assert_eq!(shell(&[""]), "''");
    }

    #[test]
    fn nothing_in_a_text_of_markdown_is_markup() {
        assert_eq!(markdown("a|b <i>*c*</i> `d` [e](f)"), r"a\|b &lt;i&gt;\*c\*&lt;/i&gt; \`d\` \[e\](f)");
        assert_eq!(markdown("one\ntwo"), r"one\\ntwo");
        assert_eq!(markdown("plain words, 1.2: yes!"), "plain words, 1.2: yes!");
        assert_eq!(markdown("@you https://x"), "@<!-- -->you https:&#47;/x");
        assert_eq!(
            ["- a", "1. a", "2) a", "# a", "0.1.0"].map(markdown),
            [r"\- a", r"1\. a", r"2\) a", r"\# a", "0.1.0"]
        );
    }

    #[test]
    fn what_cannot_be_seen_is_escaped_and_what_can_is_not() {
        for seen in [
            "na\u{ef}ve",
            "e\u{301}",
            "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947}",
            "\u{4f60}\u{597d}\u{3000}",
            "\u{1f600}",
            "\\ \"'",
        ] {
            assert_eq!(escaped(seen), seen);
        }
        for unseen in "\u{1b}\u{7f}\u{85}\u{ad}\u{61c}\u{180e}\u{200b}\u{202e}\u{2028}\u{2066}\u{3164}\u{feff}\u{fffe}\u{ffff}\u{e0041}".chars() {
            assert_eq!(escaped(&unseen.to_string()), unseen.escape_default().to_string());
        }
        let short = [
            ("abcdef", "abcdef"),
            ("abcdefg", "abc..."),
            ("\u{1b}", "\\u{1b}"),
            ("abc\u{1b}", "abc..."),
            ("abcde\u{1b}", "abc..."),
        ];
        for (text, short) in short {
            assert_eq!(shortened(text, 6), short);
        }
        assert_eq!((cut("ab\u{1b}c", 3).as_str(), cut("ab\u{1b}c", 8).as_str()), ("ab", "ab\\u{1b}"));
    }
}
