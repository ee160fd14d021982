//! A process frozen for longer than its lease loses its jobs to another one; when it resumes, it drops them and takes
//! new ones.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::time::Duration;

use sqlx::SqlitePool;

use crate::children::{Worker, notes, options};
use crate::common::{Fixture, On, job, on_both};

on_both!(a_worker_frozen_past_its_lease_takes_no_effect_for_what_it_lost);

/// Longer than the lease of 4 s, so that a resumed worker notices the loss before the job ends.
const WORK: Duration = Duration::from_secs(15);
const SOON: Duration = Duration::from_mins(1);

async fn wait_for(what: &str, pool: &SqlitePool, sql: &'static str, count: i64) {
    let wait = async {
        loop {
            let found: i64 = sqlx::query_scalar(sql).fetch_one(pool).await.unwrap();
            if found >= count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(SOON, wait).await.unwrap_or_else(|_| panic!("{what}"));
}

async fn a_worker_frozen_past_its_lease_takes_no_effect_for_what_it_lost(on: On) {
    let fixture = Fixture::with(on, options()).await;
    let pool = notes(fixture.folder.path()).await;
    let frozen = Worker::start(&fixture, WORK, 1);
    fixture.queue.push(&job(1)).await.unwrap();
    wait_for("it starts", &pool, "SELECT count(*) FROM starts", 1).await;
    frozen.signal("STOP");
    let mut other = Worker::start(&fixture, WORK, 1);
    wait_for("the other one takes it", &pool, "SELECT count(*) FROM starts", 2).await;
    let starts: Vec<(i64, i64)> =
        sqlx::query_as("SELECT pid, attempt FROM starts ORDER BY attempt").fetch_all(&pool).await.unwrap();
    assert_eq!(starts, [(frozen.pid(), 1), (other.pid(), 2)]);
    frozen.signal("CONT");
    fixture.eventually("done", SOON, |s| s.done == 1).await;
    other.kill_9();
    // Only the holder of the lease took effect.
    let effects: Vec<(String, i64)> = sqlx::query_as("SELECT * FROM effects").fetch_all(&pool).await.unwrap();
    assert_eq!(effects, [("job-1".to_owned(), 1)]);
    assert_eq!(fixture.number("SELECT sum(attempts) FROM jobs").await, 2);
    // The frozen worker takes jobs again.
    fixture.queue.push(&job(2)).await.unwrap();
    wait_for("it takes another one", &pool, "SELECT count(*) FROM starts", 3).await;
    let by: i64 = sqlx::query_scalar("SELECT pid FROM starts WHERE job_id = 'job-2'").fetch_one(&pool).await.unwrap();
    assert_eq!(by, frozen.pid());
}
