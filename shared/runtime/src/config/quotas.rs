//! `[quotas]`: how much each user may store, unless their own settings override it.

use kimberly_core::bounds::{ARCHIVE_BYTES, QUOTA_BYTES};
use serde::{Deserialize, Serialize};

use super::{Bytes, Problems};

/// Quotas per user. Exceeding one starts a meditation; at the hard limit writes are refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct QuotasConfig {
    /// Quota of `short_term`; 1 KiB to 1 TiB.
    pub short_term: Bytes,
    /// Quota of `long_term`; 1 KiB to 1 TiB.
    pub long_term: Bytes,
    /// Quota of `permanent`; 1 KiB to 1 TiB.
    pub permanent: Bytes,
    /// Allowance of the archive; 1 KiB to 3 TiB. Unset: the sum of the user's three quotas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive_allowance: Option<Bytes>,
    /// The hard limit in percent of the quota; 100 to 1,000.
    pub hard_limit_percent: u64,
}

impl Default for QuotasConfig {
    fn default() -> Self {
        Self {
            short_term: Bytes(512 << 10),
            long_term: Bytes(2 << 20),
            permanent: Bytes(10 << 20),
            archive_allowance: None,
            hard_limit_percent: 125,
        }
    }
}

impl QuotasConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        let quota = Bytes(*QUOTA_BYTES.start())..=Bytes(*QUOTA_BYTES.end());
        let tiers = [("short_term", self.short_term), ("long_term", self.long_term), ("permanent", self.permanent)];
        for (name, value) in tiers {
            problems.range(&format!("quotas.{name}"), value, quota.clone());
        }
        if let Some(allowance) = self.archive_allowance {
            let allowed = Bytes(*ARCHIVE_BYTES.start())..=Bytes(*ARCHIVE_BYTES.end());
            problems.range("quotas.archive_allowance", allowance, allowed);
        }
        problems.range("quotas.hard_limit_percent", self.hard_limit_percent, 100..=1_000);
    }
}
