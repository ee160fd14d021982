//! Closes vaults: the least recently used to make room, idle ones, and all at shutdown.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use kimberly_core::UserId;

use super::{Map, OpenVaults};
use crate::sqlite::vault::Vault;

/// Maximum number of vaults that may be closing while others are opened.
const CLOSING: usize = 32;

impl OpenVaults {
    /// Starts closing vaults until one more fits; returns `false` if all are in use or too many are closing.
    pub(super) fn make_room(self: &Arc<Self>, map: &mut Map) -> bool {
        while map.open.len() >= self.shared.options.max_open.max(1) {
            if map.closing.len() >= CLOSING {
                return false;
            }
            let unused = map.open.values().filter(|vault| Arc::strong_count(vault) == 1);
            let Some(user) = unused.min_by_key(|vault| vault.used()).map(|vault| vault.user().clone()) else {
                return false;
            };
            self.start_closing(map, &user);
        }
        true
    }

    /// Removes an unused vault from the map and closes it.
    pub(super) fn start_closing(self: &Arc<Self>, map: &mut Map, user: &UserId) {
        let Some(vault) = map.open.remove(user) else { return };
        map.closing.insert(user.clone());
        tokio::spawn(Arc::clone(self).finish_closing(vault));
    }

    async fn finish_closing(self: Arc<Self>, vault: Arc<Vault>) {
        let user = vault.user().clone();
        vault.close().await;
        self.map().closing.remove(&user);
        self.changed.notify_waiters();
    }

    /// Closes idle vaults, and evicts texts and words that were erased or purged. Ends when the store is closed or dropped.
    pub(crate) async fn sweep(vaults: std::sync::Weak<Self>, every: Duration) {
        loop {
            tokio::time::sleep(every).await;
            let Some(vaults) = vaults.upgrade() else { return };
            if vaults.is_closed() {
                return;
            }
            vaults.close_idle();
            vaults.forget_changed_elsewhere().await;
        }
    }

    /// Evicts cached texts and words of vaults that another process has changed since.
    async fn forget_changed_elsewhere(self: &Arc<Self>) {
        let texts = |vault: &&Arc<Vault>| vault.holds_texts();
        let users: Vec<_> = self.map().open.values().filter(texts).map(|vault| vault.user().clone()).collect();
        for user in users {
            let Some(lease) = self.lease_open(&user) else { continue };
            if let Err(error) = lease.vault().forget_changed_elsewhere(&self.shared.options).await {
                tracing::debug!(%error, "cannot look for changes of other processes now");
            }
        }
    }

    fn close_idle(self: &Arc<Self>) {
        let idle = self.shared.options.vault_idle;
        let now = self.shared.started.elapsed();
        let mut map = self.map();
        map.open.values().for_each(|vault| vault.forget_purged());
        let stale = |vault: &Arc<Vault>| {
            Arc::strong_count(vault) == 1 && now.saturating_sub(Duration::from_millis(vault.used())) > idle
        };
        let users: Vec<_> = map.open.values().filter(|vault| stale(vault)).map(|vault| vault.user().clone()).collect();
        for user in users {
            self.start_closing(&mut map, &user);
        }
    }

    /// Refuses new calls, waits for running ones, and closes everything.
    pub(super) async fn close(self: &Arc<Self>) {
        self.closed.store(true, Ordering::Release);
        self.changed.notify_waiters();
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.close_unused() {
                break;
            }
            changed.await;
        }
        if let Some(empty) = self.empty.get() {
            empty.close().await;
        }
        self.shared.registry.close().await;
    }

    /// Starts closing every unused vault; returns `true` once none is left.
    fn close_unused(self: &Arc<Self>) -> bool {
        let mut map = self.map();
        let unused = map.open.values().filter(|vault| Arc::strong_count(vault) == 1);
        let users: Vec<_> = unused.map(|vault| vault.user().clone()).collect();
        for user in users {
            self.start_closing(&mut map, &user);
        }
        map.open.is_empty() && map.closing.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use kimberly_core::ids::Seq;
    use kimberly_core::memory::{MemoryFilter, MemoryState};

    use crate::SqliteStore;
    use crate::conformance::fixtures::{at, draft, new_memory, user};
    use crate::conformance::{Bed, opened};

    async fn found(bed: &Bed, text: &'static str) -> usize {
        let filter = MemoryFilter::default();
        let found = bed.read("u", move |r| {
            let filter = filter.clone();
            Box::pin(async move { r.substring(text, &filter, 9).await })
        });
        found.await.len()
    }

    fn holds_texts(store: &SqliteStore) -> bool {
        store.vaults.map().open[&user("u")].holds_texts()
    }

    async fn erase(bed: &Bed, seq: i64) {
        bed.write("u", move |tx| Box::pin(async move { tx.erase_memories(&[Seq(seq)], at(9)).await })).await;
    }

    #[tokio::test]
    async fn texts_go_with_the_commit_that_erases_deletes_or_changes_a_memory() {
        let folder = tempfile::tempdir().unwrap();
        let (store, bed) = opened(folder.path()).await;
        bed.remember("u", ["a grey heron", "a white heron", "a night heron"].map(draft)).await;
        assert!(found(&bed, "heron").await == 3 && holds_texts(&store));
        bed.insert("u", vec![new_memory(4, draft("a heron of its own"))]).await;
        assert!(holds_texts(&store), "they only lack a memory");
        erase(&bed, 1).await;
        assert!(!holds_texts(&store), "no search came since");
        assert!(found(&bed, "heron").await == 3 && holds_texts(&store));
        bed.set_state("u", Seq(2), MemoryState::Deleted).await;
        assert!(!holds_texts(&store));
        assert!(found(&bed, "heron").await == 2 && holds_texts(&store));
        let mut memory = bed.memory("u", 3).await.unwrap();
        memory.draft.content = "an owl".to_owned();
        bed.write("u", move |tx| {
            let memory = memory.clone();
            Box::pin(async move { tx.update_memory(&memory, None).await })
        })
        .await;
        assert!(!holds_texts(&store));
        bed.vaults.close().await;
    }

    #[tokio::test]
    async fn texts_that_another_process_erased_go_with_the_next_sweep() {
        let folder = tempfile::tempdir().unwrap();
        let (store, bed) = opened(folder.path()).await;
        bed.remember("u", ["a grey heron", "a white heron"].map(draft)).await;
        assert_eq!(found(&bed, "heron").await, 2);
        store.vaults.forget_changed_elsewhere().await;
        assert!(holds_texts(&store), "nothing changed");
        let (_, other) = opened(folder.path()).await;
        erase(&other, 1).await;
        store.vaults.forget_changed_elsewhere().await;
        assert!(!holds_texts(&store));
        other.vaults.close().await;
        bed.vaults.close().await;
    }
}
