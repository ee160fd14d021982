//! Splits a text into words, each classified by its role in comparing texts.

use std::collections::BTreeSet;

use super::words::{Part, words_of};
use crate::text::lists::is_stop_word;
use crate::text::words::{fold, in_word, stem};

/// The class of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// Digits, a number in letters, a month or a day of the week.
    Number,
    /// Capitalized within a sentence.
    Name,
    /// Any other word with a topic.
    Word,
    /// A negation.
    Negation,
    /// Says that something is over.
    Ends,
    /// Says that something is not so yet.
    Open,
    /// One of two opposites without a topic of their own.
    Opposite,
    /// A time relative to when it was said, such as "tomorrow".
    Moment,
    /// Carries no meaning here.
    Filler,
}

impl Class {
    /// Reports whether it says what a text is about.
    pub(super) const fn is_content(self) -> bool {
        matches!(self, Self::Number | Self::Name | Self::Word)
    }
}

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Token {
    /// The compared form: a stem, or a number without thousands separators.
    pub(super) word: String,
    /// The folded word.
    pub(super) folded: String,
    /// Its class.
    pub(super) class: Class,
    /// Whether it is capitalized.
    pub(super) is_capital: bool,
    /// Whether it owns what follows: "Ana's", "my parents'".
    pub(super) owns: bool,
}

/// A text, without fillers.
#[derive(Clone, Debug)]
pub(super) struct Text {
    /// Its words in order.
    pub(super) tokens: Vec<Token>,
    /// The words that say what it is about.
    pub(super) content: BTreeSet<String>,
    /// Whether it has times relative to when it was said.
    pub(super) is_momentary: bool,
    /// The persons that pronouns mean, by the parts that they may play.
    pub(super) persons: BTreeSet<(Part, &'static str)>,
}

impl Text {
    /// Parses a text.
    pub(super) fn of(text: &str) -> Self {
        let mut tokens: Vec<Token> = Vec::new();
        let mut is_first = true;
        for (surface, ends) in surfaces(text) {
            // "don't" becomes "do not".
            let negated = surface.strip_suffix("n't").or_else(|| surface.strip_suffix("n’t"));
            let (plain, owns) = negated.map_or_else(|| owner(surface), |plain| (plain, false));
            tokens.push(Token { owns, ..Token::of(plain, is_first) });
            tokens.extend(negated.map(|_| Token::of("not", false)));
            is_first = ends;
        }
        let pronouns = tokens.iter().filter(|token| token.class == Class::Filler);
        let persons = pronouns.flat_map(|token| words_of().parts_of(&token.folded)).collect();
        let is_momentary = tokens.iter().any(|token| token.class == Class::Moment);
        tokens.retain(|token| token.class != Class::Filler);
        let content = tokens.iter().filter(|token| token.class.is_content()).map(|token| token.word.clone()).collect();
        Self { tokens, content, is_momentary, persons }
    }

    /// Returns pairs of an owner and the next content word.
    pub(super) fn owned(&self) -> impl Iterator<Item = (&Token, &Token)> {
        let content = || self.tokens.iter().filter(|token| token.class.is_content());
        content().zip(content().skip(1)).filter(|(owner, _)| owner.owns)
    }

    /// Returns the words of a class.
    pub(super) fn of_class(&self, class: Class) -> impl Iterator<Item = &str> {
        self.tokens.iter().filter(move |token| token.class == class).map(|token| token.word.as_str())
    }
}

impl Token {
    fn of(surface: &str, is_first: bool) -> Self {
        let (folded, words) = (fold(surface), words_of());
        let is_capital = surface.starts_with(char::is_uppercase);
        let class = if folded.contains(|c: char| c.is_numeric())
            || words.is("number", &folded)
            || (is_capital && words.is("date", &folded))
        {
            Class::Number
        } else if words.is("negation", &folded) {
            Class::Negation
        } else if words.is("ends", &folded) {
            Class::Ends
        } else if words.is("open", &folded) {
            Class::Open
        } else if words.is("moment", &folded) {
            Class::Moment
        } else if words.is("opposites", &folded) {
            Class::Opposite
        } else if is_stop_word(&folded) || is_pronoun(surface, &folded) {
            Class::Filler
        } else if is_capital && !is_first {
            Class::Name
        } else {
            Class::Word
        };
        let word = match class {
            Class::Number => folded.replace(',', ""),
            _ => stem(&folded),
        };
        Self { word, folded, class, is_capital, owns: false }
    }
}

/// Returns a word up to its apostrophe, and whether it is an owner: "Ana's", "parents'".
fn owner(surface: &str) -> (&str, bool) {
    let Some((plain, rest)) = surface.split_once(['\'', '’']) else { return (surface, false) };
    (plain, ["", "s", "S"].contains(&rest))
}

/// Reports whether a word is a pronoun; "US" is not.
fn is_pronoun(surface: &str, folded: &str) -> bool {
    surface != "US" && words_of().parts_of(folded).next().is_some()
}

/// Returns the words of a text as written, each with whether a sentence ends after it. A word with signs inside stays
/// whole: "part-time", "16:30", "docs/release.md", "don't".
fn surfaces(text: &str) -> Vec<(&str, bool)> {
    let mut all: Vec<(&str, bool)> = Vec::new();
    let mut start = None;
    let owns = |from: usize, at: usize, c: char| {
        matches!(c, '\'' | '’') && text.get(from..at).is_some_and(|word| word.ends_with('s'))
    };
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let joins = || matches!(c, '-' | '.' | ':' | ',' | '/' | '_' | '@' | '\'' | '’');
        let goes_on = chars.peek().is_some_and(|(_, next)| in_word(*next));
        match start {
            None if in_word(c) => start = Some(at),
            Some(from) if !(in_word(c) || (joins() && goes_on) || owns(from, at, c)) => {
                all.extend(text.get(from..at).map(|word| (word, false)));
                start = None;
            }
            _ => {}
        }
        if start.is_none()
            && matches!(c, '.' | '!' | '?' | '\n')
            && let Some(last) = all.last_mut()
        {
            last.1 = true;
        }
    }
    all.extend(start.and_then(|from| text.get(from..)).map(|word| (word, false)));
    all
}
