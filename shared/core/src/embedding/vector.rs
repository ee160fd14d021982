//! Vectors and their subjects.

use crate::ids::{GoalId, Seq};

/// The item that a vector represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VectorSubject {
    /// A memory of the vault.
    Memory(Seq),
    /// A goal of the user.
    Goal(GoalId),
}

/// A subject as stored in the index: enough to tell whether it must be embedded again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredItem {
    /// The subject.
    pub subject: VectorSubject,
    /// Number of its vectors, 1 or more.
    pub chunks: u16,
    /// The subject's revision when it was embedded or last found unchanged.
    pub revision: u64,
    /// The first 64 bits of a hash over the embedded texts.
    pub fingerprint: u64,
}

/// A subject with its vectors, to be stored in the index.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedItem {
    /// The subject.
    pub subject: VectorSubject,
    /// The subject's revision when its text was read.
    pub revision: u64,
    /// The first 64 bits of a hash over the embedded texts.
    pub fingerprint: u64,
    /// One vector per chunk, in order, each of the model's dimension, finite, and of length 1 within rounding.
    pub vectors: Vec<Vec<f32>>,
}

/// A memory near a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorHit {
    /// The memory's number.
    pub seq: Seq,
    /// The nearest chunk.
    pub chunk: u16,
    /// Cosine of the angle to the query, in [-1, 1], within 0.01 of the unquantized value.
    pub cosine: f32,
}
