//! Kills worker processes with SIGKILL while they work: no job is lost, each takes effect once.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::{collections::HashMap, time::Duration};

use crate::children::{Worker, notes, options};
use crate::common::{Fixture, On, job, now_ms, on_both};
use sqlx::SqlitePool;

on_both!(a_job_orphaned_by_kill_9_runs_again_within_seconds_and_takes_effect_once);

const CYCLES: usize = 10;
const JOBS_PER_CYCLE: usize = 4;
const STARTED_SINCE: &str = "SELECT COUNT(DISTINCT job_id) FROM starts WHERE at_ms > ?";
const UNFINISHED: &str = "SELECT COUNT(DISTINCT job_id) FROM starts \
     WHERE job_id NOT IN (SELECT job_id FROM effects)";
const WORK: Duration = Duration::from_millis(1500);

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

/// Times from the kill that cut each start to its recovery, from the records of the children.
async fn report(pool: &SqlitePool, kills: &[i64]) -> Vec<i64> {
    let starts: Vec<(String, i64, i64)> =
        sqlx::query_as("SELECT job_id, attempt, at_ms FROM starts ORDER BY at_ms").fetch_all(pool).await.unwrap();
    let mut last: HashMap<&str, (i64, i64)> = HashMap::new();
    let mut recoveries = Vec::new();
    for (job_id, attempt, at) in &starts {
        if let Some((before, attempt_before)) = last.insert(job_id, (*at, *attempt)) {
            assert_eq!(*attempt, attempt_before + 1, "cut runs count as attempts");
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

async fn a_job_orphaned_by_kill_9_runs_again_within_seconds_and_takes_effect_once(on: On) {
    let fixture = Fixture::with(on, options()).await;
    let pool = notes(fixture.folder.path()).await;
    let mut kills = Vec::new();
    let mut child = Worker::start(&fixture, WORK, 2 * JOBS_PER_CYCLE);
    for cycle in 0..CYCLES {
        let begin = now_ms();
        for n in 0..JOBS_PER_CYCLE {
            let job = job(cycle * JOBS_PER_CYCLE + n);
            fixture.queue.push(&job).await.unwrap();
        }
        let per_cycle = i64::try_from(JOBS_PER_CYCLE).unwrap();
        wait_for("starts", &pool, STARTED_SINCE, begin, per_cycle).await;
        // Kills them at different points of their work.
        tokio::time::sleep(WORK * u32::try_from(cycle).unwrap() / 10).await;
        child.kill_9();
        let kill = now_ms();
        kills.push(kill);
        child = Worker::start(&fixture, WORK, 2 * JOBS_PER_CYCLE);
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
