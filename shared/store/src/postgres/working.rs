//! Working memory in the database, shared by all processes: an unlogged table, which a crash of the server empties.

use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::error::{Error, Result};
use kimberly_core::ids::UserId;
use kimberly_core::ports::WorkingMemory;
use kimberly_core::time::Timestamp;
use kimberly_core::working::{
    Keyspace, WorkingEntry, WorkingLimits, WorkingOp, WorkingOps, WorkingOutcome, WorkingStore,
};
use kimberly_postgres::classes;

use super::conn::{Args, Conn};
use super::errors;
use super::rows::{Cells, ReadRow as _};
use super::shared::Shared;

/// Checks for a purge, and makes one that would hide the vault wait for this transaction.
const HIDDEN: &str = "SELECT purging IS NOT NULL FROM vaults WHERE user_id = $1 FOR KEY SHARE";
const LOCK: &str = "SELECT pg_advisory_xact_lock($1, hashtext($2))";
/// Expires entries in all keyspaces of the user, because other keyspaces may never be used again.
const EXPIRE: &str = "DELETE FROM working WHERE user_id = $1 AND expires_at <= $2";
/// Loads texts only of the keys that operations name.
const LOAD: &str = "SELECT key, CASE WHEN key = ANY($4) THEN value END, octet_length(value)::bigint, expires_at, used_at \
     FROM working WHERE user_id = $1 AND namespace = $2 AND session = $3";
const PUT: &str = "INSERT INTO working (user_id, namespace, session, key, value, expires_at, used_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (user_id, namespace, session, key) \
     DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at, used_at = excluded.used_at";
const REMOVE: &str = "DELETE FROM working WHERE user_id = $1 AND namespace = $2 AND session = $3 AND key = $4";
const FORGET: &str = "DELETE FROM working WHERE user_id = $1";

/// Implements the port over the shared state.
pub(crate) struct WorkingPort {
    pub(crate) shared: Arc<Shared>,
    pub(crate) limits: WorkingLimits,
}

impl WorkingPort {
    async fn begin(&self, user: &UserId) -> Result<Conn> {
        self.shared.refuse_closed()?;
        Ok(Conn::new(self.shared.pool.write(user).await?, user.clone()))
    }
}

#[async_trait]
impl WorkingMemory for WorkingPort {
    async fn run(&self, keyspace: &Keyspace, ops: &WorkingOps, now: Timestamp) -> Result<Vec<WorkingOutcome>> {
        let mut conn = self.begin(&keyspace.user).await?;
        let done = within(&mut conn, keyspace, ops, (self.limits, now)).await;
        conn.end(done).await
    }

    async fn forget(&self, user: &UserId) -> Result<()> {
        let mut conn = self.begin(user).await?;
        let args = conn.args();
        let done = conn.run("emptying working memory", FORGET, args).await.map(drop);
        conn.end(done).await
    }
}

async fn within(
    conn: &mut Conn,
    keyspace: &Keyspace,
    ops: &WorkingOps,
    (limits, now): (WorkingLimits, Timestamp),
) -> Result<Vec<WorkingOutcome>> {
    let args = conn.args();
    if conn.row("checking for a purge", HIDDEN, args, |row| Cells::new(row).flag()).await? == Some(true) {
        return Err(Error::Purging);
    }
    // Two keyspaces with equal names would only wait for each other.
    let name = format!("{}/{}/{}", keyspace.user, keyspace.namespace, keyspace.session_id);
    let args = Args::none().with(classes::WORKING).with(name);
    conn.row("locking working memory", LOCK, args, |_| Ok(())).await?;
    let args = conn.args().with(now.0);
    conn.run("removing expired working memory", EXPIRE, args).await?;
    let mut store = load(conn, keyspace, ops).await?;
    let outcomes = store.run(ops, limits, now)?;
    for (key, entry) in store.changes() {
        let args = at(conn, keyspace).with(key.to_owned());
        match entry.map(|entry| (entry, entry.value.clone())) {
            Some((entry, Some(value))) => {
                let args = args.with(value).with(entry.expires_at.0).with(entry.used_at.0);
                conn.run("writing working memory", PUT, args).await?;
            }
            // Only entries of named keys change, and their texts were loaded.
            Some((_, None)) => return Err(errors::corrupt("a text of working memory changed without being read")),
            None => drop(conn.run("removing working memory", REMOVE, args).await?),
        }
    }
    Ok(outcomes)
}

async fn load(conn: &mut Conn, keyspace: &Keyspace, ops: &WorkingOps) -> Result<WorkingStore> {
    let named: Vec<String> = ops.as_slice().iter().filter_map(WorkingOp::key).map(str::to_owned).collect();
    let args = at(conn, keyspace).with(named);
    let entries = conn.rows("reading working memory", LOAD, args, |row| {
        let c = &mut Cells::new(row);
        let (key, value, bytes) = (c.text()?, c.opt_text()?, c.count()?);
        let value_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        Ok((key, WorkingEntry { value, value_bytes, expires_at: c.time()?, used_at: c.time()? }))
    });
    Ok(WorkingStore::of(entries.await?))
}

/// Returns arguments with the user and the keyspace.
fn at(conn: &Conn, keyspace: &Keyspace) -> Args {
    conn.args().with(keyspace.namespace.clone()).with(keyspace.session_id.clone())
}
