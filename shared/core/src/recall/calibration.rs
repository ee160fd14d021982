//! What vectors add to the words of a query: how much a cosine counts, and for whom.
//!
//! What all memories of a user have in common says nothing about which of them is meant, so a query is asked by what sets
//! it apart from them. A cosine means little by itself: for one model unrelated texts are at 0.1, for another at 0.7. So it
//! counts by how many deviations it lies above the mean of the user's own memories for the same query: far above the first,
//! each is worth two units of BM25, and below it less and less, but
//! something, so that among few memories that hold the same words the nearer one comes first. What no word found must
//! stand out to be found at all. Tuned on conversations 1-5 of LoCoMo, where the optimum is wide.

use crate::embedding::VectorHit;

/// Up to this many items of an index all cosines are asked for; beyond, the [`NEAREST`].
pub const ALL_UP_TO: u64 = 20_000;
/// How many of the nearest are asked for in a large index.
pub const NEAREST: usize = 400;

/// Deviations above the mean around which a cosine begins to count.
const THRESHOLD: f64 = 1.0;
/// Deviations above the mean from which a memory stands out: in a vault of none, where the mean is but the usual one, and
/// in a vault of [`SURE_FROM`].
const STANDS_OUT: (f64, f64) = (1.0, 0.5);
/// So many memories tell well where their mean is.
const SURE_FROM: f64 = 64.0;
/// More deviations beyond the threshold count no more; no cosine reaches it but where all others are the same.
const MAX_BEYOND: f64 = 40.0;

/// Of so many vectors half the mean is taken for what they have in common.
const COMMON_FROM: f32 = 64.0;
/// Squared length below which nothing is left of a query.
const LEAST_APART: f32 = 0.01;

/// Mean and deviation that unrelated texts have with a usual model.
const USUAL: (f64, f64) = (0.1, 0.12);
/// For how many memories the usual mean stands in a vault of none; a quarter less for each memory that there is.
const USUAL_MEAN_COUNTS: f64 = 4.0;
/// For how many the usual deviation stands in any vault.
const USUAL_DEVIATION_COUNTS: f64 = 8.0;

/// The part of a query's vector that sets it apart from what all memories of its user have in common, such as their
/// speakers and how they talk: that says nothing about which of them is meant. By the mean of so many vectors; a few may be
/// alike for what the query asks.
#[expect(clippy::cast_precision_loss, reason = "vectors of one user are far below 2^24 where it matters")]
pub fn apart(query: &[f32], centre: &[f32], vectors: u64) -> Vec<f32> {
    let share = vectors as f32 / (vectors as f32 + COMMON_FROM);
    let apart: Vec<f32> = query.iter().zip(centre).map(|(own, common)| own - share * common).collect();
    // A query that says what they all say, or a centre that is not known.
    if apart.iter().map(|x| x * x).sum::<f32>() < LEAST_APART { query.to_vec() } else { apart }
}

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
