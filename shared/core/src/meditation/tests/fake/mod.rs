//! A vault in memory that yields at every call, so that a test can interrupt or interleave work at any of them. It
//! implements the part of the ports that meditation uses, and panics on the rest. The real backends have their own
//! tests.

mod reader;
mod transaction;
mod vault;

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use uuid::Uuid;

pub(super) use self::vault::{Row, Vault};
use super::NOON;
use crate::error::Result;
use crate::ids::UserId;
use crate::ports::{Clock, Ids, NoObserver, ReadWork, TransactWork, Vaults};
use crate::settings::ServerDefaults;
use crate::time::Timestamp;
use crate::usecases::App;

/// Yields once.
pub(super) async fn pause() {
    let mut paused = false;
    std::future::poll_fn(|_| if std::mem::replace(&mut paused, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

/// Runs a future to its end.
pub(super) fn finish<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    loop {
        if let Poll::Ready(value) = step(work.as_mut()) {
            return value;
        }
    }
}

/// Runs a future up to the next call of the vault.
pub(super) fn step<T>(work: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    work.poll(&mut Context::from_waker(Waker::noop()))
}

/// Runs a future up to the `steps`th call of the vault, then drops it. `Some` if it completed.
pub(super) fn cut_after<T>(steps: usize, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    (0..steps).find_map(|_| match step(work.as_mut()) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    })
}

/// The vault of one user: the last committed state. One transaction at a time.
#[derive(Debug, Default)]
pub(super) struct FakeVaults {
    committed: Mutex<Vault>,
    writer: Mutex<bool>,
}

impl FakeVaults {
    pub(super) fn holding(vault: Vault) -> Arc<Self> {
        Arc::new(Self { committed: Mutex::new(vault), writer: Mutex::default() })
    }

    pub(super) fn committed(&self) -> Vault {
        self.committed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether no transaction is open, so that a change made now is not overwritten.
    pub(super) fn is_free(&self) -> bool {
        !*self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut Vault)) {
        change(&mut self.committed.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Lets the next transaction in when dropped.
struct Writing<'a>(&'a FakeVaults);

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        *self.0.writer.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }
}

#[async_trait]
impl Vaults for FakeVaults {
    async fn read_with(&self, _: &UserId, mut work: ReadWork) -> Result<()> {
        let mut snapshot = self.committed();
        pause().await;
        work(&mut snapshot).await
    }

    async fn transact_with(&self, _: &UserId, _: &'static str, mut work: TransactWork) -> Result<()> {
        pause().await;
        while std::mem::replace(&mut *self.writer.lock().unwrap_or_else(PoisonError::into_inner), true) {
            pause().await;
        }
        let writing = Writing(self);
        let mut vault = self.committed();
        work(&mut vault).await?;
        pause().await;
        self.change(|committed| *committed = vault);
        drop(writing);
        pause().await;
        Ok(())
    }

    async fn transact_existing_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<bool> {
        self.transact_with(user, name, work).await.map(|()| true)
    }

    async fn empty_log(&self, _: &UserId) -> Result<bool> {
        Ok(true)
    }

    fn open_vaults(&self) -> usize {
        1
    }

    async fn close(&self) {}
}

/// A clock that stands still unless it is set, and sequential ids.
#[derive(Debug)]
pub(super) struct Stage {
    now: AtomicI64,
    ids: AtomicU64,
}

impl Stage {
    pub(super) fn set(&self, now: Timestamp) {
        self.now.store(now.0, Ordering::Relaxed);
    }
}

impl Clock for Stage {
    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::Relaxed))
    }
}

impl Ids for Stage {
    fn new_id(&self, _: Timestamp) -> Uuid {
        Uuid::from_u128(u128::from(self.ids.fetch_add(1, Ordering::Relaxed)) + (1 << 64))
    }
}

/// An app on a vault in memory, at ten past noon.
pub(super) struct World {
    pub(super) app: App,
    pub(super) vaults: Arc<FakeVaults>,
    pub(super) stage: Arc<Stage>,
    pub(super) user: UserId,
}

impl World {
    pub(super) fn new(vault: Vault) -> Self {
        let vaults = FakeVaults::holding(vault);
        let now = NOON.plus(crate::time::Span::seconds(600));
        let stage = Arc::new(Stage { now: AtomicI64::new(now.0), ids: AtomicU64::new(0) });
        let defaults = Arc::new(ServerDefaults::default());
        let app = App::new(
            Arc::clone(&vaults) as Arc<dyn Vaults>,
            Arc::clone(&stage) as Arc<dyn Clock>,
            Arc::clone(&stage) as Arc<dyn Ids>,
            defaults,
            Arc::new(NoObserver),
        );
        let user = UserId::parse("ada").unwrap();
        Self { app, vaults, stage, user }
    }
}
