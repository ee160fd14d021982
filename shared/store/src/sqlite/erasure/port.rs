//! Implements the port of purges: the registry stores their records, the vault's folder is handled here.

use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use kimberly_core::erasure::{Erased, Purge};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{By, Purges};
use kimberly_core::{PurgeId, Timestamp, UserId};

use super::{empty, hide, is_hidden_by, remove};
use crate::sqlite::file::DbFile;
use crate::sqlite::layout::lock_of;
use crate::sqlite::registry::RegistryPort;
use crate::sqlite::schema::VAULT;
use crate::sqlite::vault::Vault;
use crate::sqlite::{errors, files};

/// How long to wait for the purge lock, and the interval between attempts.
const PATIENCE: Duration = Duration::from_secs(30);
const BETWEEN: Duration = Duration::from_millis(20);

impl RegistryPort {
    fn pseudonym(&self, user: &UserId) -> String {
        let name = self.shared.options.keys.pseudonym(user.as_str());
        format!("{:032x}", u128::from_be_bytes(name))
    }

    /// Hides the user's vault under the lock that creating a vault takes.
    async fn hide(&self, user: &UserId, purge: PurgeId) -> Result<()> {
        let folder = self.shared.layout.vault(user);
        let _held = files::lock(lock_of(&folder)).await?;
        files::off_thread(move || if is_hidden_by(&folder, purge)? { Ok(()) } else { hide(&folder, purge) })
            .await?
            .map_err(|error| errors::io("hiding a vault", &error))
    }

    async fn measure(&self, user: &UserId) -> Result<Erased> {
        let keys = self.shared.options.keys.clone();
        let (folder, hash) = (self.shared.layout.vault(user), user.folder_name());
        let measure = move || {
            let measured = remove::measure(&folder).map_err(|error| errors::io("measuring a vault", &error));
            let (files, file_bytes) = measured?;
            let key_file = keys.has_user(&hash).map_err(|error| errors::key(&error))?;
            Ok(Erased { files, file_bytes, key_file, ..Erased::default() })
        };
        files::off_thread(measure).await?
    }
}

#[async_trait]
impl Purges for RegistryPort {
    async fn begin(&self, id: PurgeId, user: &UserId, by: &By) -> Result<Purge> {
        let begun = self.insert_purge(id, user, self.pseudonym(user), by).await?;
        self.hide(user, begun.id).await?;
        // Wakes followers of the vault, who are then refused.
        self.shared.signals.committed(user);
        Ok(begun)
    }

    async fn get(&self, id: PurgeId) -> Result<Option<Purge>> {
        self.shared.registry.purge(id).await
    }

    async fn list(&self, of: Option<&UserId>, before: Option<PurgeId>, limit: usize) -> Result<Vec<Purge>> {
        self.shared.registry.purges(of.map(|user| self.pseudonym(user)), before, limit).await
    }

    async fn under_way(&self, limit: usize) -> Result<Vec<PurgeId>> {
        self.shared.registry.purges_under_way(limit).await
    }

    fn is_of(&self, purge: &Purge, user: &UserId) -> bool {
        purge.pseudonym == self.pseudonym(user)
    }

    async fn hold(&self) -> Result<Box<dyn Send>> {
        let (path, started) = (self.shared.layout.purging(), Instant::now());
        loop {
            if let Some(held) = try_lock(path.clone()).await? {
                return Ok(Box::new(held));
            }
            if started.elapsed() > PATIENCE {
                return Err(Error::storage(StorageFailure::Unavailable, "another process holds the lock of purges"));
            }
            tokio::time::sleep(BETWEEN).await;
        }
    }

    async fn store_progress(&self, purge: &Purge) -> Result<()> {
        self.shared.registry.store_purge(purge).await
    }

    async fn empty_vault(&self, user: &UserId, purge: PurgeId) -> Result<Erased> {
        // Repeated, because the process that began the purge may have been interrupted before.
        self.hide(user, purge).await?;
        let path = Vault::path_of(user, &self.shared);
        let mut held = Some(empty::Held::default());
        if files::exists(&path)? {
            let options = &self.shared.options;
            let file = DbFile::of_vault(path, &VAULT, user, options);
            held = empty::empty(&file, options).await?;
        }
        // Measured after the log was emptied, when file sizes are stable.
        let mut erased = self.measure(user).await?;
        match held {
            Some(held) => (erased.rows, erased.memory_bytes) = (held.rows, held.memory_bytes),
            None => erased.unreadable = true,
        }
        Ok(erased)
    }

    async fn destroy_vault(&self, user: &UserId, purge: PurgeId) -> Result<()> {
        let folder = self.shared.layout.vault(user);
        let _held = files::lock(lock_of(&folder)).await?;
        remove::destroy(&folder, &user.folder_name(), purge, &self.shared.options.keys).await
    }

    async fn forget_user(&self, purge: &Purge, at: Timestamp) -> Result<Purge> {
        self.forget_purged(purge.clone(), at).await
    }

    async fn release(&self, user: &UserId, purge: PurgeId) -> Result<()> {
        let folder = self.shared.layout.vault(user);
        let _held = files::lock(lock_of(&folder)).await?;
        remove::show(&folder, purge).await
    }

    async fn finish(&self, purge: &Purge, at: Timestamp) -> Result<Purge> {
        let finished = self.tell_purged(purge.clone(), at).await?;
        self.shared.registry.empty_log().await?;
        Ok(finished)
    }
}

/// Takes the lock; `None` if another process holds it.
async fn try_lock(path: PathBuf) -> Result<Option<File>> {
    let attempt = move || {
        let file = File::options().create(true).truncate(false).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    };
    files::off_thread(attempt).await?.map_err(|error| errors::io("locking purges", &error))
}
