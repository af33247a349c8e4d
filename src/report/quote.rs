//! Foreign text on its way to a person: nothing in it can reach the terminal as a command, or the shell as a word.

/// `text` with control characters and what changes the direction of writing escaped, as Rust writes them.
///
/// White space at line ends stays visible as it is; a line feed becomes `\n`.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        let unseen = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        if c.is_control() || unseen {
            safe.extend(c.escape_default());
        } else {
            safe.push(c);
        }
    }
    safe
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
}
