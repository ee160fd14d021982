//! A full-text query: as a `tsquery` that finds candidates, and as a count of phrases in the candidates.

use super::{lexeme, push_quoted, vector};
use crate::sealed::Tokens;
use kimberly_core::error::Result;

/// A token of the query.
#[derive(Debug, PartialEq)]
struct Word {
    token: String,
    /// Whether longer tokens match, too.
    prefix: bool,
}

/// Phrases: at least one of the first `any`, if there are some, and all of the rest.
#[derive(Debug)]
pub(crate) struct Wanted {
    words: Vec<Word>,
    /// Phrases as indices of words. A phrase without words never matches.
    phrases: Vec<Vec<usize>>,
    /// How many phrases, counted from the first, are alternatives.
    any: usize,
}

impl Wanted {
    /// Builds a query from the tokens of each term and whether its last token is a prefix.
    pub(crate) fn new(any: &[(Tokens, bool)], all: &[(Tokens, bool)]) -> Self {
        let mut wanted = Self { words: Vec::new(), phrases: Vec::new(), any: any.len() };
        for (tokens, prefix) in any.iter().chain(all) {
            let last = tokens.len().saturating_sub(1);
            let words = tokens.iter().enumerate().map(|(index, token)| (token, *prefix && index == last));
            let phrase = words.map(|(token, prefix)| wanted.word(token, prefix)).collect();
            wanted.phrases.push(phrase);
        }
        wanted
    }

    fn word(&mut self, token: &str, prefix: bool) -> usize {
        let word = Word { token: token.to_owned(), prefix };
        self.words.iter().position(|known| *known == word).unwrap_or_else(|| {
            self.words.push(word);
            self.words.len() - 1
        })
    }

    /// Returns the distinct words of all phrases, and whether they are prefixes.
    pub(super) fn words(&self) -> impl Iterator<Item = (&str, bool)> {
        self.words.iter().map(|word| (&*word.token, word.prefix))
    }

    /// Returns the number of phrases.
    pub(crate) fn len(&self) -> usize {
        self.phrases.len()
    }

    /// Reports whether a memory with these counts of phrases matches.
    pub(crate) fn lets(&self, times: &[u32]) -> bool {
        let (any, all) = times.split_at(self.any.min(times.len()));
        (any.is_empty() || any.iter().any(|times| *times > 0)) && all.iter().all(|times| *times > 0)
    }

    /// Returns a `tsquery` for candidates: all words of some phrase, at any position. `None` if nothing can match.
    pub(crate) fn loose(&self) -> Option<String> {
        self.joined(" & ")
    }

    /// Returns the same with adjacent words, if a phrase has several. Misses memories whose positions are cut.
    pub(crate) fn strict(&self) -> Option<String> {
        self.phrases.iter().any(|phrase| phrase.len() > 1).then(|| self.joined(" <-> ")).flatten()
    }

    fn joined(&self, with: &str) -> Option<String> {
        let mut phrases: Vec<_> = self.phrases.iter().filter(|phrase| !phrase.is_empty()).collect();
        phrases.sort_unstable();
        phrases.dedup();
        let mut text = String::new();
        for (number, phrase) in phrases.iter().enumerate() {
            text.push_str(if number == 0 { "(" } else { " | (" });
            for (position, word) in phrase.iter().filter_map(|word| self.words.get(*word)).enumerate() {
                if position > 0 {
                    text.push_str(with);
                }
                push_quoted(&mut text, lexeme(&word.token));
                if word.prefix {
                    text.push_str(":*");
                }
            }
            text.push(')');
        }
        (!text.is_empty()).then_some(text)
    }

    /// Counts each phrase in a memory by its vector; `None` if the vector is incomplete.
    pub(crate) fn times(&self, found: &[u8]) -> Result<Option<Vec<u32>>> {
        let (mut positions, mut whole) = (vec![Vec::new(); self.words.len()], true);
        vector::read(found, |held| {
            for (word, positions) in self.words.iter().zip(&mut positions) {
                let lexeme = lexeme(&word.token).as_bytes();
                if held.lexeme == lexeme || (word.prefix && held.lexeme.starts_with(lexeme)) {
                    whole &= !held.is_cut();
                    positions.extend(held.positions().map(usize::from));
                }
            }
        })?;
        Ok(whole.then(|| self.count(&mut positions)))
    }

    /// Counts each phrase in a text.
    pub(crate) fn times_in(&self, tokens: &[String]) -> Vec<u32> {
        let mut positions = vec![Vec::new(); self.words.len()];
        for (position, token) in tokens.iter().enumerate() {
            for (word, positions) in self.words.iter().zip(&mut positions) {
                if *token == word.token || (word.prefix && token.starts_with(&word.token)) {
                    positions.push(position);
                }
            }
        }
        self.count(&mut positions)
    }

    /// Reports whether some phrase may occur, because all of its words have positions.
    pub(super) fn may_stand(&self, positions: &[Vec<usize>]) -> bool {
        let is_there = |word: &usize| positions.get(*word).is_some_and(|positions| !positions.is_empty());
        self.phrases.iter().any(|phrase| !phrase.is_empty() && phrase.iter().all(is_there))
    }

    /// Counts each phrase from the positions of its words.
    pub(super) fn count(&self, positions: &mut [Vec<usize>]) -> Vec<u32> {
        // A prefix merges the positions of several lexemes.
        for at in positions.iter_mut() {
            at.sort_unstable();
        }
        let stands =
            |word: &usize, position: usize| positions.get(*word).is_some_and(|at| at.binary_search(&position).is_ok());
        let times = |phrase: &Vec<usize>| {
            let Some((first, rest)) = phrase.split_first() else { return 0 };
            let here =
                |position: &&usize| rest.iter().zip(**position + 1..).all(|(word, position)| stands(word, position));
            let count = positions.get(*first).map_or(0, |at| at.iter().filter(here).count());
            u32::try_from(count).unwrap_or(u32::MAX)
        };
        self.phrases.iter().map(times).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(words: &str, prefix: bool) -> (Tokens, bool) {
        (words.split_whitespace().map(str::to_owned).collect(), prefix)
    }

    fn tokens(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn sent(text: &str) -> Vec<u8> {
        vector::sent(&tokens(text))
    }

    #[test]
    fn candidates_are_asked_for_in_quotes() {
        let wanted =
            Wanted::new(&[term("tea", false), term("o'neil gre\\", true), term("tea", false)], &[term("", true)]);
        assert_eq!(wanted.loose().unwrap(), "('tea') | ('o''neil' & 'gre\\\\':*)");
        assert_eq!(wanted.strict().unwrap(), "('tea') | ('o''neil' <-> 'gre\\\\':*)");
        assert_eq!(Wanted::new(&[term("tea", true)], &[]).strict(), None);
        assert_eq!(Wanted::new(&[term("", false)], &[]).loose(), None);
    }

    #[test]
    fn words_phrases_and_prefixes_are_counted_by_vector_and_by_text_alike() {
        let terms = [term("a", false), term("a b", false), term("a a", false), term("b a", true), term("", false)];
        let wanted = Wanted::new(&terms, &[]);
        for (text, times) in [
            ("a b a b", [2, 2, 0, 1, 0]),
            ("a a a", [3, 0, 2, 0, 0]),
            ("b ab b ac a", [1, 0, 0, 2, 0]),
            ("c", [0, 0, 0, 0, 0]),
            ("", [0, 0, 0, 0, 0]),
        ] {
            assert_eq!(wanted.times(&sent(text)).unwrap().unwrap(), times, "{text}");
            assert_eq!(wanted.times_in(&tokens(text)), times, "{text}");
        }
    }

    #[test]
    fn one_of_the_first_and_all_of_the_rest_must_stand() {
        let wanted = Wanted::new(&[term("a", false), term("b", false)], &[term("c", false)]);
        assert!(wanted.lets(&[1, 0, 1]) && wanted.lets(&[0, 2, 1]));
        assert!(!wanted.lets(&[0, 0, 1]) && !wanted.lets(&[1, 1, 0]));
        assert!(Wanted::new(&[], &[term("c", false)]).lets(&[1]));
    }

    #[test]
    fn what_the_vector_does_not_tell_is_said() {
        let wanted = Wanted::new(&[term("a", false)], &[]);
        let often = vec!["a"; 255].join(" ");
        assert_eq!(wanted.times(&sent(&often)).unwrap(), None);
        assert_eq!(wanted.times(&sent(&format!("b {}", often.replace('a', "c")))).unwrap().unwrap(), [0]);
        assert_eq!(wanted.times_in(&tokens(&often)), [255]);
        // The end of a word that was cut is unknown.
        let long = "a".repeat(2_050);
        let wanted = Wanted::new(&[term(&long, false)], &[]);
        assert_eq!(wanted.times(&sent(&"a".repeat(2_046))).unwrap(), None);
        assert_eq!(wanted.times_in(&tokens(&format!("{long} {long}b"))), [1]);
    }
}
