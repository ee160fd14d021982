//! Audit logic shared by both backends: compressing old entries, and reading and pruning both rows and segments.

mod prune;
mod read;
mod segments;

use async_trait::async_trait;
use kimberly_core::audit::{AuditHead, AuditRecord};
use kimberly_core::error::Result;
use kimberly_core::ports::{AuditQuery, AuditRange};

pub(crate) use prune::prune;
pub(crate) use read::entries;
pub(crate) use segments::{Segment, compact};

/// Selects the next segment among those with entries after `after` and before `before`. Oldest first, it is the first
/// segment whose first number is above `passed`; newest first, the last one whose first number is below it.
#[derive(Clone, Copy)]
pub(crate) struct Next {
    pub(crate) after: i64,
    pub(crate) before: i64,
    pub(crate) passed: i64,
    pub(crate) newest_first: bool,
}

/// An audit's storage in a backend, within one transaction.
#[async_trait]
pub(crate) trait Stored: Send {
    /// Returns the last pruned entry and the number of the newest one.
    async fn range(&mut self) -> Result<AuditRange>;
    /// Returns entries stored as rows, in the requested order.
    async fn rows(&mut self, query: &AuditQuery) -> Result<Vec<AuditRecord>>;
    /// Returns the next segment, or `None` if there is none left.
    async fn segment(&mut self, next: Next) -> Result<Option<Segment>>;
    /// Returns the segments that contain this number or higher ones.
    async fn across(&mut self, no: u64) -> Result<Vec<Segment>>;
    /// Adds a packed segment.
    async fn put_segment(&mut self, first: i64, last: i64, packed: Vec<u8>) -> Result<()>;
    /// Deletes the segment with this first number.
    async fn drop_segment(&mut self, first: i64) -> Result<()>;
    /// Deletes the segments whose last number is at most `until`.
    async fn drop_segments(&mut self, until: u64) -> Result<()>;
    /// Deletes the rows with numbers up to `until`.
    async fn drop_rows(&mut self, until: u64) -> Result<()>;
    /// Stores number and hash of the last pruned entry.
    async fn store_pruned(&mut self, last: &AuditHead) -> Result<()>;
}
