//! Access to vaults through read-only readers and named transactions.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use super::{VaultReader, VaultTransaction};
use crate::error::{Error, Result, StorageFailure};
use crate::ids::UserId;

/// A boxed future that may borrow.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Work on a reader.
pub type ReadWork = Box<dyn for<'r> FnMut(&'r mut dyn VaultReader) -> BoxFuture<'r, Result<()>> + Send>;

/// Work in a transaction. It may run more than once (a backend may retry), does no outside I/O, and bases every
/// decision on what it reads inside.
pub type TransactWork = Box<dyn for<'t> FnMut(&'t mut dyn VaultTransaction) -> BoxFuture<'t, Result<()>> + Send>;

/// The vaults of all users. Each backend implements it; call [`read`](#method.read) and [`transact`](#method.transact)
/// on `dyn Vaults`.
#[async_trait]
pub trait Vaults: Send + Sync {
    /// Runs `work` on one consistent snapshot of the vault. A user without a vault reads an empty one; none is created.
    async fn read_with(&self, user: &UserId, work: ReadWork) -> Result<()>;

    /// Runs `work` in one durable transaction: when this returns `Ok`, the changes survive kill -9 and power loss;
    /// when it returns an error, nothing was changed. Creates the vault if the user has none. `name` is for logs and
    /// spans. Concurrent transactions of one vault share a commit; each still succeeds or fails alone.
    async fn transact_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<()>;

    /// The same, but creates no vault: `false` if the user has none, or no longer has one. Code that completes earlier
    /// work must use this, since it would recreate a user who was purged meanwhile.
    async fn transact_existing_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<bool>;

    /// Resolves when this process has committed to the vault after the call. A hint for watchers to look at once:
    /// commits of other processes are found only by polling. Never resolves for a backend without such a signal.
    fn next_commit(&self, _user: &UserId) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }

    /// Waits, for at most about two seconds, until the vault's log contains nothing that was erased here; `false` if a
    /// reader prevented that: the vault then keeps trying by itself.
    async fn empty_log(&self, user: &UserId) -> Result<bool>;

    /// Number of vaults that this process holds open.
    fn open_vaults(&self) -> usize;

    /// Writes pending data and closes every vault.
    async fn close(&self);
}

impl dyn Vaults {
    /// Reads from a user's vault.
    pub async fn read<T, F>(&self, user: &UserId, mut f: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'r> FnMut(&'r mut dyn VaultReader) -> BoxFuture<'r, Result<T>> + Send + 'static,
    {
        let slot = Slot::default();
        let filled = slot.clone();
        self.read_with(user, Box::new(move |reader| filled.fill_from(f(reader)))).await?;
        slot.take()
    }

    /// Changes a user's vault, durably and atomically.
    pub async fn transact<T, F>(&self, user: &UserId, name: &'static str, mut f: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> FnMut(&'t mut dyn VaultTransaction) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        let slot = Slot::default();
        let filled = slot.clone();
        self.transact_with(user, name, Box::new(move |tx| filled.fill_from(f(tx)))).await?;
        slot.take()
    }

    /// Changes an existing vault; `None` if the user has none.
    pub async fn transact_existing<T, F>(&self, user: &UserId, name: &'static str, mut f: F) -> Result<Option<T>>
    where
        T: Send + 'static,
        F: for<'t> FnMut(&'t mut dyn VaultTransaction) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        let slot = Slot::default();
        let filled = slot.clone();
        let work: TransactWork = Box::new(move |tx| filled.fill_from(f(tx)));
        if self.transact_existing_with(user, name, work).await? { slot.take().map(Some) } else { Ok(None) }
    }
}

/// Carries a value out of work, since the object-safe port cannot name its type.
pub(super) struct Slot<T>(Arc<Mutex<Option<T>>>);

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(None)))
    }
}

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Send + 'static> Slot<T> {
    pub(super) fn fill_from<'a>(&self, running: BoxFuture<'a, Result<T>>) -> BoxFuture<'a, Result<()>> {
        let slot = self.clone();
        Box::pin(async move {
            let value = running.await?;
            *slot.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
            Ok(())
        })
    }

    pub(super) fn take(&self) -> Result<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(work_never_ran)
    }
}

fn work_never_ran() -> Error {
    Error::storage(StorageFailure::Defect, "the backend reported success without running the work")
}
