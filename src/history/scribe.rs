//! What drafts become: tokens, ids and contents that depend on a seed.

use super::{Draft, Name, Size};
use crate::contract::{Contract, Feature};
use crate::message::{Message, Role};

/// Turns drafts into messages: tokens, ids and contents for one seed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Scribe {
    seed: u64,
    small: usize,
    large: usize,
    tool_role: bool,
}

const SPACE: u64 = 36u64.pow(6);
const WORDS: &str = "the river bends past an old mill where grain was once ground for the valley and children still come to watch \
    the wheel turn slowly under green water while someone counts the boats that carry stone and timber down to the sea ";
const WIDE_WORDS: &str = "größe naïve 目的 記録 🙂 заметка façade 数える 🚢 плотина über 水車 ";

impl Scribe {
    /// A scribe for `seed` and the sizes of `contract`.
    #[must_use]
    pub fn new(seed: u64, contract: &Contract) -> Self {
        let tool_role = contract.has(Feature::ToolRole);
        Self { seed, small: contract.sizes.small, large: contract.sizes.large, tool_role }
    }

    fn mixed(&self, salt: u64) -> u64 {
        let mut z = self.seed.wrapping_add(salt.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The token at both ends of the content of the message with `key`: fixed width, `[a-z0-9]`, none containing another.
    #[must_use]
    pub fn token(&self, key: u32) -> String {
        text(&self.letters(key)).to_owned()
    }

    /// The same as bytes, all ASCII.
    pub(crate) fn letters(&self, key: u32) -> [u8; 8] {
        let step = self.mixed(1) % SPACE;
        // Coprime to 36, so that keys map to tokens one to one.
        let step = step - step % 6 + 5;
        let mut rest = (u64::from(key).wrapping_mul(step).wrapping_add(self.mixed(2) % SPACE)) % SPACE;
        let first = b'a' + (self.mixed(3) % 26) as u8;
        let last = b'0' + (self.mixed(4) % 10) as u8;
        let mut token = [first; 8];
        for letter in &mut token[1..7] {
            *letter = b"0123456789abcdefghijklmnopqrstuvwxyz"[(rest % 36) as usize];
            rest /= 36;
        }
        token[7] = last;
        token
    }

    /// The id of the message with `key`.
    #[must_use]
    pub fn id(&self, key: u32) -> String {
        let prefix = ["m", "msg-", "x", "e_", "entry", "n"][(self.mixed(5) % 6) as usize];
        numbered(prefix, u64::from(key) * (1 + self.mixed(6) % 7) + self.mixed(7) % 50)
    }

    /// The id of the call with this number.
    #[must_use]
    pub fn call(&self, number: u32) -> String {
        let prefix = ["call_", "c-", "toolu", "t"][(self.mixed(8) % 4) as usize];
        numbered(prefix, u64::from(number) * (1 + self.mixed(9) % 5) + self.mixed(10) % 90)
    }

    /// The id of a conversation. With some seeds two neighbours differ in capitals alone.
    #[must_use]
    pub fn conversation(&self, name: Name) -> String {
        let prefix = ["s", "chat-", "conv", "k"][(self.mixed(11) % 4) as usize];
        let id = |number: u32| numbered(prefix, u64::from(number) * (1 + self.mixed(12) % 9) + self.mixed(13) % 70);
        let of_two = self.mixed(14).is_multiple_of(4) && name.0 % 2 == 1;
        if of_two { id(name.0 - 1).to_ascii_uppercase() } else { id(name.0) }
    }

    /// The message that `draft` stands for.
    #[must_use]
    pub fn message(&self, draft: &Draft) -> Message {
        let letters = self.letters(draft.key);
        let token = text(&letters);
        let size = match draft.size {
            Size::Small => self.small,
            Size::Large => self.large,
            Size::Chars(n) => n,
        };
        // A candidate without a role for tool results gets them as what its hosts make of them: system messages.
        let role = if draft.role == Role::Tool && !self.tool_role { Role::System } else { draft.role };
        let mut message = Message::new(self.id(draft.key), role, String::new());
        message.content = self.content(token, draft.key, size, draft.wide);
        message.ui_only = draft.ui_only;
        message.hidden = draft.hidden;
        message.pinned = draft.pinned;
        message.calls = draft.calls.iter().map(|call| self.call(*call)).collect();
        message.call_id = draft.answers.map(|call| self.call(call));
        message.interim = draft.interim;
        message.reasoning = draft.reasoning.then(|| format!("because {token}z the {} holds", draft.key));
        message
    }

    fn content(&self, token: &str, key: u32, size: usize, wide: bool) -> String {
        let between = size.saturating_sub(2 * token.len() + 2);
        let words = if wide { WIDE_WORDS } else { WORDS };
        let mut content = String::with_capacity(size + if wide { size * 2 } else { 0 });
        content.push_str(token);
        content.push(' ');
        let start = (u64::from(key).wrapping_add(self.mixed(14)) % 60) as usize;
        if wide {
            content.extend(words.chars().cycle().skip(start).take(between));
        } else {
            let mut left = between;
            let mut from = start;
            while left > 0 {
                let part = &words[from..words.len().min(from + left)];
                content.push_str(part);
                left -= part.len();
                from = 0;
            }
        }
        content.push(' ');
        content.push_str(token);
        content
    }

    /// The text of a usable summary that the `call`-th summariser call of the `command`-th command gives.
    #[must_use]
    pub fn summary(&self, command: usize, call: usize) -> String {
        let token = self.summary_token(command, call);
        format!("{token} what was said so far in brief {token}")
    }

    /// The token of that summary.
    #[must_use]
    pub fn summary_token(&self, command: usize, call: usize) -> String {
        format!("{}s", self.token(u32::MAX - (command as u32 * 97 + call as u32)))
    }
}

/// Letters and digits as a text.
fn text(ascii: &[u8]) -> &str {
    std::str::from_utf8(ascii).unwrap_or_default()
}

/// What `format!("{prefix}{number}")` gives. Every message has such an id, and some have several.
fn numbered(prefix: &str, number: u64) -> String {
    let (mut digits, mut from, mut rest) = ([0; 20], 20, number);
    while from == 20 || rest > 0 {
        from -= 1;
        digits[from] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let mut id = String::with_capacity(prefix.len() + digits.len() - from);
    id.push_str(prefix);
    id.push_str(text(&digits[from..]));
    id
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn numbers_are_written_in_full() {
        for number in [0, 7, 10, 1_234_567_890, u64::MAX] {
            assert_eq!(numbered("msg-", number), format!("msg-{number}"));
        }
    }

    #[test]
    fn tokens_are_unique_of_one_width_and_vary_with_the_seed() {
        for seed in 0..50 {
            let scribe = Scribe::new(seed, &Contract::default());
            let tokens: HashSet<_> = (0..3_000).map(|key| scribe.token(key)).collect();
            assert_eq!(tokens.len(), 3_000);
            assert!(tokens.iter().all(|token| token.len() == 8));
            assert_ne!(scribe.token(1), Scribe::new(seed + 1, &Contract::default()).token(1));
        }
    }

    #[test]
    fn contents_have_the_size_asked_for_and_tokens_at_both_ends() {
        let scribe = Scribe::new(3, &Contract::default());
        for (size, chars) in [(Size::Small, 120), (Size::Large, 1_500), (Size::Chars(40), 40)] {
            for wide in [false, true] {
                let content = scribe.message(&Draft { key: 9, size, wide, ..Draft::default() }).content;
                assert_eq!(content.chars().count(), chars);
                assert!(content.starts_with(&scribe.token(9)) && content.ends_with(&scribe.token(9)));
            }
        }
    }
}
