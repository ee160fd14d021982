//! `[audit]`: how long what was done is kept.

use serde::{Deserialize, Serialize};

use super::{Period, Problems};

/// The audit of every vault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuditConfig {
    /// How long entries are kept, 1 d to 3,650 d; 0 for ever.
    pub keep: Period,
}

impl Default for AuditConfig {
    fn default() -> Self {
        Self { keep: Period::seconds(0) }
    }
}

impl AuditConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        if self.keep != Period::seconds(0) {
            problems.range("audit.keep", self.keep, Period::days(1)..=Period::days(3_650));
        }
    }
}
