//! Meditation: one pipeline of steps that decides which memories to keep (K-4).
//!
//! A step reads a vault and proposes changes with reasons. The runner collects the proposals of the steps, and shows
//! them (dry run) or applies them in small audited batches. A new background feature is a new step in one file.
//!
//! Some background work is not a step. Work that must not wait for the nightly run (erasing after a retracted consent,
//! sealing) is a job. Tidying up decides nothing, so there is nothing to show or undo. Bytes of attachments lie outside
//! the vault's transactions, and vectors belong to the embedder.

mod change;
mod choice;
mod fingerprint;
pub mod kinds;
pub(crate) mod nearness;
mod plan;
mod preview;
mod run;
pub(crate) mod runner;
pub mod schedule;
mod snapshot;
pub mod steps;
#[cfg(test)]
mod tests;
mod token;

pub use change::{Change, RecordedDecision, Subject};
pub use choice::{Asked, StepSetting, StepSettings};
pub(crate) use choice::{last_runs, taking_part};
pub use fingerprint::Fingerprint;
pub(crate) use fingerprint::forget_read;
pub use kinds::Kind;
pub use plan::Plan;
pub use preview::{Preview, preview};
pub use snapshot::Snapshot;
pub use token::PlanToken;

use serde::{Deserialize, Serialize};

use crate::ids::Seq;
use crate::ids::{MeditationId, MemoryId};
use crate::memory::{Creator, Memory, MemoryState, RecordKind, SourceType, Tier, names};
use crate::retention::WarmthFacts;
use crate::scoring::ScoreRecord;
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

/// What started a run. It also decides which steps run.
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

/// The reason of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Over quota, and has the smallest score.
    OverQuota,
    /// A short-term memory outlived its lifetime.
    Expired,
    /// Its session ended.
    SessionEnded,
    /// Its grace passed, and it still scores low.
    GracePassed,
    /// Its grace passed after its owner deleted it.
    OwnerDeleted,
    /// Its grace passed, and the archive is over its allowance.
    ArchiveOverAllowance,
    /// Spared: protected.
    Protected,
    /// Spared: permanent.
    Permanent,
    /// Spared: scores well now.
    ScoresWell,
    /// Spared for today: the daily cap is spent.
    DailyCap,
    /// Its salience fell below the threshold that a caller named.
    LowSalience,
    /// Its text was not read in its present form.
    Unread,
    /// It is often retrieved.
    OftenRetrieved,
    /// It was never retrieved.
    NeverRetrieved,
    /// It was never retrieved, and has little importance.
    Unimportant,
    /// The data derived from it is old.
    Outdated,
    /// It contradicts another memory that also holds.
    Contradicts,
    /// The other memory has far less confidence.
    LessBelieved,
    /// It became colder.
    Cooled,
    /// It became hotter.
    Warmed,
    /// Other memories say the same.
    SaysTheSame,
    /// It follows from the subjects.
    Follows,
    /// The subjects are alike, and many.
    Recurs,
    /// Something that it was concluded from no longer holds.
    PremiseGone,
    /// The subjects are about the same entity.
    Told,
}
names!(Reason {
    OverQuota => "over_quota",
    Expired => "expired",
    SessionEnded => "session_ended",
    GracePassed => "grace_passed",
    OwnerDeleted => "owner_deleted",
    ArchiveOverAllowance => "archive_over_allowance",
    Protected => "protected",
    Permanent => "permanent",
    ScoresWell => "scores_well",
    DailyCap => "daily_cap",
    LowSalience => "low_salience",
    Unread => "unread",
    OftenRetrieved => "often_retrieved",
    NeverRetrieved => "never_retrieved",
    Unimportant => "unimportant",
    Outdated => "outdated",
    Contradicts => "contradicts",
    LessBelieved => "less_believed",
    Cooled => "cooled",
    Warmed => "warmed",
    SaysTheSame => "says_the_same",
    Follows => "follows",
    Recurs => "recurs",
    PremiseGone => "premise_gone",
    Told => "told",
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
    /// What started it.
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

/// The facts that scoring needs about one memory.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoringItem {
    /// Its sequence number in the vault.
    pub seq: Seq,
    /// Its content, for relevance.
    pub content: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Sentiment in [-1, 1].
    pub sentiment: f64,
    /// Explicit feedback in [-1, 1], if any.
    pub feedback: Option<f64>,
    /// Helpful outcomes of the memory.
    pub helpful: u64,
    /// Unhelpful outcomes of the memory.
    pub unhelpful: u64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last recalled or read.
    pub last_seen_at: Timestamp,
    /// How often it was recalled or read.
    pub access_count: u64,
}

/// Outcomes of all memories that carry a tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagOutcomes {
    /// The tag.
    pub tag: String,
    /// Helpful outcomes.
    pub helpful: u64,
    /// Unhelpful outcomes.
    pub unhelpful: u64,
}

/// A memory's new score.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// Its sequence number in the vault.
    pub seq: Seq,
    /// The score, with everything it was computed from.
    pub record: ScoreRecord,
}

/// The facts that retention needs about one memory; no content.
#[derive(Clone, Debug, PartialEq)]
pub struct RetentionItem {
    /// Its sequence number in the vault.
    pub seq: Seq,
    /// Its id.
    pub id: MemoryId,
    /// Its tier.
    pub tier: Tier,
    /// Its state.
    pub state: MemoryState,
    /// Whether the system must leave it alone, because it is protected or [lasts](crate::retention::lasts) anyway.
    pub protected: bool,
    /// Its bytes.
    pub size_bytes: u64,
    /// Its score.
    pub score: f64,
    /// When it was created.
    pub created_at: Timestamp,
    /// The end of its grace window.
    pub delete_after: Option<Timestamp>,
    /// Number of the session it belongs to, if any.
    pub session: Option<i64>,
    /// From 1 to 10; 0 if none was given.
    pub importance: i32,
    /// Whether a person wrote it, and so gave its importance.
    pub by_hand: bool,
    /// How often it was recalled or read.
    pub access_count: u64,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// When it was last recalled or read.
    pub last_seen_at: Timestamp,
    /// How it came to be known.
    pub source_type: SourceType,
    /// Whether a person tagged it.
    pub tagged: bool,
    /// Its kind.
    pub kind: RecordKind,
    /// The time from which it holds, if stated.
    pub valid_from: Option<Timestamp>,
    /// The time until which it holds, if stated.
    pub valid_to: Option<Timestamp>,
}

impl RetentionItem {
    /// Collects the facts of a memory, without its session.
    pub fn of(memory: &Memory) -> Self {
        Self {
            seq: memory.seq,
            id: memory.id,
            tier: memory.draft.tier,
            state: memory.state,
            protected: memory.draft.lasts(),
            size_bytes: memory.size_bytes,
            score: memory.score,
            created_at: memory.created_at,
            delete_after: memory.delete_after,
            session: None,
            importance: memory.draft.importance,
            by_hand: memory.draft.created_by == Creator::User,
            access_count: memory.access_count,
            updated_at: memory.updated_at,
            last_seen_at: memory.last_seen_at,
            source_type: memory.draft.source_type(),
            tagged: !memory.draft.metadata.tags.is_empty(),
            kind: memory.draft.kind,
            valid_from: memory.draft.valid_from,
            valid_to: memory.draft.valid_to,
        }
    }

    /// Reports whether a run concluded it, as far as these facts tell. A person may have ended it since.
    pub fn is_concluded(&self) -> bool {
        let kind = matches!(self.kind, RecordKind::Insight | RecordKind::Profile);
        kind && !self.by_hand && self.source_type == SourceType::Inference
    }

    /// Returns the facts that its warmth is computed from.
    pub const fn warmth(&self) -> WarmthFacts {
        WarmthFacts {
            created_at: self.created_at,
            used_at: if self.last_seen_at.0 > self.updated_at.0 { self.last_seen_at } else { self.updated_at },
            access_count: self.access_count,
            importance: self.importance,
            trust: self.source_type.weight(),
            pinned: self.protected,
            tagged: self.tagged,
        }
    }
}
