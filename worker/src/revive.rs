//! Takes all vaults up again after the data folder was made of a backup, in which there is no queue: what was under way gets its
//! jobs again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kimberly_core::damage::RESTORED;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::Registry;
use kimberly_core::usecases::App;
use tokio_util::sync::CancellationToken;

/// Users that are looked at between two questions to the registry.
const PAGE: usize = 100;
/// How long it waits before it comes again to vaults where it failed.
const AGAIN: Duration = Duration::from_mins(10);

/// Goes through every vault once if the data folder is out of a backup, and comes again for those where that failed, until
/// `shutdown` is cancelled. Killed, it begins again: a job that is there twice does nothing the second time.
pub async fn run(app: App, registry: Arc<dyn Registry>, data: PathBuf, shutdown: CancellationToken) {
    loop {
        let done = tokio::select! {
            () = shutdown.cancelled() => return,
            done = pass(&app, &*registry, &data) => done,
        };
        match done {
            Ok(0) => return,
            Ok(left) => tracing::warn!(vaults = left, "some vaults of the backup could not be taken up yet"),
            Err(error) => tracing::warn!(%error, "cannot take up the vaults of the backup now"),
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(AGAIN) => {}
        }
    }
}

/// Goes through every vault, if the data folder is out of a backup; returns in how many that failed.
pub async fn pass(app: &App, registry: &dyn Registry, data: &Path) -> Result<u64> {
    let marker = data.join(RESTORED);
    if !tokio::fs::try_exists(&marker).await.map_err(|error| failed(&error))? {
        return Ok(0);
    }
    let (mut last, mut left) = (None, 0);
    loop {
        let page = registry.users(last.as_ref(), PAGE).await?;
        for user in &page {
            match app.revive(user).await {
                // Those in quarantine are taken up when they are let out.
                Ok(()) | Err(Error::Purging | Error::Quarantined { .. }) => {}
                Err(error) => {
                    tracing::warn!(%error, "a vault of the backup was not taken up");
                    left += 1;
                }
            }
        }
        last = page.into_iter().last();
        if last.is_none() {
            break;
        }
    }
    if left == 0 {
        tokio::fs::remove_file(&marker).await.map_err(|error| failed(&error))?;
        tracing::info!("all vaults of the backup are taken up");
    }
    Ok(left)
}

fn failed(error: &std::io::Error) -> Error {
    Error::storage(StorageFailure::Unavailable, format!("looking whether the data folder is out of a backup: {error}"))
}
