//! Vaults whose outbox may not be empty. Entries are added and removed only under the vault's write lock, so checking for an
//! existing entry is enough.

use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_core::ports::PendingOutbox;
use kimberly_core::time::Timestamp;
use rusqlite::Row;

use super::SystemDb;
use super::users::user;
use crate::sqlite::conn::Args;
use crate::sqlite::reader::limit as sql_limit;
use crate::sqlite::rows::{Cells, ReadRow as _};

const STANDS: &str = "SELECT EXISTS (SELECT 1 FROM outbox_marks WHERE user_id = ?)";
pub(super) const ADD: &str =
    "INSERT INTO outbox_marks (user_id, marked_at) VALUES (?, ?) ON CONFLICT (user_id) DO NOTHING";
const CLEAR: &str = "DELETE FROM outbox_marks WHERE user_id = ?";
const PENDING: &str = "SELECT user_id, marked_at FROM outbox_marks ORDER BY marked_at, user_id LIMIT +?";

impl SystemDb {
    /// Adds a vault; durable on return.
    pub(crate) async fn add_pending(&self, user: &UserId, at: Timestamp) -> Result<()> {
        let stands = {
            let mut lease = self.reader().await?;
            let args = Args::new().with(user.as_str());
            lease.conn()?.row("reading a pending mark", STANDS, args, |row| Cells::new(row).flag()).await?
        };
        if stands == Some(true) {
            return Ok(());
        }
        let args = Args::new().with(user.as_str()).with(at.0);
        self.writer().await?.conn()?.run("writing a pending mark", ADD, args).await?;
        Ok(())
    }

    /// Removes a vault.
    pub(crate) async fn clear_pending(&self, user: &UserId) -> Result<()> {
        let args = Args::new().with(user.as_str());
        self.writer().await?.conn()?.run("removing a pending mark", CLEAR, args).await?;
        Ok(())
    }

    pub(super) async fn pending(&self, limit: usize) -> Result<Vec<PendingOutbox>> {
        let args = Args::new().with(sql_limit(limit));
        let mut lease = self.reader().await?;
        let read = |row: &Row<'_>| {
            let c = &mut Cells::new(row);
            Ok(PendingOutbox { user: user(c.str()?)?, pending_since: c.time()? })
        };
        lease.conn()?.rows("reading pending marks", PENDING, args, read).await
    }
}
