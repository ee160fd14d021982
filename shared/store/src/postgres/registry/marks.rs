//! Marks of vaults whose outbox may not be empty. Set by the transaction that adds to the outbox, and removed only
//! while the vault's row is locked.

use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_core::ports::OutboxMark;

use super::RegistryPort;
use super::users::user;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::reader::limit as sql_limit;
use crate::postgres::rows::Cells;

const MARKS: &str = "SELECT user_id, marked_at FROM outbox_marks ORDER BY marked_at, user_id LIMIT $1";
const LOCK: &str = "SELECT 1 FROM vaults WHERE user_id = $1 FOR UPDATE";
/// Without a vault there is no row to lock, but its outbox is empty too, and the transaction that creates it sets the
/// mark again.
const UNMARK: &str = "DELETE FROM outbox_marks WHERE user_id = $1 \
     AND NOT EXISTS (SELECT 1 FROM outbox WHERE user_id = $1)";

impl RegistryPort {
    pub(super) async fn marks(&self, limit: usize) -> Result<Vec<OutboxMark>> {
        let read = |row: &_| {
            let c = &mut Cells::new(row);
            Ok(OutboxMark { user: user(c.str()?)?, marked_at: c.time()? })
        };
        self.0.rows("reading marks", MARKS, Args::none().with(sql_limit(limit)), read).await
    }

    /// Removes the mark if the outbox is empty. A writer to the outbox takes the lock first, so it commits before the
    /// check or begins after the removal.
    pub(super) async fn unmark(&self, user: &UserId) -> Result<()> {
        self.0.refuse_closed()?;
        let mut conn = Conn::new(self.0.pool.write(user).await?, user.clone());
        let done = unmark(&mut conn).await;
        conn.end(done).await
    }
}

async fn unmark(conn: &mut Conn) -> Result<()> {
    let args = conn.args();
    conn.run("locking a vault", LOCK, args).await?;
    let args = conn.args();
    conn.run("removing a mark", UNMARK, args).await.map(drop)
}
