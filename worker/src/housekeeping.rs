//! Keeps the queue and the system's audit small: prunes finished jobs and old dead letters, compacts the audit, and
//! logs the number of dead letters.

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::Error;
use kimberly_core::ports::SystemAudit;
use kimberly_queue::{Queue, QueueError, Retention};
use tokio_util::sync::CancellationToken;

/// Interval between rounds.
const INTERVAL: Duration = Duration::from_hours(1);
/// Maximum delay of the first round after the start.
const FIRST_WITHIN: Duration = Duration::from_mins(1);

/// Tidies every hour until `shutdown` is cancelled.
pub async fn run(audit: Arc<dyn SystemAudit>, queue: Queue, keep_finished: Duration, shutdown: CancellationToken) {
    let mut pause = FIRST_WITHIN.mul_f64(rand::random());
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        if let Err(error) = tidy(&queue, keep_finished).await {
            tracing::warn!(%error, "cannot clean up the queue now");
        }
        if let Err(error) = pack(&*audit).await {
            tracing::warn!(%error, "cannot compress the audit of the system now");
        }
        pause = INTERVAL.mul_f64(rand::random_range(0.9..1.1));
    }
}

/// Compacts old entries of the system's audit.
async fn pack(audit: &dyn SystemAudit) -> Result<(), Error> {
    while audit.compact().await? > 0 {}
    Ok(())
}

/// Prunes the queue once.
pub async fn tidy(queue: &Queue, keep_finished: Duration) -> Result<(), QueueError> {
    let pruned = queue.prune(&Retention { done: keep_finished, ..Retention::default() }).await?;
    tracing::debug!(jobs = pruned.done, dead_letters = pruned.dead, workers = pruned.workers, "cleaned up the queue");
    let dead = queue.stats().await?.dead;
    if dead > 0 {
        tracing::warn!(dead, "dead letters are in the queue; their runs are marked failed");
    }
    Ok(())
}
