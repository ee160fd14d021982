//! The words and slots of a language, parsed once from a compiled-in data file. Independent of messages.

mod known;
mod parse;
mod pattern;
mod slot;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

pub(super) use known::Classes;
pub use parse::Invalid;
use pattern::MatchStart;
pub(super) use pattern::Pattern;
pub(super) use slot::{SlotRule, find};

use self::known::Known;
use super::time_word::TimeWord;
use crate::memory::Role;
use crate::text::words::{fold, words};

/// The number of a word that is in no list.
pub(super) const UNKNOWN: u32 = 0;

/// Both parts of a contraction, and the number of characters of the second.
type Contraction = ((u32, Classes), (u32, Classes), usize);

/// Words of a text used to guess its language.
const GUESSED_BY: usize = 200;

/// Fewest bytes of a word before a known ending.
const LEAST_BEFORE_ENDING: usize = 2;

/// The words and slots of a language.
#[derive(Debug)]
pub struct Language {
    /// The language tag, such as "en".
    tag: String,
    /// Folded words: their number from 1 on, and their classes.
    words: HashMap<String, (u32, Classes)>,
    /// Word endings, and the classes of every word with that ending.
    endings: Vec<(String, Classes)>,
    /// Contractions: both parts, and the number of characters of the second.
    contractions: HashMap<String, Contraction>,
    /// Classes by name.
    classes: HashMap<String, Classes>,
    /// Third-person forms of first-person verbs: "am" becomes "is".
    forms: HashMap<u32, String>,
    /// What comes before a statement that is always kept: "remember that".
    remember: Vec<Pattern>,
    /// The slots of one value, in the order of the file.
    slots: Vec<SlotRule>,
    /// The classes used by code.
    known: Known,
    /// Words with a meaning for times.
    times: HashMap<u32, TimeWord>,
    /// The name of an unnamed speaker in a sentence, such as "the user".
    unnamed: String,
    /// The name of an unnamed assistant.
    assistant: String,
    /// The genitive suffix: "'s".
    genitive: String,
    /// Replaces "my" after the speaker was named: "their"; empty if the genitive is repeated.
    their: String,
    /// Replaces "me" there: "them".
    them: String,
    /// Whether a verb may precede its subject in a statement.
    inverts: bool,
}

impl Language {
    /// English.
    pub fn english() -> &'static Self {
        static ENGLISH: LazyLock<Language> = LazyLock::new(|| Language::embedded(include_str!("../words/en.txt")));
        &ENGLISH
    }

    /// German.
    pub fn german() -> &'static Self {
        static GERMAN: LazyLock<Language> = LazyLock::new(|| Language::embedded(include_str!("../words/de.txt")));
        &GERMAN
    }

    /// Any other language that is read: texts stay as they are, and only sensitive words are known.
    pub fn other() -> &'static Self {
        static OTHER: LazyLock<Language> = LazyLock::new(|| {
            let known = Known { sensitive: 1, ..Known::default() };
            let words = include_str!("../words/sensitive.txt").split_whitespace();
            Language {
                tag: "und".to_owned(),
                words: words.map(|word| (word.to_owned(), (UNKNOWN, known.sensitive))).collect(),
                known,
                unnamed: "the user".to_owned(),
                assistant: "the assistant".to_owned(),
                ..Language::empty()
            }
        });
        &OTHER
    }

    /// Returns the language with a tag such as "en" or "de-AT", if supported.
    pub fn of(tag: &str) -> Option<&'static Self> {
        let primary = tag.split(['-', '_']).next().unwrap_or(tag);
        [Self::english(), Self::german()].into_iter().find(|language| primary.eq_ignore_ascii_case(&language.tag))
    }

    /// Guesses the language of a text by its first words; English if undecided.
    pub fn guess(text: &str) -> &'static Self {
        static COMMON: LazyLock<HashSet<&str>> =
            LazyLock::new(|| include_str!("../words/common.txt").split_whitespace().collect());
        let (english, german) = (Self::english(), Self::german());
        let (mut hits, mut others) = ([0, 0], 0);
        for word in words(text).take(GUESSED_BY).map(fold) {
            for (hits, language) in hits.iter_mut().zip([english, german]) {
                *hits += usize::from(language.word(&word).1 & language.known.common != 0);
            }
            others += usize::from(COMMON.contains(word.as_str()));
        }
        match hits {
            [english, german] if others > english.max(german) => Self::other(),
            [by_english, by_german] if by_german > by_english => german,
            _ => english,
        }
    }

    /// Parses a data file; `words/en.txt` describes the format.
    ///
    /// # Errors
    ///
    /// [`Invalid`] names the invalid line.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        parse::parse(text)
    }

    /// Parses a compiled-in data file. A test checks each with [`Self::parse`]; an invalid one would yield nothing.
    fn embedded(text: &'static str) -> Self {
        Self::parse(text).unwrap_or_else(|_| Self::empty())
    }

    /// A language without words and slots.
    fn empty() -> Self {
        Self {
            tag: String::new(),
            words: HashMap::new(),
            endings: Vec::new(),
            contractions: HashMap::new(),
            classes: HashMap::new(),
            forms: HashMap::new(),
            remember: Vec::new(),
            slots: Vec::new(),
            known: Known::default(),
            times: HashMap::new(),
            unnamed: String::new(),
            assistant: String::new(),
            genitive: String::new(),
            their: String::new(),
            them: String::new(),
            inverts: false,
        }
    }

    /// The language tag, such as "en".
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The number and the classes of a folded word.
    pub(super) fn word(&self, folded: &str) -> (u32, Classes) {
        let (word, classes) = self.words.get(folded).copied().unwrap_or((UNKNOWN, 0));
        let ends = |(ending, _): &&(String, Classes)| {
            folded.len() >= ending.len() + LEAST_BEFORE_ENDING && folded.ends_with(ending.as_str())
        };
        // "need" and "bring" have their own forms: they only look like a past or a progressive form.
        let ending = if self.forms.contains_key(&word) {
            0
        } else {
            self.endings.iter().filter(ends).fold(0, |all, (_, classes)| all | classes)
        };
        (word, classes | ending)
    }

    /// The parts of a folded contraction, and the number of characters of the second.
    pub(super) fn contraction(&self, folded: &str) -> Option<Contraction> {
        self.contractions.get(folded).copied()
    }

    /// The third-person form of a first-person word, if it differs.
    pub(super) fn third(&self, word: u32) -> Option<&str> {
        self.forms.get(&word).map(String::as_str)
    }

    /// What comes before a statement that is always kept.
    pub(super) fn remember(&self) -> &[Pattern] {
        &self.remember
    }

    pub(super) fn slots(&self) -> &[SlotRule] {
        &self.slots
    }

    pub(super) const fn known(&self) -> &Known {
        &self.known
    }

    /// Reports whether a text has a word about health, religion or similar topics.
    pub(super) fn names_sensitive(&self, text: &str) -> bool {
        words(text).any(|word| self.word(&fold(word)).1 & self.known.sensitive != 0)
    }

    pub(super) fn unnamed(&self, role: Role) -> &str {
        if role == Role::Assistant { &self.assistant } else { &self.unnamed }
    }

    pub(super) fn time_word(&self, word: u32) -> Option<TimeWord> {
        self.times.get(&word).copied()
    }

    /// The genitive of a name; `None` if the language has none for it.
    pub(super) fn genitive(&self, name: &str) -> Option<String> {
        let plain = self.their.is_empty() && (name == self.unnamed || name.ends_with(['s', 'x', 'z']));
        (!plain).then(|| format!("{name}{}", self.genitive))
    }

    /// Reports whether a word is the genitive suffix.
    pub(super) fn is_genitive(&self, word: &str) -> bool {
        word == self.genitive
    }

    pub(super) fn their(&self) -> Option<&str> {
        Some(self.their.as_str()).filter(|word| !word.is_empty())
    }

    pub(super) fn them(&self) -> Option<&str> {
        Some(self.them.as_str()).filter(|word| !word.is_empty())
    }

    pub(super) const fn inverts(&self) -> bool {
        self.inverts
    }
}
