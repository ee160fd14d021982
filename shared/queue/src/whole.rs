//! Whether the file of the queue is whole, and whether it holds the jobs of the vaults beside it. All that it holds can be made again:
//! so a damaged one is removed, and the process that creates the next one beside vaults notes that it lacks their jobs.

use crate::{error::QueueError, queue::Queue};

impl Queue {
    /// Reads all of the file. A database checks its pages itself.
    ///
    /// # Errors
    /// [`QueueError::Damaged`] if it is damaged; others if that cannot be seen now.
    pub async fn examine(&self) -> Result<(), QueueError> {
        self.shared.examine().await
    }

    /// Whether it was made beside vaults that were there before it, and the jobs of what is under way in these were not made again.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn lacks_jobs(&self) -> Result<bool, QueueError> {
        Ok(self.shared.database.lacks_jobs().await?)
    }

    /// Notes that they were made again.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn note_all_jobs(&self) -> Result<(), QueueError> {
        Ok(self.shared.database.note_all_jobs().await?)
    }
}
