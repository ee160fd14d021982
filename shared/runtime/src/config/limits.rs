//! `[limits]`: bounds that hold in every process.

use kimberly_core::bounds::{ABSOLUTE_MAX_CONTENT_BYTES, DEFAULT_MAX_CONTENT_BYTES};
use serde::{Deserialize, Serialize};

use super::{Bytes, Period, Problems};

/// Bounds on content and on the time that stopping takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// Longest content of a memory; 1 KiB to 1,000,000 bytes.
    pub max_content: Bytes,
    /// How long a process that was asked to stop lets running work finish; 0 to 10 m.
    pub shutdown_soft: Period,
    /// How long it then waits for work that was told to break off, before it leaves anyway; 100 ms to 1 m.
    pub shutdown_hard: Period,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        Self {
            max_content: Bytes(DEFAULT_MAX_CONTENT_BYTES as u64),
            shutdown_soft: Period::seconds(10),
            shutdown_hard: Period::seconds(5),
        }
    }
}

impl LimitsConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        let content = Bytes(1_024)..=Bytes(ABSOLUTE_MAX_CONTENT_BYTES as u64);
        problems.range("limits.max_content", self.max_content, content);
        problems.range("limits.shutdown_soft", self.shutdown_soft, Period::seconds(0)..=Period::seconds(600));
        problems.range("limits.shutdown_hard", self.shutdown_hard, Period::millis(100)..=Period::seconds(60));
    }
}
