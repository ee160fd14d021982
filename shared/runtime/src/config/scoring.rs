//! `[scoring]`: sources of scoring weights, and the fallback preset.

use std::path::PathBuf;

use kimberly_core::scoring::Preset;
use serde::{Deserialize, Serialize};

/// Sources of scoring weights; the module `weights` defines their precedence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScoringConfig {
    /// The account's weights file. Unset: `~/.kimberly/scoring_weights.yaml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home_file: Option<PathBuf>,
    /// The machine's weights file.
    pub system_file: PathBuf,
    /// The preset if no file and no `KIMBERLY_WEIGHT_*` variable sets weights. Unset: balanced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
}

impl Default for ScoringConfig {
    fn default() -> Self {
        Self { home_file: None, system_file: PathBuf::from("/etc/kimberly/scoring_weights.yaml"), preset: None }
    }
}
