//! The embedding state of a vault: pending work, the result of the last sync, and counts of computed vectors.

use crate::time::Timestamp;

/// A user's embedding state, as of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingLedger {
    /// Whether a job is queued for the embedder.
    pub waiting: bool,
    /// When the user asked for vectors outside the window; `None` once they are computed.
    pub asked_at: Option<Timestamp>,
    /// Whether all vectors must be recomputed.
    pub rebuild: bool,
    /// The report of the last sync.
    pub report: Option<EmbeddingReport>,
    /// Vectors computed on this day.
    pub today: u64,
    /// Vectors computed from Monday of its week up to this day.
    pub this_week: u64,
    /// Increases with every change that may affect vectors.
    pub version: u64,
}

/// The result of a sync for a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingReport {
    /// Time of the sync.
    pub at: Timestamp,
    /// Vectors needed in all; a lower bound if they exceed the cap.
    pub needed: u64,
    /// How many of those must still be computed.
    pub missing: u64,
    /// Memories and goals that the model could not read.
    pub failed: u64,
    /// The ledger's version that the report is based on.
    pub version: u64,
}

impl EmbeddingReport {
    /// Stored as the version while missing vectors are being computed. The ledger of a user with any data never has it.
    pub const UNDER_WAY: u64 = 0;
}
