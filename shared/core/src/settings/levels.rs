//! The levels below the user's own settings, read once by a process at its start.

use super::{EmbeddingDefaults, Origin, ScoringChoice};
use crate::attachments::AttachmentLimits;
use crate::consent::Retraction;
use crate::meditation::StepSettings;
use crate::memory::DraftLimits;
use crate::recall::Stages;
use crate::time::Span;

/// Weights as found at one level. `Err` says what is wrong and what is allowed, to go on from
/// [`Origin::passed_over`].
#[derive(Clone, Debug, PartialEq)]
pub struct WeightLevel {
    /// The level.
    pub origin: Origin,
    /// What it says.
    pub choice: Result<ScoringChoice, String>,
}

/// What the operator configured about extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtractionDefaults {
    /// Whether turns are read for what is worth keeping.
    pub on: bool,
    /// Whether keys, passwords and numbers of accounts are masked in turns.
    pub mask_secrets: bool,
}

impl Default for ExtractionDefaults {
    fn default() -> Self {
        Self { on: true, mask_secrets: true }
    }
}

/// What the operator configured about compacting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactingDefaults {
    /// Whether sessions are compacted by themselves.
    pub on: bool,
    /// Turns of a summary.
    pub batch: usize,
    /// The newest turns of a session, which are left as they are.
    pub keep: usize,
    /// Summaries of a session, beyond which the oldest are summarized again.
    pub snapshots: usize,
}

impl Default for CompactingDefaults {
    fn default() -> Self {
        Self { on: true, batch: 20, keep: 15, snapshots: 5 }
    }
}

/// What the operator configured, each value with its origin (`Config` or `Default`).
#[derive(Clone, Debug)]
pub struct ServerDefaults {
    /// Quota of `short_term` in bytes; 512 KiB.
    pub short_term_quota_bytes: (u64, Origin),
    /// Quota of `long_term` in bytes; 2 MiB.
    pub long_term_quota_bytes: (u64, Origin),
    /// Quota of `permanent` in bytes; 10 MiB.
    pub permanent_quota_bytes: (u64, Origin),
    /// Allowance of the archive in bytes; `None` is the sum of the three effective quotas.
    pub archive_allowance_bytes: Option<(u64, Origin)>,
    /// The hard limit as a share of the quota in percent; 125.
    pub hard_limit_percent: u64,
    /// Grace window; 30 days.
    pub grace: (Span, Origin),
    /// Daily cap on erased bytes; 1 MiB.
    pub daily_prune_cap_bytes: (u64, Origin),
    /// Time between scheduled meditations; 7 days.
    pub meditation_interval: (Span, Origin),
    /// Lifetime of short-term memories; 24 hours.
    pub short_term_lifetime: (Span, Origin),
    /// Score below which a memory whose grace has passed is erased; 0.5.
    pub low_score: (f64, Origin),
    /// Weights found outside the vault, most specific first: home file, system file, environment.
    pub weight_levels: Vec<WeightLevel>,
    /// What becomes of memories whose consent is retracted; purge.
    pub consent_retraction: (Retraction, Origin),
    /// Embeddings.
    pub embedding: EmbeddingDefaults,
    /// What is taken from conversations.
    pub extraction: ExtractionDefaults,
    /// How sessions are compacted.
    pub compacting: CompactingDefaults,
    /// How long entries of the audit are kept; `None` for ever.
    pub audit_kept_for: Option<Span>,
    /// Relevance below which results of a recall are left out; 0.
    pub min_score: f64,
    /// Stages of recall that take part where a query says nothing else.
    pub stages: Stages,
    /// What holds for the steps of meditation.
    pub steps: StepSettings,
    /// Whether nights merge what says the same, instead of proposing it.
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
