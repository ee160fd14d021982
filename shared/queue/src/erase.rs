//! Removes all jobs of a purged user, whatever their state.

use crate::{error::QueueError, queue::Queue};

impl Queue {
    /// Removes the jobs of a user from all queues of this installation, then truncates the `SQLite` log. Does not
    /// stop a running job, which leaves nothing behind when it ends.
    ///
    /// # Errors
    /// If the database fails, or a reader prevents truncating the log; then it is safe to repeat.
    pub async fn erase_user(&self, user_id: &str) -> Result<u64, QueueError> {
        self.shared.database.erase_user(user_id).await
    }
}
