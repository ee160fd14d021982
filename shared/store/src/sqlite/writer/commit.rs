//! The end of a group: what was put off, the full-text index, the count of commits and the commit, in one round trip.

use kimberly_core::UserId;
use kimberly_core::error::Result;

use crate::sqlite::audit;
use crate::sqlite::conn::{Args, Conn, INDEX_NEW};
use crate::sqlite::owner::SET_OWNER;
use crate::sqlite::rows::Cells;
use crate::sqlite::shared::Shared;
use crate::sqlite::tx::push_put_off;

const COMMIT: &str = "UPDATE counters SET items = items + 1 WHERE slot = 13;COMMIT";

/// What the committed group did.
pub(super) struct Ending {
    /// Jobs were put in the outbox.
    pub(super) enqueued: bool,
    /// Memories were erased.
    pub(super) erased: bool,
}

/// Writes what was put off.
pub(super) async fn put_down(conn: &mut Conn, user: &UserId) -> Result<()> {
    let put_off = std::mem::take(&mut conn.notes.put_off);
    let rest = |sql: &mut String, args: &mut Args| push_put_off(sql, args, &put_off);
    audit::append(conn, "writing audit entries and answers", user, &put_off.audits, rest).await
}

/// Ends the transaction; on return everything in it is on disk.
pub(super) async fn commit(conn: &mut Conn, shared: &Shared, user: &UserId, unnamed: bool) -> Result<Ending> {
    let notes = std::mem::take(&mut conn.notes);
    if let Some(at) = notes.enqueued {
        // Before the commit: a mark without a row costs a look, a row without a mark would wait for ever.
        shared.registry.mark(user, at).await?;
    }
    let rest = |sql: &mut String, args: &mut Args| {
        push_put_off(sql, args, &notes.put_off);
        if let Some((first, last)) = notes.unindexed {
            sql.push_str(INDEX_NEW);
            sql.push(';');
            args.push(first);
            args.push(last);
        }
        if unnamed {
            sql.push_str(SET_OWNER);
            args.push(user.as_str().to_owned());
        }
        sql.push_str(COMMIT);
    };
    audit::append(conn, "committing", user, &notes.put_off.audits, rest).await?;
    Ok(Ending { enqueued: notes.enqueued.is_some(), erased: notes.erased })
}

/// Whether no job waits in the outbox.
pub(super) async fn outbox_is_empty(conn: &mut Conn) -> Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM outbox)";
    Ok(conn.row("looking into the outbox", sql, Args::new(), |row| Cells::new(row).flag()).await?.unwrap_or(false))
}
