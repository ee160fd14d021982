//! The open vaults of this process: a bounded number, closed in least recently used order, never while in use.

mod eviction;
mod lease;

pub(crate) use lease::Lease;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{BoxFuture, ReadWork, TransactWork, Vaults};
use tokio::sync::Notify;

use super::file::DbFile;
use super::read_threads;
use super::reader::{Access, Reading};
use super::readers::Readers;
use super::schema::VAULT;
use super::shared::Shared;
use super::vault::Vault;
use super::writer::{Order, Writer};
use super::{erasure, errors, files, quarantine};

/// Attempts to empty a log while a caller waits, and the pause between them for readers.
const EMPTYING: u32 = 40;
const BETWEEN: Duration = Duration::from_millis(50);

/// The vaults of all users.
pub(crate) struct OpenVaults {
    shared: Arc<Shared>,
    map: Mutex<Map>,
    /// Notified when a vault was returned or closed; waiters check again.
    changed: Notify,
    closed: AtomicBool,
    /// Readers of the empty vault for users without one; opened on first use.
    empty: tokio::sync::OnceCell<Readers>,
}

#[derive(Default)]
struct Map {
    open: HashMap<UserId, Arc<Vault>>,
    /// Vaults that are closing; reopening one waits for that.
    closing: HashSet<UserId>,
}

impl OpenVaults {
    pub(crate) fn new(shared: Arc<Shared>) -> Arc<Self> {
        Arc::new(Self {
            shared,
            map: Mutex::default(),
            changed: Notify::new(),
            closed: AtomicBool::new(false),
            empty: tokio::sync::OnceCell::new(),
        })
    }

    fn map(&self) -> MutexGuard<'_, Map> {
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an order to the writer of a user's vault. If there is no vault, creates it if `make` is set, otherwise
    /// returns `None`.
    async fn order(self: &Arc<Self>, user: &UserId, make: bool, order: Order) -> Result<Option<()>> {
        let lease = self.lease(user).await?;
        if make {
            lease.vault().make(&self.shared).await?;
        } else if !lease.vault().exists()? {
            return Ok(None);
        }
        Writer::carry_out(lease, &self.shared, order).await.map(Some)
    }

    /// Removes the registry's entry for a vault if the vault's outbox is empty.
    pub(crate) async fn clear_pending_outbox(self: &Arc<Self>, user: &UserId) -> Result<()> {
        if self.order(user, false, Order::ClearPendingOutbox).await?.is_some() {
            return Ok(());
        }
        self.shared.registry.clear_pending(user).await?;
        if files::exists(&Vault::path_of(user, &self.shared))? {
            // The vault was created meanwhile, without a lock held here: the removed entry may have been its own.
            self.shared.registry.add_pending(user, self.shared.clock.now()).await?;
        }
        Ok(())
    }

    /// Retries, between other orders, to empty the vault's log; returns `false` if a reader blocks it for too long.
    async fn empty_log(self: &Arc<Self>, user: &UserId) -> Result<bool> {
        for attempt in 0..EMPTYING {
            if attempt > 0 {
                tokio::time::sleep(BETWEEN).await;
            }
            let emptied = Arc::new(AtomicBool::new(false));
            let carried_out = self.order(user, false, Order::EmptyLog(Arc::clone(&emptied))).await?;
            if carried_out.is_none() || emptied.load(Ordering::Acquire) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reports whether the user has no vault, without opening anything.
    fn is_absent(&self, user: &UserId) -> Result<bool> {
        Ok(!self.is_closed()
            && !self.map().open.contains_key(user)
            && !files::exists(&Vault::path_of(user, &self.shared))?)
    }

    /// Reads the empty vault.
    async fn read_empty(&self, work: &mut ReadWork, cancelled: &Arc<AtomicBool>) -> Result<()> {
        let options = &self.shared.options;
        let readers = self
            .empty
            .get_or_try_init(|| async {
                let path = self.shared.template.path(options).await?;
                let file = Arc::new(DbFile::new(path.to_owned(), &VAULT, None));
                Ok::<_, Error>(Readers::of_frozen_vault(file, options))
            })
            .await?;
        let mut lease = readers.lease(options, Some(cancelled)).await?;
        let mut access = Access::<Reading>::new(lease.conn()?, None);
        work(&mut access).await
    }
}

/// Implements the port over the shared state.
pub(crate) struct VaultsPort(pub(crate) Arc<OpenVaults>);

impl VaultsPort {
    /// Sends an order to a vault's writer; returns `false` if there is no vault.
    async fn transact(&self, user: &UserId, make: bool, order: Order) -> Result<bool> {
        match self.0.order(user, make, order).await {
            Err(error) => Err(quarantine::judge(&self.0.shared, user, error).await),
            Ok(None) => self.refuse_lost(user).await.map(|()| false),
            Ok(Some(())) => Ok(true),
        }
    }

    /// Runs work on one snapshot of a user's vault.
    async fn read(&self, user: &UserId, work: &mut ReadWork, cancelled: &Arc<AtomicBool>) -> Result<()> {
        if self.0.is_absent(user)? {
            let folder = self.0.shared.layout.vault(user);
            if erasure::is_hidden(&folder)? {
                return Err(Error::Purging);
            }
            if let Some(damage) = quarantine::found(&folder)? {
                return Err(Error::Quarantined { damage });
            }
            self.refuse_lost(user).await?;
            return self.0.read_empty(work, cancelled).await;
        }
        let read = async {
            let lease = self.0.lease(user).await?;
            let vault = lease.vault();
            if vault.exists()? {
                vault.read(work, &self.0.shared.options, cancelled).await
            } else {
                self.refuse_lost(user).await?;
                self.0.read_empty(work, cancelled).await
            }
        };
        match read.await {
            Err(error) => Err(quarantine::judge(&self.0.shared, user, error).await),
            done => done,
        }
    }

    /// Fails if the user's vault is lost instead of nonexistent.
    async fn refuse_lost(&self, user: &UserId) -> Result<()> {
        let shared = &self.0.shared;
        if !quarantine::is_lost(user, shared).await? {
            return Ok(());
        }
        Err(quarantine::judge(shared, user, errors::corrupt("the database of the vault is gone")).await)
    }
}

#[async_trait]
impl Vaults for VaultsPort {
    async fn read_with(&self, user: &UserId, mut work: ReadWork) -> Result<()> {
        let (port, user) = (Self(Arc::clone(&self.0)), user.clone());
        read_threads::run(async move |cancelled| port.read(&user, &mut work, &cancelled).await).await
    }

    async fn transact_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<()> {
        self.transact(user, true, Order::Transact { name, work }).await.map(drop)
    }

    async fn transact_existing_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<bool> {
        self.transact(user, false, Order::Transact { name, work }).await
    }

    fn next_commit(&self, user: &UserId) -> BoxFuture<'static, ()> {
        Box::pin(self.0.shared.signals.next(user))
    }

    async fn empty_log(&self, user: &UserId) -> Result<bool> {
        self.0.empty_log(user).await
    }

    fn open_vaults(&self) -> usize {
        self.0.map().open.len()
    }

    async fn close(&self) {
        self.0.close().await;
    }
}

/// The error of a closed store.
fn shut() -> Error {
    Error::storage(StorageFailure::Unavailable, "the store is closed: shutting down")
}

impl OpenVaults {
    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}
