//! What the wording of a text says about it; computed once when it is written and kept beside it.

use super::lists::is_time_word;
use super::words::{count, fold, without_note, words};

/// Question marks: Latin, Arabic, full width.
const QUESTION_MARKS: [char; 3] = ['?', '؟', '？'];

/// A text of more words tells something, whatever it asks besides.
const MOST_WORDS_OF_A_QUESTION: u32 = 40;

/// Traits of a text that recall weighs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextTraits {
    /// Whether it asks something anywhere: what follows may answer.
    pub asks: bool,
    /// Whether it ends as a question: it is rather asked than told.
    pub is_question: bool,
    /// Whether it names a time, such as "yesterday" or "last May".
    pub names_time: bool,
    /// Number of words.
    pub words: u32,
}

impl TextTraits {
    /// The traits of a text. A note in square brackets at its end, such as of an attached picture, counts only as words.
    pub fn of(text: &str) -> Self {
        let said = without_note(text);
        Self {
            asks: said.contains(QUESTION_MARKS),
            is_question: said.ends_with(QUESTION_MARKS),
            names_time: words(said).any(|word| is_time_word(&fold(word))),
            words: count(text),
        }
    }

    /// Whether it asks something and says little else, so that what follows rather answers.
    pub const fn briefly_asks(self) -> bool {
        self.asks && self.words <= MOST_WORDS_OF_A_QUESTION
    }

    /// Whether it is a question and says little else. A person tells an assistant many things and ends with "can you help me
    /// with that?": that tells what it tells.
    pub const fn is_brief_question(self) -> bool {
        self.is_question && self.words <= MOST_WORDS_OF_A_QUESTION
    }

    /// Bits of `asks`, `is_question` and `names_time`, from the lowest; for storage.
    pub fn bits(self) -> u8 {
        u8::from(self.asks) | u8::from(self.is_question) << 1 | u8::from(self.names_time) << 2
    }

    /// Traits from stored bits and words.
    pub const fn from_bits(bits: u8, words: u32) -> Self {
        Self { asks: bits & 1 != 0, is_question: bits & 2 != 0, names_time: bits & 4 != 0, words }
    }
}
