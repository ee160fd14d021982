//! Ends a group in one round trip: postponed writes, full-text index, commit counter and commit.

use kimberly_core::UserId;
use kimberly_core::audit::vault_log;
use kimberly_core::error::Result;

use crate::sqlite::audit::{self, Log, To};
use crate::sqlite::conn::{Args, Conn, INDEX_NEW};
use crate::sqlite::owner::SET_OWNER;
use crate::sqlite::rows::Cells;
use crate::sqlite::shared::Shared;
use crate::sqlite::tx::push_put_off;

const COMMIT: &str = "UPDATE counters SET items = items + 1 WHERE slot = 13;COMMIT";

/// Stores the last audit entry's number if entries were added but none is left to append.
const STORE_LAST: &str = "UPDATE counters SET items = max(items, (SELECT max(no) FROM audit)) WHERE slot = 15;";

/// The result of the committed group.
pub(super) struct Ending {
    /// Whether jobs were added to the outbox.
    pub(super) enqueued: bool,
    /// Whether memories were erased.
    pub(super) erased: bool,
}

/// Writes what was postponed.
pub(super) async fn put_down(conn: &mut Conn, user: &UserId) -> Result<()> {
    let put_off = std::mem::take(&mut conn.notes.put_off);
    let rest = |sql: &mut String, args: &mut Args| push_put_off(sql, args, &put_off);
    conn.notes.audited |= !put_off.audits.is_empty();
    let to = To { log: &Log::VAULT, name: &|| vault_log(user), last: false };
    audit::append(conn, "writing audit entries and answers", to, &put_off.audits, rest).await
}

/// Commits; everything is durable on return.
pub(super) async fn commit(conn: &mut Conn, shared: &Shared, user: &UserId, unnamed: bool) -> Result<Ending> {
    let notes = std::mem::take(&mut conn.notes);
    if let Some(at) = notes.enqueued {
        // Before the commit: an entry without a row costs one check, but a row without an entry would wait forever.
        shared.registry.add_pending(user, at).await?;
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
        if notes.audited && notes.put_off.audits.is_empty() {
            sql.push_str(STORE_LAST);
        }
        sql.push_str(COMMIT);
    };
    let to = To { log: &Log::VAULT, name: &|| vault_log(user), last: true };
    audit::append(conn, "committing", to, &notes.put_off.audits, rest).await?;
    Ok(Ending { enqueued: notes.enqueued.is_some(), erased: notes.erased })
}

/// Reports whether the outbox is empty.
pub(super) async fn outbox_is_empty(conn: &mut Conn) -> Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM outbox)";
    Ok(conn.row("checking the outbox", sql, Args::new(), |row| Cells::new(row).flag()).await?.unwrap_or(false))
}
