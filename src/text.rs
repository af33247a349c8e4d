//! Texts that are described rather than stored, so that a case of a million characters is one short line.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A text, as literal pieces and repeated ones.
///
/// In JSON a text is a string, `{"repeat": "x", "times": 1048576}`, or a list of these.
///
/// ```
/// use plimsoll::Text;
/// let text: Text = serde_json::from_str(r#"[{"repeat": "ab", "times": 3}, "\n\nend"]"#).unwrap();
/// assert_eq!(text.build(), "ababab\n\nend");
/// assert_eq!(text.bytes(), 11);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Text {
    /// The pieces, in order.
    pub pieces: Vec<Piece>,
}

/// A piece of a [`Text`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Piece {
    /// The text itself.
    Plain(String),
    /// A text, so many times.
    Repeat(String, usize),
}

/// The longest text that a description may stand for, in UTF-8 bytes: 256 MiB.
const LONGEST: usize = 256 << 20;

/// So many of `noun`, in the number that goes with it: `1 call`, `2 calls`.
pub(crate) fn counted(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

impl Text {
    /// A literal text.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self::default().and(text)
    }

    /// `text`, `times` times.
    #[must_use]
    pub fn repeat(text: impl Into<String>, times: usize) -> Self {
        Self::default().and_repeat(text, times)
    }

    /// This text, and then a literal one.
    #[must_use]
    pub fn and(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Plain(last)) => last.push_str(&text),
            _ => self.pieces.push(Piece::Plain(text)),
        }
        self
    }

    /// This text, and then `text`, `times` times.
    #[must_use]
    pub fn and_repeat(mut self, text: impl Into<String>, times: usize) -> Self {
        let text = text.into();
        match times {
            _ if text.is_empty() => {}
            0 => {}
            1 => return self.and(text),
            _ => self.pieces.push(Piece::Repeat(text, times)),
        }
        self
    }

    /// This text, and then another.
    #[must_use]
    pub fn and_text(self, other: &Self) -> Self {
        other.pieces.iter().fold(self, |text, piece| match piece {
            Piece::Plain(plain) => text.and(plain.clone()),
            Piece::Repeat(repeated, times) => text.and_repeat(repeated.clone(), *times),
        })
    }

    /// The text that is described.
    #[must_use]
    pub fn build(&self) -> String {
        let mut text = String::with_capacity(self.bytes());
        for piece in &self.pieces {
            match piece {
                Piece::Plain(plain) => text.push_str(plain),
                Piece::Repeat(repeated, times) => (0..*times).for_each(|_| text.push_str(repeated)),
            }
        }
        text
    }

    /// Its length in UTF-8 bytes, without building it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.pieces.iter().fold(0, |sum: usize, piece| sum.saturating_add(piece.bytes()))
    }

    /// Whether it is the empty text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes() == 0
    }
}

impl Piece {
    /// Its length in UTF-8 bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Plain(plain) => plain.len(),
            Self::Repeat(repeated, times) => repeated.len().saturating_mul(*times),
        }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Repeated {
    repeat: String,
    times: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Item {
    Plain(String),
    Repeat(Repeated),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Wire {
    One(Item),
    Many(Vec<Item>),
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let item = |piece: &Piece| match piece {
            Piece::Plain(plain) => Item::Plain(plain.clone()),
            Piece::Repeat(repeat, times) => Item::Repeat(Repeated { repeat: repeat.clone(), times: *times }),
        };
        match self.pieces.as_slice() {
            [] => to.serialize_str(""),
            [one] => item(one).serialize(to),
            many => to.collect_seq(many.iter().map(item)),
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let items = match Wire::deserialize(from) {
            Ok(Wire::One(item)) => vec![item],
            Ok(Wire::Many(items)) => items,
            Err(_) => {
                return Err(de::Error::custom(
                    "expected a string, {\"repeat\": .., \"times\": ..}, or a list of these",
                ));
            }
        };
        let text = items.into_iter().fold(Self::default(), |text, item| match item {
            Item::Plain(plain) => text.and(plain),
            Item::Repeat(Repeated { repeat, times }) => text.and_repeat(repeat, times),
        });
        if text.bytes() > LONGEST {
            return Err(de::Error::custom(format!(
                "a text stands for {} bytes, and {LONGEST} is the most",
                text.bytes()
            )));
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_survives_its_own_json() {
        for json in [r#""""#, r#""a\nb""#, r#"{"repeat":"é","times":9}"#, r#"["a",{"repeat":"x","times":2},"b"]"#] {
            let text: Text = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&text).unwrap(), json);
            assert_eq!(text.bytes(), text.build().len());
        }
    }

    #[test]
    fn a_description_cannot_exhaust_the_memory() {
        for json in [r#"{"repeat":"xxxx","times":4611686018427387904}"#, r#"{"repeat":"x","times":300000000}"#] {
            assert!(serde_json::from_str::<Text>(json).is_err());
        }
    }
}
