//! Removes every job of a user who is purged, whatever its state.

use crate::{error::QueueError, queue::Queue};

/// Of all queues in the file. What cannot be read as JSON names nobody.
const ERASE: &str = "DELETE FROM Jobs WHERE CASE WHEN json_valid(CAST(job AS TEXT)) \
     THEN json_extract(CAST(job AS TEXT), '$.user_id') = ? ELSE 0 END";

impl Queue {
    /// Removes the jobs of a user, those of the other queues in the file included, and then everything removed from the
    /// log. A job that is running is not stopped; when it ends it leaves nothing here.
    ///
    /// # Errors
    /// If the database fails, or a reader is in the way of emptying the log; then it is safe to do it again.
    pub async fn erase_user(&self, user_id: &str) -> Result<u64, QueueError> {
        let erased = sqlx::query(ERASE).bind(user_id).execute(&self.shared.pool).await?.rows_affected();
        let (busy, _, _): (i64, i64, i64) =
            sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&self.shared.pool).await?;
        if busy == 0 { Ok(erased) } else { Err(QueueError::Busy) }
    }
}
