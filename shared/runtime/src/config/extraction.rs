//! `[extraction]`: what is taken from conversations.

use kimberly_core::settings::ExtractionDefaults;
use serde::{Deserialize, Serialize};

/// Settings of extraction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExtractionConfig {
    /// Whether messages that are observed are read for facts, preferences and decisions.
    pub enabled: bool,
    /// What becomes of keys, passwords, and numbers of accounts and cards in messages: "mask" or "keep". They are never extracted.
    pub secrets: Secrets,
}

/// What becomes of secrets in messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Secrets {
    /// They are masked before anything is stored.
    #[default]
    Mask,
    /// They are stored as they were sent.
    Keep,
}

impl Default for ExtractionConfig {
    fn default() -> Self {
        Self { enabled: true, secrets: Secrets::Mask }
    }
}

impl ExtractionConfig {
    /// What holds.
    pub(super) const fn defaults(&self) -> ExtractionDefaults {
        ExtractionDefaults { on: self.enabled, mask_secrets: matches!(self.secrets, Secrets::Mask) }
    }
}
