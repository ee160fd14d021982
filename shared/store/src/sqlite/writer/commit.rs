//! The end of a group: what was put off, the full-text index, the count of commits and the commit, in one round trip.

use kimberly_core::UserId;
use kimberly_core::error::Result;

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
pub(super) async fn put_down(conn: &mut Conn) -> Result<()> {
    let (mut sql, mut args) = (String::new(), Args::new());
    push_put_off(&mut sql, &mut args, &mut conn.notes);
    if !sql.is_empty() {
        conn.run("writing audit rows and answers", sql, args).await?;
    }
    Ok(())
}

/// Ends the transaction; on return everything in it is on disk.
pub(super) async fn commit(conn: &mut Conn, shared: &Shared, user: &UserId, unnamed: bool) -> Result<Ending> {
    let mut notes = std::mem::take(&mut conn.notes);
    if let Some(at) = notes.enqueued {
        // Before the commit: a mark without a row costs a look, a row without a mark would wait for ever.
        shared.registry.mark(user, at).await?;
    }
    let (mut sql, mut args) = (String::new(), Args::new());
    push_put_off(&mut sql, &mut args, &mut notes);
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
    conn.run("committing", sql, args).await?;
    Ok(Ending { enqueued: notes.enqueued.is_some(), erased: notes.erased })
}

/// Whether no job waits in the outbox.
pub(super) async fn outbox_is_empty(conn: &mut Conn) -> Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM outbox)";
    Ok(conn.row("looking into the outbox", sql, Args::new(), |row| Cells::new(row).flag()).await?.unwrap_or(false))
}
