//! Seals the sensitive memories of vaults from a time when nothing was sealed. What comes unsealed out of a backup later is
//! sealed by the vault's next meditation.

use std::time::Duration;

use kimberly_core::error::Result;
use kimberly_core::usecases::App;
use kimberly_store::Store;
use tokio_util::sync::CancellationToken;

/// Users that are looked at between two questions to the registry.
const PAGE: usize = 100;
/// How long it waits before it comes again to vaults that could not be sealed.
const AGAIN: Duration = Duration::from_mins(10);

/// Goes through every vault once if any may hold something unsealed, and comes again for those where that failed, until
/// `shutdown` is cancelled. Killed, it begins again, and finds done what was done.
pub async fn run(app: App, store: Store, shutdown: CancellationToken) {
    loop {
        let done = tokio::select! {
            () = shutdown.cancelled() => return,
            done = pass(&app, &store) => done,
        };
        match done {
            Ok(0) => return,
            Ok(left) => tracing::warn!(vaults = left, "sensitive memories of some vaults could not be sealed yet"),
            Err(error) => tracing::warn!(%error, "cannot seal sensitive memories of an earlier version now"),
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(AGAIN) => {}
        }
    }
}

/// Goes through every vault, if any may hold something unsealed; returns in how many that failed.
pub async fn pass(app: &App, store: &Store) -> Result<u64> {
    if !store.may_hold_unsealed().await? {
        return Ok(0);
    }
    let registry = store.registry();
    let (mut last, mut memories, mut left) = (None, 0_u64, 0);
    loop {
        let page = registry.users(last.as_ref(), PAGE).await?;
        for user in &page {
            match app.seal_sensitive(user).await {
                Ok((sealed, emptied)) => {
                    memories += sealed;
                    // What stood there in plain still stands in the log, because a reader was in the way.
                    left += u64::from(!emptied);
                }
                Err(error) => {
                    tracing::warn!(%error, "sensitive memories of a vault were not sealed");
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
        store.nothing_is_unsealed().await?;
        if memories > 0 {
            tracing::info!(memories, "all sensitive memories are sealed");
        }
    }
    Ok(left)
}
