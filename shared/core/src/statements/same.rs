//! Which texts make the same statement: their words are the same, whatever their punctuation, case and marks.

use std::ops::Range;

use super::gist::is_light;
use crate::extraction::is_courtesy;
use crate::text::sentences;
use crate::text::words::{fold, is_unparted, words};

/// Shorter texts, such as "Yes.", could be about anything: the least words, and the least characters of those words.
const FEWEST_WORDS: usize = 3;
const FEWEST_CHARS: usize = 12;
/// Longest sentence that is compared, in bytes.
const LONGEST: usize = 4_000;

/// A text that is distinctive enough to be the same statement elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Statement {
    /// Its words, folded.
    words: Vec<String>,
}

impl Statement {
    /// Returns what a text states; `None` if it is too short to be recognized, or only greets.
    pub fn of(text: &str) -> Option<Self> {
        let words = folded(text);
        let chars = words.iter().map(|word| word.chars().count()).sum::<usize>() + words.len().saturating_sub(1);
        let unparted = words.iter().any(|word| is_unparted(word));
        let (fewest, shortest) = if unparted { (1, FEWEST_CHARS / 2) } else { (FEWEST_WORDS, FEWEST_CHARS) };
        (words.len() >= fewest && chars >= shortest && !is_courtesy(text)).then_some(Self { words })
    }

    /// The statements of the sentences of a text, without questions.
    pub fn all_in(text: &str) -> impl Iterator<Item = (Range<usize>, Self)> {
        let ranges = sentences_of(text).into_iter();
        let said = ranges.filter(|range| !text[range.clone()].trim_end().ends_with(['?', '？']));
        said.filter_map(|range| Some((range.clone(), Self::of(&text[range])?)))
    }

    /// Its words.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Reports whether a text as a whole says this.
    pub fn is_all_of(&self, text: &str) -> bool {
        words(text).map(fold).eq(self.words.iter().cloned())
    }

    /// Reports whether a text has these words one after the other, in a sentence of their own or not.
    pub fn is_within(&self, text: &str) -> bool {
        folded(text).windows(self.words.len()).any(|words| words == self.words)
    }

    /// Returns where sentences of a text say this and nothing else, in order.
    pub fn found_in(&self, text: &str) -> Vec<Range<usize>> {
        let cut: Vec<(Range<usize>, Vec<String>)> = sentences_of(text)
            .into_iter()
            .map(|range| (range.clone(), folded(&text[range])))
            .filter(|(_, words)| !words.is_empty())
            .collect();
        let (mut found, mut from) = (Vec::new(), 0);
        while from < cut.len() {
            match self.ends(&cut[from..]) {
                Some(sentences) => {
                    found.push(cut[from].0.start..cut[from + sentences - 1].0.end);
                    from += sentences;
                }
                None => from += 1,
            }
        }
        found
    }

    /// Returns how many of the first sentences say this together.
    fn ends(&self, cut: &[(Range<usize>, Vec<String>)]) -> Option<usize> {
        let mut rest = self.words.as_slice();
        for (index, (_, words)) in cut.iter().enumerate() {
            rest = rest.strip_prefix(words.as_slice())?;
            if rest.is_empty() {
                return Some(index + 1);
            }
        }
        None
    }
}

/// Reports whether a text says nothing besides some of its ranges: only punctuation, greetings and joining words.
pub fn says_nothing(text: &str, besides: &[Range<usize>]) -> bool {
    let mut ranges = besides.to_vec();
    ranges.sort_by_key(|range| range.start);
    let (mut rest, mut from) = (Vec::new(), 0);
    for range in ranges {
        rest.extend(text.get(from..range.start.max(from)));
        from = from.max(range.end);
    }
    rest.extend(text.get(from..));
    let pieces = rest.into_iter().flat_map(|piece| sentences::of(piece, LONGEST).into_iter().map(move |at| &piece[at]));
    pieces.into_iter().all(|piece| folded(piece).iter().all(|word| is_light(word)) || is_courtesy(piece))
}

/// The sentences of a text, without a short lead such as "Hi!" or "No.".
pub(super) fn sentences_of(text: &str) -> Vec<Range<usize>> {
    let without_lead = |range: Range<usize>| {
        let sentence = &text[range.clone()];
        match sentence.split_once(['.', '!', '?']) {
            Some((lead, rest)) if rest.starts_with(' ') && (is_light(&fold(lead)) || is_courtesy(lead)) => {
                range.end - rest.trim_start().len()..range.end
            }
            _ => range,
        }
    };
    sentences::of(text, LONGEST).into_iter().map(without_lead).collect()
}

fn folded(text: &str) -> Vec<String> {
    words(text).map(fold).collect()
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;

    #[test]
    fn the_same_words_are_the_same_statement_and_short_ones_are_none() {
        let said = Statement::of("I work at Brenner Optics.").expect("a statement");
        for text in ["i work at brenner optics", "- I *work* at Brenner Optics!", "I work  at\nBrenner Optics"] {
            assert!(said.is_all_of(text), "{text}");
        }
        assert!(!said.is_all_of("I work at Brenner Optics now."));
        for text in ["Yes.", "Yes, I do.", "Thank you so much!", "Vielen Dank!", "", "A b c d"] {
            assert_eq!(Statement::of(text), None, "{text}");
        }
        assert!(Statement::of("我住在上海市区").is_some());
    }

    #[test]
    fn sentences_that_say_it_are_found_in_longer_texts() {
        let said = Statement::of("Ich wohne in Graz.").expect("a statement");
        let text = "Hi! Ich wohne in Graz. Und du? Ich wohne in Graz, seit Mai.";
        let found = said.found_in(text);
        assert_eq!(found.iter().map(|at| &text[at.clone()]).collect::<Vec<_>>(), ["Ich wohne in Graz."]);
        let two = Statement::of("The key is red. Ana has it.").expect("two sentences");
        assert_eq!(two.found_in("So: nothing. The key is red. Ana has it. Good.").len(), 1);
        assert_eq!(Statement::all_in("I like tea a lot. Do you like tea, too?").count(), 1);
    }

    #[test]
    fn a_greeting_and_punctuation_are_nothing_besides_the_statement() {
        let text = "Hello! I work at Brenner Optics. Thanks!";
        let at = text.find("I work").expect("there");
        assert!(says_nothing(text, slice::from_ref(&(at..at + 25))));
        assert!(!says_nothing("I work at Brenner Optics. My cat is ill.", slice::from_ref(&(0..25))));
        assert!(says_nothing("Yes, [...      ].", &[]), "what was struck before says nothing either");
    }
}
