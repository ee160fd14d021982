//! Any number of processes push and consume: each job exists once and runs once.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::time::Duration;

use crate::children::{Worker, notes, options};
use crate::common::{Fixture, On, job, on_both, quick};
use kimberly_queue::{JobEnvelope, Queue};

on_both!(processes_that_compete_run_each_job_once, of_many_who_push_the_same_jobs_one_is_first);

const JOBS: usize = 400;

async fn processes_that_compete_run_each_job_once(on: On) {
    let fixture = Fixture::with(on, options()).await;
    let pool = notes(fixture.folder.path()).await;
    let workers: Vec<Worker> = (0..4).map(|_| Worker::start(&fixture, Duration::from_millis(20), 4)).collect();
    for chunk in (0..JOBS).collect::<Vec<_>>().chunks(50) {
        let batch: Vec<_> = chunk.iter().map(|n| (job(*n), 0)).collect();
        assert_eq!(fixture.queue.push_batch(&batch).await.unwrap(), 50);
    }
    fixture.eventually("all done", Duration::from_mins(2), |s| s.done == JOBS as u64).await;
    drop(workers);
    let twice: Vec<String> = sqlx::query_scalar("SELECT job_id FROM starts GROUP BY job_id HAVING count(*) > 1")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert!(twice.is_empty(), "{twice:?}");
    let all: (i64, i64) =
        sqlx::query_as("SELECT count(*), count(DISTINCT pid) FROM starts").fetch_one(&pool).await.unwrap();
    tracing::info!("{} starts by {} processes", all.0, all.1);
    assert_eq!(all.0, i64::try_from(JOBS).unwrap());
    assert!(all.1 > 1, "several processes ran jobs");
}

/// Like schedulers on several machines that find the same due runs and derive the same job ids.
async fn of_many_who_push_the_same_jobs_one_is_first(on: On) {
    let fixture = Fixture::new(on).await;
    let mut pushers = Vec::new();
    for n in 0..8 {
        let queue = fixture.another(quick()).await;
        pushers.push(tokio::spawn(push_all(queue, n)));
    }
    let mut new = 0;
    for pusher in pushers {
        new += pusher.await.unwrap();
    }
    assert_eq!(new, JOBS, "of eight pushes of a job, one was new");
    assert_eq!(fixture.queue.stats().await.unwrap().pending, JOBS as u64);
}

/// Pushes all jobs in batches, each pusher in another order.
async fn push_all(queue: Queue, pusher: usize) -> usize {
    let mut new = 0;
    for at in 0..JOBS / 10 {
        let first = (at * 7 + pusher * 11) % (JOBS / 10) * 10;
        let mut batch: Vec<(JobEnvelope, u64)> = (first..first + 10).map(|n| (job(n), 0)).collect();
        batch.rotate_left(pusher);
        new += queue.push_batch(&batch).await.unwrap();
    }
    new
}
