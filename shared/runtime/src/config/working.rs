//! `[working]`: lifetime and size of working memory.

use kimberly_core::bounds::{
    DEFAULT_WORKING_LIFETIME, DEFAULT_WORKING_STORE_BYTES, MAX_WORKING_ENTRY_BYTES, MAX_WORKING_KEY_BYTES,
};
use kimberly_core::time::Span;
use kimberly_core::working::WorkingLimits;
use serde::{Deserialize, Serialize};

use super::{Bytes, Period, Problems};

/// Minimum size of a session: one entry of any size fits.
const MIN_STORE: u64 = (MAX_WORKING_ENTRY_BYTES + MAX_WORKING_KEY_BYTES) as u64;

/// Settings of working memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorkingConfig {
    /// Lifetime of an entry unless its write sets one; 1 s to 7 d.
    pub lifetime: Period,
    /// Maximum bytes of keys and texts per session, 66,048 bytes to 64 MiB; the least recently used entries are
    /// evicted.
    pub store_bytes: Bytes,
    /// Maximum bytes of all users together, at least `store_bytes`, up to 64 GiB; the least recently used sessions
    /// are evicted. Not on Postgres.
    pub total_bytes: Bytes,
}

impl Default for WorkingConfig {
    fn default() -> Self {
        Self {
            lifetime: Period::seconds(DEFAULT_WORKING_LIFETIME.0.unsigned_abs() / 1_000_000),
            store_bytes: Bytes(DEFAULT_WORKING_STORE_BYTES as u64),
            total_bytes: Bytes(64 << 20),
        }
    }
}

impl WorkingConfig {
    /// The limits for the domain.
    pub fn limits(&self) -> WorkingLimits {
        let micros = i64::try_from(self.lifetime.0.as_micros()).unwrap_or(i64::MAX);
        WorkingLimits {
            lifetime: Span(micros),
            store_bytes: self.store_bytes.as_usize(),
            total_bytes: self.total_bytes.as_usize(),
        }
    }

    pub(super) fn check(&self, problems: &mut Problems) {
        problems.range("working.lifetime", self.lifetime, Period::seconds(1)..=Period::days(7));
        problems.range("working.store_bytes", self.store_bytes, Bytes(MIN_STORE)..=Bytes(64 << 20));
        problems.range("working.total_bytes", self.total_bytes, self.store_bytes..=Bytes(64 << 30));
    }
}
