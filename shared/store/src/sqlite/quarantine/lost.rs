//! Vaults that are gone, told from those that never were: a user is registered once the vault is made (`vault`), and a purge, which
//! hides the vault, forgets the user before it shows the place again. While a data folder is taken up that was made of a backup,
//! or filled by a move, it may know users whose vaults came later than what was copied; those are forgotten then.

use kimberly_core::UserId;
use kimberly_core::error::Result;

use crate::SqliteStore;
use crate::sqlite::layout::lock_of;
use crate::sqlite::shared::Shared;
use crate::sqlite::vault::Vault;
use crate::sqlite::{erasure, errors, files};

/// Whether the user had a vault and it is gone. Takes the lock of the folder, so that nobody makes or purges it meanwhile.
pub(crate) async fn is_lost(user: &UserId, shared: &Shared) -> Result<bool> {
    // Asked for everybody who has none, and mostly over with this.
    if !shared.registry.knows(user).await? {
        return Ok(false);
    }
    let _held = files::lock(lock_of(&shared.layout.vault(user))).await?;
    is_lost_now(user, shared).await
}

/// Refuses to make a vault in the place of one that is gone. The lock of the folder is held.
pub(crate) async fn refuse_lost(user: &UserId, shared: &Shared) -> Result<()> {
    if is_lost_now(user, shared).await? { Err(errors::corrupt("the database of the vault is gone")) } else { Ok(()) }
}

async fn is_lost_now(user: &UserId, shared: &Shared) -> Result<bool> {
    let is_gone = || !Vault::path_of(user, shared).exists() && !erasure::is_hidden(&shared.layout.vault(user));
    Ok(is_gone() && !shared.layout.restored().exists() && shared.registry.knows(user).await?)
}

impl SqliteStore {
    /// Forgets a user without a vault in a data folder that was made of a backup or filled by a move, unless the vault was damaged there.
    pub async fn forget_vaultless(&self, user: &UserId) -> Result<()> {
        let (folder, path) = (self.shared.layout.vault(user), Vault::path_of(user, &self.shared));
        let _held = files::lock(lock_of(&folder)).await?;
        if path.exists() || erasure::is_hidden(&folder) || !self.shared.layout.restored().exists() {
            return Ok(());
        }
        self.shared.registry.forget_vaultless(user).await
    }
}
