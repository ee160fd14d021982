//! The result of a write. Holds no content, so that records for idempotent replay contain no copy of it.

use serde::{Deserialize, Serialize};

use super::{MemoryState, Tier};
use crate::ids::MemoryId;
use crate::time::Timestamp;

/// The result of a write to one memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryReceipt {
    /// The memory.
    pub id: MemoryId,
    /// Its tier.
    pub tier: Tier,
    /// Its state.
    pub state: MemoryState,
    /// Bytes that count against quotas.
    pub size_bytes: u64,
    /// Its score in [0, 1].
    pub score: f64,
    /// Its etag after the write.
    pub etag: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// End of its grace window; `None` while active.
    pub delete_after: Option<Timestamp>,
    /// Whether secrets were masked in this write.
    #[serde(default)]
    pub masked: bool,
    /// Whether the memory existed already and was only confirmed.
    #[serde(default)]
    pub existing: bool,
}
