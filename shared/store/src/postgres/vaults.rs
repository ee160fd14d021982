//! The vaults of all users: reads on a snapshot each, writes one after the other per user.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use futures::FutureExt;
use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{BoxFuture, ReadWork, TransactWork, Vaults};

use super::conn::{Conn, Uncommitted};
use super::ending::{self, Ending};
use super::head::{self, CommitMark};
use super::reader::{Access, Reading, Writing};
use super::shared::Shared;

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

/// How one attempt to carry a work out ended.
enum Attempt {
    /// Everything is kept.
    Done,
    /// Nothing is kept, and trying again would not help; or what became of it cannot be known.
    Failed(Error),
    /// Nothing is kept, and it may be tried again.
    Lost(Error),
}

/// Carries a work out, again if it loses against another one or its connection.
async fn transact(shared: &Shared, user: &UserId, name: &'static str, mut work: TransactWork) -> Result<()> {
    let mut attempt = 1;
    loop {
        match once(shared, user, &mut work).await {
            Attempt::Done => return Ok(()),
            Attempt::Lost(error) if attempt < TRIES => {
                tracing::debug!(name, %error, attempt, "a transaction is tried again");
            }
            Attempt::Lost(error) | Attempt::Failed(error) => {
                tracing::debug!(name, %error, "a transaction was taken back");
                return Err(error);
            }
        }
        attempt += 1;
    }
}

async fn once(shared: &Shared, user: &UserId, work: &mut TransactWork) -> Attempt {
    let mut conn = match begin(shared, user).await {
        Ok(conn) => conn,
        Err(error) => return Attempt::Failed(error),
    };
    let ending = match run(shared, &mut conn, work).await {
        Ok(ending) => ending,
        Err(error) => {
            let lost = conn.lost();
            conn.roll_back().await;
            return if lost { Attempt::Lost(error) } else { Attempt::Failed(error) };
        }
    };
    match conn.try_commit().await {
        Ok(()) => {}
        Err(Uncommitted::Lost(error)) => return Attempt::Lost(error),
        Err(Uncommitted::Refused(error)) => return Attempt::Failed(error),
        Err(Uncommitted::Unknown(error)) => match was_kept(shared, user, ending.mark).await {
            Ok(Some(true)) => {}
            Ok(Some(false)) => return Attempt::Lost(error),
            Ok(None) | Err(_) => return Attempt::Failed(error),
        },
    }
    shared.signals.committed(user);
    if ending.enqueued {
        shared.outbox.notify_one();
    }
    Attempt::Done
}

async fn begin(shared: &Shared, user: &UserId) -> Result<Conn> {
    let conn = Conn::new(shared.pool.write(user).await?, user.clone(), shared.seals(user));
    Ok(conn.with_analyser(&shared.analyser))
}

/// Whether a commit was made whose answer did not arrive. Asking waits for the vault's row, so for the end of the transaction
/// should it still be under way. `None` if others committed since and it cannot be known: then the work must not be done
/// again, as it may have been done.
async fn was_kept(shared: &Shared, user: &UserId, mark: CommitMark) -> Result<Option<bool>> {
    let mut conn = begin(shared, user).await?;
    let last = head::last_commit(&mut conn).await;
    conn.roll_back().await;
    Ok(match last? {
        Some(last) if last == mark => Some(true),
        Some(last) if last.number < mark.number => Some(false),
        _ => None,
    })
}

async fn run(shared: &Shared, conn: &mut Conn, work: &mut TransactWork) -> Result<Ending> {
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
