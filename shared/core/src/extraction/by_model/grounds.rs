//! Checks that a model's statement contains only what was said.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::extraction::language::UNKNOWN;
use crate::extraction::tokens::{Token, tokens};
use crate::extraction::{Language, MASK, secrets};
use crate::text::lists::is_stop_word;
use crate::text::sentences;
use crate::text::words::{fold, stem, words};

/// Least share of a statement's words that must occur in the conversation; the rest is grammar and rewording.
const LEAST_KNOWN: f64 = 0.6;

/// The words of a conversation, as stems.
pub(crate) struct Grounds(BTreeSet<String>);

impl Grounds {
    /// Collects the words of texts.
    pub(crate) fn of<'t>(texts: impl IntoIterator<Item = Cow<'t, str>>) -> Self {
        let mut known = BTreeSet::new();
        for text in texts {
            known.extend(words(&text).map(stemmed));
        }
        Self(known)
    }

    /// Reports whether the names, the numbers and most words of a statement occur.
    pub(crate) fn hold(&self, statement: &str) -> bool {
        let (mut all, mut found) = (0.0, 0.0);
        for word in words(statement) {
            all += 1.0;
            found += f64::from(u8::from(self.0.contains(&stemmed(word))));
        }
        all > 0.0 && found >= LEAST_KNOWN * all && self.hold_names(statement)
    }

    /// Reports whether the names and numbers of a text occur. The first word is always capitalized: it is a name only
    /// if no list has it.
    pub(crate) fn hold_names(&self, text: &str) -> bool {
        words(text).enumerate().all(|(index, word)| {
            let is_name = word.starts_with(char::is_uppercase) && (index > 0 || !is_ordinary(word));
            let must_be_known = is_name || word.contains(|c: char| c.is_ascii_digit());
            !must_be_known || self.0.contains(&stemmed(word))
        })
    }

    /// Reports whether all words of a subject occur.
    pub(crate) fn name(&self, subject: &str) -> bool {
        words(subject).next().is_some() && words(subject).all(|word| self.0.contains(&stemmed(word)))
    }
}

fn is_ordinary(word: &str) -> bool {
    let folded = fold(word);
    is_stop_word(&folded)
        || [Language::english(), Language::german()].iter().any(|language| language.word(&folded).0 != UNKNOWN)
}

fn stemmed(word: &str) -> String {
    stem(&fold(word))
}

/// The whole sentences that a part of a text touches, since the rest of a sentence may deny it. A line that continues
/// in lower case belongs to the previous one.
pub(crate) fn around(text: &str, part: Range<usize>) -> &str {
    let mut whole: Vec<Range<usize>> = Vec::new();
    for sentence in sentences::of(text, usize::MAX) {
        match whole.last_mut() {
            Some(last) if goes_on(&text[last.clone()], &text[sentence.clone()]) => last.end = sentence.end,
            _ => whole.push(sentence),
        }
    }
    let touched = whole.into_iter().filter(|sentence| sentence.start < part.end && part.start < sentence.end);
    let all = touched.fold(part.clone(), |all, one| all.start.min(one.start)..all.end.max(one.end));
    text.get(all).unwrap_or_default()
}

fn goes_on(line: &str, next: &str) -> bool {
    !line.ends_with(['.', '!', '?', '…']) && next.starts_with(char::is_lowercase)
}

/// Reports whether a statement may stand for the sentences it quotes ([`around`]): both or neither are negated, and
/// neither contains a secret or, unless `may_be_sensitive`, something sensitive.
pub(crate) fn agree(language: &Language, quote: &str, statement: &str, may_be_sensitive: bool) -> bool {
    let is_secret = |text: &str| text.contains(MASK) || !secrets(text).is_empty();
    if is_secret(quote) || is_secret(statement) {
        return false;
    }
    let (told, stated) = (tokens_of(language, quote), tokens_of(language, statement));
    let known = language.known();
    let holds = |tokens: &[Token], classes| tokens.iter().any(|token| token.is(classes));
    let is_sensitive = holds(&told, known.sensitive) || holds(&stated, known.sensitive);
    (may_be_sensitive || !is_sensitive) && holds(&told, known.negation) == holds(&stated, known.negation)
}

/// Reports whether a quote has at least two words.
pub(crate) fn says_something(quote: &str) -> bool {
    words(quote).nth(1).is_some()
}

fn tokens_of(language: &Language, text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    tokens(language, text, 0..text.len(), &mut found);
    found
}
