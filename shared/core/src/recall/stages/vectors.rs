//! Joins what vectors say about a query with what its words found.
//!
//! Usually one index answers. While the vectors of one model take the place of another's there are two: each is asked with
//! its own model's vector of the query, and its cosines mean what they mean among its own. A memory that both know counts
//! by the new one.

use std::collections::{HashMap, HashSet};

use super::explain::FoundBy;
use crate::embedding::{ModelKey, VectorHit};
use crate::ids::Seq;
use crate::ports::LexicalHit;
use crate::recall::calibration::Calibration;
use crate::recall::candidates::Found;

/// Most memories found by their vectors that take part.
const DEPTH: usize = 200;
/// What each deviation beyond the threshold counts in units of BM25.
const WEIGHT: f64 = 2.0;
/// With a best hit by words below this the units are smaller: in a small vault no word is rare.
const FULL_STRENGTH: f64 = 3.0;

/// What an index said about a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// The model of the index.
    pub model: ModelKey,
    /// Memories with their cosines, nearest first.
    pub hits: Vec<VectorHit>,
    /// What the cosines mean.
    pub calibration: Calibration,
    /// Whether these are all memories that have a vector in the index.
    pub complete: bool,
}

impl Nearest {
    fn standing_out(&self) -> impl Iterator<Item = Seq> {
        let stands_out = |hit: &&VectorHit| self.calibration.stands_out(hit.cosine);
        self.hits.iter().take_while(stands_out).map(|hit| hit.seq)
    }
}

/// What all indices that answer said about a query, the preferred one first.
#[derive(Clone, Debug, PartialEq)]
pub struct Near(Vec<Nearest>);

/// What is known of a memory: its cosine, and the index that it is of.
#[derive(Clone, Copy)]
struct Known {
    cosine: f32,
    index: usize,
}

impl Near {
    /// By indices, the preferred one first: a memory counts by the first that knows it.
    pub fn new(indices: impl Into<Vec<Nearest>>) -> Self {
        Self(indices.into())
    }

    /// Models of indices that may hold more memories than they named.
    pub fn incomplete(&self) -> impl Iterator<Item = &ModelKey> {
        self.0.iter().filter(|nearest| !nearest.complete).map(|nearest| &nearest.model)
    }

    /// The numbers of those that stand out in the index that they count by, its nearest first: what to ask
    /// `VaultReader::at_seqs` for, with the filter.
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

    /// Adds what is near in meaning to what was found by words. `passing` is what the vault knows of [`Self::standing_out`]
    /// and lets through the filter; `has_vector` tells of what was found by words and is not among the hits.
    pub fn join(&self, found: &mut Vec<Found>, passing: Vec<LexicalHit>, has_vector: &dyn Fn(Seq) -> bool) {
        let known = self.known();
        // What fits by its time alone says nothing about how rare the words are.
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

    /// Every memory that some index named.
    fn known(&self) -> HashMap<Seq, Known> {
        let mut known = HashMap::with_capacity(self.0.iter().map(|nearest| nearest.hits.len()).max().unwrap_or(0));
        // From the last, so that the first has the last word.
        for (index, nearest) in self.0.iter().enumerate().rev() {
            known.extend(nearest.hits.iter().map(|hit| (hit.seq, Known { cosine: hit.cosine, index })));
        }
        known
    }

    fn calibration(&self, known: Known) -> Calibration {
        self.0[known.index].calibration
    }
}

/// Puts what vectors found beside what words found, each memory once, in order of number.
fn add(found: &mut Vec<Found>, near: Vec<(LexicalHit, f32, f64)>) {
    found.sort_unstable_by_key(|one| one.hit.seq);
    let by_words = found.len();
    for (hit, cosine, strength) in near {
        if let Ok(index) = found[..by_words].binary_search_by_key(&hit.seq, |one| one.hit.seq) {
            let one = &mut found[index];
            // What was read whole came without its place; here it has one.
            one.hit = LexicalHit { bm25: one.hit.bm25, ..hit };
            one.by = one.by.and(FoundBy::VECTOR);
        } else {
            let only_near = Found::new(hit, 0.0, FoundBy::VECTOR);
            found.push(Found { vector: strength, cosine: Some(cosine), ..only_near });
        }
    }
    found.sort_unstable_by_key(|one| one.hit.seq);
}

/// What words found and has no vector (it is new, or never gets one) must not fall behind for that: it counts as its like
/// do, in proportion to their strengths by words, and no more than the nearest. Among its like is one that is best by
/// words and nearest, so that something is known where all others have no vector either.
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
