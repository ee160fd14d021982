//! The job database: a `SQLite` file or Postgres. Hides all differences between them.

use std::time::Duration;

use apalis_core::worker::context::WorkerContext;

use crate::{
    dead::DeadLetter,
    envelope::JobEnvelope,
    error::QueueError,
    options::QueueOptions,
    poll::BellAndInterval,
    postgres::Postgres,
    prune::Over,
    service::Intake,
    settle::{Claim, Outcome},
    sqlite::Sqlite,
    stats::QueueStats,
    worker::Events,
};

/// The backend. Calls mean the same on both; `Queue` and the callers document their guarantees.
#[derive(Debug)]
pub(crate) enum Database {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// Makes the same call on either backend.
macro_rules! of {
    ($self:ident, $database:ident => $call:expr) => {
        match $self {
            Self::Sqlite($database) => $call,
            Self::Postgres($database) => $call,
        }
    };
}

impl Database {
    pub(crate) async fn push(&self, jobs: &[(JobEnvelope, u64)], options: &QueueOptions) -> Result<usize, sqlx::Error> {
        of!(self, database => database.push(jobs, options).await)
    }

    pub(crate) async fn settle(&self, claim: &Claim, outcome: &Outcome) -> Result<bool, sqlx::Error> {
        of!(self, database => database.settle(claim, outcome).await)
    }

    pub(crate) async fn holds(&self, claim: &Claim) -> Result<bool, sqlx::Error> {
        of!(self, database => database.holds(claim).await)
    }

    pub(crate) async fn forget_worker(&self, worker: &str) -> Result<(), sqlx::Error> {
        of!(self, database => database.forget_worker(worker).await)
    }

    pub(crate) async fn renew_leases(
        &self,
        queue: &str,
        workers: &[String],
        lease: Duration,
        may_recover: impl FnOnce() -> bool + Send,
    ) -> Result<u64, sqlx::Error> {
        of!(self, database => database.renew_leases(queue, workers, lease, may_recover).await)
    }

    pub(crate) async fn quarantine(&self, queue: &str, reason: &str) -> Result<u64, sqlx::Error> {
        of!(self, database => database.quarantine(queue, reason).await)
    }

    pub(crate) async fn stats(&self, queue: &str) -> Result<QueueStats, sqlx::Error> {
        of!(self, database => database.stats(queue).await)
    }

    pub(crate) async fn dead_letters(&self, queue: &str, limit: u32) -> Result<Vec<DeadLetter>, sqlx::Error> {
        of!(self, database => database.dead_letters(queue, limit).await)
    }

    pub(crate) async fn revive(&self, queue: &str, task_id: &str) -> Result<bool, sqlx::Error> {
        of!(self, database => database.revive(queue, task_id).await)
    }

    pub(crate) async fn prune(
        &self,
        queue: &str,
        what: Over,
        retention: Duration,
        batch: u32,
    ) -> Result<u64, sqlx::Error> {
        of!(self, database => database.prune(queue, what, retention, batch).await)
    }

    pub(crate) async fn erase_user(&self, user_id: &str) -> Result<u64, QueueError> {
        of!(self, database => database.erase_user(user_id).await)
    }

    pub(crate) async fn lacks_jobs(&self) -> Result<bool, sqlx::Error> {
        match self {
            Self::Sqlite(file) => file.lacks_jobs().await,
            // Jobs and vaults share one database and are lost together.
            Self::Postgres(_) => Ok(false),
        }
    }

    pub(crate) async fn note_all_jobs(&self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(file) => file.note_all_jobs().await,
            Self::Postgres(_) => Ok(()),
        }
    }

    pub(crate) fn consume(
        &self,
        context: WorkerContext,
        strategy: BellAndInterval,
        intake: Intake,
        options: &QueueOptions,
    ) -> Events {
        of!(self, database => database.consume(context, strategy, intake, options))
    }

    /// Completes with the reason once nothing may be written.
    pub(crate) async fn is_full(&self) -> String {
        match self {
            Self::Sqlite(file) => file.is_full().await,
            Self::Postgres(_) => std::future::pending().await,
        }
    }

    /// Closes the connections if new ones might cure this error.
    pub(crate) fn suspect(&self, error: &sqlx::Error) {
        of!(self, database => database.suspect(error));
    }

    /// Closes all connections.
    pub(crate) fn renew(&self) {
        of!(self, database => database.renew());
    }

    pub(crate) async fn close(&self) {
        of!(self, database => database.close().await);
    }
}
