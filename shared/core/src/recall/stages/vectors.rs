//! Joins the hits by vectors with those by words.
//!
//! Usually one index answers. While the vectors of a new model replace those of an old one, there are two. Each is
//! searched with the query's vector of its own model, and its cosines are calibrated by its own distribution. A memory
//! in both counts by the new one.

use std::collections::{HashMap, HashSet};

use super::explain::FoundBy;
use crate::embedding::{ModelKey, VectorHit};
use crate::ids::Seq;
use crate::ports::LexicalHit;
use crate::recall::calibration::Calibration;
use crate::recall::candidates::Found;

/// Most memories that take part because of their vectors.
const DEPTH: usize = 200;
/// The value of each deviation beyond the threshold, in units of BM25.
const WEIGHT: f64 = 2.0;
/// If the best hit by words is below this, the units shrink in proportion: in a small vault no word is rare.
const FULL_STRENGTH: f64 = 3.0;

/// The answer of one index to a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// The model of the index.
    pub model: ModelKey,
    /// Memories with their cosines, nearest first.
    pub hits: Vec<VectorHit>,
    /// The distribution of the cosines.
    pub calibration: Calibration,
    /// Whether `hits` are all memories that have a vector in the index.
    pub complete: bool,
}

impl Nearest {
    fn standing_out(&self) -> impl Iterator<Item = Seq> {
        let stands_out = |hit: &&VectorHit| self.calibration.stands_out(hit.cosine);
        self.hits.iter().take_while(stands_out).map(|hit| hit.seq)
    }
}

/// The answers of all indices to a query, the preferred one first.
#[derive(Clone, Debug, PartialEq)]
pub struct Near(Vec<Nearest>);

/// The cosine of a memory, and its index.
#[derive(Clone, Copy)]
struct Known {
    cosine: f32,
    index: usize,
}

impl Near {
    /// Wraps the answers of indices, the preferred one first: a memory counts by the first index that has it.
    pub fn new(indices: impl Into<Vec<Nearest>>) -> Self {
        Self(indices.into())
    }

    /// Returns the models of indices that may hold more memories than they returned.
    pub fn incomplete(&self) -> impl Iterator<Item = &ModelKey> {
        self.0.iter().filter(|nearest| !nearest.complete).map(|nearest| &nearest.model)
    }

    /// Returns the sequence numbers of memories that stand out in the index that they count by, its nearest first.
    /// These are the ones to request from `VaultReader::at_seqs`, with the filter.
    pub fn standing_out(&self) -> Vec<Seq> {
        let Some((first, others)) = self.0.split_first() else { return Vec::new() };
        let mut seqs: Vec<Seq> = first.standing_out().collect();
        let mut preferred = first;
        let mut counted: HashSet<Seq> = HashSet::new();
        for nearest in others {
            counted.extend(preferred.hits.iter().map(|hit| hit.seq));
            seqs.extend(nearest.standing_out().filter(|seq| !counted.contains(seq)));
            preferred = nearest;
        }
        seqs
    }

    /// Adds memories near in meaning to those found by words. `passing` are the memories of [`Self::standing_out`] that
    /// pass the filter. `has_vector` tells whether a memory found by words, but not among the hits, has a vector.
    pub fn join(&self, found: &mut Vec<Found>, passing: Vec<LexicalHit>, has_vector: &dyn Fn(Seq) -> bool) {
        let known = self.known();
        // A memory that fits only by its time says nothing about how rare the words are.
        let by_text = found.iter().filter(|one| one.by.by_text());
        let best = by_text.map(|one| one.strength).fold(0.0, f64::max);
        let weight = if best > 0.0 { WEIGHT * (best / FULL_STRENGTH).min(1.0) } else { WEIGHT };
        let strength = |known: &Known| weight * self.calibration(*known).strength(known.cosine);
        for one in found.iter_mut() {
            let known = known.get(&one.hit.seq);
            one.cosine = known.map(|known| known.cosine);
            one.vector = known.map_or(0.0, strength);
        }
        let mut near: Vec<(LexicalHit, f32, f64)> = passing
            .into_iter()
            .filter_map(|hit| known.get(&hit.seq).map(|known| (hit, known)))
            .filter(|(_, known)| self.calibration(**known).stands_out(known.cosine))
            .map(|(hit, known)| (hit, known.cosine, strength(known)))
            .collect();
        near.sort_unstable_by(|a, b| b.2.total_cmp(&a.2).then(a.0.seq.cmp(&b.0.seq)));
        near.truncate(DEPTH);
        add(found, near);
        estimate(found, &|one| one.cosine.is_some() || has_vector(one.hit.seq));
    }

    /// Returns every memory that some index returned.
    fn known(&self) -> HashMap<Seq, Known> {
        let mut known = HashMap::with_capacity(self.0.iter().map(|nearest| nearest.hits.len()).max().unwrap_or(0));
        // In reverse, so that the preferred index overwrites the others.
        for (index, nearest) in self.0.iter().enumerate().rev() {
            known.extend(nearest.hits.iter().map(|hit| (hit.seq, Known { cosine: hit.cosine, index })));
        }
        known
    }

    fn calibration(&self, known: Known) -> Calibration {
        self.0[known.index].calibration
    }
}

/// Merges what vectors found into what words found, each memory once, ordered by sequence number.
fn add(found: &mut Vec<Found>, near: Vec<(LexicalHit, f32, f64)>) {
    found.sort_unstable_by_key(|one| one.hit.seq);
    let by_words = found.len();
    for (hit, cosine, strength) in near {
        if let Ok(index) = found[..by_words].binary_search_by_key(&hit.seq, |one| one.hit.seq) {
            let one = &mut found[index];
            // Memories that were read whole have no spot; this hit has one.
            one.hit = LexicalHit { bm25: one.hit.bm25, ..hit };
            one.by = one.by.and(FoundBy::VECTOR);
        } else {
            let only_near = Found::new(hit, 0.0, FoundBy::VECTOR);
            found.push(Found { vector: strength, cosine: Some(cosine), ..only_near });
        }
    }
    found.sort_unstable_by_key(|one| one.hit.seq);
}

/// Estimates the strength by vectors of memories that words found and that have no vector (they are new, or never get
/// one), so that they do not fall behind. The estimate is in proportion to the strengths by words of similar hits, and
/// no more than that of the nearest. One hit that is best by words and nearest is always included, for the case that no
/// other has a vector either.
fn estimate(found: &mut [Found], has_vector: &dyn Fn(&Found) -> bool) {
    let missing: Vec<bool> = found.iter().map(|one| one.by.by_text() && !has_vector(one)).collect();
    if !missing.contains(&true) {
        return;
    }
    let best = found.iter().map(|one| one.strength).fold(0.0, f64::max);
    let nearest = found.iter().map(|one| one.vector).fold(0.0, f64::max);
    let like = found.iter().zip(&missing).filter(|(one, missing)| one.by.by_text() && !**missing);
    let (words, vectors) =
        like.fold((best, nearest), |(words, vectors), (one, _)| (words + one.strength, vectors + one.vector));
    if words > 0.0 {
        for (one, _) in found.iter_mut().zip(&missing).filter(|(_, missing)| **missing) {
            one.vector = (one.strength * vectors / words).min(nearest);
        }
    }
}
