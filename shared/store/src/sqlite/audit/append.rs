//! Adds entries to the end of the chain.
//!
//! The end is kept with the writing connection, so that a commit need not ask for it. Another process may have added
//! entries since: then the number that comes next is taken, the insert fails as the first statement of its round trip,
//! and is sent again behind the end as it is now, which cannot move while the transaction holds the file's lock.

use kimberly_core::audit::AuditHead;
use kimberly_core::error::Result;
use kimberly_core::ports::AuditEntry;

use super::log::Log;
use super::read::head;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::unsigned;

const ENTRY: &str =
    "INSERT INTO audit (no, at, actor, action, refused, subject, count, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?);";
/// SQLite's code for a number that is taken.
const TAKEN: i32 = 1_555;

/// Where entries go.
#[derive(Clone, Copy)]
pub(crate) struct To<'a> {
    pub(crate) log: &'static Log,
    /// The name of the log, which begins its chain.
    pub(crate) name: &'a (dyn Fn() -> String + Sync),
    /// Whether the highest number is kept now; else the transaction does so at its end.
    pub(crate) last: bool,
}

/// Adds entries, and then runs what `rest` adds to the same round trip.
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
    if let Some(kept) = conn.audit_head.take() {
        match attempt(conn, doing, (to, kept), entries, &rest).await {
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
