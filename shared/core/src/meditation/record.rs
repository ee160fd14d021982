//! The record of a run: what started it, how far it is, and what it did.

use serde::{Deserialize, Serialize};

use super::Asked;
use crate::ids::MeditationId;
use crate::memory::{Tier, names};
use crate::time::Timestamp;

/// The status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeditationStatus {
    /// Waiting for a worker.
    Scheduled,
    /// A worker carries it out.
    Running,
    /// Done.
    Complete,
    /// Failed, or given up.
    Failed,
}
names!(MeditationStatus { Scheduled => "scheduled", Running => "running", Complete => "complete", Failed => "failed" });

/// The trigger of a run. It also decides which steps run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// The user's cadence: all steps.
    Schedule,
    /// A tier crossed its quota: all steps.
    Quota,
    /// A `Meditate` call: all steps.
    Request,
    /// Short-term memories outlived their lifetime, or archived ones their grace: `rotate` and `expire`.
    Rotation,
    /// The end of a session: `rotate` for that session, applied at once by the caller.
    SessionEnd,
}
names!(Trigger {
    Schedule => "schedule",
    Quota => "quota",
    Request => "request",
    Rotation => "rotation",
    SessionEnd => "session_end",
});

/// Sizes and counts of one tier in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TierSummary {
    /// The tier.
    pub tier: Tier,
    /// Active bytes before the run.
    pub bytes_before: u64,
    /// Active bytes after the run.
    pub bytes_after: u64,
    /// The quota.
    pub quota_bytes: u64,
    /// Memories archived.
    pub archived: u64,
    /// Memories of this tier erased.
    pub deleted: u64,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meditation {
    /// Its id.
    pub id: MeditationId,
    /// Its status.
    pub status: MeditationStatus,
    /// Its trigger.
    pub trigger: Trigger,
    /// Whether it scores all memories.
    pub full: bool,
    /// The caller's restrictions.
    pub asked: Asked,
    /// The names of the steps that take part, in order; empty until a worker first takes the run.
    pub steps: Vec<String>,
    /// Memories scored so far.
    pub processed: u64,
    /// Memories archived so far.
    pub archived: u64,
    /// Memories erased so far.
    pub pruned: u64,
    /// Bytes archived so far.
    pub archived_bytes: u64,
    /// Bytes erased so far.
    pub pruned_bytes: u64,
    /// When it was requested.
    pub created_at: Timestamp,
    /// When a worker first took it.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// The time to count ages from, on the full hour.
    pub as_of: Timestamp,
    /// The number of times that workers took it. A batch of an older generation is refused (fencing).
    pub generation: u64,
    /// The token of the plan that it must carry out, if one was named.
    pub expected_plan: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// Sizes and counts by tier.
    pub tiers: Vec<TierSummary>,
    /// The version of the scoring function.
    pub scoring_version: String,
}
