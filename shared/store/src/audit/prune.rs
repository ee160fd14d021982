//! Prunes the oldest entries. The last pruned entry's number and hash are stored, so the rest of the chain can still be
//! verified.

use kimberly_core::audit::{AuditHead, AuditRecord};
use kimberly_core::error::Result;
use kimberly_core::ports::AuditQuery;
use kimberly_core::time::Timestamp;

use super::Stored;
use super::read::entries;
use super::segments::drop_until;

/// Returns the last pruned entry and the number of pruned entries.
pub(crate) async fn prune(
    stored: &mut dyn Stored,
    before: Timestamp,
    limit: usize,
) -> Result<Option<(AuditHead, u64)>> {
    // Reads one entry more than the limit: the newest entry of all stays, because the next one links to it.
    let query = AuditQuery { limit: limit.saturating_add(1), ..AuditQuery::default() };
    let oldest = entries(stored, &query).await?;
    let may_go = oldest.len().saturating_sub(1);
    let count = oldest[..may_go].iter().take_while(|entry| entry.at < before).count();
    let Some(last) = oldest[..count].last().map(AuditRecord::head) else { return Ok(None) };
    stored.drop_rows(last.no).await?;
    stored.store_pruned(&last).await?;
    drop_until(stored, last.no).await?;
    Ok(Some((last, count as u64)))
}
