//! Units of text length, and limits in them.

use serde::{Deserialize, Serialize};

/// How the length of a text is counted.
///
/// The three differ as soon as a text leaves ASCII: `"é"` is one code point, two UTF-8 bytes and one UTF-16 unit;
/// an emoji outside the basic plane is one, four and two.
///
/// ```
/// use plimsoll::Unit;
/// assert_eq!(Unit::CodePoints.len("a🙂"), 2);
/// assert_eq!(Unit::Utf8Bytes.len("a🙂"), 5);
/// assert_eq!(Unit::Utf16Units.len("a🙂"), 3);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a text has these three lengths and no others")]
pub enum Unit {
    /// Unicode scalar values, what Python's `len` counts.
    #[default]
    CodePoints,
    /// Bytes of the UTF-8 encoding, what Rust's `str::len` counts.
    Utf8Bytes,
    /// Units of the UTF-16 encoding, what JavaScript's `length` counts.
    Utf16Units,
}

impl Unit {
    /// All three units, in the order of their declaration.
    pub const ALL: [Self; 3] = [Self::CodePoints, Self::Utf8Bytes, Self::Utf16Units];

    /// The length of `text` in this unit.
    #[must_use]
    pub fn len(self, text: &str) -> usize {
        match self {
            Self::Utf8Bytes => text.len(),
            Self::CodePoints => str_indices::chars::count(text),
            Self::Utf16Units => str_indices::utf16::count(text),
        }
    }

    /// The length of one character in this unit.
    #[must_use]
    pub fn len_char(self, character: char) -> usize {
        match self {
            Self::CodePoints => 1,
            Self::Utf8Bytes => character.len_utf8(),
            Self::Utf16Units => character.len_utf16(),
        }
    }
}

/// The greatest length that is still allowed, and the unit it is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Limit {
    /// The greatest allowed length, inclusive.
    pub max: usize,
    /// What `max` counts.
    pub unit: Unit,
}

impl Limit {
    /// A limit of `max` in `unit`.
    #[must_use]
    pub fn new(max: usize, unit: Unit) -> Self {
        Self { max, unit }
    }

    /// Whether `text` is within the limit.
    #[must_use]
    pub fn fits(self, text: &str) -> bool {
        self.unit.len(text) <= self.max
    }
}
