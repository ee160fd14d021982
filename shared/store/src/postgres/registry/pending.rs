//! Vaults whose outbox may not be empty. The transaction that adds to an outbox adds its entry, which is removed only
//! while the vault's row is locked.

use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_core::ports::PendingOutbox;

use super::RegistryPort;
use super::users::user;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::reader::limit as sql_limit;
use crate::postgres::rows::{Cells, ReadRow as _};

const PENDING: &str = "SELECT user_id, marked_at FROM outbox_marks ORDER BY marked_at, user_id LIMIT $1";
const LOCK: &str = "SELECT 1 FROM vaults WHERE user_id = $1 FOR UPDATE";
/// Without a vault there is no row to lock, and its outbox is empty.
const IS_EMPTY: &str = "SELECT NOT EXISTS (SELECT 1 FROM outbox WHERE user_id = $1)";
const CLEAR: &str = "DELETE FROM outbox_marks WHERE user_id = $1";

impl RegistryPort {
    pub(super) async fn pending(&self, limit: usize) -> Result<Vec<PendingOutbox>> {
        let read = |row: &_| {
            let c = &mut Cells::new(row);
            Ok(PendingOutbox { user: user(c.str()?)?, pending_since: c.time()? })
        };
        self.0.rows("reading pending marks", PENDING, Args::none().with(sql_limit(limit)), read).await
    }

    /// Removes the entry if the outbox is empty. A writer to the outbox takes the lock first, so it commits before the
    /// check or begins after the removal.
    pub(super) async fn clear_pending(&self, user: &UserId) -> Result<()> {
        self.0.refuse_closed()?;
        let mut conn = Conn::new(self.0.pool.write(user).await?, user.clone());
        let done = clear_pending(&mut conn).await;
        conn.end(done).await
    }
}

async fn clear_pending(conn: &mut Conn) -> Result<()> {
    let args = conn.args();
    conn.run("locking a vault", LOCK, args).await?;
    let (doing, args) = ("removing a pending mark", conn.args());
    if conn.row(doing, IS_EMPTY, args, |row| Cells::new(row).flag()).await? == Some(true) {
        let args = conn.args();
        conn.run(doing, CLEAR, args).await?;
    }
    Ok(())
}
