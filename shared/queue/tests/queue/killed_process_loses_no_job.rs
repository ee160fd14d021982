//! Kills worker processes with SIGKILL while they work: no job is lost, each takes effect once.
//!
//! The child is this test binary itself, asked for the ignored test `child_worker`.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::{
    collections::HashMap,
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use crate::common::{Fixture, consume, job, now_ms, quick};
use futures::FutureExt;
use kimberly_queue::{Attempt, HandlerError, JobEnvelope, Queue, QueueOptions};
use sqlx::{SqlitePool, sqlite::SqliteConnectOptions, sqlite::SqlitePoolOptions};

const CYCLES: usize = 10;
const JOBS_PER_CYCLE: usize = 4;
const FOLDER: &str = "KIMBERLY_QUEUE_TEST_FOLDER";
const STARTED_SINCE: &str = "SELECT COUNT(DISTINCT job_id) FROM starts WHERE at_ms > ?";
const UNFINISHED: &str = "SELECT COUNT(DISTINCT job_id) FROM starts \
     WHERE job_id NOT IN (SELECT job_id FROM effects)";
const WORK: Duration = Duration::from_millis(1500);

fn options() -> QueueOptions {
    QueueOptions { max_attempts: 20, ..quick() }
}

async fn effects(folder: &Path) -> SqlitePool {
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

async fn work(pool: SqlitePool, job: JobEnvelope, attempt: Attempt) -> Result<(), HandlerError> {
    let failed = |e: sqlx::Error| HandlerError::retry(e.to_string());
    sqlx::query("INSERT INTO starts VALUES (?, ?, ?, ?)")
        .bind(&job.job_id)
        .bind(attempt.number)
        .bind(std::process::id())
        .bind(now_ms())
        .execute(&pool)
        .await
        .map_err(failed)?;
    tokio::time::sleep(WORK).await;
    sqlx::query("INSERT INTO effects VALUES (?, 1) ON CONFLICT DO UPDATE SET tries = tries + 1")
        .bind(&job.job_id)
        .execute(&pool)
        .await
        .map_err(failed)?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the child process of the test below"]
async fn child_worker() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    let pool = effects(folder).await;
    let queue = Queue::open_with(folder.join("queue.db"), options()).await.unwrap();
    let handler = Arc::new(move |job: JobEnvelope, attempt: Attempt| work(pool.clone(), job, attempt).boxed());
    consume(&queue, handler, 2 * JOBS_PER_CYCLE).task.await.unwrap();
}

/// A child that does not outlive a failing test.
struct Worker(Child);

impl Worker {
    fn kill_9(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start_child(folder: &Path) -> Worker {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed_process_loses_no_job::child_worker", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    Worker(child)
}

async fn wait_for(what: &str, pool: &SqlitePool, sql: &'static str, since_ms: i64, count: i64) {
    let wait = async {
        loop {
            let found: i64 = sqlx::query_scalar(sql).bind(since_ms).fetch_one(pool).await.unwrap();
            if found >= count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), wait).await.unwrap_or_else(|_| panic!("{what}"));
}

/// Starts and the time of the kill that cut each, from the notes of the children.
async fn report(pool: &SqlitePool, kills: &[i64]) -> Vec<i64> {
    let starts: Vec<(String, i64, i64)> =
        sqlx::query_as("SELECT job_id, attempt, at_ms FROM starts ORDER BY at_ms").fetch_all(pool).await.unwrap();
    let mut last: HashMap<&str, (i64, i64)> = HashMap::new();
    let mut recoveries = Vec::new();
    for (job_id, attempt, at) in &starts {
        if let Some((before, attempt_before)) = last.insert(job_id, (*at, *attempt)) {
            assert_eq!(*attempt, attempt_before + 1, "cut runs are counted");
            let kill = kills.iter().find(|kill| **kill >= before).unwrap();
            recoveries.push(at - kill);
        }
    }
    recoveries.sort_unstable();
    tracing::info!(
        "{} starts; {} orphans ran again min {:?} median {:?} max {:?} ms after the kill",
        starts.len(),
        recoveries.len(),
        recoveries.first(),
        recoveries.get(recoveries.len() / 2),
        recoveries.last()
    );
    recoveries
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_orphaned_by_kill_9_runs_again_within_seconds_and_takes_effect_once() {
    let fixture = Fixture::with(options()).await;
    let folder = fixture.folder.path();
    let pool = effects(folder).await;
    let mut kills = Vec::new();
    let mut child = start_child(folder);
    for cycle in 0..CYCLES {
        let begin = now_ms();
        for n in 0..JOBS_PER_CYCLE {
            let job = job(cycle * JOBS_PER_CYCLE + n);
            fixture.queue.push(&job).await.unwrap();
        }
        let per_cycle = i64::try_from(JOBS_PER_CYCLE).unwrap();
        wait_for("starts", &pool, STARTED_SINCE, begin, per_cycle).await;
        // Killed at different points of their work.
        tokio::time::sleep(WORK * u32::try_from(cycle).unwrap() / 10).await;
        child.kill_9();
        let kill = now_ms();
        kills.push(kill);
        child = start_child(folder);
        let orphans: i64 = sqlx::query_scalar(UNFINISHED).fetch_one(&pool).await.unwrap();
        wait_for("starts again", &pool, STARTED_SINCE, kill, orphans).await;
    }
    let all = i64::try_from(CYCLES * JOBS_PER_CYCLE).unwrap();
    let effects = "SELECT COUNT(*) FROM effects WHERE ? > 0";
    wait_for("all effects", &pool, effects, 1, all).await;
    let settled = fixture.eventually("all done", Duration::from_secs(20), |s| s.done == all.unsigned_abs()).await;
    child.kill_9();
    assert_eq!((settled.dead, settled.pending, settled.running), (0, 0, 0));
    let recoveries = report(&pool, &kills).await;
    let effects: Vec<(String, i64)> = sqlx::query_as("SELECT * FROM effects").fetch_all(&pool).await.unwrap();
    let repeated = effects.iter().filter(|(_, tries)| *tries > 1).count();
    tracing::info!("{} effects, {repeated} of them written more than once", effects.len());
    assert_eq!(effects.len(), CYCLES * JOBS_PER_CYCLE);
    assert!(recoveries.len() >= CYCLES, "too few jobs were orphaned");
    assert!(*recoveries.last().unwrap() < 7000, "{recoveries:?}");
}
