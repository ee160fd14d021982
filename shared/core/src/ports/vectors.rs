//! Vectors: each user's index, and the model that computes vectors.
//!
//! The index is derived data, stored beside the vault. Embedders write it, one at a time per user; any process may
//! read it. Its methods are synchronous: a memory-mapped index answers in microseconds, a large one in a few
//! milliseconds, and a networked one moves the other work of its thread elsewhere meanwhile.

use std::sync::Arc;

use super::BoxFuture;
use crate::embedding::{EmbeddedItem, ModelKey, StoredItem, VectorHit, VectorSubject};
use crate::error::Result;
use crate::ids::UserId;

/// Number of vectors that estimate the mean of all well enough.
pub const CENTRE_OF: usize = 1_024;

/// The state of a user's index for one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexState {
    /// The model of all its vectors.
    pub model: ModelKey,
    /// Number of memories and goals in it.
    pub items: u64,
    /// Number of vectors in it.
    pub vectors: u64,
    /// The version of the vault's ledger at which the index was last complete; `None` if never.
    pub in_sync_at: Option<u64>,
    /// Size of its files on disk, in bytes; in shared tables, of its rows and keys, estimated from the size of one.
    pub disk_bytes: u64,
}

/// Reads users' vectors; other processes may write them at the same time.
pub trait VectorReader: Send + Sync {
    /// The index that currently answers for the user; `None` if there is none or it cannot be read (which is logged).
    fn active(&self, user: &UserId) -> Result<Option<IndexState>>;

    /// The index that is being built to replace the active one. It already answers for what it holds, beside the
    /// active one. `None` if there is none or it cannot be read (which is logged).
    fn building(&self, user: &UserId) -> Result<Option<IndexState>>;

    /// The memories nearest to `query`, nearest first, each once with its best chunk; at most `limit`. Exact while the
    /// index is small enough that `usize::MAX` returns all of them. Empty if the user has no index for this model.
    fn nearest(&self, user: &UserId, model: &ModelKey, query: &[f32], limit: usize) -> Result<Vec<VectorHit>>;

    /// The mean of the user's vectors, each of length 1, in the index of `model`; of [`CENTRE_OF`] vectors if there
    /// are more. `None` if there are none.
    fn centre(&self, user: &UserId, model: &ModelKey) -> Result<Option<Vec<f32>>>;

    /// Reports which of these have vectors in the user's index of `model`.
    fn contains(&self, user: &UserId, model: &ModelKey, subjects: &[VectorSubject]) -> Result<Vec<bool>>;

    /// For each of `memories` the largest cosine between any of its chunks and any of each of `others`; `None` if
    /// either has no vector in the active index. One inner vector per memory, in the order of `others`.
    fn cosines(
        &self,
        user: &UserId,
        memories: &[VectorSubject],
        others: &[VectorSubject],
    ) -> Result<Vec<Vec<Option<f32>>>>;
}

/// Writes users' vectors. Each call is one transaction: all or nothing of it survives a kill.
pub trait VectorWriter: VectorReader {
    /// The state of the user's index of `model`, active or not; `None` if there is none.
    fn state(&self, user: &UserId, model: &ModelKey) -> Result<Option<IndexState>>;

    /// All items in the user's index of `model`, ordered by subject.
    fn items(&self, user: &UserId, model: &ModelKey) -> Result<Vec<StoredItem>>;

    /// Inserts or replaces items by subject, removes `gone`, updates the revisions of `unchanged`, and with
    /// `in_sync_at` records that nothing is missing. Creates the index if there is none. While the index of another
    /// model is active, the one written to last is the one being built.
    fn write(&self, user: &UserId, model: &ModelKey, change: &IndexChange) -> Result<()>;

    /// Makes the user's index of `model` the active one, atomically, and removes those of other models.
    fn activate(&self, user: &UserId, model: &ModelKey) -> Result<()>;

    /// Deactivates all of the user's indices; they stay and can be activated again.
    fn deactivate(&self, user: &UserId) -> Result<()>;

    /// Removes the user's index of `model`, readable or not, if there is one.
    fn drop_model(&self, user: &UserId, model: &ModelKey) -> Result<()>;

    /// Removes the user's indices of all models except these, readable or not.
    fn drop_others(&self, user: &UserId, retained: &[ModelKey]) -> Result<()>;

    /// Removes all of the user's indices.
    fn drop_all(&self, user: &UserId) -> Result<()>;
}

/// Serializes work on a user's vectors across all processes: concurrent syncs or uploads for one user would undo each
/// other.
pub trait VectorTurns: Send + Sync {
    /// Waits until no other process works on the user's vectors and locks them until the result is dropped. A lock may
    /// be lost unnoticed when its server becomes unreachable: then two work at once, and the next sync repairs the
    /// index.
    fn take<'a>(&'a self, user: &'a UserId) -> BoxFuture<'a, Result<Box<dyn Send>>>;
}

/// The changes of one write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexChange {
    /// Items to insert or replace.
    pub put: Vec<EmbeddedItem>,
    /// Subjects to remove; unknown ones are ignored.
    pub gone: Vec<VectorSubject>,
    /// Subjects with unchanged text, and their new revisions.
    pub unchanged: Vec<(VectorSubject, u64)>,
    /// The version of the vault's ledger that the index matches after this, if it does.
    pub in_sync_at: Option<u64>,
}

/// Why a query has no vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoVector {
    /// The embedder does not answer or failed.
    Unavailable,
    /// The embedder did not answer in time.
    TimedOut,
    /// The embedder does not have the model.
    NoSuchModel,
}

/// Why texts have no vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoVectors {
    /// The process is stopping.
    Stopping,
    /// The model failed. The message contains none of the texts.
    Failed(String),
}

/// Computes vectors of documents, without a deadline: concurrent calls share the model's batches.
pub trait DocumentEmbedder: Send + Sync {
    /// The model that computes the vectors.
    fn model(&self) -> &ModelKey;

    /// Returns the vectors of texts, in order, each of length 1. Fails for all of them or none.
    fn embed_documents(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, NoVectors>>;
}

/// Computes vectors of queries, within a configured deadline.
pub trait QueryEmbedder: Send + Sync {
    /// Returns the vector of a query by `model`, of length 1. Never waits beyond its deadline.
    fn embed_query(&self, model: &ModelKey, text: &str) -> BoxFuture<'_, Result<Arc<[f32]>, NoVector>>;
}
