//! The vaults of all users: reads on a snapshot each, writes one after the other per user.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use futures::FutureExt;
use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{BoxFuture, ReadWork, TransactWork, Vaults};

use super::conn::Conn;
use super::reader::{Access, Reading, Writing};
use super::shared::Shared;
use super::{ending, head};

/// How often a work is tried that loses against others.
const TRIES: u32 = 5;

/// The port, over the shared state.
pub(crate) struct VaultsPort(pub(crate) Arc<Shared>);

#[async_trait]
impl Vaults for VaultsPort {
    async fn read_with(&self, user: &UserId, mut work: ReadWork) -> Result<()> {
        self.0.refuse_closed()?;
        let kept = self.0.kept.of(user);
        let conn = Conn::new(self.0.pool.read(user).await?, user.clone(), self.0.seals(user));
        let mut conn = conn.with_analyser(&self.0.analyser);
        head::read(&mut conn).await?;
        let done = work(&mut Access::<Reading>::new(&mut conn, Some(kept))).await;
        conn.roll_back().await;
        done
    }

    async fn transact_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<()> {
        self.0.refuse_closed()?;
        let kept = self.0.kept.of(user);
        // Whoever goes away while he waits has not begun.
        let turn = Arc::clone(&kept.writing).lock_owned().await;
        let (shared, user) = (Arc::clone(&self.0), user.clone());
        // What has begun is carried out, whoever still waits for it.
        let carried_out = tokio::spawn(async move {
            let done = transact(&shared, &user, name, work).await;
            drop(turn);
            done
        });
        carried_out.await.unwrap_or_else(|_| Err(Error::storage(StorageFailure::Defect, "the work panicked")))
    }

    fn next_commit(&self, user: &UserId) -> BoxFuture<'static, ()> {
        Box::pin(self.0.signals.next(user))
    }

    async fn empty_log(&self, _user: &UserId) -> Result<bool> {
        // Postgres keeps its log for as long as it is set to; nothing here can shorten it.
        Ok(true)
    }

    fn open_vaults(&self) -> usize {
        self.0.kept.len()
    }

    async fn close(&self) {
        self.0.closed.store(true, Ordering::Release);
        self.0.pool.close().await;
    }
}

/// Carries a work out, again if it loses against another one.
async fn transact(shared: &Shared, user: &UserId, name: &'static str, mut work: TransactWork) -> Result<()> {
    for attempt in 1.. {
        let (done, lost) = once(shared, user, &mut work).await;
        match done {
            Err(error) if lost && attempt < TRIES => {
                tracing::debug!(name, %error, attempt, "a transaction is tried again");
            }
            Err(error) => {
                tracing::debug!(name, %error, "a transaction was taken back");
                return Err(error);
            }
            Ok(()) => return Ok(()),
        }
    }
    Ok(())
}

/// One attempt, and whether it lost against another transaction.
async fn once(shared: &Shared, user: &UserId, work: &mut TransactWork) -> (Result<()>, bool) {
    let raw = match shared.pool.write(user).await {
        Ok(raw) => raw,
        Err(error) => return (Err(error), false),
    };
    let mut conn = Conn::new(raw, user.clone(), shared.seals(user)).with_analyser(&shared.analyser);
    let done = run(shared, &mut conn, work).await;
    let lost = conn.lost();
    match done {
        Ok(enqueued) => {
            let committed = conn.commit().await;
            if committed.is_ok() {
                shared.signals.committed(user);
                if enqueued {
                    shared.outbox.notify_one();
                }
            }
            (committed, lost)
        }
        Err(error) => {
            conn.roll_back().await;
            (Err(error), lost)
        }
    }
}

async fn run(shared: &Shared, conn: &mut Conn, work: &mut TransactWork) -> Result<bool> {
    head::lock(conn, shared.clock.now()).await?;
    let mut access = Access::<Writing>::new(conn, None);
    // A panic in a work must not leave a transaction behind.
    AssertUnwindSafe(async { work(&mut access).await })
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(Error::storage(StorageFailure::Defect, "the work panicked")))?;
    if conn.failed() {
        let detail = "a statement failed and the work went on";
        return Err(Error::storage(StorageFailure::Defect, detail));
    }
    ending::put_down(conn).await
}
