//! `[encryption]`: whether what lies in the data folder is encrypted.

use serde::{Deserialize, Serialize};

/// Encryption at rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EncryptionConfig {
    /// Encrypts vaults, registry and queue with keys that lie outside the data folder. Holds from the first start on: over
    /// what was stored otherwise, on and off are refused.
    pub enabled: bool,
}

impl Default for EncryptionConfig {
    fn default() -> Self {
        Self { enabled: true }
    }
}
