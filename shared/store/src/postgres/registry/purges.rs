//! Stores records of purges, and removes a purged user from the registry.

use kimberly_core::audit::PURGED;
use kimberly_core::erasure::{Purge, PurgeStep};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::By;
use kimberly_core::{PurgeId, Timestamp, UserId};
use sqlx::postgres::PgRow;

use super::RegistryPort;
use super::change::{self, Change};
use crate::postgres::audit;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::errors;
use crate::postgres::reader::limit as sql_limit;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::registry::{entry, nameless, select, subject, told};
use crate::rows::{erased_json, purge_from, step_code};

const BY_ID: &str = "WHERE id = $1";
const LOCKED: &str = "WHERE id = $1 FOR UPDATE";
const OF_USER: &str = "WHERE user_id = $1";
const LIST: &str = "WHERE ($1::uuid IS NULL OR id < $1) ORDER BY id DESC LIMIT $2";
const OF_PSEUDONYM: &str = "WHERE ($1::uuid IS NULL OR id < $1) AND pseudonym = $3 ORDER BY id DESC LIMIT $2";
const UNDER_WAY: &str = "SELECT id FROM purges WHERE user_id IS NOT NULL ORDER BY id LIMIT $1";
const BEGIN: &str = "INSERT INTO purges (id, user_id, pseudonym, step, erased, asked_by, asked_at) \
     VALUES ($1, $2, $3, 0, '{}', $4, $5) ON CONFLICT DO NOTHING";
/// Never goes back to an earlier step: a process that lost the purge lock cannot change anything.
const STORE: &str = "UPDATE purges SET step = $1, erased = $2 WHERE id = $3 AND user_id IS NOT NULL AND step <= $1";
const FINISH: &str = "UPDATE purges SET step = $1, user_id = NULL, finished_at = $2, audit_no = $3, audit_hash = $4 \
     WHERE id = $5";
const FORGET_USER: &str = "DELETE FROM users WHERE user_id = $1";
const FORGET_PENDING: &str = "DELETE FROM outbox_marks WHERE user_id = $1";
/// Credentials for this user only are revoked, and their grant names the pseudonym instead.
const REVOKE: &str = "UPDATE credentials SET revoked_at = coalesce(revoked_at, $1), \
     granted = jsonb_set(granted::jsonb, '{users}', jsonb_build_array($2::text))::text \
     WHERE granted::jsonb -> 'users' ? $3 \
     AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements_text(granted::jsonb -> 'users') AS named (id) WHERE id <> $3)";
const NARROW: &str = "UPDATE credentials SET granted = jsonb_set(granted::jsonb, '{users}', \
     (SELECT jsonb_agg(id ORDER BY place) FROM jsonb_array_elements_text(granted::jsonb -> 'users') \
      WITH ORDINALITY AS named (id, place) WHERE id <> $1))::text \
     WHERE granted::jsonb -> 'users' ? $1";

impl RegistryPort {
    pub(crate) async fn purge(&self, id: PurgeId) -> Result<Option<Purge>> {
        self.0.row("reading a purge", select(BY_ID), Args::none().with(id.0), read).await
    }

    /// Returns the user's purge that is in progress.
    pub(crate) async fn purge_of(&self, user: &UserId) -> Result<Option<Purge>> {
        self.0.row("reading a purge", select(OF_USER), Args::of(Some(user)), read).await
    }

    pub(crate) async fn list_purges(
        &self,
        pseudonym: Option<String>,
        before: Option<PurgeId>,
        limit: usize,
    ) -> Result<Vec<Purge>> {
        let args = Args::none().with(before.map(|id| id.0)).with(sql_limit(limit));
        let (which, args) = match pseudonym {
            Some(pseudonym) => (OF_PSEUDONYM, args.with(pseudonym)),
            None => (LIST, args),
        };
        self.0.rows("listing purges", select(which), args, read).await
    }

    pub(crate) async fn purges_under_way(&self, limit: usize) -> Result<Vec<PurgeId>> {
        let id = |row: &_| Cells::new(row).uuid().map(PurgeId);
        self.0.rows("reading purges", UNDER_WAY, Args::none().with(sql_limit(limit)), id).await
    }

    pub(crate) async fn store_purge(&self, purge: &Purge) -> Result<()> {
        let changed = self.0.run("writing a purge record", STORE, values(purge)?).await?;
        if changed > 0 { Ok(()) } else { Err(overtaken()) }
    }

    /// Forgets the user, and stores the purge with its next step.
    pub(crate) async fn forget_purged(&self, mut purge: Purge, at: Timestamp) -> Result<Purge> {
        let mut conn = self.0.registry().await?;
        let done = forget(&mut conn, &mut purge, at).await;
        conn.end(done).await.map(|()| purge)
    }

    /// Audits the purge and stores its receipt.
    pub(crate) async fn tell_purged(&self, mut purge: Purge, at: Timestamp) -> Result<Purge> {
        let mut conn = self.0.registry().await?;
        let done = tell(&mut conn, &mut purge, at).await;
        conn.end(done).await.map(|()| purge)
    }
}

/// Stores and audits a new purge, within a transaction; returns `false` if one of the user is in progress.
pub(crate) async fn insert_purge(
    conn: &mut Conn,
    id: PurgeId,
    user: &UserId,
    pseudonym: &str,
    by: &By,
) -> Result<bool> {
    let args = Args::none().with(id.0).with(user.as_str().to_owned()).with(pseudonym.to_owned());
    let args = args.with(by.actor.as_ref().to_owned()).with(by.at.0);
    let change = Change { doing: "beginning a purge", sql: BEGIN, args };
    Ok(change::make(conn, change, &[told(by, "user.purge_asked", &subject(id, pseudonym))]).await? > 0)
}

async fn forget(conn: &mut Conn, purge: &mut Purge, at: Timestamp) -> Result<()> {
    let doing = "deleting a user from the registry";
    change::lock(conn).await?;
    refuse_overtaken(conn, purge).await?;
    let user = purge.user.as_ref().ok_or_else(nameless)?.as_str().to_owned();
    for sql in [FORGET_USER, FORGET_PENDING] {
        conn.run(doing, sql, Args::none().with(user.clone())).await?;
    }
    let args = Args::none().with(at.0).with(purge.pseudonym.clone()).with(user.clone());
    purge.erased.credentials_revoked = conn.run(doing, REVOKE, args).await?;
    purge.erased.credentials_narrowed = conn.run(doing, NARROW, Args::none().with(user)).await?;
    purge.step = purge.step.next();
    let keys = purge.erased.credentials_revoked + purge.erased.credentials_narrowed;
    if keys > 0 {
        audit::append_system(conn, &[entry("key.purge", purge, at, keys)]).await?;
    }
    conn.run("writing a purge record", STORE, values(purge)?).await.map(drop)
}

async fn tell(conn: &mut Conn, purge: &mut Purge, at: Timestamp) -> Result<()> {
    change::lock(conn).await?;
    refuse_overtaken(conn, purge).await?;
    let memories = purge.erased.rows.get("memories").copied().unwrap_or_default();
    let head = audit::append_system(conn, &[entry(PURGED, purge, at, memories)]).await?;
    let head = head.ok_or_else(|| errors::corrupt("the audit of the system has no end"))?;
    (purge.step, purge.user) = (PurgeStep::Done, None);
    (purge.finished_at, purge.told) = (Some(at), Some(head));
    let args = Args::none().with(step_code(purge.step)).with(at.0).with(head.no.cast_signed());
    conn.run("writing a purge receipt", FINISH, args.with(head.hash.to_vec()).with(purge.id.0)).await.map(drop)
}

/// Fails if another process has completed the step meanwhile, because it took the purge lock from a process considered
/// dead.
async fn refuse_overtaken(conn: &mut Conn, purge: &Purge) -> Result<()> {
    let found = conn.row("reading a purge", select(LOCKED), Args::none().with(purge.id.0), read).await?;
    if found.is_some_and(|found| found.step == purge.step) { Ok(()) } else { Err(overtaken()) }
}

fn values(purge: &Purge) -> Result<Args> {
    Ok(Args::none().with(step_code(purge.step)).with(erased_json(&purge.erased)?).with(purge.id.0))
}

/// Error for a purge that another process has continued.
pub(crate) fn overtaken() -> Error {
    Error::storage(StorageFailure::Unavailable, "another process continued the purge")
}

fn read(row: &PgRow) -> Result<Purge> {
    purge_from(&mut Cells::new(row))
}
