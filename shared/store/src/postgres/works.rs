//! Works on one vault. They come one after the other, and those that wait at the same time share a commit: each stands behind
//! a savepoint, so that it still succeeds or fails alone. All are answered after the commit, also those that failed: they may have
//! failed for what others of the group wrote.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::TransactWork;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::conn::{Conn, Uncommitted};
use super::ending;
use super::head::{self, CommitMark};
use super::kept::Kept;
use super::reader::{Access, Writing};
use super::shared::Shared;
use crate::same;

/// Most works that share a commit. Each has a savepoint, and Postgres keeps 64 of a transaction where others see them fast.
const MOST: usize = 32;
/// After so long no other work joins: those that are done wait for the commit.
const LONGEST: Duration = Duration::from_millis(20);
/// How often a work is tried that loses against others.
const TRIES: u32 = 5;

/// A work and who waits for it.
pub(crate) struct Waiter {
    name: &'static str,
    work: TransactWork,
    /// Whether the vault is made if there is none.
    makes: bool,
    reply: oneshot::Sender<Result<bool>>,
    /// How often it was begun.
    tries: u32,
    /// Why it failed behind others, whose commit it waits for.
    failed: Option<Error>,
}

impl Waiter {
    /// `false` if there was no vault to work on.
    fn answer(self, done: Result<bool>) {
        if let Err(error) = &done {
            tracing::debug!(name = self.name, %error, "a transaction was taken back");
        }
        // The caller may be gone; the work is done all the same.
        let _ = self.reply.send(done);
    }

    /// Answers with what became of it, now that it is committed.
    fn committed(mut self) {
        let done = self.failed.take().map_or(Ok(true), Err);
        self.answer(done);
    }
}

/// Works on a vault that were not begun.
#[derive(Default)]
pub(crate) struct Waiting(Mutex<VecDeque<Waiter>>);

impl Waiting {
    /// Adds one to the end; returns where its answer comes.
    pub(crate) fn add(&self, name: &'static str, makes: bool, work: TransactWork) -> oneshot::Receiver<Result<bool>> {
        let (reply, answer) = oneshot::channel();
        self.lock().push_back(Waiter { name, work, makes, reply, tries: 0, failed: None });
        answer
    }

    /// The next one. Those whose callers went away are dropped, unless they were begun.
    fn next(&self) -> Option<Waiter> {
        let mut waiting = self.lock();
        std::iter::from_fn(|| waiting.pop_front()).find(|waiter| waiter.tries > 0 || !waiter.reply.is_closed())
    }

    /// All of them.
    fn all(&self) -> Vec<Waiter> {
        self.lock().drain(..).collect()
    }

    /// Puts works that lost in front again, in their order; those that lost too often are answered.
    fn again(&self, lost: Vec<Waiter>, error: &Error) {
        for mut waiter in lost.into_iter().rev() {
            waiter.tries += 1;
            waiter.failed = None;
            if waiter.tries < TRIES {
                tracing::debug!(name = waiter.name, %error, tries = waiter.tries, "a transaction is tried again");
                self.lock().push_front(waiter);
            } else {
                waiter.answer(Err(same(error)));
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<Waiter>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Carries out whatever waits, until nothing does.
pub(crate) async fn carry_out(shared: &Shared, user: &UserId, kept: &Kept) {
    while let Some(first) = kept.waiting.next() {
        group(shared, user, kept, first).await;
    }
}

/// Carries out works in one transaction.
async fn group(shared: &Shared, user: &UserId, kept: &Kept, first: Waiter) {
    let waiting = &kept.waiting;
    let mut conn = match begin(shared, user).await {
        Ok(conn) => conn,
        // A caller would wait as long in vain.
        Err(error) => return fail(std::iter::once(first).chain(waiting.all()).collect(), &error),
    };
    let since = Instant::now();
    let (mut done, mut next) = (Vec::new(), Some(first));
    while let Some(waiter) = next.take() {
        match locked(shared, kept, &mut conn, waiter.makes).await {
            Ok(true) => {}
            Ok(false) => {
                waiter.answer(Ok(false));
                next = waiting.next();
                continue;
            }
            Err(error) => return taken_back(conn, waiting, vec![waiter], error).await,
        }
        conn = match one(conn, waiting, waiter, &mut done).await {
            Some(conn) => conn,
            None => return,
        };
        if done.len() < MOST && since.elapsed() < LONGEST {
            next = waiting.next();
        }
    }
    end(shared, user, waiting, (conn, done)).await;
}

/// Locks the vault's row before the first work that is done, and has its keys at hand; `false` if there is no vault and none
/// is made.
async fn locked(shared: &Shared, kept: &Kept, conn: &mut Conn, makes: bool) -> Result<bool> {
    if conn.head.exists {
        return Ok(true);
    }
    let found =
        if makes { head::lock(conn, shared.clock.now()).await.map(|()| true) } else { head::lock_existing(conn).await };
    if found? {
        // Made while the row is locked: a purge, which destroys them, waits for it and hides it before.
        let seals = Arc::clone(&kept.of(conn.head.mark).seals);
        seals.make().await?;
        conn.seals = Some(seals);
    }
    Ok(conn.head.exists)
}

/// Carries out one work behind those that are done. `None` if the transaction is over.
async fn one(mut conn: Conn, waiting: &Waiting, mut waiter: Waiter, done: &mut Vec<Waiter>) -> Option<Conn> {
    let alone = done.is_empty();
    let before = (conn.head.clone(), conn.notes.clone());
    let mut ended = if alone { Ok(()) } else { conn.savepoint().await };
    if ended.is_ok() {
        ended = run(&mut conn, &mut waiter.work).await;
    }
    let Err(error) = ended else {
        done.push(waiter);
        return Some(conn);
    };
    if conn.lost() {
        let mut lost = std::mem::take(done);
        lost.push(waiter);
        taken_back(conn, waiting, lost, error).await;
        return None;
    }
    if alone {
        conn.roll_back().await;
        waiter.answer(Err(error));
        return None;
    }
    if let Err(failed) = conn.back_to_savepoint().await {
        waiter.answer(Err(error));
        taken_back(conn, waiting, std::mem::take(done), failed).await;
        return None;
    }
    (conn.head, conn.notes) = before;
    waiter.failed = Some(error);
    done.push(waiter);
    Some(conn)
}

/// Takes a transaction back, and its works up again if that may help.
async fn taken_back(conn: Conn, waiting: &Waiting, works: Vec<Waiter>, error: Error) {
    let lost = conn.lost();
    conn.roll_back().await;
    if lost {
        waiting.again(works, &error);
    } else {
        fail(works, &error);
    }
}

async fn run(conn: &mut Conn, work: &mut TransactWork) -> Result<()> {
    let mut access = Access::<Writing>::new(conn, None);
    // A panic in a work must not take those of others along.
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

/// Commits what is done.
async fn end(shared: &Shared, user: &UserId, waiting: &Waiting, (mut conn, done): (Conn, Vec<Waiter>)) {
    if done.is_empty() {
        return conn.roll_back().await;
    }
    let ending = match ending::write(&mut conn).await {
        Ok(ending) => ending,
        Err(error) => return taken_back(conn, waiting, done, error).await,
    };
    match conn.try_commit().await {
        Ok(()) => {}
        Err(Uncommitted::Lost(error)) => return waiting.again(done, &error),
        Err(Uncommitted::Refused(error)) => return fail(done, &error),
        Err(Uncommitted::Unknown(error)) => match was_kept(shared, user, ending.mark).await {
            Ok(Some(true)) => {}
            Ok(Some(false)) => return waiting.again(done, &error),
            Ok(None) | Err(_) => return fail(done, &error),
        },
    }
    shared.signals.committed(user);
    if ending.enqueued {
        shared.outbox.notify_one();
    }
    done.into_iter().for_each(Waiter::committed);
}

fn fail(works: Vec<Waiter>, error: &Error) {
    for waiter in works {
        waiter.answer(Err(same(error)));
    }
}

async fn begin(shared: &Shared, user: &UserId) -> Result<Conn> {
    let conn = Conn::new(shared.pool.write(user).await?, user.clone());
    Ok(conn.with_analyser(&shared.analyser))
}

/// Whether a commit was made whose answer did not arrive. Asking waits for the vault's row, so for the end of the transaction
/// should it still be under way. `None` if others committed since and it cannot be known: then the works must not be done
/// again, as they may have been done. What is found is itself committed: with synchronous replication that waits until whoever
/// follows has the earlier commit as well, which a server that went down while it waited for them shows without.
async fn was_kept(shared: &Shared, user: &UserId, mark: CommitMark) -> Result<Option<bool>> {
    let mut conn = begin(shared, user).await?;
    let last = head::last_commit(&mut conn).await;
    Ok(match conn.end(last).await? {
        Some(last) if last == mark => Some(true),
        Some(last) if last.vault == mark.vault && last.number < mark.number => Some(false),
        _ => None,
    })
}
