//! The levels below the user's own settings, read once when a process starts.

use super::{EmbeddingDefaults, Origin, ScoringChoice, StepSettings};
use crate::attachments::AttachmentLimits;
use crate::consent::Retraction;
use crate::memory::DraftLimits;
use crate::recall::Stages;
use crate::time::Span;

/// Weights found at one level. `Err` says what is wrong and what is allowed; it completes the message of
/// [`Origin::passed_over`].
#[derive(Clone, Debug, PartialEq)]
pub struct WeightLevel {
    /// The level.
    pub origin: Origin,
    /// The weights or preset.
    pub choice: Result<ScoringChoice, String>,
}

/// The operator's configuration of extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtractionDefaults {
    /// Whether extracted from turns for memories.
    pub on: bool,
    /// Whether keys, passwords and account numbers are masked in turns, and in memories that are not sensitive.
    pub mask_secrets: bool,
}

impl Default for ExtractionDefaults {
    fn default() -> Self {
        Self { on: true, mask_secrets: true }
    }
}

/// The operator's configuration of compacting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactingDefaults {
    /// Whether sessions are compacted automatically.
    pub on: bool,
    /// Number of turns in a summary.
    pub batch: usize,
    /// Number of newest turns of a session that are left unchanged.
    pub keep: usize,
    /// Number of summaries of a session beyond which the oldest are summarized again.
    pub snapshots: usize,
}

impl Default for CompactingDefaults {
    fn default() -> Self {
        Self { on: true, batch: 20, keep: 15, snapshots: 5 }
    }
}

/// The operator's configuration, each value with its origin (`Config` or `Default`).
#[derive(Clone, Debug)]
pub struct ServerDefaults {
    /// Quota of `short_term` in bytes; 512 KiB by default.
    pub short_term_quota_bytes: (u64, Origin),
    /// Quota of `long_term` in bytes; 2 MiB by default.
    pub long_term_quota_bytes: (u64, Origin),
    /// Quota of `permanent` in bytes; 10 MiB by default.
    pub permanent_quota_bytes: (u64, Origin),
    /// Allowance of the archive in bytes; `None` for the sum of the three effective quotas.
    pub archive_allowance_bytes: Option<(u64, Origin)>,
    /// The hard limit in percent of the quota; 125 by default.
    pub hard_limit_percent: u64,
    /// Grace window; 30 days by default.
    pub grace: (Span, Origin),
    /// Daily cap on erased bytes; 1 MiB by default.
    pub daily_prune_cap_bytes: (u64, Origin),
    /// Interval between scheduled meditations; 7 days by default.
    pub meditation_interval: (Span, Origin),
    /// Lifetime of short-term memories; 24 hours by default.
    pub short_term_lifetime: (Span, Origin),
    /// Score below which a memory is erased once its grace has passed; 0.5 by default.
    pub low_score: (f64, Origin),
    /// Weights found outside the vault, most specific first: home file, system file, environment.
    pub weight_levels: Vec<WeightLevel>,
    /// The treatment of memories whose consent is retracted; they are purged by default.
    pub consent_retraction: (Retraction, Origin),
    /// Embeddings.
    pub embedding: EmbeddingDefaults,
    /// Extraction from conversations.
    pub extraction: ExtractionDefaults,
    /// Compacting of sessions.
    pub compacting: CompactingDefaults,
    /// How long audit entries are stored; `None` for ever.
    pub audit_kept_for: Option<Span>,
    /// Least relevance of results of a recall; 0 by default.
    pub min_score: f64,
    /// The stages of recall used unless a query says otherwise.
    pub stages: Stages,
    /// Settings of the steps of meditation.
    pub steps: StepSettings,
    /// Whether nightly steps merge records that say the same, instead of proposing it.
    pub merging: (bool, Origin),
    /// Bounds on drafts.
    pub draft_limits: DraftLimits,
    /// Bounds on attachments.
    pub attachments: AttachmentLimits,
}

impl Default for ServerDefaults {
    fn default() -> Self {
        let built_in = Origin::Default;
        Self {
            short_term_quota_bytes: (512 * 1024, built_in),
            long_term_quota_bytes: (2 * 1024 * 1024, built_in),
            permanent_quota_bytes: (10 * 1024 * 1024, built_in),
            archive_allowance_bytes: None,
            hard_limit_percent: 125,
            grace: (Span::days(30), built_in),
            daily_prune_cap_bytes: (1024 * 1024, built_in),
            meditation_interval: (Span::days(7), built_in),
            short_term_lifetime: (Span::hours(24), built_in),
            low_score: (0.5, built_in),
            weight_levels: Vec::new(),
            consent_retraction: (Retraction::Purge, built_in),
            embedding: EmbeddingDefaults::default(),
            extraction: ExtractionDefaults::default(),
            compacting: CompactingDefaults::default(),
            audit_kept_for: None,
            min_score: 0.0,
            stages: Stages::default(),
            steps: StepSettings::default(),
            merging: (false, built_in),
            draft_limits: DraftLimits::default(),
            attachments: AttachmentLimits::default(),
        }
    }
}
