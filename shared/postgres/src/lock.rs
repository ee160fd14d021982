//! Advisory locks: mutual exclusion across all processes of a database.

use std::time::Duration;

use sqlx::AssertSqlSafe;
use sqlx::postgres::PgConnection;

use crate::{Error, Result, quoted};

/// Poll interval while waiting for a lock.
const BETWEEN: Duration = Duration::from_millis(50);

/// Classes of advisory locks, so that uses do not collide.
pub mod classes {
    /// Migrations of vaults, by the name of their schema: the first letters of "kimberly".
    pub const MIGRATING: i32 = 0x6b69_6d62;
    /// Running purges.
    pub const PURGES: i32 = MIGRATING + 1;
    /// Updating the vectors of a user.
    pub const TURNS: i32 = MIGRATING + 2;
    /// Creating and removing vector graphs.
    pub const GRAPHS: i32 = MIGRATING + 3;
    /// Shared by all connections to vaults; exclusive for a migration to another database.
    pub const IN_USE: i32 = MIGRATING + 4;
    /// Creating the tables of the queue, by the schema of apalis.
    pub const QUEUE: i32 = MIGRATING + 5;
    /// Updating the keys of one keyspace of working memory.
    pub const WORKING: i32 = MIGRATING + 6;
}

/// A session lock: released with its connection at the latest.
#[derive(Clone, Copy, Debug)]
pub struct Lock<'a> {
    /// One of [`classes`].
    pub class: i32,
    /// The object within the class.
    pub of: &'a str,
    /// The operation that takes it, for errors.
    pub doing: &'static str,
}

impl Lock<'_> {
    /// Takes the lock exclusively unless another connection holds it; returns whether it did.
    pub async fn try_take(&self, conn: &mut PgConnection) -> Result<bool> {
        let take = sqlx::query_scalar("SELECT pg_try_advisory_lock($1, hashtext($2))").bind(self.class).bind(self.of);
        take.fetch_one(conn).await.map_err(Error::failed(self.doing))
    }

    /// Takes the lock shared unless another connection holds it exclusively; returns whether it did.
    pub async fn try_share(&self, conn: &mut PgConnection) -> Result<bool> {
        let share = sqlx::query_scalar(AssertSqlSafe(format!("SELECT {}", self.shared())));
        share.fetch_one(conn).await.map_err(Error::failed(self.doing))
    }

    /// Returns the SQL expression that takes the lock shared: true if it succeeded.
    pub fn shared(&self) -> String {
        format!("pg_try_advisory_lock_shared({}, hashtext({}))", self.class, quoted(self.of))
    }

    /// Releases a shared lock.
    pub async fn end_share(&self, conn: &mut PgConnection) -> Result<()> {
        let end = sqlx::query("SELECT pg_advisory_unlock_shared($1, hashtext($2))").bind(self.class).bind(self.of);
        end.execute(conn).await.map(drop).map_err(Error::failed(self.doing))
    }

    /// Waits for the lock by polling: waiting inside Postgres would keep a transaction open, which would block a
    /// concurrent index build.
    pub async fn wait(&self, conn: &mut PgConnection) -> Result<()> {
        while !self.try_take(conn).await? {
            tokio::time::sleep(BETWEEN).await;
        }
        Ok(())
    }

    /// Releases the lock.
    pub async fn end(&self, conn: &mut PgConnection) -> Result<()> {
        let end = sqlx::query("SELECT pg_advisory_unlock($1, hashtext($2))").bind(self.class).bind(self.of);
        end.execute(conn).await.map(drop).map_err(Error::failed(self.doing))
    }
}
