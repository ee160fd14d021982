//! Checks the files shared by all users at the start and every hour, and reports damage. Otherwise damage in a rarely
//! read part would show only when that part is needed.

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::damage::SharedFile;
use kimberly_core::ports::Quarantine;
use kimberly_queue::{Queue, QueueError};
use tokio_util::sync::CancellationToken;

/// Interval between checks.
const INTERVAL: Duration = Duration::from_hours(1);

/// Checks the registry and the queue until `shutdown` is cancelled.
pub async fn run(quarantine: Arc<dyn Quarantine>, queue: Queue, shutdown: CancellationToken) {
    loop {
        let read = shutdown.run_until_cancelled(read(&*quarantine, &queue)).await;
        let rest = INTERVAL.mul_f64(rand::random_range(0.9..1.1));
        if read.is_none() || shutdown.run_until_cancelled(tokio::time::sleep(rest)).await.is_none() {
            return;
        }
    }
}

async fn read(quarantine: &dyn Quarantine, queue: &Queue) {
    match quarantine.registry_is_whole().await {
        Ok(true) => {}
        Ok(false) => tracing::error!("{}", SharedFile::Registry),
        Err(error) => tracing::warn!(%error, "cannot check now whether system.db is damaged"),
    }
    match quarantine.unregistered().await {
        Ok(0) => {}
        Ok(vaults) => tracing::error!(vaults, "{}", SharedFile::OutdatedRegistry),
        Err(error) => tracing::warn!(%error, "cannot check now whether system.db knows all vaults"),
    }
    match queue.examine().await {
        Ok(()) => {}
        Err(QueueError::Damaged(_)) => tracing::error!("{}", SharedFile::Queue),
        Err(error) => tracing::warn!(%error, "cannot check now whether queue.db is damaged"),
    }
}
