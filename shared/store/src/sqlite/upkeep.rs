//! A look at the files of all vaults, without opening those that are in order: empties logs that a killed process, or a power
//! cut, left with what was erased.
//!
//! Nothing needs to say that something is left there: a log that is not empty may hold anything.

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result};

use super::vault::Vault;
use super::{SqliteStore, files};

/// Users that are looked at between two questions to the registry.
const PAGE: usize = 500;
const HOUR: Duration = Duration::from_hours(1);
const AGAIN: Duration = Duration::from_mins(10);

impl SqliteStore {
    /// Empties the logs of all files in which there is anything, and puts that on disk; returns how many are left, because
    /// readers are in the way or they could not be opened. To be asked at the start, and now and then.
    pub async fn look_at_files(&self) -> Result<u64> {
        self.shared.registry.empty_log().await?;
        let (mut last, mut left) = (None, 0);
        loop {
            let page = self.shared.registry.users(last.as_ref(), PAGE).await?;
            for user in self.with_logs(page.clone()).await? {
                left += u64::from(!self.is_emptied(&user).await);
            }
            last = page.into_iter().last();
            if last.is_none() {
                return Ok(left);
            }
        }
    }

    /// Looks at all files now and every hour, and every ten minutes while something is left. Never ends.
    pub async fn look_after_files(self) {
        loop {
            let wait = match self.look_at_files().await {
                Ok(0) => HOUR,
                Ok(left) => {
                    tracing::warn!(
                        vaults = left,
                        "what was erased could not be removed from the logs of some vaults yet"
                    );
                    AGAIN
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot look for logs that hold what was erased now");
                    AGAIN
                }
            };
            tokio::time::sleep(wait).await;
        }
    }

    async fn with_logs(&self, mut users: Vec<UserId>) -> Result<Vec<UserId>> {
        let shared = Arc::clone(&self.shared);
        files::off_thread(move || {
            users.retain(|user| files::has_log(&Vault::path_of(user, &shared)));
            users
        })
        .await
    }

    async fn is_emptied(&self, user: &UserId) -> bool {
        match self.vaults().empty_log(user).await {
            Ok(emptied) => emptied,
            // One goes as it is, the other stays as it is.
            Err(Error::Purging | Error::Quarantined { .. }) => true,
            Err(error) => {
                tracing::warn!(%error, "the log of a vault could not be emptied of what was erased; it will be tried again");
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use kimberly_core::Timestamp;
    use kimberly_core::goals::GoalStatus;
    use kimberly_core::ids::Seq;
    use kimberly_core::ports::Clock;

    use super::*;
    use crate::SqliteOptions;
    use crate::conformance::Bed;
    use crate::conformance::fixtures::{START, at, draft, user};
    use crate::conformance::goals::goal;
    use crate::sqlite::files::synced;

    struct Still;

    impl Clock for Still {
        fn now(&self) -> Timestamp {
            START
        }
    }

    async fn open(folder: &Path) -> (SqliteStore, Bed) {
        let store = SqliteStore::open(SqliteOptions::new(folder), Arc::new(Still)).await.unwrap();
        (store.clone(), Bed::of(store, ()))
    }

    /// The lengths at which the log of the user's vault was put on disk, once it was.
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
        let (store, bed) = open(folder.path()).await;
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
    async fn a_goal_that_is_deleted_leaves_the_log_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (store, bed) = open(folder.path()).await;
        let goal = goal(1, GoalStatus::Active);
        let id = goal.id;
        bed.write("u", move |tx| {
            let goal = goal.clone();
            Box::pin(async move { tx.put_goal(&goal).await })
        })
        .await;
        bed.write("u", move |tx| Box::pin(async move { tx.delete_goal(id).await.map(drop) })).await;
        // Nothing else asks for it.
        assert_eq!(put_on_disk(&store).await, [0]);
        bed.vaults.close().await;
    }
}
