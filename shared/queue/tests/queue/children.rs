//! Child processes that consume, to be killed or frozen, and their records.
//!
//! A child is this test binary running the ignored test `consume_until_killed`.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use futures::FutureExt;
use kimberly_queue::{Attempt, HandlerError, JobEnvelope, PgQueueOptions, Queue, QueueOptions};
use sqlx::{SqlitePool, sqlite::SqliteConnectOptions, sqlite::SqlitePoolOptions};

use crate::common::{Fixture, consume, database::APP, now_ms, quick};

const FOLDER: &str = "KIMBERLY_QUEUE_TEST_FOLDER";
const DATABASE: &str = "KIMBERLY_QUEUE_TEST_DATABASE";
const CONCURRENCY: &str = "KIMBERLY_QUEUE_TEST_CONCURRENCY";
const WORK_MS: &str = "KIMBERLY_QUEUE_TEST_WORK_MS";

pub(crate) fn options() -> QueueOptions {
    QueueOptions { max_attempts: 20, ..quick() }
}

/// The records of the children: each start with attempt, process and time, and each job's number of effects.
pub(crate) async fn notes(folder: &Path) -> SqlitePool {
    let options = SqliteConnectOptions::new()
        .filename(folder.join("effects.db"))
        .create_if_missing(true)
        .busy_timeout(Duration::from_secs(10));
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await.unwrap();
    for table in [
        "CREATE TABLE IF NOT EXISTS starts (job_id TEXT, attempt INTEGER, pid INTEGER, at_ms INTEGER)",
        "CREATE TABLE IF NOT EXISTS effects (job_id TEXT PRIMARY KEY, tries INTEGER)",
    ] {
        sqlx::query(table).execute(&pool).await.unwrap();
    }
    pool
}

async fn work(pool: SqlitePool, time: Duration, job: JobEnvelope, attempt: Attempt) -> Result<(), HandlerError> {
    let failed = |e: sqlx::Error| HandlerError::retry(e.to_string());
    sqlx::query("INSERT INTO starts VALUES (?, ?, ?, ?)")
        .bind(&job.job_id)
        .bind(attempt.number)
        .bind(std::process::id())
        .bind(now_ms())
        .execute(&pool)
        .await
        .map_err(failed)?;
    tokio::time::sleep(time).await;
    sqlx::query("INSERT INTO effects VALUES (?, 1) ON CONFLICT DO UPDATE SET tries = tries + 1")
        .bind(&job.job_id)
        .execute(&pool)
        .await
        .map_err(failed)?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the child process of other tests"]
async fn consume_until_killed() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    let number = |name: &str| std::env::var(name).unwrap().parse::<u64>().unwrap();
    let (concurrency, time) = (number(CONCURRENCY), Duration::from_millis(number(WORK_MS)));
    let pool = notes(folder).await;
    let queue = match std::env::var(DATABASE) {
        Ok(url) => Queue::connect(&PgQueueOptions::new(url), options()).await.unwrap(),
        Err(_) => Queue::open_with(folder.join("queue.db"), options()).await.unwrap(),
    };
    let handler = Arc::new(move |job: JobEnvelope, attempt: Attempt| work(pool.clone(), time, job, attempt).boxed());
    consume(&queue, handler, usize::try_from(concurrency).unwrap()).task.await.unwrap();
}

/// A child that is killed when a test fails.
pub(crate) struct Worker(Child);

impl Worker {
    /// Starts a child that works for `time` on each job, on `concurrency` jobs at a time.
    pub(crate) fn start(fixture: &Fixture, time: Duration, concurrency: usize) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "children::consume_until_killed", "--ignored", "--nocapture"])
            .env(FOLDER, fixture.folder.path())
            .env(CONCURRENCY, concurrency.to_string())
            .env(WORK_MS, time.as_millis().to_string())
            .stdout(Stdio::null());
        if let Some(database) = &fixture.database {
            // The role that owns nothing.
            command.env(DATABASE, database.url_as(APP));
        }
        Self(command.spawn().unwrap())
    }

    pub(crate) fn kill_9(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    pub(crate) fn pid(&self) -> i64 {
        i64::from(self.0.id())
    }

    /// Sends a signal by name.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.0.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
