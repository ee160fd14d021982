//! Traits of a text's wording; computed once when it is written, and stored with it.

use super::directives::directs;
use super::lists::is_time_word;
use super::words::{count, fold, without_note, words};

/// Question marks: Latin, Arabic, full width.
const QUESTION_MARKS: [char; 3] = ['?', '؟', '？'];

/// Most words of a text searched for standing instructions; in a longer one they are incidental.
const DIRECTS_UP_TO: u32 = 200;

/// Traits of a text that recall uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a trait that any text may have, stored as a bit")]
pub struct TextTraits {
    /// Whether it contains a question, which the following text may answer.
    pub asks: bool,
    /// Whether it ends with a question mark, so that it rather asks than states.
    pub is_question: bool,
    /// Whether it names a time, such as "yesterday" or "last May".
    pub names_time: bool,
    /// Whether it gives an assistant a standing instruction, such as "always answer in French". Only looked for in
    /// texts of at most 200 words.
    pub directs: bool,
    /// Number of words.
    pub words: u32,
    /// The version of the rules that computed these.
    pub rules: u8,
}

impl TextTraits {
    /// The version of the rules below, 1-15: raise it when they change, so that meditations recompute older traits. 0
    /// dates from before versions existed.
    pub const RULES: u8 = 1;

    /// Computes the traits of a text. A note in square brackets at its end, such as about an attached picture, only
    /// counts as words.
    pub fn of(text: &str) -> Self {
        let said = without_note(text);
        let count = count(text);
        Self {
            asks: said.contains(QUESTION_MARKS),
            is_question: said.ends_with(QUESTION_MARKS),
            names_time: words(said).any(|word| is_time_word(&fold(word))),
            directs: count <= DIRECTS_UP_TO && directs(said),
            words: count,
            rules: Self::RULES,
        }
    }

    /// The storage form: bits of `asks`, `is_question`, `names_time` and `directs`, from the lowest, and the rules'
    /// version in the upper four.
    pub fn bits(self) -> u8 {
        u8::from(self.asks)
            | u8::from(self.is_question) << 1
            | u8::from(self.names_time) << 2
            | u8::from(self.directs) << 3
            | self.rules << 4
    }

    /// Restores traits from stored bits and words.
    pub const fn from_bits(bits: u8, words: u32) -> Self {
        Self {
            asks: bits & 1 != 0,
            is_question: bits & 2 != 0,
            names_time: bits & 4 != 0,
            directs: bits & 8 != 0,
            words,
            rules: bits >> 4,
        }
    }
}
