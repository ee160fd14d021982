//! Vectors: the index of one user's vectors, and the model that makes more of them.
//!
//! The index is derived and lies beside the vault. Embedders write it, one at a time for each user; any process may read it.
//! Its methods are synchronous: a memory-mapped index answers in microseconds, a large one in a few milliseconds, and one
//! that is asked over a network hands the other work of its thread over meanwhile.

use std::sync::Arc;

use super::BoxFuture;
use crate::embedding::{EmbeddedItem, ModelKey, StoredItem, VectorHit, VectorSubject};
use crate::error::Result;
use crate::ids::UserId;

/// Vectors that say well enough where the mean of all lies.
pub const CENTRE_OF: usize = 1_024;

/// The state of a user's index of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexState {
    /// The model of all its vectors.
    pub model: ModelKey,
    /// Memories and goals in it.
    pub items: u64,
    /// Vectors in it.
    pub vectors: u64,
    /// The version of the vault's ledger at which the index held everything that it should; `None` if never.
    pub in_sync_at: Option<u64>,
    /// Bytes of its files on disk; where it shares tables with others, of its rows and their keys, by the size of one.
    pub disk_bytes: u64,
}

/// Reads users' vectors; other processes may be writing them meanwhile.
pub trait VectorReader: Send + Sync {
    /// The index that answers for the user now; `None` if there is none, or it cannot be read (that is logged).
    fn active(&self, user: &UserId) -> Result<Option<IndexState>>;

    /// The index that is being built to take the place of the one that is active, and answers beside it for what it holds
    /// by now; `None` if none is, or it cannot be read (that is logged).
    fn building(&self, user: &UserId) -> Result<Option<IndexState>>;

    /// The memories nearest to `query`, nearest first, each once with its best chunk; at most `limit`. Exact while the
    /// index is small enough that `usize::MAX` gives all of them. Empty if the user has no index of this model.
    fn nearest(&self, user: &UserId, model: &ModelKey, query: &[f32], limit: usize) -> Result<Vec<VectorHit>>;

    /// The mean of the user's vectors, each of length 1, in the index of `model`; of [`CENTRE_OF`] where there are more. `None`
    /// if there is no vector.
    fn centre(&self, user: &UserId, model: &ModelKey) -> Result<Option<Vec<f32>>>;

    /// Which of these have vectors in the user's index of `model`.
    fn contains(&self, user: &UserId, model: &ModelKey, subjects: &[VectorSubject]) -> Result<Vec<bool>>;

    /// For each of `memories` the largest cosine between any of its chunks and any of each of `others`; `None` where
    /// either has no vector in the index that is active. One inner vector per memory, in the order of `others`.
    fn cosines(
        &self,
        user: &UserId,
        memories: &[VectorSubject],
        others: &[VectorSubject],
    ) -> Result<Vec<Vec<Option<f32>>>>;
}

/// Writes users' vectors. Everything one call does is one transaction: all of it or nothing survives a kill.
pub trait VectorWriter: VectorReader {
    /// The state of the user's index of `model`, whether it answers or not; `None` if there is none.
    fn state(&self, user: &UserId, model: &ModelKey) -> Result<Option<IndexState>>;

    /// Everything that the user's index of `model` holds, in order of subject.
    fn items(&self, user: &UserId, model: &ModelKey) -> Result<Vec<StoredItem>>;

    /// Puts items in place of those of the same subjects, removes `gone`, notes the revisions of what was found
    /// `unchanged`, and with `in_sync_at` that nothing is missing. Makes the index if there is none. While the index of
    /// another model is active, the one written to last is the one that is being built.
    fn write(&self, user: &UserId, model: &ModelKey, change: &IndexChange) -> Result<()>;

    /// Lets the user's index of `model` answer from now on, atomically, and removes those of other models.
    fn activate(&self, user: &UserId, model: &ModelKey) -> Result<()>;

    /// Lets none of the user's indices answer from now on; they stay, and can be activated.
    fn deactivate(&self, user: &UserId) -> Result<()>;

    /// Removes the user's index of `model`, readable or not, if there is one.
    fn drop_model(&self, user: &UserId, model: &ModelKey) -> Result<()>;

    /// Removes the user's indices of all models but these, readable or not.
    fn drop_others(&self, user: &UserId, keep: &[ModelKey]) -> Result<()>;

    /// Removes all of the user's indices.
    fn drop_all(&self, user: &UserId) -> Result<()>;
}

/// Gives each user one who works on his vectors at a time, among all processes that do: what a sync and another sync or an
/// upload do to one user at once they would undo to each other.
pub trait VectorTurns: Send + Sync {
    /// Waits until no other process works on the user's vectors; none does until what is returned is dropped. A turn may be
    /// lost unnoticed with the way to where it is kept: then two work at once, and the next sync puts it right.
    fn take<'a>(&'a self, user: &'a UserId) -> BoxFuture<'a, Result<Box<dyn Send>>>;
}

/// What one write does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexChange {
    /// Items to put.
    pub put: Vec<EmbeddedItem>,
    /// Subjects to remove; unknown ones are passed over.
    pub gone: Vec<VectorSubject>,
    /// Subjects whose text is the same, with their new revisions.
    pub unchanged: Vec<(VectorSubject, u64)>,
    /// The version of the vault's ledger that the index is in sync with after this, if it is.
    pub in_sync_at: Option<u64>,
}

/// Why a query has no vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoVector {
    /// The embedder does not answer, or failed.
    Unavailable,
    /// The embedder did not answer in time.
    TimedOut,
    /// The embedder does not have the model.
    NoSuchModel,
}

/// Why texts have no vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoVectors {
    /// The process stops.
    Stopping,
    /// The model gave none; without any of the texts.
    Failed(String),
}

/// Makes vectors of documents, in its own time: many calls at once share the model's batches.
pub trait DocumentEmbedder: Send + Sync {
    /// The model that vectors are made with.
    fn model(&self) -> &ModelKey;

    /// The vectors of texts, in their order, each of length 1. Fails for all of them or for none.
    fn embed_documents(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, NoVectors>>;
}

/// Makes vectors of queries, within the time that it was configured with.
pub trait QueryEmbedder: Send + Sync {
    /// The vector of a query by `model`, of length 1. Never waits for longer than its deadline.
    fn embed_query(&self, model: &ModelKey, text: &str) -> BoxFuture<'_, Result<Arc<[f32]>, NoVector>>;
}
