//! Work that follows from a write, and the rows in which it waits in the vault for the relay.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::ids::{MeditationId, MemoryId};
use crate::time::Timestamp;

/// Work that follows from a write; contains only ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Job {
    /// Carry out a meditation run.
    Meditate {
        /// The run.
        meditation_id: MeditationId,
    },
    /// Synchronize the user's vectors with the vault.
    Embed,
    /// Erase the remaining memories whose consent was retracted.
    Erase,
    /// Read the observed turns.
    Extract {
        /// Delay in seconds; 0 for none.
        after_s: u64,
    },
    /// Compact a session.
    Compact {
        /// One of its turns.
        turn_id: MemoryId,
    },
    /// Have the language model phrase a summary.
    Summarize {
        /// The summary.
        summary_id: MemoryId,
        /// Delay in seconds; 0 for none.
        after_s: u64,
    },
    /// Remove the bytes of deleted attachments, and attachments without references.
    Attachments {
        /// Delay in seconds; 0 for none.
        after_s: u64,
    },
}

/// A job waiting in a vault for the relay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxRow {
    /// Position in the outbox.
    pub position: i64,
    /// Id of the job; the queue's idempotency key.
    pub job_id: Uuid,
    /// The job.
    pub job: Job,
    /// When it was written.
    pub created_at: Timestamp,
    /// W3C trace context of the request that caused it.
    pub traceparent: Option<String>,
}
