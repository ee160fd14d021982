//! Runs works (callers' transactions) on one vault, one after another. Works that wait at the same time share a commit;
//! each has a savepoint, so that it succeeds or fails alone. All are answered after the commit, including failed ones,
//! because their failure may depend on uncommitted changes of the group.

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
use super::head::{self, CommitId};
use super::reader::{Access, Writing};
use super::shared::Shared;
use super::user_states::UserState;
use crate::{same, slots};

/// Maximum number of works per commit. Each uses a savepoint, and Postgres caches up to 64 subtransactions of a session.
const MOST: usize = 32;
/// Time after which no other work joins, because finished ones wait for the commit.
const LONGEST: Duration = Duration::from_millis(20);
/// Attempts of a work that loses conflicts.
const TRIES: u32 = 5;

/// A work and its caller.
pub(crate) struct Waiter {
    name: &'static str,
    work: TransactWork,
    /// Whether to create a missing vault.
    makes: bool,
    reply: oneshot::Sender<Result<bool>>,
    /// Number of attempts.
    tries: u32,
    /// Its error, held back until the commit of the works before it.
    failed: Option<Error>,
}

impl Waiter {
    /// Answers the caller; `Ok(false)` if there was no vault.
    fn answer(self, done: Result<bool>) {
        if let Err(error) = &done {
            tracing::debug!(name = self.name, %error, "a transaction was rolled back");
        }
        // The caller may be gone; the work is done anyway.
        let _ = self.reply.send(done);
    }

    /// Answers with the result after the commit.
    fn committed(mut self) {
        let done = self.failed.take().map_or(Ok(true), Err);
        self.answer(done);
    }
}

/// Works on a vault that have not begun.
#[derive(Default)]
pub(crate) struct Waiting(Mutex<VecDeque<Waiter>>);

impl Waiting {
    /// Adds a work at the end; returns the receiver of its answer.
    pub(crate) fn add(&self, name: &'static str, makes: bool, work: TransactWork) -> oneshot::Receiver<Result<bool>> {
        let (reply, answer) = oneshot::channel();
        self.lock().push_back(Waiter { name, work, makes, reply, tries: 0, failed: None });
        answer
    }

    /// Returns the next work. Drops works whose callers are gone, unless they were begun.
    fn next(&self) -> Option<Waiter> {
        let mut waiting = self.lock();
        std::iter::from_fn(|| waiting.pop_front()).find(|waiter| waiter.tries > 0 || !waiter.reply.is_closed())
    }

    /// Returns all works.
    fn all(&self) -> Vec<Waiter> {
        self.lock().drain(..).collect()
    }

    /// Puts works that lost a conflict back in front, in order; answers those that have used up their attempts.
    fn again(&self, lost: Vec<Waiter>, error: &Error) {
        for mut waiter in lost.into_iter().rev() {
            waiter.tries += 1;
            waiter.failed = None;
            if waiter.tries < TRIES {
                tracing::debug!(name = waiter.name, %error, tries = waiter.tries, "a transaction is retried");
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

/// Runs waiting works until none is left.
pub(crate) async fn carry_out(shared: &Shared, user: &UserId, state: &UserState) {
    while let Some(first) = state.waiting.next() {
        group(shared, user, state, first).await;
    }
}

/// Runs a group of works in one transaction.
async fn group(shared: &Shared, user: &UserId, state: &UserState, first: Waiter) {
    let waiting = &state.waiting;
    let mut conn = match begin(shared, user).await {
        Ok(conn) => conn,
        // Other callers would wait as long without success.
        Err(error) => return fail(std::iter::once(first).chain(waiting.all()).collect(), &error),
    };
    let since = Instant::now();
    let (mut done, mut next) = (Vec::new(), Some(first));
    while let Some(waiter) = next.take() {
        match locked(shared, state, &mut conn, waiter.makes).await {
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
    end(shared, user, state, (conn, done)).await;
}

/// Locks the vault's row before the first work, and loads its keys; returns `false` if there is no vault and none is
/// created.
async fn locked(shared: &Shared, state: &UserState, conn: &mut Conn, makes: bool) -> Result<bool> {
    if conn.head.exists {
        return Ok(true);
    }
    let found =
        if makes { head::lock(conn, shared.clock.now()).await.map(|()| true) } else { head::lock_existing(conn).await };
    if found? {
        // Created while the row is locked: a purge, which destroys keys, waits for the lock and hides the vault first.
        let seals = Arc::clone(&state.of(conn.head.incarnation).seals);
        seals.make().await?;
        conn.seals = Some(seals);
    }
    Ok(conn.head.exists)
}

/// Runs one work after those in `done`. `None` if the transaction is over.
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

/// Rolls back, and requeues the works if a retry may succeed.
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
    // A panic in one work must not fail the others.
    AssertUnwindSafe(async { work(&mut access).await })
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(Error::storage(StorageFailure::Defect, "the work panicked")))?;
    if conn.failed() {
        let detail = "a statement failed but the transaction continued";
        return Err(Error::storage(StorageFailure::Defect, detail));
    }
    ending::put_down(conn).await
}

/// Commits the finished works.
async fn end(shared: &Shared, user: &UserId, state: &UserState, (mut conn, done): (Conn, Vec<Waiter>)) {
    if done.is_empty() {
        return conn.roll_back().await;
    }
    let waiting = &state.waiting;
    let ending = match ending::write(&mut conn).await {
        Ok(ending) => ending,
        Err(error) => return taken_back(conn, waiting, done, error).await,
    };
    let (of, changes, erased) = (state.of(conn.head.incarnation), conn.head.items(slots::RECALL), conn.notes.erased);
    match conn.try_commit().await {
        Ok(()) => {}
        Err(Uncommitted::Lost(error)) => return waiting.again(done, &error),
        Err(Uncommitted::Refused(error)) => return fail(done, &error),
        Err(Uncommitted::Unknown(error)) => match was_committed(shared, user, ending.commit).await {
            Ok(Some(true)) => {}
            Ok(Some(false)) => {
                let nothing = Error::storage(StorageFailure::Unavailable, "the commit failed; nothing was written");
                return waiting.again(done, &nothing);
            }
            Ok(None) | Err(_) => return fail(done, &error),
        },
    }
    of.forget_before(changes, erased);
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

/// Determines whether a commit was made whose answer was lost. Locks the vault's row, so it waits for the end of that
/// transaction. `None` if there are later commits and it cannot be known; the works must not be repeated then, because
/// they may have been committed.
///
/// The check itself commits. With synchronous replication that waits until the standbys have the earlier commit, too; a
/// server that went down while waiting for them shows a commit even without that.
async fn was_committed(shared: &Shared, user: &UserId, commit: CommitId) -> Result<Option<bool>> {
    let mut conn = begin(shared, user).await?;
    let last = head::last_commit(&mut conn).await;
    Ok(match conn.end(last).await? {
        Some(last) if last == commit => Some(true),
        Some(last) if last.vault == commit.vault && last.number < commit.number => Some(false),
        _ => None,
    })
}
