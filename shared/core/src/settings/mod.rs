//! The effective settings of a user, and the origin of each value (K-1.4, K-3.4, K-3.5).

mod check;
mod effective;
mod embedding;
mod levels;
mod steps;
#[cfg(test)]
mod tests;

pub use effective::{Effective, EffectiveSettings};
pub use embedding::{EffectiveEmbedding, EmbeddingDefaults};
pub use levels::{CompactingDefaults, ExtractionDefaults, ServerDefaults, WeightLevel};
pub use steps::{StepSetting, StepSettings};

use serde::{Deserialize, Serialize};

use crate::consent::Retraction;
use crate::scoring::{Preset, Weights};
use crate::time::Span;

/// The origin of an effective value, most specific first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Origin {
    /// Set for this user through the API.
    User,
    /// `~/.kimberly/scoring_weights.yaml`
    HomeFile,
    /// `/etc/kimberly/scoring_weights.yaml`
    SystemFile,
    /// `KIMBERLY_WEIGHT_*`
    Environment,
    /// The server's configuration.
    Config,
    /// Built in.
    Default,
}

impl Origin {
    /// Describes the origin as part of a sentence.
    pub const fn description(self) -> &'static str {
        match self {
            Self::User => "set for this user",
            Self::HomeFile => "in ~/.kimberly/scoring_weights.yaml",
            Self::SystemFile => "in /etc/kimberly/scoring_weights.yaml",
            Self::Environment => "in the environment (KIMBERLY_WEIGHT_*)",
            Self::Config => "in the server's configuration",
            Self::Default => "built in",
        }
    }

    /// Returns the warning that weights from this origin were ignored.
    pub fn passed_over(self, problem: &str) -> String {
        format!("scoring weights {} were ignored: {problem}", self.description())
    }
}

/// The scoring choice of one level: a preset or four weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoringChoice {
    /// A named set.
    Preset(Preset),
    /// Four weights as given, not yet normalized.
    Weights(Weights),
}

/// A user's own settings; `None` follows the server. Stored in the user's vault.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UserSettings {
    /// Quota of `short_term` in bytes.
    pub short_term_quota_bytes: Option<u64>,
    /// Quota of `long_term` in bytes.
    pub long_term_quota_bytes: Option<u64>,
    /// Quota of `permanent` in bytes.
    pub permanent_quota_bytes: Option<u64>,
    /// Allowance of the archive, in bytes.
    pub archive_allowance_bytes: Option<u64>,
    /// Most bytes of all blocks of core memory together.
    pub core_memory_bytes: Option<u64>,
    /// Preset or weights.
    pub scoring: Option<ScoringChoice>,
    /// How long an archived or deleted memory can be restored.
    pub grace: Option<Span>,
    /// Most bytes that the system erases per day.
    pub daily_prune_cap_bytes: Option<u64>,
    /// Interval between scheduled meditations.
    pub meditation_interval: Option<Span>,
    /// Lifetime of short-term memories.
    pub short_term_lifetime: Option<Span>,
    /// Score below which a memory is erased once its grace has passed.
    pub low_score: Option<f64>,
    /// Whether memories are embedded.
    pub embedding_enabled: Option<bool>,
    /// Most vectors.
    pub vector_cap: Option<u64>,
    /// Vectors computed per day, 0 for no limit.
    pub daily_embedding_limit: Option<u64>,
    /// Vectors computed per week, 0 for no limit.
    pub weekly_embedding_limit: Option<u64>,
    /// Whether nightly runs include the steps that read records (tags, entities, links, beliefs) and those built on them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading_enabled: Option<bool>,
    /// Whether nightly steps merge records that say the same, instead of proposing it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merging_enabled: Option<bool>,
    /// The treatment of memories whose consent is retracted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent_retraction: Option<Retraction>,
}

/// A user's own settings with their revision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredSettings {
    /// The settings.
    pub settings: UserSettings,
    /// Number of writes, 0 if never written; the etag.
    pub revision: u64,
}
