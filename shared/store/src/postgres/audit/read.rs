//! Reads rows of the audit unverified.

use std::fmt::Write as _;

use kimberly_core::audit::{AuditHead, AuditRecord};
use kimberly_core::error::Result;
use kimberly_core::ports::{AuditQuery, AuditRange};
use sqlx::postgres::PgRow;

use super::log::Log;
use crate::codes::unsigned;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::reader::limit;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::slots;

const PRUNED: &str = "SELECT audit_pruned, audit_pruned_hash FROM vaults WHERE user_id = $1";
const SYSTEM_LAST: &str = "SELECT last FROM system_audit_log WHERE one = 1";

/// Returns the last pruned entry and the number of the newest one.
pub(super) async fn range(conn: &mut Conn, log: Log) -> Result<AuditRange> {
    let doing = "reading the end of the audit";
    if log == Log::System {
        let last = conn.row(doing, SYSTEM_LAST, Args::none(), |row| Cells::new(row).count()).await?;
        return Ok(AuditRange { pruned: None, last: last.unwrap_or_default() });
    }
    let args = conn.args();
    let pruned = conn
        .row(doing, PRUNED, args, |row| {
            let c = &mut Cells::new(row);
            let (no, hash) = (c.opt_int()?, c.digest_or_zeros()?);
            Ok(no.map(|no| AuditHead { no: no.cast_unsigned(), hash }))
        })
        .await?;
    Ok(AuditRange { pruned: pruned.flatten(), last: conn.head.items(slots::AUDITED).cast_unsigned() })
}

/// Returns entries stored as rows, in the requested order.
pub(super) async fn rows(conn: &mut Conn, log: Log, query: &AuditQuery) -> Result<Vec<AuditRecord>> {
    let mut args = log.args(conn);
    let mut sql = format!(
        "SELECT no, at, actor, action, refused, subject, count, hash FROM {} AND no > ${} AND no < ${}",
        log.entries(),
        args.push(unsigned(query.after)),
        args.push(unsigned(query.before.unwrap_or(u64::MAX)))
    );
    for (column, wanted) in [("actor", &query.actor), ("action", &query.action), ("subject", &query.subject)] {
        if let Some(wanted) = wanted {
            let _ = write!(sql, " AND {column} = ${}", args.push(wanted.clone()));
        }
    }
    let order = if query.newest_first { "no DESC" } else { "no" };
    let _ = write!(sql, " ORDER BY {order} LIMIT ${}", args.push(limit(query.limit)));
    conn.rows("reading the audit", sql, args, record).await
}

fn record(row: &PgRow) -> Result<AuditRecord> {
    let c = &mut Cells::new(row);
    Ok(AuditRecord {
        no: c.int()?.cast_unsigned(),
        at: c.time()?,
        actor: c.text()?,
        action: c.text()?,
        refused: c.opt_text()?,
        subject: c.opt_text()?,
        count: c.int()?.cast_unsigned(),
        hash: c.digest_or_zeros()?,
    })
}
