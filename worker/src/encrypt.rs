//! Encrypts the vaults of a data folder that was plain before: each is encrypted when it is opened, and here all are.

use std::time::Duration;

use kimberly_core::error::Result;
use kimberly_store::SqliteStore;
use tokio_util::sync::CancellationToken;

/// Users that are looked at between two questions to the registry.
const PAGE: usize = 100;
/// How long it waits before it comes again to vaults that could not be encrypted.
const AGAIN: Duration = Duration::from_mins(10);

/// Opens every vault once if any may be plain, and comes again for those that could not be opened, until `shutdown` is
/// cancelled. Killed, it begins again.
pub async fn run(store: SqliteStore, shutdown: CancellationToken) {
    loop {
        let done = tokio::select! {
            () = shutdown.cancelled() => return,
            done = pass(&store) => done,
        };
        match done {
            Ok(0) => return,
            Ok(left) => tracing::warn!(vaults = left, "some vaults of an earlier version could not be encrypted yet"),
            Err(error) => tracing::warn!(%error, "cannot encrypt vaults of an earlier version now"),
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(AGAIN) => {}
        }
    }
}

/// Opens every vault, if any may be plain; returns how many could not be opened.
pub async fn pass(store: &SqliteStore) -> Result<u64> {
    if !store.may_hold_plain_vaults().await? {
        return Ok(0);
    }
    let (vaults, registry) = (store.vaults(), store.registry());
    let (mut last, mut seen, mut left) = (None, 0_u64, 0);
    loop {
        let page = registry.users(last.as_ref(), PAGE).await?;
        for user in &page {
            if let Err(error) = vaults.read(user, |reader| Box::pin(reader.data_version())).await {
                tracing::warn!(%error, "a vault of an earlier version was not encrypted");
                left += 1;
            }
        }
        seen += page.len() as u64;
        last = page.into_iter().last();
        if last.is_none() {
            break;
        }
    }
    if left == 0 {
        store.no_vault_is_plain().await?;
        tracing::info!(users = seen, "all vaults are encrypted");
    }
    Ok(left)
}
