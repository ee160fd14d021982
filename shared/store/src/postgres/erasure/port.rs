//! Implements the port of purges: the registry stores their records, the vault's rows and key are handled here.

use async_trait::async_trait;
use kimberly_core::erasure::{Erased, Purge, PurgeStep};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{By, Purges};
use kimberly_core::{PurgeId, Timestamp, UserId};

use super::{empty, hold};
use crate::blocking::off_thread;
use crate::keys;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::registry::{RegistryPort, insert_purge};
use crate::postgres::rows::{Cells, ReadRow as _};

/// Locks the vault's row and hides the vault, unless another purge has; creates the row if the user has none.
const HIDE: &str = "INSERT INTO vaults AS v (user_id, purging) VALUES ($1, $2) \
     ON CONFLICT (user_id) DO UPDATE SET purging = $2 WHERE v.purging IS NULL";
/// Locks the row, so that the vault's place is not unhidden meanwhile and the user cannot return.
const HOLD_HIDDEN: &str = "SELECT true FROM vaults WHERE user_id = $1 AND purging = $2 FOR UPDATE";
/// Runs in the same transaction, so that a superseded process cannot destroy the keys of a user who has returned.
/// Without the key, no copy of the user's sealed data can be opened.
const DESTROY_KEYS: &str = "DELETE FROM wrapped_keys WHERE name = $1";
const SHOW: &str = "DELETE FROM vaults WHERE user_id = $1 AND purging = $2";

impl RegistryPort {
    fn pseudonym(&self, user: &UserId) -> String {
        let name = self.0.options.keys.pseudonym(user.as_str());
        format!("{:032x}", u128::from_be_bytes(name))
    }

    async fn vault(&self, user: &UserId) -> Result<Conn> {
        self.0.refuse_closed()?;
        Ok(Conn::new(self.0.pool.write(user).await?, user.clone()))
    }

    /// Hides the vault and stores the purge in one transaction, after all running writers; returns `false` if another
    /// purge is in progress.
    async fn hide(&self, id: PurgeId, user: &UserId, by: &By) -> Result<bool> {
        let mut conn = self.vault(user).await?;
        let args = conn.args().with(id.0);
        let done = async {
            conn.run("hiding a vault", HIDE, args).await?;
            insert_purge(&mut conn, id, user, &self.pseudonym(user), by).await
        };
        let done = done.await;
        match done {
            Ok(false) => {
                conn.roll_back().await;
                Ok(false)
            }
            done => conn.end(done).await,
        }
    }
}

#[async_trait]
impl Purges for RegistryPort {
    async fn begin(&self, id: PurgeId, user: &UserId, by: &By) -> Result<Purge> {
        let new = self.hide(id, user, by).await?;
        // Wakes followers of the vault, who are then refused.
        self.0.signals.committed(user);
        let found = if new { self.purge(id).await? } else { self.purge_of(user).await? };
        // The other purge is just ending, and the user may return after it: a repeated request starts a new one.
        let ends = || Error::storage(StorageFailure::Unavailable, "another purge of the user is ending");
        found.filter(|purge| new || purge.step <= PurgeStep::Release).ok_or_else(ends)
    }

    async fn get(&self, id: PurgeId) -> Result<Option<Purge>> {
        self.purge(id).await
    }

    async fn list(&self, of: Option<&UserId>, before: Option<PurgeId>, limit: usize) -> Result<Vec<Purge>> {
        self.list_purges(of.map(|user| self.pseudonym(user)), before, limit).await
    }

    async fn under_way(&self, limit: usize) -> Result<Vec<PurgeId>> {
        self.purges_under_way(limit).await
    }

    fn is_of(&self, purge: &Purge, user: &UserId) -> bool {
        purge.pseudonym == self.pseudonym(user)
    }

    async fn hold(&self) -> Result<Box<dyn Send>> {
        self.0.refuse_closed()?;
        Ok(Box::new(hold::hold(&self.0.options).await?))
    }

    async fn store_progress(&self, purge: &Purge) -> Result<()> {
        self.store_purge(purge).await
    }

    async fn empty_vault(&self, user: &UserId, purge: PurgeId) -> Result<Erased> {
        let held = empty::empty(&self.0, user, purge).await?;
        let (held_by, hash) = (self.0.options.keys.clone(), user.folder_name());
        let key_file = off_thread(move || held_by.has_user(&hash)).await?.map_err(|error| keys::failure(&error))?;
        Ok(Erased { rows: held.rows, memory_bytes: held.memory_bytes, key_file, ..Erased::default() })
    }

    async fn destroy_vault(&self, user: &UserId, purge: PurgeId) -> Result<()> {
        let mut conn = self.vault(user).await?;
        let args = conn.args().with(purge.0);
        let done = async {
            let hidden = conn.row("locking a hidden vault", HOLD_HIDDEN, args, |row| Cells::new(row).flag()).await?;
            if hidden == Some(true) {
                conn.run("destroying keys", DESTROY_KEYS, Args::none().with(user.folder_name())).await?;
            }
            Ok(())
        };
        let done = done.await;
        conn.end(done).await
    }

    async fn forget_user(&self, purge: &Purge, at: Timestamp) -> Result<Purge> {
        self.forget_purged(purge.clone(), at).await
    }

    async fn release(&self, user: &UserId, purge: PurgeId) -> Result<()> {
        let mut conn = self.vault(user).await?;
        let args = conn.args().with(purge.0);
        let done = conn.run("removing the marker that hides a vault", SHOW, args).await.map(drop);
        conn.end(done).await
    }

    async fn finish(&self, purge: &Purge, at: Timestamp) -> Result<Purge> {
        self.tell_purged(purge.clone(), at).await
    }
}
