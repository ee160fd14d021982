//! Being alone on the database, and whether the process that fills it still is.
//!
//! The lock goes with a connection of its own, and rows are written over others. So a process that stood still, or whose
//! connection broke, may have lost the lock while another one took it, was done, and serves by now. Therefore each transaction
//! that fills asks whether the lock is still there, before it writes and when it has written.

use async_trait::async_trait;
use kimberly_core::error::Result;
use kimberly_postgres::classes::IN_USE;
use kimberly_postgres::quoted;
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;

use super::mark;
use crate::moving::refused;
use crate::moving::side::Held;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::errors;
use crate::postgres::rows::Cells;

const DOING: &str = "asking whether the database is still to be filled";
/// It lies idle for as long as the move takes, and must not be ended for that.
const PID: &str = "SELECT pg_backend_pid() FROM set_config('idle_session_timeout', '0', false)";

/// Nobody else is there for as long as the connection is.
pub(super) struct Alone {
    conn: PgConnection,
}

impl Alone {
    /// Tries to be it over a connection; returns also by which number the server knows that. `None` while somebody is there.
    pub(super) async fn over(mut conn: PgConnection, schema: &str) -> Result<Option<(Self, i32)>> {
        if !mark::alone(&mut conn, schema).await? {
            return Ok(None);
        }
        let asked = sqlx::query_scalar(PID).fetch_one(&mut conn).await;
        let pid: i32 = asked.map_err(|e| errors::sql("keeping others from the database", &e))?;
        Ok(Some((Self { conn }, pid)))
    }
}

#[async_trait]
impl Held for Alone {
    async fn held(&mut self) -> bool {
        self.conn.ping().await.is_ok()
    }

    async fn end(mut self: Box<Self>) {
        // Else the server does so once it sees that the connection is gone.
        let _ = mark::others_may_come(&mut self.conn).await;
        let _ = self.conn.close().await;
    }
}

/// The right to fill, which lasts as long as the lock.
pub(super) struct Fills {
    ask: String,
    pid: i32,
}

impl Fills {
    /// Of the process that took the lock over the connection that the server knows by this number.
    pub(super) fn by(pid: i32, schema: &str) -> Self {
        // No other connection has this number while it lives, so another run is distinguished. The row is locked, so that nobody
        // says that all has arrived before the transaction ends.
        let ask = format!(
            "SELECT EXISTS (SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.pid = $1 \
             AND l.classid = {IN_USE} AND l.objid = hashtext({})::oid AND l.mode = 'ExclusiveLock' AND l.granted) \
             FROM moves WHERE state = 'filling' FOR SHARE OF moves",
            quoted(schema)
        );
        Self { ask, pid }
    }

    /// Refuses a transaction that came too late.
    pub(super) async fn check(&self, conn: &mut Conn) -> Result<()> {
        let args = Args::none().with(self.pid);
        let held = conn.row(DOING, self.ask.clone(), args, |row| Cells::new(row).flag()).await?;
        if held == Some(true) {
            return Ok(());
        }
        Err(refused(
            "another `kimberly migrate` has finished or taken over, as this one stood still: nothing more was written to the \
             database; run this again, which goes on where it was",
        ))
    }
}
