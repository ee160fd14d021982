//! Shared by the tests of the queue: a queue in a temporary folder or in Postgres, and recording handlers.
#![expect(unreachable_pub, reason = "the tests beside it use it")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a fixture that cannot be made fails its test")]

pub mod database;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use futures::FutureExt;
use kimberly_queue::{
    Attempt, Backoff, CancellationToken, HandlerError, JobEnvelope, JobHandler, MEDITATE, Queue, QueueOptions,
    QueueStats, Stopped,
};
use sqlx::{AssertSqlSafe, ConnectOptions, SqliteConnection, sqlite::SqliteConnectOptions};
use tempfile::TempDir;

use self::database::Database;

/// The database that a test runs on.
#[derive(Clone, Copy, Debug)]
pub enum On {
    Sqlite,
    Postgres,
}

impl On {
    /// A time limit for this database: the server also serves other tests.
    pub fn within(self, time: Duration) -> Duration {
        match self {
            Self::Sqlite => time,
            Self::Postgres => 8 * time,
        }
    }
}

/// Generates a test per database for each function `async fn(on: On)`.
macro_rules! on_both {
    ($($promise:ident),+ $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $promise() {
                super::$promise(crate::common::On::Sqlite).await;
            })+
        }
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $promise() {
                super::$promise(crate::common::On::Postgres).await;
            })+
        }
    };
}
pub(crate) use on_both;

/// Options with short pauses.
pub fn quick() -> QueueOptions {
    QueueOptions {
        retry: Backoff::new(Duration::from_secs(1), Duration::from_secs(2)),
        restart: Backoff::new(Duration::from_millis(50), Duration::from_millis(400)),
        stop_bound: Duration::from_secs(5),
        ..QueueOptions::default()
    }
}

pub struct Fixture {
    /// Holds the file, and other files of the test.
    pub folder: TempDir,
    /// The database of the jobs, if they are not in the file.
    pub database: Option<Database>,
    pub queue: Queue,
}

impl Fixture {
    pub async fn new(on: On) -> Self {
        Self::with(on, quick()).await
    }

    pub async fn with(on: On, options: QueueOptions) -> Self {
        let filter = tracing_subscriber::EnvFilter::from_default_env();
        let _ = tracing_subscriber::fmt().with_env_filter(filter).with_test_writer().try_init();
        let folder = tempfile::tempdir().unwrap();
        let database = match on {
            On::Sqlite => None,
            On::Postgres => Some(Database::make().await),
        };
        let queue = open(folder.path(), database.as_ref(), options).await;
        Self { folder, database, queue }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("queue.db")
    }

    /// The same queue, as another process opens it.
    pub async fn another(&self, options: QueueOptions) -> Queue {
        open(self.folder.path(), self.database.as_ref(), options).await
    }

    /// A direct connection to the file.
    pub async fn raw(&self) -> SqliteConnection {
        SqliteConnectOptions::new().filename(self.path()).busy_timeout(Duration::from_secs(5)).connect().await.unwrap()
    }

    /// Runs a statement directly; returns how many rows it changed. Jobs are in `jobs`, workers in `workers`.
    pub async fn run(&self, sql: &str) -> u64 {
        let sql = AssertSqlSafe(sql.to_owned());
        match &self.database {
            None => sqlx::query(sql).execute(&mut self.raw().await).await.unwrap().rows_affected(),
            Some(database) => sqlx::query(sql).execute(&mut database.connect().await).await.unwrap().rows_affected(),
        }
    }

    /// The only value of the only row, read directly from the database.
    pub async fn number(&self, sql: &str) -> i64 {
        let sql = AssertSqlSafe(sql.to_owned());
        match &self.database {
            None => sqlx::query_scalar(sql).fetch_one(&mut self.raw().await).await.unwrap(),
            Some(database) => sqlx::query_scalar(sql).fetch_one(&mut database.connect().await).await.unwrap(),
        }
    }

    /// The queue's name in its rows.
    pub fn job_type(&self) -> &'static str {
        if self.database.is_some() { "kimberly.kimberly" } else { "kimberly" }
    }

    pub fn consume(&self, handler: Arc<dyn JobHandler>, concurrency: usize) -> Consumer {
        consume(&self.queue, handler, concurrency)
    }

    pub async fn eventually(&self, what: &str, within: Duration, holds: impl Fn(&QueueStats) -> bool) -> QueueStats {
        let start = Instant::now();
        let within = if self.database.is_some() { On::Postgres.within(within) } else { within };
        loop {
            let stats = self.queue.stats().await.unwrap();
            if holds(&stats) {
                return stats;
            }
            assert!(start.elapsed() < within, "not within {within:?}: {what}; {stats:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

async fn open(folder: &Path, database: Option<&Database>, options: QueueOptions) -> Queue {
    match database {
        None => Queue::open_with(folder.join("queue.db"), options).await.unwrap(),
        Some(database) => Queue::connect(&database.options(), options).await.unwrap(),
    }
}

pub fn consume(queue: &Queue, handler: Arc<dyn JobHandler>, concurrency: usize) -> Consumer {
    let shutdown = CancellationToken::new();
    let task = tokio::spawn(queue.clone().run(handler, concurrency, shutdown.clone()));
    Consumer { shutdown, task }
}

pub struct Consumer {
    pub shutdown: CancellationToken,
    pub task: tokio::task::JoinHandle<Stopped>,
}

impl Consumer {
    pub async fn stop(self) -> Stopped {
        self.shutdown.cancel();
        self.task.await.unwrap()
    }
}

/// One run of a handler.
#[derive(Debug, Clone)]
pub struct Run {
    pub job_id: String,
    pub attempt: Attempt,
    pub at: Instant,
}

pub type Runs = Arc<Mutex<Vec<Run>>>;

/// A handler that records every run, then returns `result`.
pub fn recorder(
    runs: &Runs,
    result: impl Fn(&JobEnvelope, Attempt) -> Result<(), HandlerError> + Send + Sync + 'static,
) -> Arc<dyn JobHandler> {
    let runs = Arc::clone(runs);
    Arc::new(move |job: JobEnvelope, attempt: Attempt| {
        let run = Run { job_id: job.job_id.clone(), attempt, at: Instant::now() };
        runs.lock().unwrap().push(run);
        let result = result(&job, attempt);
        async move { result }.boxed()
    })
}

/// A handler that records each start and then works for `time`.
pub fn sleeper(runs: &Runs, time: Duration) -> Arc<dyn JobHandler> {
    let runs = Arc::clone(runs);
    Arc::new(move |job: JobEnvelope, attempt: Attempt| {
        let run = Run { job_id: job.job_id, attempt, at: Instant::now() };
        runs.lock().unwrap().push(run);
        async move {
            tokio::time::sleep(time).await;
            Ok(())
        }
        .boxed()
    })
}

pub fn job(n: usize) -> JobEnvelope {
    MEDITATE.job("user-1", &format!("meditation-{n}"), &format!("job-{n}"))
}

/// The time in Unix milliseconds, on the clock of the children and of apalis.
#[expect(clippy::disallowed_methods, reason = "several processes note times that are compared")]
pub fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}
