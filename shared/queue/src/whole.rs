//! Whether the queue's file is intact, and whether it holds the jobs of the vaults beside it. All jobs can be
//! recreated: a damaged file is removed, and the process that creates a new one beside vaults records that their jobs
//! are missing.

use crate::{error::QueueError, queue::Queue};

impl Queue {
    /// Reads and checks the whole file. A Postgres database checks its pages itself.
    ///
    /// # Errors
    /// [`QueueError::Damaged`] if it is damaged; another error if the check itself fails.
    pub async fn examine(&self) -> Result<(), QueueError> {
        self.shared.examine().await
    }

    /// Whether the file was created beside existing vaults and their jobs were not recreated yet.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn lacks_jobs(&self) -> Result<bool, QueueError> {
        Ok(self.shared.database.lacks_jobs().await?)
    }

    /// Records that the jobs were recreated.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn note_all_jobs(&self) -> Result<(), QueueError> {
        Ok(self.shared.database.note_all_jobs().await?)
    }
}
