//! Advisory locks: of all processes over a database one at a time does something.

use std::time::Duration;

use sqlx::AssertSqlSafe;
use sqlx::postgres::PgConnection;

use crate::{Error, Result, quoted};

/// How often it is tried again to get a lock.
const BETWEEN: Duration = Duration::from_millis(50);

/// Classes of advisory locks, so that nobody takes another one's.
pub mod classes {
    /// Migrations of vaults, by the name of their schema: the first letters of "kimberly".
    pub const MIGRATING: i32 = 0x6b69_6d62;
    /// Working on purges.
    pub const PURGES: i32 = MIGRATING + 1;
    /// Working on the vectors of a user.
    pub const TURNS: i32 = MIGRATING + 2;
    /// Making and removing graphs of vectors.
    pub const GRAPHS: i32 = MIGRATING + 3;
    /// Held by every connection to vaults beside others, and alone by what moves everything to elsewhere.
    pub const IN_USE: i32 = MIGRATING + 4;
    /// Making the tables of the queue, by the schema of apalis.
    pub const QUEUE: i32 = MIGRATING + 5;
    /// Working on the keys of one place of working memory.
    pub const WORKING: i32 = MIGRATING + 6;
}

/// A lock that ends with its connection at the latest.
#[derive(Clone, Copy, Debug)]
pub struct Lock<'a> {
    /// One of [`classes`].
    pub class: i32,
    /// What of that class.
    pub of: &'a str,
    /// What taking it is a part of, for errors.
    pub doing: &'static str,
}

impl Lock<'_> {
    /// Takes it unless another connection has it, and says whether it did.
    pub async fn try_take(&self, conn: &mut PgConnection) -> Result<bool> {
        let take = sqlx::query_scalar("SELECT pg_try_advisory_lock($1, hashtext($2))").bind(self.class).bind(self.of);
        take.fetch_one(conn).await.map_err(Error::failed(self.doing))
    }

    /// Takes it beside others who do, unless another connection has it alone, and says whether it did.
    pub async fn try_share(&self, conn: &mut PgConnection) -> Result<bool> {
        let share = sqlx::query_scalar(AssertSqlSafe(format!("SELECT {}", self.shared())));
        share.fetch_one(conn).await.map_err(Error::failed(self.doing))
    }

    /// Taking it beside others as an expression within a statement: true if it was taken.
    pub fn shared(&self) -> String {
        format!("pg_try_advisory_lock_shared({}, hashtext({}))", self.class, quoted(self.of))
    }

    /// Leaves it to one who takes it alone.
    pub async fn end_share(&self, conn: &mut PgConnection) -> Result<()> {
        let end = sqlx::query("SELECT pg_advisory_unlock_shared($1, hashtext($2))").bind(self.class).bind(self.of);
        end.execute(conn).await.map(drop).map_err(Error::failed(self.doing))
    }

    /// Waits until no other connection has it. It is tried again and again: who waits for it within Postgres has a transaction
    /// open, for whose end an index that is made beside writers would wait.
    pub async fn wait(&self, conn: &mut PgConnection) -> Result<()> {
        while !self.try_take(conn).await? {
            tokio::time::sleep(BETWEEN).await;
        }
        Ok(())
    }

    /// Lets others have it.
    pub async fn end(&self, conn: &mut PgConnection) -> Result<()> {
        let end = sqlx::query("SELECT pg_advisory_unlock($1, hashtext($2))").bind(self.class).bind(self.of);
        end.execute(conn).await.map(drop).map_err(Error::failed(self.doing))
    }
}
