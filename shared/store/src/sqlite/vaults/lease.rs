//! Keeps a vault open while it is in use.

use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::error::Result;

use super::{OpenVaults, shut};
use crate::sqlite::vault::Vault;

/// A vault that stays open until the lease is dropped.
pub(crate) struct Lease {
    // Dropped before the notice, so that the notified waiter finds the vault unused.
    vault: Arc<Vault>,
    _notice: Notice,
}

/// Notifies waiters that a lease was returned.
struct Notice(Arc<OpenVaults>);

impl Lease {
    pub(crate) fn vault(&self) -> &Vault {
        &self.vault
    }
}

impl Drop for Notice {
    fn drop(&mut self) {
        self.0.changed.notify_waiters();
    }
}

impl OpenVaults {
    /// Returns a user's vault, opening it if necessary; waits while vaults in use occupy all slots.
    pub(super) async fn lease(self: &Arc<Self>, user: &UserId) -> Result<Lease> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.is_closed() {
                return Err(shut());
            }
            match self.look(user) {
                Some(vault) if vault.was_replaced() => self.give_up(user, vault),
                Some(vault) => {
                    vault.refuse_closed()?;
                    vault.touch(self.shared.started);
                    return Ok(Lease { vault, _notice: Notice(Arc::clone(self)) });
                }
                None => {}
            }
            changed.await;
        }
    }

    /// Returns a vault if it is open, without counting as a use.
    pub(super) fn lease_open(self: &Arc<Self>, user: &UserId) -> Option<Lease> {
        let vault = self.map().open.get(user).cloned()?;
        Some(Lease { vault, _notice: Notice(Arc::clone(self)) })
    }

    /// Closes a vault whose file was replaced, once it is unused; returning the lease notifies waiters.
    fn give_up(self: &Arc<Self>, user: &UserId, vault: Arc<Vault>) {
        let mut map = self.map();
        drop(vault);
        let unused = |open: &Arc<Vault>| Arc::strong_count(open) == 1 && open.was_replaced();
        if map.open.get(user).is_some_and(unused) {
            self.start_closing(&mut map, user);
        }
    }

    /// Returns the vault if it is open or a slot is free; `None` while it is closing or all slots are taken.
    fn look(self: &Arc<Self>, user: &UserId) -> Option<Arc<Vault>> {
        let mut map = self.map();
        if let Some(vault) = map.open.get(user) {
            return Some(Arc::clone(vault));
        }
        if map.closing.contains(user) || !self.make_room(&mut map) {
            return None;
        }
        let vault = Arc::new(Vault::new(user.clone(), &self.shared));
        map.open.insert(user.clone(), Arc::clone(&vault));
        Some(vault)
    }
}
