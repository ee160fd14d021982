//! Keeps every user's vectors in sync with the vault: runs jobs from the embedder's queue, many users at once so that
//! they share the model's batches, and finds users without a job.
//!
//! `kimberly-core` decides what to do for one user; this module decides when, and handles failures. Nothing of this
//! runs while embeddings are off.

mod handler;
mod mapped;
mod model;
mod sweep;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::usecases::App;
use kimberly_core::usecases::embedding::VectorUpdater;
use kimberly_queue::{EMBED, Handlers, Queue, QueueError, Retention};
use kimberly_runtime::{Failure, MainResult};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use handler::Embed;
pub use model::Documents;
pub use sweep::Sweep;
pub use turns::Turns;

/// Interval between prunings of the queue.
const TIDY: Duration = Duration::from_hours(1);
/// How long finished jobs are stored. Their ids derive from user and time, so they must be forgotten to be reusable.
const FINISHED_RETENTION: Duration = Duration::from_mins(10);

/// Concurrency and intervals.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Users synced at once.
    pub concurrency: usize,
    /// Interval between sweeps for users without a job.
    pub sweep_interval: Duration,
}

/// Vector maintenance of one data folder or database.
pub struct Sync {
    /// The use cases.
    pub app: App,
    /// Indices, model, registry.
    pub updater: VectorUpdater,
    /// The embedder's queue.
    pub queue: Queue,
    /// The locks on users.
    pub turns: Turns,
    /// Concurrency and intervals.
    pub pace: Pace,
}

impl Sync {
    /// Runs until `shutdown` is cancelled. Ends with an error if one of its parts failed, so that the process can be
    /// restarted.
    pub async fn run(self, shutdown: CancellationToken) -> MainResult {
        let Self { app, updater, queue, turns, pace } = self;
        let mut parts = JoinSet::new();
        let sweep = Sweep::new(app.clone(), updater.clone(), queue.clone(), turns.clone());
        parts.spawn(sweep.run(pace.sweep_interval, shutdown.clone()));
        parts.spawn(tidy(queue.clone(), shutdown.clone()));
        let stop = shutdown.clone();
        parts.spawn(async move {
            let handler = Arc::new(Handlers::default().on(&EMBED, Embed::new(app, updater, queue.clone(), turns)));
            queue.run(handler, pace.concurrency, stop).await;
        });
        while let Some(ended) = parts.join_next().await {
            if ended.is_err() || !shutdown.is_cancelled() {
                return Err(Failure::new("a part of the embedder failed", "start it again; the log says why"));
            }
        }
        Ok(())
    }
}

async fn tidy(queue: Queue, shutdown: CancellationToken) {
    loop {
        if let Err(error) = tidy_once(&queue).await {
            tracing::warn!(%error, "cannot clean up the queue now");
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(TIDY) => {}
        }
    }
}

async fn tidy_once(queue: &Queue) -> Result<(), QueueError> {
    queue.prune(&Retention { done: FINISHED_RETENTION, ..Retention::default() }).await?;
    let dead = queue.stats().await?.dead;
    if dead > 0 {
        tracing::warn!(
            dead,
            "vectors of some users could not be computed; their jobs are dead letters, and recall uses words"
        );
    }
    Ok(())
}
