//! Reads the audit unverified: entries that were tampered with are returned too, so that a check can locate them.

use kimberly_core::audit::{AuditHead, AuditRecord};
use kimberly_core::error::Result;
use kimberly_core::ports::{AuditQuery, AuditRange};
use rusqlite::Row;

use super::log::Log;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{Cells, ReadRow as _, unsigned};

pub(super) const COLUMNS: &str = "no, at, actor, action, refused, subject, count, hash";

/// Returns the last pruned entry and the number of the newest one.
pub(super) async fn range(conn: &mut Conn, log: &Log) -> Result<AuditRange> {
    let range = conn
        .row("reading the end of the audit", log.range, Args::new(), |row| {
            let c = &mut Cells::new(row);
            let (no, hash) = (c.opt_int()?, c.digest_or_zeros()?);
            let pruned = no.map(|no| AuditHead { no: no.cast_unsigned(), hash });
            Ok(AuditRange { pruned, last: c.count()? })
        })
        .await?;
    Ok(range.unwrap_or_default())
}

/// Returns the end of the chain, to which the next entry links. Numbers continue after the highest ever given: entries
/// that were cut off leave a gap, and their numbers are never reused.
pub(super) async fn head(conn: &mut Conn, log: &Log, name: &str) -> Result<AuditHead> {
    let last = conn
        .row("reading the end of the audit", log.end, Args::new(), |row| {
            let c = &mut Cells::new(row);
            let (no, hash) = (c.count()?, c.digest_or_zeros()?);
            Ok(AuditHead { no: c.count()?.max(no), hash })
        })
        .await?;
    if let Some(head) = last {
        return Ok(head);
    }
    let range = range(conn, log).await?;
    let head = range.pruned.unwrap_or_else(|| AuditHead::genesis(name));
    Ok(AuditHead { no: range.last.max(head.no), ..head })
}

/// Returns entries stored as rows, in the requested order.
pub(super) async fn rows(conn: &mut Conn, query: &AuditQuery) -> Result<Vec<AuditRecord>> {
    let before = query.before.unwrap_or(u64::MAX);
    let mut args = Args::new().with(unsigned(query.after)).with(unsigned(before));
    let mut sql = format!("SELECT {COLUMNS} FROM audit WHERE no > ? AND no < ?");
    let conditions =
        [(" AND actor = ?", &query.actor), (" AND action = ?", &query.action), (" AND subject = ?", &query.subject)];
    for (condition, wanted) in conditions {
        if let Some(wanted) = wanted {
            sql.push_str(condition);
            args.push(wanted.clone());
        }
    }
    sql.push_str(if query.newest_first { " ORDER BY no DESC LIMIT +?" } else { " ORDER BY no LIMIT +?" });
    args.push(i64::try_from(query.limit).unwrap_or(i64::MAX));
    conn.rows("reading the audit", sql, args, record).await
}

/// Reads an entry from a row of [`COLUMNS`].
pub(super) fn record(row: &Row<'_>) -> Result<AuditRecord> {
    let c = &mut Cells::new(row);
    Ok(AuditRecord {
        no: c.int()?.cast_unsigned(),
        at: c.time()?,
        actor: c.any_text()?.unwrap_or_default(),
        action: c.any_text()?.unwrap_or_default(),
        refused: c.any_text()?,
        subject: c.any_text()?,
        count: c.int()?.cast_unsigned(),
        hash: c.digest_or_zeros()?,
    })
}
