//! Stores records of purges, and removes a purged user from the registry.

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::audit::PURGED;
use kimberly_core::erasure::{Purge, PurgeStep};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::By;
use kimberly_core::{PurgeId, Timestamp, UserId};
use rusqlite::Row;

use super::audit::{Change, append};
use super::{RegistryPort, SystemDb};
use crate::registry::{entry, nameless, select, subject, told};
use crate::rows::{erased_json, purge_from, step_code};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::reader::limit as sql_limit;
use crate::sqlite::rows::{Cells, ReadRow as _};
use crate::sqlite::shared::Shared;
use crate::sqlite::{errors, files};

const BY_ID: &str = "WHERE id = ?";
const OF_USER: &str = "WHERE user_id = ?";
const ALL: &str = "WHERE id < ? ORDER BY id DESC LIMIT +?";
const OF_PSEUDONYM: &str = "WHERE pseudonym = ? AND id < ? ORDER BY id DESC LIMIT +?";
const UNDER_WAY: &str = "SELECT id FROM purges WHERE user_id IS NOT NULL ORDER BY id LIMIT +?";
const BEGIN: &str = "INSERT INTO purges (id, user_id, pseudonym, step, erased, asked_by, asked_at) \
     VALUES (?, ?, ?, 0, '{}', ?, ?) ON CONFLICT DO NOTHING";
const STORE: &str = "UPDATE purges SET step = ?, erased = ? WHERE id = ? AND user_id IS NOT NULL";
const FINISH: &str =
    "UPDATE purges SET step = ?, user_id = NULL, finished_at = ?, audit_no = ?, audit_hash = ? WHERE id = ?";
const FORGET: &str = "DELETE FROM users WHERE id = ?1; DELETE FROM outbox_marks WHERE user_id = ?1; \
     DELETE FROM quarantine WHERE user_id = ?1; DELETE FROM scrub WHERE user_id = ?1";
/// Credentials for this user only are revoked, and their grant names the pseudonym instead.
const REVOKE: &str = "UPDATE credentials SET revoked_at = coalesce(revoked_at, ?1), \
     granted = json_set(granted, '$.users', json_array(?2)) \
     WHERE EXISTS (SELECT 1 FROM json_each(granted, '$.users') WHERE value = ?3) \
     AND NOT EXISTS (SELECT 1 FROM json_each(granted, '$.users') WHERE value <> ?3)";
const NARROW: &str = "UPDATE credentials SET granted = json_set(granted, '$.users', \
     (SELECT json_group_array(value) FROM json_each(granted, '$.users') WHERE value <> ?1)) \
     WHERE EXISTS (SELECT 1 FROM json_each(granted, '$.users') WHERE value = ?1)";
const EMPTY_LOG: &str = "PRAGMA wal_checkpoint(TRUNCATE)";
/// Attempts to empty the log, and the pause between them for readers.
const TRIES: u32 = 40;
const BETWEEN: Duration = Duration::from_millis(50);

impl SystemDb {
    pub(crate) async fn purge(&self, id: PurgeId) -> Result<Option<Purge>> {
        self.find_purge(BY_ID, Args::new().with(bytes(id))).await
    }

    async fn find_purge(&self, which: &str, args: Args) -> Result<Option<Purge>> {
        self.reader().await?.conn()?.row("reading a purge", select(which), args, read).await
    }

    pub(crate) async fn purges(
        &self,
        pseudonym: Option<String>,
        before: Option<PurgeId>,
        limit: usize,
    ) -> Result<Vec<Purge>> {
        let before = before.map_or_else(|| vec![u8::MAX; 17], bytes);
        let (which, args) = match pseudonym {
            Some(pseudonym) => (OF_PSEUDONYM, Args::new().with(pseudonym)),
            None => (ALL, Args::new()),
        };
        let args = args.with(before).with(sql_limit(limit));
        self.reader().await?.conn()?.rows("listing purges", select(which), args, read).await
    }

    pub(crate) async fn purges_under_way(&self, limit: usize) -> Result<Vec<PurgeId>> {
        let args = Args::new().with(sql_limit(limit));
        let id = |row: &Row<'_>| Cells::new(row).uuid().map(PurgeId);
        self.reader().await?.conn()?.rows("reading purges", UNDER_WAY, args, id).await
    }

    pub(crate) async fn store_purge(&self, purge: &Purge) -> Result<()> {
        let args = values(purge)?;
        self.writer().await?.conn()?.run("writing a purge record", STORE, args).await.map(drop)
    }

    /// Moves the log into the database, durably, so that deleted data is in neither. Gives up after readers have
    /// blocked it for long; the next check of all files tries again.
    pub(crate) async fn empty_log(&self) -> Result<()> {
        for _ in 0..TRIES {
            let busy = {
                let mut writing = self.writer().await?;
                let conn = writing.conn()?;
                conn.row("truncating the write-ahead log of the registry", EMPTY_LOG, Args::new(), |row| {
                    Cells::new(row).flag()
                })
                .await?
            };
            if busy == Some(false) {
                return files::sync_log(self.path()).await;
            }
            tokio::time::sleep(BETWEEN).await;
        }
        tracing::warn!(
            "a reader blocks truncating the registry's write-ahead log; the next check of all files retries"
        );
        Ok(())
    }
}

impl RegistryPort {
    /// Stores and audits a new purge, unless one of the user is in progress; returns that one then.
    pub(crate) async fn insert_purge(&self, id: PurgeId, user: &UserId, pseudonym: String, by: &By) -> Result<Purge> {
        let args = Args::new().with(bytes(id)).with(user.as_str()).with(pseudonym.as_str());
        let args = args.with(by.actor.as_ref()).with(by.at.0);
        let change = Change { doing: "beginning a purge", sql: BEGIN, args };
        let entry = told(by, "user.purge_asked", &subject(id, &pseudonym));
        let new = self.change(Some(change), vec![entry]).await? > 0;
        let args = Args::new().with(user.as_str());
        let found = if new {
            self.shared.registry.purge(id).await?
        } else {
            self.shared.registry.find_purge(OF_USER, args).await?
        };
        // The other purge has just ended: a repeated request starts a new one.
        found.ok_or_else(|| Error::storage(StorageFailure::Unavailable, "another purge of the user has just ended"))
    }

    /// Forgets the user, and stores the purge with its next step.
    pub(crate) async fn forget_purged(&self, purge: Purge, at: Timestamp) -> Result<Purge> {
        self.in_one(move |shared| async move { shared.registry.forget_purged(purge, at).await }).await
    }

    /// Audits the purge and stores its receipt.
    pub(crate) async fn tell_purged(&self, purge: Purge, at: Timestamp) -> Result<Purge> {
        self.in_one(move |shared| async move { shared.registry.tell_purged(purge, at).await }).await
    }

    /// Runs to completion even if the caller is cancelled: an open transaction would absorb the next statements.
    async fn in_one<F>(&self, work: impl FnOnce(Arc<Shared>) -> F) -> Result<Purge>
    where
        F: Future<Output = Result<Purge>> + Send + 'static,
    {
        let done = tokio::spawn(work(Arc::clone(&self.shared)));
        done.await.unwrap_or_else(|_| Err(Error::storage(StorageFailure::Defect, "a step of a purge panicked")))
    }
}

impl SystemDb {
    async fn forget_purged(&self, mut purge: Purge, at: Timestamp) -> Result<Purge> {
        let Some(user) = purge.user.clone() else { return Err(nameless()) };
        let mut writing = self.writer().await?;
        let conn = writing.conn()?;
        conn.run("beginning a change", "BEGIN IMMEDIATE", Args::new()).await?;
        let done = forget(conn, &mut purge, &user, at).await;
        end(conn, done).await.map(|()| purge)
    }

    async fn tell_purged(&self, mut purge: Purge, at: Timestamp) -> Result<Purge> {
        let mut writing = self.writer().await?;
        let conn = writing.conn()?;
        conn.run("beginning a change", "BEGIN IMMEDIATE", Args::new()).await?;
        let done = tell(conn, &mut purge, at).await;
        end(conn, done).await.map(|()| purge)
    }
}

async fn end(conn: &mut Conn, done: Result<()>) -> Result<()> {
    if done.is_err() {
        conn.audit_head = None;
    }
    let end = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = conn.run("ending a change", end, Args::new()).await;
    done.and(ended.map(drop))
}

async fn forget(conn: &mut Conn, purge: &mut Purge, user: &UserId, at: Timestamp) -> Result<()> {
    let doing = "deleting a user from the registry";
    conn.run(doing, FORGET, Args::new().with(user.as_str())).await?;
    let args = Args::new().with(at.0).with(purge.pseudonym.as_str()).with(user.as_str());
    purge.erased.credentials_revoked = conn.run(doing, REVOKE, args).await?;
    purge.erased.credentials_narrowed = conn.run(doing, NARROW, Args::new().with(user.as_str())).await?;
    purge.step = purge.step.next();
    let keys = purge.erased.credentials_revoked + purge.erased.credentials_narrowed;
    if keys > 0 {
        let entry = entry("key.purge", purge, at, keys);
        append(conn, &[entry]).await?;
    }
    let args = values(purge)?;
    conn.run("writing a purge record", STORE, args).await.map(drop)
}

async fn tell(conn: &mut Conn, purge: &mut Purge, at: Timestamp) -> Result<()> {
    let memories = purge.erased.rows.get("memories").copied().unwrap_or_default();
    append(conn, &[entry(PURGED, purge, at, memories)]).await?;
    let head = conn.audit_head.ok_or_else(|| errors::corrupt("the audit of the system has no end"))?;
    (purge.step, purge.user) = (PurgeStep::Done, None);
    (purge.finished_at, purge.told) = (Some(at), Some(head));
    let args = Args::new().with(step_code(purge.step)).with(at.0).with(head.no.cast_signed()).with(head.hash.to_vec());
    conn.run("writing a purge receipt", FINISH, args.with(bytes(purge.id))).await.map(drop)
}

fn values(purge: &Purge) -> Result<Args> {
    Ok(Args::new().with(step_code(purge.step)).with(erased_json(&purge.erased)?).with(bytes(purge.id)))
}

fn bytes(id: PurgeId) -> Vec<u8> {
    id.0.as_bytes().to_vec()
}

fn read(row: &Row<'_>) -> Result<Purge> {
    purge_from(&mut Cells::new(row))
}
