//! Synthetic vectors like those of sentence models, from a seed: few directions hold most of the variance, texts form
//! clusters of uneven size, and each has noise of its own.

use std::io::{BufWriter, Write as _};
use std::path::Path;

use kimberly_core::embedding::{EmbeddedItem, VectorSubject};
use kimberly_core::ids::Seq;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::Result;

/// The dimension of all-MiniLM-L6-v2.
pub(super) const DIMENSION: u32 = 384;
/// Directions that hold most of the variance.
const LATENT: usize = 40;
/// Mean vectors per cluster.
const CLUSTER: usize = 60;
/// Distance of texts from their cluster's centre, and noise in every dimension.
const SPREAD: f32 = 0.7;
const NOISE: f32 = 1.5;
/// The number of nearest vectors that count as correct.
pub(super) const NEAREST: usize = 10;

/// The data for one size.
pub(super) struct Data {
    /// The initial vectors.
    pub(super) rows: Vec<Vec<f32>>,
    /// Vectors added later: one in 32.
    pub(super) extra: Vec<Vec<f32>>,
    /// The queries.
    pub(super) queries: Vec<Vec<f32>>,
    /// The rows nearest to each query, by exact comparison of 32-bit floats.
    pub(super) nearest: Vec<Vec<usize>>,
}

impl Data {
    /// Deterministic for equal arguments.
    pub(super) fn new(rows: usize, queries: usize) -> Self {
        let space = Space::new(rows.div_ceil(CLUSTER).max(4));
        let mut rng = StdRng::seed_from_u64(rows as u64);
        let mut many = |count: usize| -> Vec<Vec<f32>> { (0..count).map(|_| space.vector(&mut rng)).collect() };
        let (rows, extra, queries) = (many(rows), many(rows.div_ceil(32)), many(queries));
        let nearest = queries.iter().map(|query| nearest(&rows, query)).collect();
        Self { rows, extra, queries, nearest }
    }

    /// Writes rows, extra rows and queries for a peer.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let mut file = BufWriter::new(std::fs::File::create(path)?);
        for number in self.rows.iter().chain(&self.extra).chain(&self.queries).flatten() {
            file.write_all(&number.to_le_bytes())?;
        }
        Ok(file.flush()?)
    }
}

/// Vectors as memories, numbered from `first`.
pub(super) fn items(vectors: &[Vec<f32>], first: i64) -> Vec<EmbeddedItem> {
    let item = |(seq, vector): (i64, &Vec<f32>)| EmbeddedItem {
        subject: VectorSubject::Memory(Seq(seq)),
        revision: 1,
        fingerprint: seq.unsigned_abs(),
        vectors: vec![vector.clone()],
    };
    (first..).zip(vectors).map(item).collect()
}

struct Space {
    directions: Vec<[f32; LATENT]>,
    centres: Vec<[f32; LATENT]>,
}

impl Space {
    fn new(clusters: usize) -> Self {
        let mut rng = StdRng::seed_from_u64(7);
        let mut points = |count: usize| -> Vec<[f32; LATENT]> {
            (0..count).map(|_| std::array::from_fn(|_| normal(&mut rng))).collect()
        };
        Self { directions: points(DIMENSION as usize), centres: points(clusters) }
    }

    fn vector(&self, rng: &mut StdRng) -> Vec<f32> {
        // The minimum of two random indices: clusters at the front are larger.
        let index = rng.random_range(0..self.centres.len()).min(rng.random_range(0..self.centres.len()));
        let point: Vec<f32> = self.centres[index].iter().map(|centre| centre + SPREAD * normal(rng)).collect();
        let along = |direction: &[f32; LATENT]| direction.iter().zip(&point).map(|(a, b)| a * b).sum::<f32>();
        let vector: Vec<f32> = self.directions.iter().map(|d| along(d) + NOISE * normal(rng)).collect();
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.into_iter().map(|x| x / length).collect()
    }
}

/// An approximate normal distribution: the sum of twelve uniform values.
fn normal(rng: &mut StdRng) -> f32 {
    (0..12).map(|_| rng.random::<f32>()).sum::<f32>() - 6.0
}

fn nearest(rows: &[Vec<f32>], query: &[f32]) -> Vec<usize> {
    let cosine = |row: &Vec<f32>| row.iter().zip(query).map(|(a, b)| a * b).sum::<f32>();
    let mut scored: Vec<(f32, usize)> = rows.iter().map(cosine).zip(0..).collect();
    scored.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(NEAREST).map(|(_, row)| row).collect()
}
