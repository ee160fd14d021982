//! What a backend does with the entries of an audit beyond storing them: the old ones in less room, and reading and pruning
//! both kinds.

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

/// Which segment comes next: of those with entries behind `after` and before `before`, the first whose first number is
/// behind `passed`, or the last whose first number is before it.
#[derive(Clone, Copy)]
pub(crate) struct Next {
    pub(crate) after: i64,
    pub(crate) before: i64,
    pub(crate) passed: i64,
    pub(crate) newest_first: bool,
}

/// An audit as a backend stores it, within one transaction.
#[async_trait]
pub(crate) trait Stored: Send {
    /// Where it begins and ends.
    async fn range(&mut self) -> Result<AuditRange>;
    /// Entries that are rows, in the order asked for.
    async fn rows(&mut self, query: &AuditQuery) -> Result<Vec<AuditRecord>>;
    /// One segment, if there is one.
    async fn segment(&mut self, next: Next) -> Result<Option<Segment>>;
    /// The segments with this number and with higher ones.
    async fn across(&mut self, no: u64) -> Result<Vec<Segment>>;
    /// Adds a segment, packed.
    async fn put_segment(&mut self, first: i64, last: i64, packed: Vec<u8>) -> Result<()>;
    /// Takes out the segment with this first number.
    async fn drop_segment(&mut self, first: i64) -> Result<()>;
    /// Takes out the segments that end with this number or before.
    async fn drop_segments(&mut self, until: u64) -> Result<()>;
    /// Takes out the rows up to this number.
    async fn drop_rows(&mut self, until: u64) -> Result<()>;
    /// Keeps what was pruned last.
    async fn keep_pruned(&mut self, last: &AuditHead) -> Result<()>;
}
