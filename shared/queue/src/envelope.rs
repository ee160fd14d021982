//! The queue's message: an envelope of ids.
//!
//! Must never hold memory text: `queue.db` reveals who meditated when, but not about what.

use serde::{Deserialize, Serialize};

/// The envelope version this build writes and reads.
pub(crate) const VERSION: u32 = 1;

/// One job as stored, in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobEnvelope {
    /// Version of this envelope, 1.
    pub v: u32,
    /// The kind of job, for example `meditate`.
    pub kind: String,
    /// The owner of the vault; empty for jobs that name no user.
    pub user_id: String,
    /// The meditation or purge of the job; empty for others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject_id: String,
    /// The idempotency key, a uuid: pushing it twice creates one job.
    pub job_id: String,
    /// W3C trace context of the caller that pushed the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
}
