//! The exclusive lock on the database, and the check that the filling process still holds it.
//!
//! The lock belongs to a separate connection, while rows are written over others. A process that was suspended, or
//! whose connection broke, may have lost the lock while another process took it, finished, and serves by now. Therefore
//! each filling transaction checks the lock before it writes and after it has written.

use async_trait::async_trait;
use kimberly_core::error::Result;
use kimberly_postgres::classes::IN_USE;
use kimberly_postgres::quoted;
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;

use super::record;
use crate::moving::refused;
use crate::moving::side::Held;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::errors;
use crate::postgres::rows::{Cells, ReadRow as _};

const DOING: &str = "checking whether the database is still being filled";
/// The connection is idle during the whole move and must not be terminated for that.
const PID: &str = "SELECT pg_backend_pid() FROM set_config('idle_session_timeout', '0', false)";

/// Holds the exclusive lock while the connection exists.
pub(super) struct Alone {
    conn: PgConnection,
}

impl Alone {
    /// Tries to take the lock on a connection; also returns the connection's process id on the server. `None` while
    /// another process works there.
    pub(super) async fn over(mut conn: PgConnection, schema: &str) -> Result<Option<(Self, i32)>> {
        if !record::alone(&mut conn, schema).await? {
            return Ok(None);
        }
        let asked = sqlx::query_scalar(PID).fetch_one(&mut conn).await;
        let pid: i32 = asked.map_err(|e| errors::sql("locking the database for a migration", &e))?;
        Ok(Some((Self { conn }, pid)))
    }
}

#[async_trait]
impl Held for Alone {
    async fn held(&mut self) -> bool {
        self.conn.ping().await.is_ok()
    }

    async fn end(mut self: Box<Self>) {
        // Otherwise the server releases the lock when it notices the lost connection.
        let _ = record::others_may_come(&mut self.conn).await;
        let _ = self.conn.close().await;
    }
}

/// Permission to fill, valid while the lock is held.
pub(super) struct Fills {
    ask: String,
    pid: i32,
}

impl Fills {
    /// For the process that holds the lock on the connection with this process id.
    pub(super) fn by(pid: i32, schema: &str) -> Self {
        // No other live connection has this process id, so another run is detected. The row is locked, so that none
        // marks the move as arrived before the transaction ends.
        let ask = format!(
            "SELECT EXISTS (SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.pid = $1 \
             AND l.classid = {IN_USE} AND l.objid = hashtext({})::oid AND l.mode = 'ExclusiveLock' AND l.granted) \
             FROM moves WHERE state = 'filling' FOR SHARE OF moves",
            quoted(schema)
        );
        Self { ask, pid }
    }

    /// Refuses the transaction if the lock was lost.
    pub(super) async fn check(&self, conn: &mut Conn) -> Result<()> {
        let args = Args::none().with(self.pid);
        let held = conn.row(DOING, self.ask.clone(), args, |row| Cells::new(row).flag()).await?;
        if held == Some(true) {
            return Ok(());
        }
        Err(refused(
            "another `kimberly migrate` has finished or taken over because this one stalled: it wrote nothing more to \
             the database; run this again to resume",
        ))
    }
}
