//! Stores users.

use kimberly_core::error::Result;
use kimberly_core::time::Timestamp;
use kimberly_core::{Error, UserId};

use super::SystemDb;
use super::pending::ADD as ADD_PENDING;
use crate::first_due::{first_rotation, first_schedule};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::reader::limit as sql_limit;
use crate::sqlite::rows::{Cells, ReadRow as _};

const KNOWN: &str = "SELECT EXISTS (SELECT 1 FROM users WHERE id = ?)";
const REGISTER: &str =
    "INSERT INTO users (id, created_at, schedule_at, rotation_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING";
const USERS: &str = "SELECT id FROM users WHERE id > ? ORDER BY id LIMIT +?";
const FIRST_USERS: &str = "SELECT id FROM users WHERE id >= ? ORDER BY id LIMIT +?";
const FORGET: &str = "DELETE FROM users WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM quarantine WHERE user_id = ?1)";
const COUNT: &str = "SELECT count(*) FROM users";

impl SystemDb {
    /// Registers a user unless known; first runs are due later.
    pub(crate) async fn register(&self, user: &UserId, now: Timestamp) -> Result<()> {
        if self.knows(user).await? {
            return Ok(());
        }
        self.writer().await?.conn()?.run("registering a user", REGISTER, values(user, now)).await?;
        Ok(())
    }

    /// Reports whether a user is registered.
    pub(crate) async fn knows(&self, user: &UserId) -> Result<bool> {
        let mut lease = self.reader().await?;
        let args = Args::new().with(user.as_str());
        let known = lease.conn()?.row("looking up a user", KNOWN, args, |row| Cells::new(row).flag()).await?;
        Ok(known == Some(true))
    }

    /// Forgets a user without a vault, unless the vault is in quarantine.
    pub(crate) async fn forget_vaultless(&self, user: &UserId) -> Result<()> {
        let args = Args::new().with(user.as_str());
        self.writer().await?.conn()?.run("deleting a user without a vault", FORGET, args).await.map(drop)
    }

    pub(crate) async fn users(&self, after: Option<&UserId>, limit: usize) -> Result<Vec<UserId>> {
        let sql = if after.is_some() { USERS } else { FIRST_USERS };
        let args = Args::new().with(after.map_or("", UserId::as_str)).with(sql_limit(limit));
        self.reader().await?.conn()?.rows("listing users", sql, args, |row| user(Cells::new(row).str()?)).await
    }

    pub(super) async fn count_users(&self) -> Result<u64> {
        let mut lease = self.reader().await?;
        let count = lease.conn()?.row("counting users", COUNT, Args::new(), |row| Cells::new(row).count()).await?;
        Ok(count.unwrap_or_default())
    }
}

/// Registers a user whose outbox may hold jobs, within a transaction.
pub(super) async fn register(conn: &mut Conn, user: &UserId, now: Timestamp) -> Result<()> {
    conn.run("registering a user", REGISTER, values(user, now)).await?;
    conn.run("writing a pending mark", ADD_PENDING, Args::new().with(user.as_str()).with(now.0)).await.map(drop)
}

fn values(user: &UserId, now: Timestamp) -> Args {
    Args::new().with(user.as_str()).with(now.0).with(first_schedule(now).0).with(first_rotation(now).0)
}

/// Parses a stored user id.
pub(crate) fn user(id: &str) -> Result<UserId> {
    UserId::parse(id).map_err(|_: Error| errors::corrupt("the registry holds a user id out of bounds"))
}
