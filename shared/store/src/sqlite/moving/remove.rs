//! Removes copied vaults: of one user, or of everyone who is not in the registry.

use std::collections::HashSet;

use kimberly_core::error::Result;
use kimberly_crypto::folder_of;

use super::Files;
use crate::moving::side::Side as _;
use crate::sqlite::{errors, files, folders};

impl Files {
    /// Removes the vault in the folder of this name, and what the log knows of it.
    pub(super) async fn remove_hash(&self, hash: &str) -> Result<()> {
        let folder = self.0.layout.vaults().join(hash.get(..2).unwrap_or_default()).join(hash);
        let remove = move || match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(()) => files::sync_folder(folder_of(&folder)),
        };
        files::off_thread(remove).await?.map_err(|error| errors::io("removing a copied vault", &error))?;
        self.0.log.know(hash, None).await
    }

    /// Removes the vaults of users who are not in the registry; returns how many.
    pub(super) async fn remove_all_strangers(&self) -> Result<u64> {
        let (mut copied, mut last) = (HashSet::new(), None);
        loop {
            let users = self.users(last.as_ref()).await?;
            for user in &users {
                let hash = user.folder_name();
                // By now the log knows every user who has a vault on the source.
                if self.0.log.of(&hash).await.is_some() {
                    copied.insert(hash);
                }
            }
            last = users.into_iter().last();
            if last.is_none() {
                break;
            }
        }
        // The log does not know interrupted copies.
        let mut removed = 0;
        for hash in folders::all(&self.0.layout).await?.into_iter().filter(|hash| !copied.contains(hash)) {
            self.remove_hash(&hash).await?;
            removed += 1;
        }
        Ok(removed)
    }
}
