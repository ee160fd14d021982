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

    /// Closes idle vaults, and evicts cached words of purged ones. Ends when the store is closed or dropped.
    pub(crate) async fn sweep(vaults: std::sync::Weak<Self>, every: Duration) {
        loop {
            tokio::time::sleep(every).await;
            let Some(vaults) = vaults.upgrade() else { return };
            if vaults.is_closed() {
                return;
            }
            vaults.close_idle();
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
