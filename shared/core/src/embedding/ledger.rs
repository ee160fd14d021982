//! What a vault remembers about its vectors: what waits, what was found at the last sync, what was computed when.

use crate::time::Timestamp;

/// A user's ledger, as of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingLedger {
    /// Whether a job is on its way to the embedder.
    pub waiting: bool,
    /// When the user asked not to wait for the window, until that is done.
    pub asked_at: Option<Timestamp>,
    /// Whether all vectors are to be made again.
    pub anew: bool,
    /// What the last sync left.
    pub report: Option<EmbeddingReport>,
    /// Vectors computed on the day,
    pub today: u64,
    /// and in its week up to it, from Monday.
    pub this_week: u64,
    /// Rises with every change that vectors may depend on.
    pub version: u64,
}

/// How a sync left a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingReport {
    /// When.
    pub at: Timestamp,
    /// Vectors that are needed in all; at least so many if there are more than the cap.
    pub needed: u64,
    /// Those of them that are still to be computed.
    pub missing: u64,
    /// Memories and goals that the model could not read.
    pub failed: u64,
    /// The ledger's version that it was made from.
    pub version: u64,
}

impl EmbeddingReport {
    /// In place of a version while the missing vectors are being made. No ledger of a user who has anything is at it.
    pub const UNDER_WAY: u64 = 0;
}
