//! Vectors of a user's memories and goals: computed in the background, requested, uploaded, reported.
//!
//! The embedder syncs and takes uploads, as the only process that writes an index; the api does the rest.

mod export_texts;
mod page;
mod request;
mod status;
mod sync;
mod upload;

use std::sync::Arc;

pub use export_texts::{ExportTextsInput, SubjectTexts, TextsExport, TextsPiece};
pub use request::RequestEmbeddingInput;
pub(crate) use status::is_disabled;
pub use status::{EmbeddingState, EmbeddingStatus};
pub use sync::Synced;
pub use upload::{UploadInput, UploadItem, UploadOutcome};

use crate::embedding::{ModelKey, StoredItem};
use crate::error::{Error, Result, StorageFailure};
use crate::ids::{GoalId, MemoryId, UserId};
use crate::ports::{DocumentEmbedder, Registry, VectorWriter};

/// The dependencies of updating vectors. Cheap to clone.
#[derive(Clone)]
pub struct VectorUpdater {
    /// The indexes of all users.
    pub vectors: Arc<dyn VectorWriter>,
    /// The model that computes new vectors.
    pub model: Arc<dyn DocumentEmbedder>,
    /// The registry of users.
    pub registry: Arc<dyn Registry>,
}

impl VectorUpdater {
    /// Returns what the index of a model holds. Removes a damaged index, as indexes are derived, and returns nothing.
    pub(crate) fn held(&self, user: &UserId, model: &ModelKey) -> Result<Vec<StoredItem>> {
        match self.vectors.items(user, model) {
            Err(Error::Storage { failure: StorageFailure::Corrupt, .. }) => {
                self.vectors.drop_model(user, model).map(|()| Vec::new())
            }
            read => read,
        }
    }
}

/// A memory or goal that has vectors, by the id that callers know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubjectId {
    /// A memory.
    Memory(MemoryId),
    /// A goal.
    Goal(GoalId),
}

impl SubjectId {
    /// Parses `mem_...` or `goal_...`; the error names `field`.
    pub fn parse(field: &str, raw: &str) -> Result<Self> {
        if raw.starts_with("goal_") {
            GoalId::parse(field, raw).map(Self::Goal)
        } else {
            MemoryId::parse(field, raw).map(Self::Memory)
        }
    }
}

impl std::fmt::Display for SubjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Memory(id) => id.fmt(f),
            Self::Goal(id) => id.fmt(f),
        }
    }
}
