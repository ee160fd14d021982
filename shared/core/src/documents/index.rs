//! The words of a document's passages in memory, and BM25 over those of several documents.
//!
//! One engine for both backends and for sealed documents: it is made of rows that the reader sees, and holds hashes of stems, no
//! text. Some 1.4 bytes in memory for each byte of text.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use crate::text::bm25::saturation;
use crate::text::words::{fold, stem, words};

/// Passages that a document is answered with, at most.
pub const MOST: usize = 3;
/// Passages of one document that may hold what is quoted, which their texts tell.
const MOST_QUOTING: usize = 50;
/// What a further passage must be worth, as a share of the document's best.
const LEAST: f64 = 0.5;

/// The words of the passages of one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Words of each passage.
    lengths: Vec<u32>,
    /// By stem and passage: the hash of the stem, the passage, how often it holds it.
    held: Vec<(u32, u32, u32)>,
}

/// A document that was found, by its best passages.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Which of the documents that were searched.
    pub document: usize,
    /// BM25 of the best passage.
    pub bm25: f64,
    /// Words of the best passage.
    pub words: u32,
    /// The best passages by position, the best first.
    pub passages: Vec<u64>,
}

impl Index {
    /// Of passages, in order.
    pub fn new<'t>(passages: impl IntoIterator<Item = &'t str>) -> Self {
        // Most words of a text were read before in it, and stemming is what takes time.
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

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.lengths) + size_of_val(&*self.held)
    }

    /// Whether a passage holds a word that was folded.
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

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sought {
    /// Words of which a passage holds one at least; of each the folded forms that stand for it.
    pub any: Vec<Vec<String>>,
    /// Folded words that a passage holds all of.
    pub all: Vec<String>,
}

/// Where a passage is: which of the documents, and which of its passages.
type At = (usize, u32);

/// The documents of which a passage holds what is sought, the best first. A word is the rarer the fewer of the passages and of
/// `others`, which are searched elsewhere, hold it.
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

/// How often passages hold one of several forms of a word.
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

/// Never below 0, as few passages are searched alone.
fn rarity(all: u64, holding: u64) -> f64 {
    let (all, holding) = (real(all), real(holding));
    libm::log(1.0 + (all - holding + 0.5) / (holding + 0.5))
}

#[expect(clippy::cast_precision_loss, reason = "counts of passages and words are far below 2^53")]
fn real(count: u64) -> f64 {
    count as f64
}
