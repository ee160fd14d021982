//! `[scoring]`: where scoring weights are looked for, and the preset that holds when nobody else says anything.

use std::path::PathBuf;

use kimberly_core::scoring::Preset;
use serde::{Deserialize, Serialize};

/// Sources of scoring weights. `weights` has the order in which they count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScoringConfig {
    /// The account's own file of weights. Unset: `~/.kimberly/scoring_weights.yaml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home_file: Option<PathBuf>,
    /// The machine's file of weights.
    pub system_file: PathBuf,
    /// The preset that holds when no file and no `KIMBERLY_WEIGHT_*` variable says otherwise. Unset: balanced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
}

impl Default for ScoringConfig {
    fn default() -> Self {
        Self { home_file: None, system_file: PathBuf::from("/etc/kimberly/scoring_weights.yaml"), preset: None }
    }
}
