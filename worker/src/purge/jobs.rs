//! Purges jobs from the queue.

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::ErasesUsers;
use kimberly_queue::Queue;

pub(super) struct Jobs(Queue);

impl Jobs {
    pub(super) const fn new(queue: Queue) -> Self {
        Self(queue)
    }
}

#[async_trait]
impl ErasesUsers for Jobs {
    async fn erase(&self, user: &UserId) -> Result<()> {
        let erased = self.0.erase_user(user.as_str()).await;
        let erased =
            erased.map_err(|error| Error::storage(StorageFailure::Unavailable, format!("the queue: {error}")))?;
        tracing::debug!(jobs = erased, "the jobs of a user were removed");
        Ok(())
    }
}
