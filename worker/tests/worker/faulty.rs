//! Vaults that fail or hang in one named transaction, as with a full disk or a kill.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{ReadWork, TransactWork, Vaults};
use kimberly_core::{MeditationId, UserId};

pub(crate) enum Fault {
    Hang,
    Fail(StorageFailure),
    Panic,
    /// Once only: another attempt, which has lost its job, takes over the run and never finishes it.
    Overtaken(MeditationId),
}

/// Shows the fault in every transaction of this name after the first `healthy` ones.
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

    async fn strike(&self, user: &UserId, name: &'static str) -> Result<()> {
        if name != self.name {
            return Ok(());
        }
        let before = self.seen.fetch_add(1, Ordering::AcqRel);
        if before >= self.healthy {
            match self.fault {
                Fault::Hang => std::future::pending().await,
                Fault::Fail(failure) => return Err(Error::storage(failure, "as the test wants it")),
                Fault::Panic => std::panic::resume_unwind(Box::new("as the test wants it")),
                Fault::Overtaken(run) if before == self.healthy => overtake(&self.inner, user, run).await?,
                Fault::Overtaken(_) => {}
            }
        }
        Ok(())
    }

    pub(crate) fn faults(&self) -> usize {
        self.seen.load(Ordering::Acquire).saturating_sub(self.healthy)
    }
}

/// Takes over a run, as the start of an attempt does.
async fn overtake(vaults: &Arc<dyn Vaults>, user: &UserId, id: MeditationId) -> Result<()> {
    let taken = vaults.transact(user, "meditation.start", move |tx| {
        Box::pin(async move {
            let mut run = tx.meditation(id).await?.ok_or_else(|| Error::storage(StorageFailure::Defect, "no run"))?;
            run.generation += 1;
            tx.put_meditation(&run).await
        })
    });
    taken.await
}

#[async_trait]
impl Vaults for Faulty {
    async fn read_with(&self, user: &UserId, work: ReadWork) -> Result<()> {
        self.inner.read_with(user, work).await
    }

    async fn transact_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<()> {
        self.strike(user, name).await?;
        self.inner.transact_with(user, name, work).await
    }

    async fn transact_existing_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<bool> {
        self.strike(user, name).await?;
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
