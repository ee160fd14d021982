//! Vectors and what they stand for.

use crate::ids::{GoalId, Seq};

/// What a vector stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VectorSubject {
    /// A memory of the vault.
    Memory(Seq),
    /// A goal of the user.
    Goal(GoalId),
}

/// One vector: a subject has one for each chunk of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VectorId {
    /// What it stands for.
    pub subject: VectorSubject,
    /// Which chunk of its text, from 0.
    pub chunk: u16,
}

/// A subject as the index holds it: enough to tell whether it must be embedded again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredItem {
    /// What it stands for.
    pub subject: VectorSubject,
    /// How many vectors it has, 1 or more.
    pub chunks: u16,
    /// The subject's revision when it was embedded or last found unchanged.
    pub revision: u64,
    /// The first 64 bits of a hash over the embedded texts.
    pub fingerprint: u64,
}

/// A subject with its vectors, for the index to take.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedItem {
    /// What it stands for.
    pub subject: VectorSubject,
    /// The subject's revision when its text was read.
    pub revision: u64,
    /// The first 64 bits of a hash over the embedded texts.
    pub fingerprint: u64,
    /// One vector a chunk, in order, each of the model's dimension, finite and of length 1 within rounding.
    pub vectors: Vec<Vec<f32>>,
}

/// A memory that is near to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorHit {
    /// Its number.
    pub seq: Seq,
    /// The chunk that is nearest.
    pub chunk: u16,
    /// Cosine of the angle to the query, in [-1, 1], within 0.01 of that of the unquantized vectors.
    pub cosine: f32,
}
