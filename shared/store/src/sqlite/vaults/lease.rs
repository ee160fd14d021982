//! Holding a vault open while it is used.

use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::error::Result;

use super::{OpenVaults, shut};
use crate::sqlite::vault::Vault;

/// A vault that stays open until this is dropped.
pub(super) struct Lease {
    vault: Option<Arc<Vault>>,
    vaults: Arc<OpenVaults>,
}

/// What a look at the map says.
enum Found {
    Vault(Arc<Vault>),
    /// It is being closed, or all are in use: look again when something changed.
    Wait,
}

impl Lease {
    pub(super) fn vault(&self) -> Arc<Vault> {
        // Filled from the beginning; emptied by `drop` alone.
        self.vault.clone().unwrap_or_else(|| unreachable!("a lease holds its vault until it is dropped"))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        drop(self.vault.take());
        self.vaults.changed.notify_waiters();
    }
}

impl OpenVaults {
    /// The vault of a user, opened if it is not; waits while all places are taken by vaults in use.
    pub(super) async fn lease(self: &Arc<Self>, user: &UserId) -> Result<Lease> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.is_closed() {
                return Err(shut());
            }
            if let Found::Vault(vault) = self.look(user) {
                vault.touch(self.shared.started);
                return Ok(Lease { vault: Some(vault), vaults: Arc::clone(self) });
            }
            changed.await;
        }
    }

    fn look(self: &Arc<Self>, user: &UserId) -> Found {
        let mut map = self.map();
        if let Some(vault) = map.open.get(user) {
            return Found::Vault(Arc::clone(vault));
        }
        if map.closing.contains(user) || !self.make_room(&mut map) {
            return Found::Wait;
        }
        let folder = self.shared.layout.vault(user);
        let vault = Arc::new(Vault::new(user.clone(), folder, &self.shared.options));
        map.open.insert(user.clone(), Arc::clone(&vault));
        Found::Vault(vault)
    }
}
