//! The queue as its users see it: open, push, run.

use std::{path::Path, sync::Arc};

use apalis_core::task::builder::TaskBuilder;
use apalis_sqlite::queries;
use sqlx::SqlitePool;
use tokio_util::sync::CancellationToken;

use crate::{
    clock,
    error::QueueError,
    handler::JobHandler,
    health::{ConsumerHealth, Health},
    job::JobEnvelope,
    open,
    options::QueueOptions,
    poll::Bell,
    renewal::Renewal,
    supervisor::{self, Stopped},
};

/// A handle on `queue.db`; clones share it. Any number of processes may use one file.
#[derive(Debug, Clone)]
pub struct Queue {
    pub(crate) shared: Arc<Shared>,
}

/// What the clones of a [`Queue`] share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) pool: SqlitePool,
    pub(crate) options: QueueOptions,
    pub(crate) bell: Arc<Bell>,
    pub(crate) health: Health,
    pub(crate) renewal: Arc<Renewal>,
}

impl Shared {
    /// Opens the file anew after an error that a fresh handle could cure (damaged, replaced, gone).
    pub(crate) fn suspect(&self, error: &sqlx::Error) {
        if !matches!(error, sqlx::Error::PoolClosed | sqlx::Error::PoolTimedOut) {
            self.renewal.renew();
        }
    }
}

/// What a push did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pushed {
    /// The job is in the queue.
    New,
    /// This `job_id` was already known; nothing was changed.
    Duplicate,
}

impl Queue {
    /// Opens or creates the queue at `path` with default options.
    ///
    /// # Errors
    /// If the file cannot be opened, is not a queue, or the linked `SQLite` is too old.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, QueueError> {
        Self::open_with(path, QueueOptions::default()).await
    }

    /// Opens or creates the queue at `path`.
    ///
    /// # Errors
    /// As [`Queue::open`].
    pub async fn open_with(path: impl AsRef<Path>, options: QueueOptions) -> Result<Self, QueueError> {
        let renewal = Arc::new(Renewal::new(path.as_ref()));
        let pool = open::open(path.as_ref(), options.key.as_deref(), &renewal).await?;
        let shared = Shared { pool, options, bell: Arc::default(), health: Health::default(), renewal };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Pushes a job to run as soon as possible. When this returns `Ok`, it survives a power loss.
    ///
    /// # Errors
    /// If the job is invalid or the database fails; then it is safe to push again.
    pub async fn push(&self, job: &JobEnvelope) -> Result<Pushed, QueueError> {
        self.push_after(job, 0).await
    }

    /// Pushes a job that must not start before this Unix second.
    ///
    /// # Errors
    /// As [`Queue::push`].
    pub async fn push_after(&self, job: &JobEnvelope, run_after_unix_secs: u64) -> Result<Pushed, QueueError> {
        let pushed = self.push_batch(&[(job.clone(), run_after_unix_secs)]).await?;
        Ok(if pushed == 0 { Pushed::Duplicate } else { Pushed::New })
    }

    /// Pushes several jobs in one transaction, all or none; returns how many were new. For relays.
    ///
    /// # Errors
    /// As [`Queue::push`].
    pub async fn push_batch(&self, jobs: &[(JobEnvelope, u64)]) -> Result<usize, QueueError> {
        if let Some(field) = jobs.iter().find_map(|(job, _)| job.invalid_field()) {
            return Err(QueueError::InvalidJob(field));
        }
        let result = self.insert(jobs).await;
        match &result {
            Ok(0) => {}
            Ok(_) => self.shared.bell.ring(),
            Err(QueueError::Database(error)) => self.shared.suspect(error),
            Err(_) => {}
        }
        result
    }

    async fn insert(&self, jobs: &[(JobEnvelope, u64)]) -> Result<usize, QueueError> {
        let options = &self.shared.options;
        let now = u64::try_from(clock::unix_now()).unwrap_or(0);
        let mut new = 0;
        let mut tx = self.shared.pool.begin_with("BEGIN IMMEDIATE").await?;
        for (job, run_after) in jobs {
            let payload = serde_json::to_vec(job).map_err(|e| sqlx::Error::Encode(e.into()))?;
            let task = TaskBuilder::new(payload)
                .idempotency_key(&job.job_id)
                .max_attempts(options.max_attempts as usize)
                .run_at_timestamp((*run_after).max(now))
                .build();
            queries::push_tasks(&mut *tx, job.own_queue().unwrap_or(&options.name), &[task]).await?;
            // An ignored duplicate is an INSERT that changed nothing.
            let changed: i64 = sqlx::query_scalar("SELECT changes()").fetch_one(&mut *tx).await?;
            new += usize::from(changed > 0);
        }
        tx.commit().await?;
        Ok(new)
    }

    /// Consumes jobs, `concurrency` at a time, until `shutdown` is cancelled; then lets running
    /// jobs finish for [`QueueOptions::stop_bound`], cuts the rest and gives them back.
    ///
    /// Never ends because of the database: it reports to the log and [`Queue::consumer_health`],
    /// backs off and starts again. Run at most one consumer per opened `Queue`.
    pub async fn run(self, handler: Arc<dyn JobHandler>, concurrency: usize, shutdown: CancellationToken) -> Stopped {
        supervisor::run(self.shared, handler, concurrency.max(1), shutdown).await
    }

    /// How the consumer of this process is doing.
    #[must_use]
    pub fn consumer_health(&self) -> ConsumerHealth {
        self.shared.health.snapshot()
    }

    /// Closes the connection; other clones get errors from now on.
    pub async fn close(&self) {
        self.shared.pool.close().await;
    }
}
