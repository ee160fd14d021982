//! What vectors add to the words of a query: how much a cosine counts, and for whom.
//!
//! A cosine means little by itself: for one model unrelated texts are at 0.1, for another at 0.7, and all memories of a
//! conversation share their speakers. So a cosine counts by how many deviations it lies above the mean of the user's own
//! memories for the same query: far above the first, each is worth two units of BM25, and below it less and less, but
//! something, so that among few memories that hold the same words the nearer one comes first. What no word found must
//! stand out to be found at all. Tuned on conversations 1-5 of LoCoMo, where the optimum is wide.

use std::collections::HashMap;

use super::candidates::Found;
use super::explain::FoundBy;
use crate::embedding::VectorHit;
use crate::ids::Seq;
use crate::ports::LexicalHit;

/// Up to this many items of an index all cosines are asked for; beyond, the [`NEAREST`].
pub const ALL_UP_TO: u64 = 20_000;
/// How many of the nearest are asked for in a large index.
pub const NEAREST: usize = 400;
/// Most memories found by their vectors that take part.
const DEPTH: usize = 200;

/// Deviations above the mean around which a cosine begins to count.
const THRESHOLD: f64 = 1.0;
/// Deviations above the mean from which a memory stands out: in a vault of none, where the mean is but the usual one, and
/// in a vault of [`SURE_FROM`].
const STANDS_OUT: (f64, f64) = (1.0, 0.5);
/// So many memories tell well where their mean is.
const SURE_FROM: f64 = 64.0;
/// What each deviation beyond the threshold counts in units of BM25.
const WEIGHT: f64 = 2.0;
/// More deviations beyond the threshold count no more; no cosine reaches it but where all others are the same.
const MAX_BEYOND: f64 = 40.0;
/// With a best hit by words below this the units are smaller: in a small vault no word is rare.
const FULL_STRENGTH: f64 = 3.0;

/// Mean and deviation that unrelated texts have with a usual model.
const USUAL: (f64, f64) = (0.1, 0.12);
/// For how many memories the usual mean stands in a vault of none; a quarter less for each memory that there is.
const USUAL_MEAN_COUNTS: f64 = 4.0;
/// For how many the usual deviation stands in any vault.
const USUAL_DEVIATION_COUNTS: f64 = 8.0;

/// What cosines of one query to one user's memories mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    mean: f64,
    deviation: f64,
    /// Deviations above the mean from which a memory stands out.
    stands_out: f64,
}

/// Cosines as they are met.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    count: usize,
    sum: f64,
    squares: f64,
}

impl Tally {
    /// Counts one.
    pub fn add(&mut self, cosine: f32) {
        let cosine = f64::from(cosine);
        self.count += 1;
        self.sum += cosine;
        self.squares += cosine * cosine;
    }

    /// What those that were counted mean; the usual ones stand in where there are few.
    pub fn calibration(&self) -> Calibration {
        let count = count(self.count);
        let stands_in = (USUAL_MEAN_COUNTS - count / 4.0).max(0.0);
        let mean = (self.sum + stands_in * USUAL.0) / (count + stands_in);
        let own = (self.squares - mean * (2.0 * self.sum - count * mean)).max(0.0);
        let off = USUAL.0 - mean;
        let usual = stands_in * off * off + USUAL_DEVIATION_COUNTS * USUAL.1 * USUAL.1;
        let deviation = ((own + usual) / (count + stands_in + USUAL_DEVIATION_COUNTS)).sqrt();
        let (few, many) = STANDS_OUT;
        Calibration { mean, deviation, stands_out: few + (many - few) * (count / SURE_FROM).min(1.0) }
    }
}

impl Calibration {
    /// From the cosines of all memories.
    pub fn of_all(hits: &[VectorHit]) -> Self {
        let mut tally = Tally::default();
        for hit in hits {
            tally.add(hit.cosine);
        }
        tally.calibration()
    }

    /// From the cosines of the nearest of `all`, nearest first: where a normal distribution would have to lie to have them
    /// at its end.
    pub fn of_nearest(hits: &[VectorHit], all: u64) -> Self {
        let (Some(last), Some(inner)) = (hits.last(), hits.get(hits.len() / 8)) else { return Self::of_all(hits) };
        let share = |place: usize| (count(place) + 0.5) / count(usize::try_from(all).unwrap_or(usize::MAX)).max(1.0);
        let (far, near) = (normal_quantile(share(hits.len() - 1)), normal_quantile(share(hits.len() / 8)));
        let (lowest, higher) = (f64::from(last.cosine), f64::from(inner.cosine));
        if near <= far || higher <= lowest {
            return Self::of_all(hits);
        }
        let deviation = (higher - lowest) / (near - far);
        Self { mean: lowest - far * deviation, deviation, stands_out: STANDS_OUT.1 }
    }

    /// Deviations above the mean, each taken as `least` at least.
    pub fn deviations(self, cosine: f32, least: f64) -> f64 {
        (f64::from(cosine) - self.mean) / self.deviation.max(least)
    }

    /// What a cosine counts: deviations beyond the threshold where there are many, and ever less below it.
    pub fn strength(self, cosine: f32) -> f64 {
        libm::log1p(libm::exp((self.deviations(cosine, 0.0) - THRESHOLD).min(MAX_BEYOND)))
    }

    /// Whether a cosine is reason enough to find a memory.
    pub fn stands_out(self, cosine: f32) -> bool {
        self.deviations(cosine, 0.0) > self.stands_out
    }
}

/// How far above the mean of a normal distribution the given share of it, at most a half, begins, in deviations. By
/// Abramowitz and Stegun 26.2.23, within 0.00045.
fn normal_quantile(share: f64) -> f64 {
    let t = (-2.0 * libm::log(share.clamp(1e-12, 0.5))).sqrt();
    t - (2.515_517 + t * (0.802_853 + t * 0.010_328)) / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)))
}

#[expect(clippy::cast_precision_loss, reason = "memories of one user are far below 2^53")]
fn count(n: usize) -> f64 {
    n as f64
}

/// What an index said about a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// Memories with their cosines, nearest first.
    pub hits: Vec<VectorHit>,
    /// What the cosines mean.
    pub calibration: Calibration,
    /// Whether these are all memories that have a vector.
    pub complete: bool,
}

impl Nearest {
    /// The numbers of those that stand out, the nearest: what to ask `VaultReader::at_seqs` for, with the filter.
    pub fn standing_out(&self) -> Vec<Seq> {
        let stands_out = |hit: &&VectorHit| self.calibration.stands_out(hit.cosine);
        self.hits.iter().take_while(stands_out).map(|hit| hit.seq).collect()
    }

    /// Adds what is near in meaning to what was found by words. `passing` is what the vault knows of [`Self::standing_out`]
    /// and lets through the filter; `has_vector` tells of what was found by words and is not among the hits.
    pub fn join(&self, found: &mut Vec<Found>, passing: Vec<LexicalHit>, has_vector: &dyn Fn(Seq) -> bool) {
        let cosines: HashMap<Seq, f32> = self.hits.iter().map(|hit| (hit.seq, hit.cosine)).collect();
        // What fits by its time alone says nothing about how rare the words are.
        let by_text = found.iter().filter(|one| one.by.by_text());
        let best = by_text.map(|one| one.strength).fold(0.0, f64::max);
        let weight = if best > 0.0 { WEIGHT * (best / FULL_STRENGTH).min(1.0) } else { WEIGHT };
        let strength = |cosine: &f32| weight * self.calibration.strength(*cosine);
        for one in found.iter_mut() {
            one.cosine = cosines.get(&one.hit.seq).copied();
            one.vector = one.cosine.as_ref().map_or(0.0, strength);
        }
        let mut near: Vec<(LexicalHit, f32, f64)> = passing
            .into_iter()
            .filter_map(|hit| cosines.get(&hit.seq).map(|cosine| (hit, *cosine, strength(cosine))))
            .filter(|(_, cosine, _)| self.calibration.stands_out(*cosine))
            .collect();
        near.sort_unstable_by(|a, b| b.2.total_cmp(&a.2).then(a.0.seq.cmp(&b.0.seq)));
        near.truncate(DEPTH);
        add(found, near);
        estimate(found, &|one| one.cosine.is_some() || has_vector(one.hit.seq));
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
