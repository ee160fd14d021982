//! Marks of vaults whose outbox may not be empty. Set and removed only under the vault's write lock, so checking for an
//! existing mark is enough.

use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_core::ports::OutboxMark;
use kimberly_core::time::Timestamp;

use super::SystemDb;
use super::users::user;
use crate::sqlite::conn::Args;
use crate::sqlite::reader::limit as sql_limit;
use crate::sqlite::rows::Cells;

const STANDS: &str = "SELECT EXISTS (SELECT 1 FROM outbox_marks WHERE user_id = ?)";
const MARK: &str = "INSERT INTO outbox_marks (user_id, marked_at) VALUES (?, ?) ON CONFLICT (user_id) DO NOTHING";
const UNMARK: &str = "DELETE FROM outbox_marks WHERE user_id = ?";
const MARKS: &str = "SELECT user_id, marked_at FROM outbox_marks ORDER BY marked_at, user_id LIMIT +?";

impl SystemDb {
    /// Marks a vault; durable on return.
    pub(crate) async fn mark(&self, user: &UserId, at: Timestamp) -> Result<()> {
        let stands = {
            let mut lease = self.reader().await?;
            let args = Args::new().with(user.as_str());
            lease.conn()?.row("looking for a mark", STANDS, args, |row| Cells::new(row).flag()).await?
        };
        if stands == Some(true) {
            return Ok(());
        }
        let args = Args::new().with(user.as_str()).with(at.0);
        self.writer().await?.conn()?.run("marking a vault", MARK, args).await?;
        Ok(())
    }

    /// Removes a vault's mark.
    pub(crate) async fn unmark(&self, user: &UserId) -> Result<()> {
        let args = Args::new().with(user.as_str());
        self.writer().await?.conn()?.run("removing a mark", UNMARK, args).await?;
        Ok(())
    }

    pub(super) async fn marks(&self, limit: usize) -> Result<Vec<OutboxMark>> {
        let args = Args::new().with(sql_limit(limit));
        let mut lease = self.reader().await?;
        let read = |row: &_| {
            let c = &mut Cells::new(row);
            Ok(OutboxMark { user: user(c.str()?)?, marked_at: c.time()? })
        };
        lease.conn()?.rows("reading marks", MARKS, args, read).await
    }
}
