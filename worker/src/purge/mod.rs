//! Executes purges: on a job, or by a sweep if the job is lost.

mod attachments;
mod jobs;
mod vectors;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kimberly_core::PurgeId;
use kimberly_core::error::{Entity, Error, Result};
use kimberly_core::ports::{Blobs, Clock, Purges};
use kimberly_core::usecases::purge::{Elsewhere, run_purge};
use kimberly_queue::Queue;
use tokio_util::sync::CancellationToken;

use attachments::Attachments;
use jobs::Jobs;
pub use vectors::Embedder;
use vectors::Vectors;

/// Purges per round.
const PAGE: usize = 100;

/// Executes purges one at a time across all processes. Cheap to clone.
#[derive(Clone)]
pub struct Purger {
    purges: Arc<dyn Purges>,
    elsewhere: Elsewhere,
    clock: Arc<dyn Clock>,
}

impl Purger {
    /// Creates a purger for a data folder or database, its queue, the bytes of its attachments, the data folder that
    /// may hold vector indexes, and the embedder that may be writing them.
    pub fn new(
        purges: Arc<dyn Purges>,
        clock: Arc<dyn Clock>,
        queue: Queue,
        blobs: Arc<dyn Blobs>,
        (data_dir, embedder): (PathBuf, Embedder),
    ) -> Self {
        let elsewhere = Elsewhere {
            vectors: Arc::new(Vectors::new(&data_dir, embedder)),
            attachments: Arc::new(Attachments::new(blobs)),
            jobs: Arc::new(Jobs::new(queue)),
        };
        Self { purges, elsewhere, clock }
    }

    /// Completes a purge. Does nothing for a finished or unknown one.
    pub async fn run(&self, id: PurgeId) -> Result<()> {
        match run_purge(&*self.purges, &self.elsewhere, &*self.clock, id).await {
            Ok(purge) => {
                let memories = purge.erased.rows.get("memories").copied().unwrap_or_default();
                tracing::info!(purge = %id, memories, "a user was purged");
                Ok(())
            }
            Err(Error::NotFound { entity: Entity::Purge, .. }) => {
                tracing::warn!(purge = %id, "there is no such purge");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Looks for unfinished purges at the start and about every `interval`, until `shutdown` is cancelled.
    pub async fn sweep(self, interval: Duration, shutdown: CancellationToken) {
        let rounds = async {
            loop {
                if let Err(error) = self.round().await {
                    tracing::warn!(%error, "cannot read pending purges now");
                }
                tokio::time::sleep(interval.mul_f64(rand::random_range(0.75..1.25))).await;
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = rounds => {}
        }
    }

    /// Executes all unfinished purges. Failures are logged and left for the next round.
    async fn round(&self) -> Result<()> {
        for id in self.purges.under_way(PAGE).await? {
            if let Err(error) = self.run(id).await {
                tracing::warn!(purge = %id, %error, "a purge could not continue now; it is retried");
            }
        }
        Ok(())
    }
}
