//! Ends a group: postponed writes, full-text index, commit counter and commit.

use kimberly_core::UserId;
use kimberly_core::audit::vault_log;
use kimberly_core::error::Result;

use crate::sqlite::audit::{self, Log, To};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::owner::SET_OWNER;
use crate::sqlite::reader::recall_changes;
use crate::sqlite::rows::{Cells, ReadRow as _};
use crate::sqlite::shared::Shared;
use crate::sqlite::tx::write_put_off;

const COMMIT: &str = "UPDATE counters SET items = items + 1 WHERE slot = 13;COMMIT";

/// Stores the last audit entry's number if entries were added but none is left to append.
const STORE_LAST: &str = "UPDATE counters SET items = max(items, (SELECT max(no) FROM audit)) WHERE slot = 15;";

/// The result of the committed group.
#[derive(Default)]
pub(super) struct Ending {
    /// Whether the group changed anything.
    pub(super) changed: bool,
    /// Whether jobs were added to the outbox.
    pub(super) enqueued: bool,
    /// Whether memories were erased.
    pub(super) erased: bool,
    /// The number of changes that recall sees, if it has grown.
    pub(super) changes: Option<i64>,
}

/// Writes what was postponed.
pub(super) async fn put_down(conn: &mut Conn, user: &UserId) -> Result<()> {
    write(conn, user, false).await
}

/// Writes what was postponed; `last` stores the number of the last audit entry, too.
async fn write(conn: &mut Conn, user: &UserId, last: bool) -> Result<()> {
    let put_off = std::mem::take(&mut conn.notes.put_off);
    conn.notes.stale |= put_off.recall_changed;
    if !put_off.audits.is_empty() {
        conn.notes.audited = !last;
    }
    let to = To { log: &Log::VAULT, name: &|| vault_log(user), last };
    audit::append(conn, "writing audit entries", to, &put_off.audits).await?;
    write_put_off(conn, &put_off).await
}

/// Commits; everything is durable on return. `before` is [`Conn::changes`] at the beginning: a group that changed nothing
/// costs no sync, and does not count as a commit.
pub(super) async fn commit(
    conn: &mut Conn,
    shared: &Shared,
    (user, unnamed): (&UserId, bool),
    before: u64,
) -> Result<Ending> {
    if let Some(at) = conn.notes.enqueued {
        // Before the commit: an entry without a row costs one check, but a row without an entry would wait forever.
        shared.registry.add_pending(user, at).await?;
    }
    write(conn, user, true).await?;
    conn.settle_index().await?;
    let notes = std::mem::take(&mut conn.notes);
    if conn.changes() == before {
        conn.run("ending a transaction without changes", "COMMIT", Args::new()).await?;
        return Ok(Ending::default());
    }
    if unnamed {
        conn.run("naming a vault's owner", SET_OWNER, Args::new().with(user.as_str())).await?;
    }
    if notes.audited {
        conn.run("writing audit entries", STORE_LAST, Args::new()).await?;
    }
    let changes = if notes.stale { Some(recall_changes(conn).await?) } else { None };
    conn.run("committing", COMMIT, Args::new()).await?;
    Ok(Ending { changed: true, enqueued: notes.enqueued.is_some(), erased: notes.erased, changes })
}

/// Reports whether the outbox is empty.
pub(super) async fn outbox_is_empty(conn: &mut Conn) -> Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM outbox)";
    Ok(conn.row("checking the outbox", sql, Args::new(), |row| Cells::new(row).flag()).await?.unwrap_or(false))
}
