//! An in-memory index of the words in a document's passages, and BM25 search over several documents.
//!
//! One engine for both backends and for encrypted documents: it is built from rows that the reader sees, and holds
//! hashes of stems, no text. Takes about 1.4 bytes of memory per byte of text.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use crate::text::bm25::saturation;
use crate::text::words::{fold, stem, words};

/// Most passages returned of a document.
pub const MOST: usize = 3;
/// Most passages of one document that are returned for a quoted query, whose texts the caller then checks.
const MOST_QUOTING: usize = 50;
/// Least score of a further passage, as a share of the document's best.
const LEAST: f64 = 0.5;

/// An index of the words in the passages of one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Number of words in each passage.
    lengths: Vec<u32>,
    /// Postings: the hash of a stem, the passage, and how often the passage contains it.
    held: Vec<(u32, u32, u32)>,
}

/// A document found, with its best passages.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Index of the document among those searched.
    pub document: usize,
    /// BM25 of the best passage.
    pub bm25: f64,
    /// Number of words in the best passage.
    pub words: u32,
    /// Positions of the best passages, the best first.
    pub passages: Vec<u64>,
}

impl Index {
    /// Indexes passages, in order.
    pub fn new<'t>(passages: impl IntoIterator<Item = &'t str>) -> Self {
        // Words repeat within a text, and stemming is the expensive part: hashes are cached.
        let mut known: HashMap<&'t str, u32> = HashMap::new();
        let mut index = Self::default();
        for (passage, text) in (0..).zip(passages) {
            let mut times: BTreeMap<u32, u32> = BTreeMap::new();
            let mut length = 0;
            for word in words(text) {
                let hash = *known.entry(word).or_insert_with(|| hash(&stem(&fold(word))));
                *times.entry(hash).or_default() += 1;
                length += 1;
            }
            index.lengths.push(length);
            index.held.extend(times.into_iter().map(|(hash, times)| (hash, passage, times)));
        }
        index.held.sort_unstable();
        index.held.shrink_to_fit();
        index
    }

    /// Size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.lengths) + size_of_val(&*self.held)
    }

    /// Reports whether any passage contains a folded word.
    pub fn knows(&self, folded: &str) -> bool {
        !self.holding(hash(&stem(folded))).is_empty()
    }

    fn holding(&self, hash: u32) -> &[(u32, u32, u32)] {
        let from = self.held.partition_point(|(held, ..)| *held < hash);
        let to = self.held.partition_point(|(held, ..)| *held <= hash);
        self.held.get(from..to).unwrap_or_default()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "32 bits tell the stems of a vault apart")]
fn hash(stem: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    stem.hash(&mut hasher);
    hasher.finish() as u32
}

/// The words to search for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sought {
    /// Words of which a passage must contain at least one; for each word, its folded alternatives.
    pub any: Vec<Vec<String>>,
    /// Folded words that a passage must all contain.
    pub all: Vec<String>,
}

/// A passage: index of the document and of the passage in it.
type At = (usize, u32);

/// Finds documents with passages that match, the best first. `others` is the number of texts that are searched
/// elsewhere: it counts as part of the collection when the rarity of words is computed.
pub fn search(documents: &[Arc<Index>], sought: &Sought, others: u64) -> Vec<Best> {
    let passages: u64 = documents.iter().map(|index| index.lengths.len() as u64).sum();
    let length: u64 = documents.iter().flat_map(|index| &index.lengths).map(|length| u64::from(*length)).sum();
    let average = (real(length) / real(passages).max(1.0)).max(1.0);
    let mut scores: BTreeMap<At, f64> = BTreeMap::new();
    for forms in &sought.any {
        let times = held_by(documents, forms);
        let rarity = rarity(passages + others, times.len() as u64);
        for (at, times) in times {
            let length = f64::from(length_of(documents, at));
            *scores.entry(at).or_default() += rarity * saturation(times, length, average);
        }
    }
    for word in &sought.all {
        let holding = held_by(documents, std::slice::from_ref(word));
        scores.retain(|at, _| holding.contains_key(at));
    }
    best(documents, scores, !sought.all.is_empty())
}

/// Counts how often passages contain any of several forms of a word.
fn held_by(documents: &[Arc<Index>], forms: &[String]) -> BTreeMap<At, u32> {
    let hashes: HashSet<u32> = forms.iter().map(|form| hash(&stem(form))).collect();
    let mut times = BTreeMap::new();
    for (document, index) in documents.iter().enumerate() {
        for (_, passage, held) in hashes.iter().flat_map(|hash| index.holding(*hash)) {
            *times.entry((document, *passage)).or_default() += held;
        }
    }
    times
}

fn length_of(documents: &[Arc<Index>], (document, passage): At) -> u32 {
    let length = documents.get(document).and_then(|index| index.lengths.get(passage as usize));
    length.copied().unwrap_or_default()
}

fn best(documents: &[Arc<Index>], scores: BTreeMap<At, f64>, quotes: bool) -> Vec<Best> {
    let mut of_documents: BTreeMap<usize, Vec<(f64, u32)>> = BTreeMap::new();
    for ((document, passage), score) in scores {
        of_documents.entry(document).or_default().push((score, passage));
    }
    let mut found: Vec<Best> = Vec::with_capacity(of_documents.len());
    for (document, mut held) in of_documents {
        held.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let Some((bm25, first)) = held.first().copied() else { continue };
        held.retain(|(score, _)| quotes || *score >= LEAST * bm25);
        held.truncate(if quotes { MOST_QUOTING } else { MOST });
        let passages = held.into_iter().map(|(_, passage)| passage.into()).collect();
        found.push(Best { document, bm25, words: length_of(documents, (document, first)), passages });
    }
    found.sort_by(|a, b| b.bm25.total_cmp(&a.bm25).then(a.document.cmp(&b.document)));
    found
}

/// Inverse document frequency of BM25. Never below 0, since searches may cover few passages.
fn rarity(all: u64, holding: u64) -> f64 {
    let (all, holding) = (real(all), real(holding));
    libm::log(1.0 + (all - holding + 0.5) / (holding + 0.5))
}

#[expect(clippy::cast_precision_loss, reason = "counts of passages and words are far below 2^53")]
fn real(count: u64) -> f64 {
    count as f64
}
