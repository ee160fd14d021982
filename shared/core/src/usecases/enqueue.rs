//! Enqueues a job in a separate transaction.

use std::sync::Arc;

use super::App;
use crate::error::Result;
use crate::ids::UserId;
use crate::ports::Job;

impl App {
    /// Enqueues a job; `name` is the name of the transaction.
    pub(super) async fn enqueue(&self, user: &UserId, name: &'static str, job: Job) -> Result<()> {
        let (now, ids, job) = (self.clock.now(), Arc::clone(&self.ids), Arc::new(job));
        let running = self.vaults.transact(user, name, move |tx| {
            let (id, job) = (ids.new_id(now), Arc::clone(&job));
            Box::pin(async move { tx.enqueue(id, &job, now, None).await })
        });
        running.await
    }
}
