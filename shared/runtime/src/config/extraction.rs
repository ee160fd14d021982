//! `[extraction]`: what is extracted from conversations.

use kimberly_core::settings::ExtractionDefaults;
use serde::{Deserialize, Serialize};

/// Settings of extraction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExtractionConfig {
    /// Whether facts, preferences and decisions are extracted from observed messages.
    pub enabled: bool,
    /// How keys, passwords, account and card numbers in messages, and in memories that are not sensitive, are stored:
    /// "mask" or "keep". They are never extracted.
    pub secrets: Secrets,
}

/// How secrets are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Secrets {
    /// Masked before anything is stored.
    #[default]
    Mask,
    /// Stored as sent.
    Keep,
}

impl Default for ExtractionConfig {
    fn default() -> Self {
        Self { enabled: true, secrets: Secrets::Mask }
    }
}

impl ExtractionConfig {
    /// The settings for the domain.
    pub(super) const fn defaults(&self) -> ExtractionDefaults {
        ExtractionDefaults { on: self.enabled, mask_secrets: matches!(self.secrets, Secrets::Mask) }
    }
}
