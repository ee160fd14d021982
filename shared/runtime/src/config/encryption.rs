//! `[encryption]`: whether the data folder is encrypted.

use serde::{Deserialize, Serialize};

/// Encryption at rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EncryptionConfig {
    /// Encrypts vaults, registry and queue with keys stored outside the data folder. Fixed by the first start: a
    /// later change is refused.
    pub enabled: bool,
}

impl Default for EncryptionConfig {
    fn default() -> Self {
        Self { enabled: true }
    }
}
