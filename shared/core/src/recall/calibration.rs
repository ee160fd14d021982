//! Calibrates vectors: how much a cosine counts beside the words of a query, and when it finds a memory.
//!
//! The common part of all memories of a user does not distinguish them, so the query's vector is reduced to
//! what sets it apart from them. A cosine means little by itself: unrelated texts are at 0.1 for one model and at 0.7
//! for another. So it counts by the number of standard deviations that it lies above the mean of the user's own
//! memories for the same query. Far above the first deviation, each one is worth two units of BM25. Below it a
//! deviation counts less and less, but always something, so that of few memories with the same words the nearer one
//! comes first. A memory that no word found must stand out to be found at all. Tuned on conversations 1-5 of LoCoMo,
//! where the optimum is flat.

use crate::embedding::VectorHit;

/// In an index of up to this many items all cosines are read; in a larger one, those of the [`NEAREST`].
pub const ALL_UP_TO: u64 = 20_000;
/// How many of the nearest items are read from a large index.
pub const NEAREST: usize = 400;

/// Deviations above the mean around which a cosine begins to count.
const THRESHOLD: f64 = 1.0;
/// Deviations above the mean from which a memory stands out: in an empty vault, where the mean is only the usual one,
/// and in a vault of [`SURE_FROM`] memories.
const STANDS_OUT: (f64, f64) = (1.0, 0.5);
/// The number of memories that gives a reliable mean.
const SURE_FROM: f64 = 64.0;
/// The most deviations beyond the threshold that count. A cosine reaches it only if all others are the same.
const MAX_BEYOND: f64 = 40.0;

/// With this many vectors, half of their mean is taken as common to all.
const COMMON_FROM: f32 = 64.0;
/// Squared length below which a reduced query has nothing left.
const LEAST_APART: f32 = 0.01;

/// Mean and standard deviation of unrelated texts with a usual model.
const USUAL: (f64, f64) = (0.1, 0.12);
/// The number of memories that the usual mean stands in for in an empty vault; a quarter less for each memory.
const USUAL_MEAN_COUNTS: f64 = 4.0;
/// The number of memories that the usual deviation stands in for in any vault.
const USUAL_DEVIATION_COUNTS: f64 = 8.0;

/// Returns the part of a query's vector that sets it apart from what all memories of its user have in common, such as
/// their speakers and their style. `centre` is the mean of `vectors` vectors. With few vectors less of it is
/// subtracted, since a few may be alike in just what the query asks for.
#[expect(clippy::cast_precision_loss, reason = "vectors of one user are far below 2^24 where it matters")]
pub fn apart(query: &[f32], centre: &[f32], vectors: u64) -> Vec<f32> {
    let share = vectors as f32 / (vectors as f32 + COMMON_FROM);
    let apart: Vec<f32> = query.iter().zip(centre).map(|(own, common)| own - share * common).collect();
    // The query says what all memories say, or the centre is unknown.
    if apart.iter().map(|x| x * x).sum::<f32>() < LEAST_APART { query.to_vec() } else { apart }
}

/// The distribution of cosines between one query and one user's memories.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    mean: f64,
    deviation: f64,
    /// Deviations above the mean from which a memory stands out.
    stands_out: f64,
}

/// Sums over cosines, to compute their distribution.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    count: usize,
    sum: f64,
    squares: f64,
}

impl Tally {
    /// Adds a cosine.
    pub fn add(&mut self, cosine: f32) {
        let cosine = f64::from(cosine);
        self.count += 1;
        self.sum += cosine;
        self.squares += cosine * cosine;
    }

    /// Returns the distribution of the cosines added. With few cosines, the usual values fill in.
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
    /// Computes the distribution from the cosines of all memories.
    pub fn of_all(hits: &[VectorHit]) -> Self {
        let mut tally = Tally::default();
        for hit in hits {
            tally.add(hit.cosine);
        }
        tally.calibration()
    }

    /// Computes the distribution from the cosines of the nearest of `all`, nearest first: the normal distribution that
    /// has them at its upper end.
    pub fn of_nearest(hits: &[VectorHit], all: u64) -> Self {
        let (Some(last), Some(inner)) = (hits.last(), hits.get(hits.len() / 8)) else { return Self::of_all(hits) };
        let share = |rank: usize| (count(rank) + 0.5) / count(usize::try_from(all).unwrap_or(usize::MAX)).max(1.0);
        let (far, near) = (normal_quantile(share(hits.len() - 1)), normal_quantile(share(hits.len() / 8)));
        let (lowest, higher) = (f64::from(last.cosine), f64::from(inner.cosine));
        if near <= far || higher <= lowest {
            return Self::of_all(hits);
        }
        let deviation = (higher - lowest) / (near - far);
        Self { mean: lowest - far * deviation, deviation, stands_out: STANDS_OUT.1 }
    }

    /// Returns the number of deviations above the mean, with a deviation of at least `least`.
    pub fn deviations(self, cosine: f32, least: f64) -> f64 {
        (f64::from(cosine) - self.mean) / self.deviation.max(least)
    }

    /// Returns the strength of a cosine: about the deviations beyond the threshold if there are many, and ever less
    /// below it.
    pub fn strength(self, cosine: f32) -> f64 {
        libm::log1p(libm::exp((self.deviations(cosine, 0.0) - THRESHOLD).min(MAX_BEYOND)))
    }

    /// Reports whether a cosine alone is enough to find a memory.
    pub fn stands_out(self, cosine: f32) -> bool {
        self.deviations(cosine, 0.0) > self.stands_out
    }
}

/// Returns the number of deviations above the mean of a normal distribution at which the given upper share of it
/// begins. The share is at most a half. By Abramowitz and Stegun 26.2.23, within 0.00045.
fn normal_quantile(share: f64) -> f64 {
    let t = (-2.0 * libm::log(share.clamp(1e-12, 0.5))).sqrt();
    t - (2.515_517 + t * (0.802_853 + t * 0.010_328)) / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)))
}

#[expect(clippy::cast_precision_loss, reason = "memories of one user are far below 2^53")]
fn count(n: usize) -> f64 {
    n as f64
}
