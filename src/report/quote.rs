//! Foreign text on its way to a person: nothing in it can reach the terminal as a command, or the shell as a word.

/// `text` with control characters and what changes the direction of writing escaped, as Rust writes them.
///
/// White space at line ends stays visible as it is; a line feed becomes `\n`.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        let unseen =
            matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        if c.is_control() || unseen {
            safe.extend(c.escape_default());
        } else {
            safe.push(c);
        }
    }
    safe
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
}
