//! Checks the files of all vaults without opening intact ones: detects missing databases, and empties logs that a
//! killed process or a power failure left with erased data.
//!
//! No marker is needed: any log that is not empty may contain erased data.

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result};

use super::vault::Vault;
use super::{SqliteStore, files};

/// Users per registry query.
const PAGE: usize = 500;
const HOUR: Duration = Duration::from_hours(1);
const AGAIN: Duration = Duration::from_mins(10);

impl SqliteStore {
    /// Puts vaults whose databases are missing in quarantine. Empties all logs that are not empty, durably. Returns the
    /// number of vaults left over, because a reader blocks them or they could not be opened.
    pub async fn look_at_files(&self) -> Result<u64> {
        self.shared.registry.empty_log().await?;
        let (mut last, mut left) = (None, 0);
        loop {
            let page = self.shared.registry.users(last.as_ref(), PAGE).await?;
            for (user, is_there) in self.not_in_order(page.clone()).await? {
                left += u64::from(!if is_there { self.is_emptied(&user).await } else { self.is_judged(&user).await });
            }
            last = page.into_iter().last();
            if last.is_none() {
                return Ok(left);
            }
        }
    }

    /// Runs [`Self::look_at_files`] now and every hour, and every ten minutes while vaults are left over. Never ends.
    pub async fn look_after_files(self) {
        loop {
            let wait = match self.look_at_files().await {
                Ok(0) => HOUR,
                Ok(left) => {
                    tracing::warn!(
                        vaults = left,
                        "some vaults could not be checked, or their logs may hold erased data; they are retried"
                    );
                    AGAIN
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot check the files of all vaults now");
                    AGAIN
                }
            };
            tokio::time::sleep(wait).await;
        }
    }

    /// Returns the users whose databases are missing or whose logs are not empty, with whether the database exists.
    async fn not_in_order(&self, users: Vec<UserId>) -> Result<Vec<(UserId, bool)>> {
        let shared = Arc::clone(&self.shared);
        let look = move |user: UserId| {
            let path = Vault::path_of(&user, &shared);
            // A file that cannot be looked at is examined below, which reports the error.
            let is_there = path.try_exists().unwrap_or(false);
            (!is_there || files::has_log(&path)).then_some((user, is_there))
        };
        files::off_thread(move || users.into_iter().filter_map(look).collect()).await
    }

    /// Returns whether a missing database could be judged; a lost vault is reported by the quarantine.
    async fn is_judged(&self, user: &UserId) -> bool {
        match self.quarantine().check(user).await {
            Ok(_) | Err(Error::Purging) => true,
            Err(error) => {
                tracing::warn!(%error, "cannot check now whether the database of a vault is gone");
                false
            }
        }
    }

    async fn is_emptied(&self, user: &UserId) -> bool {
        match self.vaults().empty_log(user).await {
            Ok(emptied) => emptied,
            // A vault being purged is removed as it is; one in quarantine stays as it is.
            Err(Error::Purging | Error::Quarantined { .. }) => true,
            Err(error) => {
                tracing::warn!(%error, "the write-ahead log of a vault, which holds erased data, could not be \
                    truncated; it is retried");
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use kimberly_core::goals::GoalStatus;
    use kimberly_core::ids::Seq;

    use super::*;
    use crate::conformance::fixtures::{at, draft, user};
    use crate::conformance::goals::goal;
    use crate::conformance::opened;
    use crate::sqlite::files::synced;
    use crate::sqlite::quarantine::{Evidence, refuse_shortened};

    /// Waits for the first sync of the log of the user's vault and returns its length at each sync.
    async fn put_on_disk(store: &SqliteStore) -> Vec<u64> {
        let path = Vault::path_of(&user("u"), &store.shared);
        while synced::of(&path).is_empty() {
            tokio::task::yield_now().await;
        }
        synced::of(&path)
    }

    #[tokio::test]
    async fn a_log_that_is_said_to_be_empty_is_empty_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let (store, bed) = opened(folder.path()).await;
        bed.remember("u", [draft("to be forgotten")]).await;
        bed.write("u", |tx| Box::pin(async move { tx.erase_memories(&[Seq(1)], at(9)).await })).await;
        assert!(bed.vaults.empty_log(&user("u")).await.unwrap());
        let lengths = put_on_disk(&store).await;
        assert!(lengths.iter().all(|bytes| *bytes == 0), "{lengths:?}");
        store.shared.registry.empty_log().await.unwrap();
        assert_eq!(synced::of(&store.shared.layout.system_db()), [0]);
        bed.vaults.close().await;
    }

    #[tokio::test]
    async fn a_log_is_on_disk_before_what_it_commits_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let (store, bed) = opened(folder.path()).await;
        bed.remember("u", [draft("to be kept")]).await;
        // What a killed process leaves.
        let left = tempfile::tempdir().unwrap();
        let (vault, copy) = (Vault::path_of(&user("u"), &store.shared), left.path().join("memory.db"));
        for end in ["", "-wal"] {
            let of = |path: &Path| format!("{}{end}", path.display());
            std::fs::copy(of(&vault), of(&copy)).unwrap();
        }
        let bytes = std::fs::metadata(format!("{}-wal", copy.display())).unwrap().len();
        assert!(bytes > 0 && synced::of(&copy).is_empty());
        refuse_shortened(&copy, Evidence::Index).unwrap();
        assert_eq!(synced::of(&copy), [bytes]);
        bed.vaults.close().await;
    }

    #[tokio::test]
    async fn a_goal_that_is_deleted_leaves_the_log_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (store, bed) = opened(folder.path()).await;
        let goal = goal(1, GoalStatus::Active);
        let id = goal.id;
        bed.write("u", move |tx| {
            let goal = goal.clone();
            Box::pin(async move { tx.put_goal(&goal).await })
        })
        .await;
        bed.write("u", move |tx| Box::pin(async move { tx.delete_goal(id).await.map(drop) })).await;
        // Nothing else triggers the sync.
        assert_eq!(put_on_disk(&store).await, [0]);
        bed.vaults.close().await;
    }
}
