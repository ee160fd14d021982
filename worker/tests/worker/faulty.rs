//! Vaults that fail or hang in one named transaction, as a full disk or a kill would have it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{ReadWork, TransactWork, Vaults};

pub(crate) enum Fault {
    Hang,
    Fail(StorageFailure),
    Panic,
}

/// After `healthy` transactions of this name, every further one shows the fault.
pub(crate) struct Faulty {
    inner: Arc<dyn Vaults>,
    name: &'static str,
    healthy: usize,
    fault: Fault,
    pub(crate) seen: AtomicUsize,
}

impl Faulty {
    pub(crate) fn new(inner: Arc<dyn Vaults>, name: &'static str, healthy: usize, fault: Fault) -> Arc<Self> {
        Arc::new(Self { inner, name, healthy, fault, seen: AtomicUsize::new(0) })
    }

    async fn strike(&self, name: &'static str) -> Result<()> {
        if name == self.name && self.seen.fetch_add(1, Ordering::AcqRel) >= self.healthy {
            match self.fault {
                Fault::Hang => std::future::pending().await,
                Fault::Fail(failure) => return Err(Error::storage(failure, "as the test wants it")),
                Fault::Panic => std::panic::resume_unwind(Box::new("as the test wants it")),
            }
        }
        Ok(())
    }

    pub(crate) fn faults(&self) -> usize {
        self.seen.load(Ordering::Acquire).saturating_sub(self.healthy)
    }
}

#[async_trait]
impl Vaults for Faulty {
    async fn read_with(&self, user: &UserId, work: ReadWork) -> Result<()> {
        self.inner.read_with(user, work).await
    }

    async fn transact_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<()> {
        self.strike(name).await?;
        self.inner.transact_with(user, name, work).await
    }

    async fn transact_existing_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<bool> {
        self.strike(name).await?;
        self.inner.transact_existing_with(user, name, work).await
    }

    async fn empty_log(&self, user: &UserId) -> Result<bool> {
        self.inner.empty_log(user).await
    }

    fn open_vaults(&self) -> usize {
        self.inner.open_vaults()
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}
