//! Removes every job of a user who is purged, whatever its state.

use crate::{error::QueueError, queue::Queue};

impl Queue {
    /// Removes the jobs of a user, those of the other queues beside this one included, and then everything removed from the
    /// log of `SQLite`. A job that is running is not stopped; when it ends it leaves nothing here.
    ///
    /// # Errors
    /// If the database fails, or a reader is in the way of emptying the log; then it is safe to do it again.
    pub async fn erase_user(&self, user_id: &str) -> Result<u64, QueueError> {
        self.shared.database.erase_user(user_id).await
    }
}
