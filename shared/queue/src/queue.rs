//! The public API of the queue: open, push, run.

use std::{path::Path, sync::Arc};

use futures::future::BoxFuture;
use kimberly_core::{
    damage::{SharedFile, VAULTS},
    database::PostgresDatabase,
};
use tokio_util::sync::CancellationToken;

use crate::{
    database::Database,
    envelope::JobEnvelope,
    error::QueueError,
    handler::JobHandler,
    health::{ConsumerHealth, Health},
    options::QueueOptions,
    postgres::{PgQueueOptions, Postgres},
    shared::Shared,
    sqlite::Sqlite,
    supervisor::{self, Stopped},
};

/// A handle on `queue.db` or on the queue in Postgres; clones share it. Any number of processes may open one.
#[derive(Debug, Clone)]
pub struct Queue {
    pub(crate) shared: Arc<Shared>,
}

/// The outcome of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pushed {
    /// The job was added.
    New,
    /// This `job_id` is known; nothing was changed.
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
        Self::open_file(path.as_ref(), options, false).await
    }

    async fn open_file(path: &Path, options: QueueOptions, beside_vaults: bool) -> Result<Self, QueueError> {
        let file = Sqlite::open(path, options.key.as_deref(), beside_vaults).await?;
        Ok(Self::on(Database::Sqlite(file), options))
    }

    /// Opens the queue in the configured database, or else in the data folder. A database ignores the key; a file
    /// that is created beside existing vaults lacks their jobs ([`Queue::lacks_jobs`]).
    ///
    /// # Errors
    /// As [`Queue::open`] and [`Queue::connect`].
    pub fn open_at<'a>(
        database: Option<&'a PostgresDatabase>,
        data_dir: &'a Path,
        options: QueueOptions,
    ) -> BoxFuture<'a, Result<Self, QueueError>> {
        // Compiled here once, not in each program.
        Box::pin(async move {
            if let Some(database) = database {
                return Self::connect(&PgQueueOptions::at(database), options).await;
            }
            let beside_vaults = holds_vaults(data_dir).await;
            Self::open_file(&data_dir.join(SharedFile::Queue.name()), options, beside_vaults).await
        })
    }

    /// Connects to the queue in Postgres and, as the owner, creates missing tables. Any number of processes on any
    /// number of machines may share it.
    ///
    /// # Errors
    /// If the server cannot be reached or is unsuitable, or a role lacks rights; the message says what to do.
    pub async fn connect(postgres: &PgQueueOptions, options: QueueOptions) -> Result<Self, QueueError> {
        Ok(Self::on(Database::Postgres(Postgres::connect(postgres).await?), options))
    }

    fn on(database: Database, options: QueueOptions) -> Self {
        let shared = Shared { database, options, bell: Arc::default(), health: Health::default() };
        Self { shared: Arc::new(shared) }
    }

    /// Pushes a job to run as soon as possible. Once this returns `Ok`, the job survives a power loss.
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
        let result = self.shared.database.push(jobs, &self.shared.options).await;
        match &result {
            Ok(0) => {}
            Ok(_) => self.shared.bell.ring(),
            Err(error) => self.shared.database.suspect(error),
        }
        Ok(result?)
    }

    /// Consumes jobs, `concurrency` at a time, until `shutdown` is cancelled; then lets running jobs finish for
    /// [`QueueOptions::stop_bound`], cuts the rest and returns them to the queue.
    ///
    /// Database errors do not end it: it reports to the log and [`Queue::consumer_health`], backs off and restarts.
    /// Run at most one consumer per opened `Queue`.
    // Boxed: compiled here once, not in each crate that awaits it.
    pub fn run(
        self,
        handler: Arc<dyn JobHandler>,
        concurrency: usize,
        shutdown: CancellationToken,
    ) -> BoxFuture<'static, Stopped> {
        Box::pin(async move { supervisor::run(self.shared, handler, concurrency.max(1), shutdown).await })
    }

    /// The state of this process's consumer.
    #[must_use]
    pub fn consumer_health(&self) -> ConsumerHealth {
        self.shared.health.snapshot()
    }

    /// Closes the connections; calls on other clones then fail.
    pub async fn close(&self) {
        self.shared.database.close().await;
    }
}

/// Whether the folder of vaults contains anything but hidden files.
async fn holds_vaults(data_dir: &Path) -> bool {
    let Ok(mut entries) = tokio::fs::read_dir(data_dir.join(VAULTS)).await else { return false };
    while let Ok(Some(entry)) = entries.next_entry().await {
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            return true;
        }
    }
    false
}
