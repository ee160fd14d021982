//! Takes the oldest entries out. What they ended with stays, so that the chain can be checked from there on.

use kimberly_core::audit::{AuditHead, AuditRecord};
use kimberly_core::error::Result;
use kimberly_core::ports::AuditQuery;
use kimberly_core::time::Timestamp;

use super::read::entries;
use super::segments::drop_until;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::unsigned;

const PRUNE: &str = "DELETE FROM audit WHERE no <= ?; UPDATE vault SET audit_pruned = ?, audit_pruned_hash = ?";

/// Returns the last that was taken and how many were.
pub(crate) async fn prune(conn: &mut Conn, before: Timestamp, limit: usize) -> Result<Option<(AuditHead, u64)>> {
    // One more than may go: the last of all stays, since the next entry is linked to it.
    let oldest = entries(conn, &AuditQuery { limit: limit.saturating_add(1), ..AuditQuery::default() }).await?;
    let may_go = oldest.len().saturating_sub(1);
    let count = oldest[..may_go].iter().take_while(|entry| entry.at < before).count();
    let Some(last) = oldest[..count].last().map(AuditRecord::head) else { return Ok(None) };
    let args = Args::new().with(unsigned(last.no)).with(unsigned(last.no)).with(last.hash.to_vec());
    conn.run("pruning the audit", PRUNE, args).await?;
    drop_until(conn, last.no).await?;
    Ok(Some((last, count as u64)))
}
