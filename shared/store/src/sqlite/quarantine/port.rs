//! Implements the port of quarantine, and judges errors of reads and writes.

use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::Timestamp;
use kimberly_core::UserId;
use kimberly_core::damage::{Damage, Quarantined, Tally};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{By, Quarantine};

use super::examine::examine;
use super::{Evidence, found, lift, put};
use crate::sqlite::erasure;
use crate::sqlite::layout::lock_of;
use crate::sqlite::registry::{RegistryPort, unregistered};
use crate::sqlite::shared::Shared;
use crate::sqlite::{errors, files};

/// Replaces an error by [`Error::Quarantined`] if the vault is damaged. Examines one vault at a time per process,
/// because that reads the whole vault.
pub(crate) async fn judge(shared: &Arc<Shared>, user: &UserId, error: Error) -> Error {
    let suspect = matches!(error, Error::Storage { failure: StorageFailure::Corrupt, .. });
    if !suspect {
        return error;
    }
    match look(shared, user).await {
        Ok(Some(damage)) => Error::Quarantined { damage },
        Ok(None) => error,
        // SQLite reports a page that the disk cannot read as malformed.
        Err(failed @ Error::Storage { failure: StorageFailure::Disk, .. }) => failed,
        Err(other) => {
            tracing::warn!(error = %other, "cannot check now whether a vault is damaged");
            error
        }
    }
}

/// Returns the damage of a vault, putting it in quarantine if necessary. Runs to completion even if the caller is
/// cancelled.
async fn look(shared: &Arc<Shared>, user: &UserId) -> Result<Option<Damage>> {
    let (shared, user) = (Arc::clone(shared), user.clone());
    let looking = tokio::spawn(async move {
        let _one = shared.examining.lock().await;
        let folder = shared.layout.vault(&user);
        if erasure::is_hidden(&folder)? {
            return Err(Error::Purging);
        }
        match found(&folder)? {
            Some(damage) => {
                // The vault may be missing from the list: a release may have been interrupted, or the process that
                // found the damage has not listed it yet.
                list(&shared, &user, damage).await?;
                Ok(Some(damage))
            }
            None => check(&shared, &user).await,
        }
    });
    looking.await.unwrap_or_else(|_| Err(panicked()))
}

fn panicked() -> Error {
    Error::storage(StorageFailure::Defect, "examining a vault panicked")
}

/// Examines a vault, and puts it in quarantine if it is damaged.
async fn check(shared: &Shared, user: &UserId) -> Result<Option<Damage>> {
    let Some(damage) = examine(user, shared, Evidence::Index).await? else { return Ok(None) };
    let folder = shared.layout.vault(user);
    let _held = files::lock(lock_of(&folder)).await?;
    if erasure::is_hidden(&folder)? {
        return Err(Error::Purging);
    }
    let failed = |error: std::io::Error| errors::io("quarantining a vault", &error);
    files::off_thread(move || put(&folder, damage)).await?.map_err(failed)?;
    list(shared, user, damage).await?;
    // Wakes followers of the vault, who are then refused.
    shared.signals.committed(user);
    Ok(Some(damage))
}

/// Lists a vault as damaged. Only the process that adds the entry logs it.
async fn list(shared: &Shared, user: &UserId, damage: Damage) -> Result<()> {
    if shared.registry.quarantine(user, damage, shared.clock.now()).await? {
        let (vault, found) = (user.folder_name(), damage.sentence());
        tracing::error!(vault, "a vault is damaged and quarantined until it is restored: {found}");
    }
    Ok(())
}

async fn release(port: &RegistryPort, user: &UserId, by: &By) -> Result<Option<Damage>> {
    let _one = port.shared.examining.lock().await;
    let folder = port.shared.layout.vault(user);
    // Without the index, which may describe a log that a power failure or a restore replaced.
    if let Some(damage) = examine(user, &port.shared, Evidence::Log).await? {
        return Ok(Some(damage));
    }
    let _held = files::lock(lock_of(&folder)).await?;
    // Removes the list entry first: if interrupted here, the vault stays blocked and the next check lists it again.
    port.release_vault(user, by).await?;
    let failed = |error: std::io::Error| errors::io("ending a vault's quarantine", &error);
    files::off_thread(move || lift(&folder)).await?.map_err(failed)?;
    port.shared.signals.committed(user);
    Ok(None)
}

#[async_trait]
impl Quarantine for RegistryPort {
    async fn check(&self, user: &UserId) -> Result<Option<Damage>> {
        look(&self.shared, user).await
    }

    /// Runs to completion even if the caller is cancelled.
    async fn release(&self, user: &UserId, by: &By) -> Result<Option<Damage>> {
        let (port, user, by) = (self.clone(), user.clone(), by.clone());
        let releasing = tokio::spawn(async move { release(&port, &user, &by).await });
        releasing.await.unwrap_or_else(|_| Err(panicked()))
    }

    async fn registry_is_whole(&self) -> Result<bool> {
        self.shared.registry.is_whole().await
    }

    async fn unregistered(&self) -> Result<u64> {
        unregistered(&self.shared.layout, &self.shared.options, &self.shared.registry).await
    }

    async fn quarantined(&self, after: Option<&UserId>, limit: usize) -> Result<Vec<Quarantined>> {
        self.shared.registry.quarantined(after, limit).await
    }

    async fn tally(&self, after: Timestamp) -> Result<Tally> {
        self.shared.registry.tally(after).await
    }
}
