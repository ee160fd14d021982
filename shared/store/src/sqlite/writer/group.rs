//! One group: the works that share a commit.
//!
//! The first work has the transaction to itself; each further one gets a savepoint, so that a failing work takes only its
//! own changes back. All are answered after the commit, also those that failed: they may have failed for what others of the group
//! wrote.

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

/// How far the group's transaction has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing was sent.
    New,
    /// Begun; no savepoint is open.
    Begun,
    /// Begun, and the last work's savepoint is open.
    InSavepoint,
}

/// Who waits for a work, and what keeps the vault open meanwhile.
struct Waiter {
    reply: oneshot::Sender<Result<()>>,
    lease: Lease,
}

impl Task {
    /// Carries out `first` and what joins it; returns a request that must have a group of its own.
    pub(super) async fn group(&mut self, first: Request, requests: &mut mpsc::Receiver<Request>) -> Option<Request> {
        let (size, time) = (self.shared.options.group_size, self.shared.options.group_time);
        let started = Instant::now();
        let mut group = Group { stage: Stage::New, done: Vec::new() };
        let mut next = Some(first);
        while let Some(request) = next.take() {
            let Request { order, reply, lease } = request;
            if reply.is_closed() && matches!(order, Order::Transact { .. }) {
                // Nobody waits any more, and nothing was begun.
                next = requests.try_recv().ok();
                continue;
            }
            let (name, work) = match order {
                Order::Transact { name, work } => (name, work),
                Order::ClearOutboxMark if group.stage == Stage::New && group.done.is_empty() => {
                    answer(Waiter { reply, lease }, self.clear_outbox_mark().await);
                    return None;
                }
                Order::EmptyLog(emptied) if group.stage == Stage::New && group.done.is_empty() => {
                    answer(Waiter { reply, lease }, self.empty_log(&emptied).await);
                    return None;
                }
                order @ (Order::ClearOutboxMark | Order::EmptyLog(_)) => {
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

    /// Runs one work; answers it if it failed and no other one waits for the commit.
    async fn one(&mut self, group: &mut Group, name: &'static str, mut work: TransactWork, waiter: Waiter) {
        let (folder, user, shared) = (self.folder.clone(), self.user.clone(), Arc::clone(&self.shared));
        let conn = match self.conn().await {
            Ok(conn) => conn,
            Err(error) => return answer(waiter, Err(error)),
        };
        let before = conn.notes.clone();
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
            // SQLite may have given the transaction up: what came after stands outside of it.
            let detail = "a statement failed and the work went on";
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
                tracing::debug!(name, %error, "a transaction was taken back");
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

    /// Takes back the changes of the work that failed just now.
    async fn take_back(&mut self, group: &mut Group, error: &Error) {
        let Some(conn) = self.conn.as_mut() else { return };
        conn.audit_head = None;
        if group.stage == Stage::New {
            // Fails if SQLite has rolled back by itself, or never begun.
            let _ = conn.run("rolling back", "ROLLBACK", Args::new()).await;
            group.stage = Stage::New;
            return self.after_failure(error).await;
        }
        let taken_back = conn.run("rolling a work back", "ROLLBACK TO work;RELEASE work", Args::new()).await;
        group.stage = Stage::Begun;
        conn.forgive();
        if taken_back.is_err() {
            // SQLite gave up the whole transaction: everything of this group is gone.
            let failed = std::mem::take(&mut group.done);
            self.fail(failed, error).await;
            group.stage = Stage::New;
        }
    }

    /// Writes what the last work put off, because another one follows.
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
        match commit::commit(conn, &self.shared, &self.user, self.unnamed).await {
            Ok(Ending { enqueued, erased }) => {
                self.unnamed = false;
                self.shared.signals.committed(&self.user);
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

    /// Rolls everything back and answers those that waited for the commit.
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

    /// Closes the connection if the failure may have left it in doubt: the next work opens the file again.
    async fn after_failure(&mut self, error: &Error) {
        // That there is no room was found before anything was written.
        let refused = matches!(error, Error::Storage { failure: StorageFailure::Full, .. });
        match self.conn.as_mut() {
            Some(conn) if !matches!(error, Error::Storage { .. }) || (refused && !conn.failed()) => conn.forgive(),
            _ => self.close().await,
        }
    }

    /// With the vault locked, nobody can put a job in the outbox between the look and the removal.
    async fn clear_outbox_mark(&mut self) -> Result<()> {
        let (shared, user) = (Arc::clone(&self.shared), self.user.clone());
        let conn = self.conn().await?;
        conn.send_ahead(BEGIN);
        let empty = commit::outbox_is_empty(conn).await;
        let done = match empty {
            Ok(true) => shared.registry.unmark(&user).await,
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
    /// Works that wait for the commit.
    done: Vec<Done>,
}

/// A work and what became of it.
type Done = (Waiter, Result<()>);

async fn run(mut access: Access<'_, Writing>, work: &mut TransactWork) -> Result<()> {
    // A panic in a work must not take the writer, and with it everybody's writes, down.
    AssertUnwindSafe(async { work(&mut access).await })
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(Error::storage(StorageFailure::Defect, "the work panicked")))
}

fn answer(waiter: Waiter, result: Result<()>) {
    let Waiter { reply, lease } = waiter;
    drop(lease);
    // The caller may be gone; the work is done all the same.
    let _ = reply.send(result);
}
