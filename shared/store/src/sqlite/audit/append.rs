//! Appends entries to the chain.
//!
//! The writing connection caches the end of the chain, so that a commit needs no query for it. If another process has
//! added entries since, the next number is taken and the insert fails, as the first statement of its round trip. The
//! insert is then repeated after reading the current end, which cannot move while the transaction holds the file's
//! lock.

use kimberly_core::audit::AuditHead;
use kimberly_core::error::Result;
use kimberly_core::ports::AuditEntry;

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

/// Appends entries, then runs the statements that `rest` adds to the same round trip.
pub(crate) async fn append(
    conn: &mut Conn,
    doing: &'static str,
    to: To<'_>,
    entries: &[AuditEntry],
    rest: impl Fn(&mut String, &mut Args) + Send + Sync,
) -> Result<()> {
    if entries.is_empty() {
        let (mut sql, mut args) = (String::new(), Args::new());
        rest(&mut sql, &mut args);
        if !sql.is_empty() {
            conn.run(doing, sql, args).await?;
        }
        return Ok(());
    }
    let failed_before = conn.failed();
    if let Some(known) = conn.audit_head.take() {
        match attempt(conn, doing, (to, known), entries, &rest).await {
            Err(_) if !failed_before && conn.failure() == Some(TAKEN) => conn.forgive(),
            ended => return ended,
        }
    }
    let now = head(conn, to.log, &(to.name)()).await?;
    attempt(conn, doing, (to, now), entries, &rest).await
}

async fn attempt(
    conn: &mut Conn,
    doing: &'static str,
    (to, mut head): (To<'_>, AuditHead),
    entries: &[AuditEntry],
    rest: &(impl Fn(&mut String, &mut Args) + Send + Sync),
) -> Result<()> {
    let (mut sql, mut args) = (String::new(), Args::new());
    for entry in entries {
        let record = head.next(entry);
        head = record.head();
        sql.push_str(ENTRY);
        args.push(unsigned(record.no));
        args.push(record.at.0);
        args.push(record.actor);
        args.push(record.action);
        args.push(record.refused);
        args.push(record.subject);
        args.push(unsigned(record.count));
        args.push(record.hash.to_vec());
    }
    if to.last {
        sql.push_str(to.log.set_last);
        args.push(unsigned(head.no));
    }
    rest(&mut sql, &mut args);
    conn.run(doing, sql, args).await?;
    conn.audit_head = Some(head);
    Ok(())
}
