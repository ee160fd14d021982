//! Runs a group: works (callers' transactions) that share one commit.
//!
//! The first work has the SQL transaction to itself; each further one gets a savepoint, so that a failing work undoes
//! only its own changes. All are answered after the commit, including failed ones, because their failure may depend on
//! uncommitted changes of the group.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use futures::FutureExt;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::TransactWork;
use tokio::sync::{mpsc, oneshot};

use super::commit::{self, Ending};
use super::task::Task;
use super::{Order, Request};
use crate::same;
use crate::sqlite::conn::Args;
use crate::sqlite::notes::Notes;
use crate::sqlite::reader::{Access, Writing};
use crate::sqlite::vaults::Lease;

const BEGIN: &str = "BEGIN IMMEDIATE;";
const SAVEPOINT: &str = "SAVEPOINT work;";
const NEXT_SAVEPOINT: &str = "RELEASE work;SAVEPOINT work;";

/// Progress of the group's transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing was sent.
    New,
    /// The transaction has begun; no savepoint is open.
    Begun,
    /// The transaction has begun, and the savepoint of the last work is open.
    InSavepoint,
}

/// The caller of a work, and the lease that keeps the vault open meanwhile.
struct Waiter {
    reply: oneshot::Sender<Result<()>>,
    lease: Lease,
}

impl Task {
    /// Runs `first` and the requests that join it; returns a request that needs a separate group.
    pub(super) async fn group(&mut self, first: Request, requests: &mut mpsc::Receiver<Request>) -> Option<Request> {
        let (size, time) = (self.shared.options.group_size, self.shared.options.group_time);
        let started = Instant::now();
        let mut group = Group { stage: Stage::New, before: 0, done: Vec::new() };
        let mut next = Some(first);
        while let Some(request) = next.take() {
            let Request { order, reply, lease } = request;
            if reply.is_closed() && matches!(order, Order::Transact { .. }) {
                // The caller is gone and the work has not started.
                next = requests.try_recv().ok();
                continue;
            }
            let (name, work) = match order {
                Order::Transact { name, work } => (name, work),
                Order::ClearPendingOutbox if group.stage == Stage::New && group.done.is_empty() => {
                    answer(Waiter { reply, lease }, self.clear_pending_outbox().await);
                    return None;
                }
                Order::EmptyLog(emptied) if group.stage == Stage::New && group.done.is_empty() => {
                    answer(Waiter { reply, lease }, self.empty_log(&emptied).await);
                    return None;
                }
                order @ (Order::ClearPendingOutbox | Order::EmptyLog(_)) => {
                    next = Some(Request { order, reply, lease });
                    break;
                }
            };
            self.one(&mut group, name, work, Waiter { reply, lease }).await;
            if group.done.len() < size && started.elapsed() < time {
                next = requests.try_recv().ok();
            }
            if next.is_some() && !self.put_down(&mut group).await {
                break;
            }
        }
        self.end(group).await;
        next
    }

    /// Runs one work; answers it at once if it failed and no other work waits for the commit.
    async fn one(&mut self, group: &mut Group, name: &'static str, mut work: TransactWork, waiter: Waiter) {
        let (folder, user, shared) = (self.folder.clone(), self.user.clone(), Arc::clone(&self.shared));
        let conn = match self.conn().await {
            Ok(conn) => conn,
            Err(error) => return answer(waiter, Err(error)),
        };
        let before = conn.notes.clone();
        if group.stage == Stage::New {
            group.before = conn.changes();
        }
        let control = match group.stage {
            Stage::New => BEGIN,
            Stage::Begun => SAVEPOINT,
            Stage::InSavepoint => NEXT_SAVEPOINT,
        };
        conn.send_ahead(control);
        let access = Access::<Writing>::new(conn, Some(&folder)).with_room(&shared.options);
        let mut result = run(access, &mut work).await;
        let mut sent = !conn.take_unsent();
        if result.is_ok() && !sent && !conn.notes.put_off.is_empty() {
            conn.send_ahead(control);
            sent = true;
            result = commit::put_down(conn, &user).await;
        }
        if result.is_ok() && conn.failed() {
            // SQLite may have rolled back the transaction, so later statements may have run outside of it.
            let detail = "a statement failed but the transaction continued";
            result = Err(Error::storage(StorageFailure::Defect, detail));
        }
        match result {
            Ok(()) => {
                if sent {
                    group.stage = if group.stage == Stage::New { Stage::Begun } else { Stage::InSavepoint };
                }
                group.done.push((waiter, Ok(())));
            }
            Err(error) => {
                tracing::debug!(name, %error, "a transaction was rolled back");
                conn.notes = before;
                if sent {
                    self.take_back(group, &error).await;
                }
                match group.stage {
                    Stage::New => answer(waiter, Err(error)),
                    Stage::Begun | Stage::InSavepoint => group.done.push((waiter, Err(error))),
                }
            }
        }
    }

    /// Undoes the changes of the work that has just failed.
    async fn take_back(&mut self, group: &mut Group, error: &Error) {
        let Some(conn) = self.conn.as_mut() else { return };
        conn.audit_head = None;
        if group.stage == Stage::New {
            // Fails if SQLite has already rolled back, or never began.
            let _ = conn.run("rolling back", "ROLLBACK", Args::new()).await;
            group.stage = Stage::New;
            return self.after_failure(error).await;
        }
        let taken_back =
            conn.run("rolling back one transaction of a group", "ROLLBACK TO work;RELEASE work", Args::new()).await;
        group.stage = Stage::Begun;
        conn.forgive();
        if taken_back.is_err() {
            // SQLite rolled back the whole transaction: all changes of this group are lost.
            let failed = std::mem::take(&mut group.done);
            self.fail(failed, error).await;
            group.stage = Stage::New;
        }
    }

    /// Writes what the last work postponed, because another work follows.
    async fn put_down(&mut self, group: &mut Group) -> bool {
        let Some(conn) = self.conn.as_mut() else { return true };
        match commit::put_down(conn, &self.user).await {
            Ok(()) => true,
            Err(error) => {
                let failed = std::mem::take(&mut group.done);
                self.fail(failed, &error).await;
                group.stage = Stage::New;
                false
            }
        }
    }

    /// Commits and answers.
    async fn end(&mut self, group: Group) {
        let Some(conn) = self.conn.as_mut().filter(|_| group.stage != Stage::New) else {
            return group.done.into_iter().for_each(|(waiter, done)| answer(waiter, done));
        };
        match commit::commit(conn, &self.shared, (&self.user, self.unnamed), group.before).await {
            Ok(Ending { changed, enqueued, erased, changes }) => {
                if let Some((changes, (waiter, _))) = changes.zip(group.done.first()) {
                    waiter.lease.vault().forget_before(changes, erased);
                }
                if changed {
                    self.unnamed = false;
                    self.shared.signals.committed(&self.user);
                }
                group.done.into_iter().for_each(|(waiter, done)| answer(waiter, done));
                if enqueued {
                    self.shared.outbox.notify_one();
                }
                if erased {
                    self.log.note_erased();
                }
            }
            Err(error) => self.fail(group.done, &error).await,
        }
    }

    /// Rolls everything back and answers the works that waited for the commit.
    async fn fail(&mut self, done: Vec<Done>, error: &Error) {
        if let Some(conn) = self.conn.as_mut() {
            let _ = conn.run("rolling back", "ROLLBACK", Args::new()).await;
            conn.notes = Notes::default();
            conn.audit_head = None;
        }
        self.after_failure(error).await;
        for (waiter, _) in done {
            answer(waiter, Err(same(error)));
        }
    }

    /// Closes the connection if the failure may have left it in doubt; the next work reopens the file.
    async fn after_failure(&mut self, error: &Error) {
        // A check for free space fails before anything is written.
        let refused = matches!(error, Error::Storage { failure: StorageFailure::Full, .. });
        match self.conn.as_mut() {
            Some(conn) if !matches!(error, Error::Storage { .. }) || (refused && !conn.failed()) => conn.forgive(),
            _ => self.close().await,
        }
    }

    /// Runs under the vault's write lock, so that no job is added to the outbox between check and removal.
    async fn clear_pending_outbox(&mut self) -> Result<()> {
        let (shared, user) = (Arc::clone(&self.shared), self.user.clone());
        let conn = self.conn().await?;
        conn.send_ahead(BEGIN);
        let empty = commit::outbox_is_empty(conn).await;
        let done = match empty {
            Ok(true) => shared.registry.clear_pending(&user).await,
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        };
        let _ = conn.run("rolling back", "ROLLBACK", Args::new()).await;
        if let Err(error) = &done {
            self.after_failure(error).await;
        }
        done
    }
}

struct Group {
    stage: Stage,
    /// [`Conn::changes`] when the transaction began.
    before: u64,
    /// Works that wait for the commit.
    done: Vec<Done>,
}

/// A work and its result.
type Done = (Waiter, Result<()>);

async fn run(mut access: Access<'_, Writing>, work: &mut TransactWork) -> Result<()> {
    // A panic in one work must not end the writer, which all writes of the vault need.
    AssertUnwindSafe(async { work(&mut access).await })
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(Error::storage(StorageFailure::Defect, "the work panicked")))
}

fn answer(waiter: Waiter, result: Result<()>) {
    let Waiter { reply, lease } = waiter;
    drop(lease);
    // The caller may be gone; the work is done anyway.
    let _ = reply.send(result);
}
