//! What holds for a user, and where each value comes from (K-1.4, K-3.4, K-3.5).

mod check;
mod effective;
mod embedding;
mod levels;
#[cfg(test)]
mod tests;

pub use effective::{Effective, EffectiveSettings};
pub use embedding::{EffectiveEmbedding, EmbeddingDefaults};
pub use levels::{CompactingDefaults, ExtractionDefaults, ServerDefaults, WeightLevel};

use serde::{Deserialize, Serialize};

use crate::consent::Retraction;
use crate::scoring::{Preset, Weights};
use crate::time::Span;

/// Where an effective value comes from, most specific first.
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
    /// Where that is, as part of a sentence.
    pub const fn place(self) -> &'static str {
        match self {
            Self::User => "set for this user",
            Self::HomeFile => "in ~/.kimberly/scoring_weights.yaml",
            Self::SystemFile => "in /etc/kimberly/scoring_weights.yaml",
            Self::Environment => "in the environment (KIMBERLY_WEIGHT_*)",
            Self::Config => "in the server's configuration",
            Self::Default => "built in",
        }
    }

    /// The warning that weights found here do not hold.
    pub fn passed_over(self, problem: &str) -> String {
        format!("scoring weights {} were passed over: {problem}", self.place())
    }
}

/// Scoring as set at one level: a preset or four weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoringChoice {
    /// A named set.
    Preset(Preset),
    /// Four weights, as given: not yet normalized.
    Weights(Weights),
}

/// What a user set; `None` follows the server. Stored in the user's vault.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UserSettings {
    /// Quota of `short_term` in bytes.
    pub short_term_quota_bytes: Option<u64>,
    /// Quota of `long_term` in bytes.
    pub long_term_quota_bytes: Option<u64>,
    /// Quota of `permanent` in bytes.
    pub permanent_quota_bytes: Option<u64>,
    /// Allowance of the archive in bytes.
    pub archive_allowance_bytes: Option<u64>,
    /// Bytes that the blocks of core memory may hold in all.
    pub core_memory_bytes: Option<u64>,
    /// Preset or weights.
    pub scoring: Option<ScoringChoice>,
    /// How long an archived or deleted memory can be rescued.
    pub grace: Option<Span>,
    /// At most this many bytes are erased per day by the system.
    pub daily_prune_cap_bytes: Option<u64>,
    /// Time between scheduled meditations.
    pub meditation_interval: Option<Span>,
    /// How long a short-term memory lives.
    pub short_term_lifetime: Option<Span>,
    /// A memory whose grace has passed is erased only if it scores below this.
    pub low_score: Option<f64>,
    /// Whether memories are embedded.
    pub embedding_enabled: Option<bool>,
    /// Most vectors.
    pub vector_cap: Option<u64>,
    /// Vectors computed per day, 0 for no limit.
    pub daily_embedding_limit: Option<u64>,
    /// Vectors computed per week, 0 for no limit.
    pub weekly_embedding_limit: Option<u64>,
    /// Whether nights read records for whom and what they name, and note how warm they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading_enabled: Option<bool>,
    /// Whether nights merge what says the same, instead of proposing it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merging_enabled: Option<bool>,
    /// What becomes of memories whose consent is retracted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent_retraction: Option<Retraction>,
}

/// What a user set, with its revision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredSettings {
    /// The settings.
    pub settings: UserSettings,
    /// Counts writes, 0 if never written; the etag.
    pub revision: u64,
}
