//! Distinguishes lost vaults from vaults that never existed. A user is registered once the vault is created (`vault`).
//! A purge hides the vault and forgets the user before it unhides the place. A data folder that was restored from a
//! backup or filled by a move may know users whose vaults are newer than the copy; those users are forgotten before the
//! folder is back in service.

use kimberly_core::UserId;
use kimberly_core::error::Result;

use crate::SqliteStore;
use crate::sqlite::layout::lock_of;
use crate::sqlite::shared::Shared;
use crate::sqlite::vault::Vault;
use crate::sqlite::{erasure, errors, files};

/// Reports whether the user's vault is lost. Locks the folder, so that the vault is not created or purged meanwhile.
pub(crate) async fn is_lost(user: &UserId, shared: &Shared) -> Result<bool> {
    // Called for every user without a vault, most of whom are not registered.
    if !shared.registry.knows(user).await? {
        return Ok(false);
    }
    let _held = files::lock(lock_of(&shared.layout.vault(user))).await?;
    is_lost_now(user, shared).await
}

/// Refuses to create a vault in place of a lost one. The caller holds the folder's lock.
pub(crate) async fn refuse_lost(user: &UserId, shared: &Shared) -> Result<()> {
    if is_lost_now(user, shared).await? { Err(errors::corrupt("the database of the vault is gone")) } else { Ok(()) }
}

async fn is_lost_now(user: &UserId, shared: &Shared) -> Result<bool> {
    if files::exists(&Vault::path_of(user, shared))?
        || erasure::is_hidden(&shared.layout.vault(user))?
        || files::exists(&shared.layout.restored())?
    {
        return Ok(false);
    }
    shared.registry.knows(user).await
}

impl SqliteStore {
    /// Forgets a user without a vault in a data folder that was restored from a backup or filled by a move, unless the
    /// vault was in quarantine there.
    pub async fn forget_vaultless(&self, user: &UserId) -> Result<()> {
        let (folder, path) = (self.shared.layout.vault(user), Vault::path_of(user, &self.shared));
        let _held = files::lock(lock_of(&folder)).await?;
        let is_restored = files::exists(&self.shared.layout.restored())?;
        if files::exists(&path)? || erasure::is_hidden(&folder)? || !is_restored {
            return Ok(());
        }
        self.shared.registry.forget_vaultless(user).await
    }
}
