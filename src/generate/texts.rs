//! Texts for cases at a limit: contents that are told apart, and characters of every width.

use fastrand::Rng;

use crate::contract::FieldRules;
use crate::text::{Piece, Text};
use crate::unit::Unit;

/// Characters of two, three and four bytes, and what people put together from several.
const WIDE: &[&str] = &[
    "é",
    "ß",
    "ж",
    "中",
    "録",
    "€",
    "🙂",
    "🚢",
    "𝒒",
    "e\u{301}",
    "n\u{303}",
    "👨\u{200d}👩\u{200d}👧",
    "🇳🇱",
    "👍\u{1f3fd}",
    "\t",
    "\u{feff}",
    "a",
    " ",
];

/// Makes texts that no other text of the same case contains.
#[derive(Debug)]
pub(crate) struct Texts<'a> {
    pub(crate) rng: &'a mut Rng,
    rules: &'a FieldRules,
    count: usize,
}

impl<'a> Texts<'a> {
    pub(crate) fn new(rng: &'a mut Rng, rules: &'a FieldRules) -> Self {
        Self { rng, rules, count: 0 }
    }

    /// One of `items`.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.rng.usize(..items.len())]
    }

    /// A length: short ones often, boundaries of the declared parameters too.
    pub(crate) fn len(&mut self) -> usize {
        let marker = self.rules.marker.as_deref().map_or(0, |marker| self.rules.unit.len(marker));
        let near = self.pick(&[marker, self.rules.tail, 2 * self.rules.tail + marker]);
        match self.rng.u8(..10) {
            0 => 0,
            1 | 2 => 1,
            3 | 4 => self.rng.usize(2..6),
            5 | 6 => self.rng.usize(6..40),
            7 => self.rng.usize(40..200),
            8 => (near + self.rng.usize(..4)).min(2_000),
            _ => self.pick(&[2, 3, 10, 64, 100, 255, 256]),
        }
    }

    /// Letters and digits that differ from those of every other call, `len` characters.
    pub(crate) fn unique(&mut self, len: usize) -> String {
        const LETTERS: &[u8] = b"abcdefghijkmnopqrstuvwxyz0123456789";
        self.count += 1;
        let mut state = self.count as u64 * 0x9e37_79b9 + self.rng.u64(..7);
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(LETTERS[(state >> 33) as usize % LETTERS.len()])
        };
        (0..len).map(next).collect()
    }

    /// Characters of every width.
    pub(crate) fn wide(&mut self, len: usize) -> String {
        let mut text = String::new();
        while text.chars().count() < len {
            let next = self.pick(WIDE);
            text.push_str(next);
        }
        text
    }

    /// Any text of about `len` characters: plain ones mostly, and those that reducers trip over.
    pub(crate) fn any(&mut self, len: usize) -> Text {
        let kind = self.rng.u8(..12);
        self.kind(kind, len)
    }

    /// A text of the kind with this number.
    pub(crate) fn kind(&mut self, kind: u8, len: usize) -> Text {
        let half = len / 2;
        let marker = self.rules.marker.as_ref().map(|marker| marker.replace("{n}", "12"));
        let text = match kind {
            0 | 1 => self.wide(len),
            2 => match marker {
                Some(marker) => format!("{}{marker}{}", self.unique(half), self.unique(len - half)),
                None => self.unique(len),
            },
            3 => format!("{}\n\n{}", self.unique(half), self.unique(len - half)),
            4 => format!("{}\r\n\r\n{}", self.unique(half), self.unique(len - half)),
            5 => format!("  {}\n ", self.unique(len)),
            6 if len > 20 => {
                let word = format!("{} ", self.unique(3));
                return Text::repeat(word, len / 4);
            }
            7 => format!("{}{}", self.unique(half), self.wide(len - half)),
            _ => self.unique(len),
        };
        Text::plain(text)
    }
}

/// So many units of words.
pub(crate) fn filler(units: usize) -> Text {
    Text::repeat("ballast ", units / 8).and_repeat(".", units % 8)
}

/// The length of `text` in `unit`, without building what is repeated.
pub(crate) fn text_len(text: &Text, unit: Unit) -> usize {
    let len = |piece: &Piece| match piece {
        Piece::Plain(plain) => unit.len(plain),
        Piece::Repeat(repeated, times) => unit.len(repeated) * times,
    };
    text.pieces.iter().map(len).sum()
}
