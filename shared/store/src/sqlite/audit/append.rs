//! Appends entries to the chain.
//!
//! The writing connection caches the end of the chain, so that a commit needs no query for it. If another process has
//! added entries since, the next number is taken and the first insert fails. It is then repeated after reading the
//! current end, which cannot move while the transaction holds the file's lock.

use kimberly_core::audit::{AuditEntry, AuditHead};
use kimberly_core::error::Result;

use super::log::Log;
use super::read::head;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::unsigned;

const ENTRY: &str =
    "INSERT INTO audit (no, at, actor, action, refused, subject, count, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?);";
/// SQLite's error code for a primary key that already exists.
const TAKEN: i32 = 1_555;

/// The log to append to.
#[derive(Clone, Copy)]
pub(crate) struct To<'a> {
    pub(crate) log: &'static Log,
    /// Name of the log, from which the first entry's hash is derived.
    pub(crate) name: &'a (dyn Fn() -> String + Sync),
    /// Whether to store the highest number now; otherwise the transaction stores it at its end.
    pub(crate) last: bool,
}

/// Appends entries.
pub(crate) async fn append(conn: &mut Conn, doing: &'static str, to: To<'_>, entries: &[AuditEntry]) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let failed_before = conn.failed();
    if let Some(known) = conn.audit_head.take() {
        match attempt(conn, doing, (to, known), entries).await {
            Err(_) if !failed_before && conn.failure() == Some(TAKEN) => conn.forgive(),
            ended => return ended,
        }
    }
    let now = head(conn, to.log, &(to.name)()).await?;
    attempt(conn, doing, (to, now), entries).await
}

async fn attempt(
    conn: &mut Conn,
    doing: &'static str,
    (to, mut head): (To<'_>, AuditHead),
    entries: &[AuditEntry],
) -> Result<()> {
    for entry in entries {
        let record = head.next(entry);
        head = record.head();
        let args = Args::new().with(unsigned(record.no)).with(record.at.0).with(record.actor).with(record.action);
        let args = args.with(record.refused).with(record.subject).with(unsigned(record.count));
        conn.run(doing, ENTRY, args.with(record.hash.as_slice())).await?;
    }
    if to.last {
        conn.run(doing, to.log.set_last, Args::new().with(unsigned(head.no))).await?;
    }
    conn.audit_head = Some(head);
    Ok(())
}
