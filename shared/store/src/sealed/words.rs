//! Full-text search over a vault's sealed memories, equal to the index's: same tokens, same semantics of words, phrases
//! and prefixes, and BM25 over sealed and indexed memories together.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Tokens;
use crate::cache::Stamp;
use crate::lexical::Bm25;

/// Identifies a ciphertext: its first bytes, which contain a random nonce.
pub(crate) type CiphertextId = [u8; 29];

/// One sealed memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Doc {
    /// The memory's number.
    pub(crate) seq: i64,
    /// The ciphertext that was analysed.
    pub(crate) ciphertext: CiphertextId,
    /// Its tokens in order, as numbers of the dictionary.
    tokens: Box<[u32]>,
}

/// All searchable sealed memories, as of a stamp.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    pub(crate) stamp: Stamp,
    /// In order of number.
    docs: Vec<Doc>,
    dictionary: HashMap<Box<str>, u32>,
    terms: Vec<Box<str>>,
    tokens: u64,
}

/// Counts of the full-text index, in total and per phrase.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Indexed {
    /// Memories in the index.
    pub(crate) rows: u64,
    /// Tokens in the index.
    pub(crate) tokens: u64,
    /// Memories that contain each phrase.
    pub(crate) holding: Vec<u64>,
}

/// A query: at least one of `any`, if there are any, and all of `all`.
pub(crate) struct Wanted<'q> {
    pub(crate) any: &'q [(Tokens, bool)],
    pub(crate) all: &'q [(Tokens, bool)],
}

/// Matching memories: number, number of tokens, and count of each phrase, those of `any` first.
pub(crate) struct Matches {
    found: Vec<(i64, usize, Vec<u32>)>,
    /// Sealed memories that contain each phrase.
    holding: Vec<u64>,
}

/// A phrase as dictionary numbers; a prefix allows several last words.
struct Phrase {
    front: Vec<u32>,
    last: HashSet<u32>,
}

impl Words {
    pub(crate) fn new(stamp: Stamp) -> Self {
        Self { stamp, ..Self::default() }
    }

    /// Copies the words, to be extended up to another stamp.
    pub(crate) fn continued(&self, stamp: Stamp) -> Self {
        Self { stamp, ..self.clone() }
    }

    /// Adds a memory with a higher number than all others.
    pub(crate) fn add<'t>(&mut self, seq: i64, ciphertext: CiphertextId, tokens: impl Iterator<Item = &'t str>) {
        let tokens: Box<[u32]> = tokens.map(|token| self.number(token)).collect();
        self.tokens += tokens.len() as u64;
        self.docs.push(Doc { seq, ciphertext, tokens });
    }

    fn number(&mut self, token: &str) -> u32 {
        if let Some(number) = self.dictionary.get(token) {
            return *number;
        }
        // A vault never has four billion different words.
        let number = u32::try_from(self.terms.len()).unwrap_or(u32::MAX);
        self.dictionary.insert(token.into(), number);
        self.terms.push(token.into());
        number
    }

    /// Returns the tokens of a memory, if its current ciphertext was analysed.
    pub(crate) fn tokens_of(&self, seq: i64, ciphertext: &CiphertextId) -> Option<impl Iterator<Item = &str>> {
        let doc = self.docs.binary_search_by_key(&seq, |doc| doc.seq).ok().and_then(|index| self.docs.get(index))?;
        (doc.ciphertext == *ciphertext)
            .then(|| doc.tokens.iter().filter_map(|number| self.terms.get(*number as usize).map(|t| &**t)))
    }

    /// Approximate size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let texts: usize = self.terms.iter().map(|term| 2 * (term.len() + 24)).sum();
        texts + self.docs.len() * size_of::<Doc>() + usize::try_from(self.tokens).unwrap_or(usize::MAX / 8) * 4
    }

    /// Returns the memories that match.
    pub(crate) fn matching(&self, wanted: &Wanted<'_>) -> Matches {
        let phrases: Vec<_> =
            wanted.any.iter().chain(wanted.all).map(|(tokens, prefix)| self.phrase(tokens, *prefix)).collect();
        let (mut found, mut holding) = (Vec::new(), vec![0; phrases.len()]);
        for doc in &self.docs {
            let times: Vec<u32> =
                phrases.iter().map(|phrase| phrase.as_ref().map_or(0, |phrase| phrase.times(&doc.tokens))).collect();
            for (holding, _) in holding.iter_mut().zip(&times).filter(|(_, times)| **times > 0) {
                *holding += 1;
            }
            let (any, all) = times.split_at(wanted.any.len());
            if (any.is_empty() || any.iter().any(|times| *times > 0)) && all.iter().all(|times| *times > 0) {
                found.push((doc.seq, doc.tokens.len(), times));
            }
        }
        Matches { found, holding }
    }

    /// Returns the numbers of memories that contain a phrase.
    pub(crate) fn holding(&self, tokens: &[String]) -> Vec<i64> {
        let Some(phrase) = self.phrase(tokens, false) else { return Vec::new() };
        self.docs.iter().filter(|doc| phrase.times(&doc.tokens) > 0).map(|doc| doc.seq).collect()
    }

    /// Returns words of a length within `lengths` that begin with one of `letters`, with the number of memories that
    /// contain them.
    fn vocabulary(&self, letters: &[char], lengths: (usize, usize)) -> BTreeMap<&str, u64> {
        let fits = |term: &str| {
            let length = term.chars().count();
            term.chars().next().is_some_and(|first| letters.contains(&first))
                && length >= lengths.0
                && length <= lengths.1
        };
        let mut counts = BTreeMap::new();
        for doc in &self.docs {
            let own: HashSet<u32> = doc.tokens.iter().copied().collect();
            for term in own.into_iter().filter_map(|number| self.terms.get(number as usize)).filter(|term| fits(term)) {
                *counts.entry(&**term).or_insert(0) += 1;
            }
        }
        counts
    }

    /// Merges the same words into a vocabulary.
    pub(crate) fn add_to(&self, vocabulary: &mut Vec<(String, u64)>, letters: &[char], lengths: (usize, usize)) {
        let mut sealed = self.vocabulary(letters, lengths);
        for (term, count) in vocabulary.iter_mut() {
            *count += sealed.remove(term.as_str()).unwrap_or_default();
        }
        vocabulary.extend(sealed.into_iter().map(|(term, count)| (term.to_owned(), count)));
    }

    /// `None` if no memory contains one of its words.
    fn phrase(&self, tokens: &[String], prefix: bool) -> Option<Phrase> {
        let (last, front) = tokens.split_last()?;
        let front = front.iter().map(|token| self.dictionary.get(token.as_str()).copied()).collect::<Option<_>>()?;
        let last: HashSet<u32> = if prefix {
            let going_on = self.dictionary.iter().filter(|(term, _)| term.starts_with(last.as_str()));
            going_on.map(|(_, number)| *number).collect()
        } else {
            self.dictionary.get(last.as_str()).copied().into_iter().collect()
        };
        (!last.is_empty()).then_some(Phrase { front, last })
    }
}

impl Phrase {
    /// Counts the occurrences of the phrase in a text.
    fn times(&self, tokens: &[u32]) -> u32 {
        let here = |window: &&[u32]| {
            window.split_last().is_some_and(|(last, front)| front == self.front && self.last.contains(last))
        };
        u32::try_from(tokens.windows(self.front.len() + 1).filter(here).count()).unwrap_or(u32::MAX)
    }
}

impl Matches {
    /// Returns the numbers of the matches.
    pub(crate) fn seqs(&self) -> Vec<i64> {
        self.found.iter().map(|(seq, ..)| *seq).collect()
    }

    /// Returns each match's BM25 by number, as the full-text index would compute it if it contained all memories.
    pub(crate) fn bm25(&self, words: &Words, indexed: &Indexed) -> HashMap<i64, f64> {
        let bm25 = Bm25::new(indexed.rows + words.docs.len() as u64, indexed.tokens + words.tokens);
        let rarity = |(number, sealed): (usize, &u64)| {
            bm25.rarity(sealed + indexed.holding.get(number).copied().unwrap_or_default())
        };
        let rarities: Vec<f64> = self.holding.iter().enumerate().map(rarity).collect();
        let score =
            |(seq, length, times): &(i64, usize, Vec<u32>)| (*seq, bm25.score(*length as u64, times, &rarities));
        self.found.iter().map(score).collect()
    }
}
