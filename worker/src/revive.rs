//! Recreates the jobs of all vaults after the queue was lost, after a backup was restored, or after a migration to this
//! store. Neither a backup nor a migration includes the queue.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kimberly_core::UserId;
use kimberly_core::damage::RESTORED;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::Registry;
use kimberly_core::usecases::App;
use kimberly_queue::Queue;
use kimberly_store::Store;
use tokio_util::sync::CancellationToken;

/// Users per page.
const PAGE: usize = 100;
/// The pause before retrying failed vaults.
const AGAIN: Duration = Duration::from_mins(10);

/// The flags that record lost jobs.
pub struct LossFlags {
    /// The data folder, which holds a marker file after a restore.
    pub data: PathBuf,
    /// The store, which records that a migration arrived.
    pub store: Store,
    /// The queue, which records that it lost all jobs.
    pub queue: Queue,
}

/// The items that must be recreated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lost {
    Jobs,
    JobsAndVectors,
}

impl LossFlags {
    async fn lost(&self) -> Result<Option<Lost>> {
        let file = tokio::fs::try_exists(self.data.join(RESTORED)).await.map_err(|error| failed(&error))?;
        if file || self.store.has_arrived().await? {
            return Ok(Some(Lost::JobsAndVectors));
        }
        Ok(self.queue.lacks_jobs().await.map_err(|error| failed(&error))?.then_some(Lost::Jobs))
    }

    /// Forgets a user without a vault: a backup may list users who had no vault yet when it started.
    async fn settle(&self, user: &UserId) -> Result<()> {
        match self.store.files() {
            Some(files) => files.forget_vaultless(user).await,
            None => Ok(()),
        }
    }

    async fn remove(&self) -> Result<()> {
        match tokio::fs::remove_file(self.data.join(RESTORED)).await {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            removed => removed.map_err(|error| failed(&error))?,
        }
        self.store.is_taken_up().await?;
        self.queue.note_all_jobs().await.map_err(|error| failed(&error))
    }
}

/// Goes through all vaults once if jobs were lost, and retries failed ones, until `shutdown` is cancelled. If killed,
/// it starts over, since a duplicate job has no effect.
pub async fn run(app: App, registry: Arc<dyn Registry>, flags: LossFlags, shutdown: CancellationToken) {
    loop {
        let done = tokio::select! {
            () = shutdown.cancelled() => return,
            done = pass(&app, &*registry, &flags) => done,
        };
        match done {
            Ok(0) => return,
            Ok(left) => tracing::warn!(vaults = left, "unfinished work of some vaults could not be queued yet"),
            Err(error) => tracing::warn!(%error, "cannot queue the vaults' unfinished work now"),
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(AGAIN) => {}
        }
    }
}

/// Goes through all vaults if jobs were lost; returns how many failed.
pub async fn pass(app: &App, registry: &dyn Registry, flags: &LossFlags) -> Result<u64> {
    let Some(lost) = flags.lost().await? else { return Ok(0) };
    let (mut after, mut left) = (None, 0);
    loop {
        let page = registry.users(after.as_ref(), PAGE).await?;
        for user in &page {
            flags.settle(user).await?;
            match app.revive(user, lost == Lost::JobsAndVectors).await {
                // A quarantined vault gets its jobs when it is released.
                Ok(()) | Err(Error::Purging | Error::Quarantined { .. }) => {}
                Err(error) => {
                    tracing::warn!(%error, "a vault's unfinished work was not queued");
                    left += 1;
                }
            }
        }
        after = page.into_iter().last();
        if after.is_none() {
            break;
        }
    }
    if left == 0 {
        flags.remove().await?;
        tracing::info!("the unfinished work of all vaults is queued");
    }
    Ok(left)
}

fn failed(error: &dyn std::error::Error) -> Error {
    Error::storage(StorageFailure::Unavailable, format!("checking whether migrated vaults have work to queue: {error}"))
}
