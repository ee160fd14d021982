//! If the file is damaged, the consumer reports it, backs off and continues once the file is restored.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::{fs, time::Duration};

use crate::common::{Fixture, On, Runs, job, on_both, quick, recorder, sleeper};
use kimberly_queue::Queue;

on_both!(
    missing_tables_are_reported_and_running_jobs_are_settled_afterwards,
    a_closed_pool_is_reported_and_does_not_end_the_consumer,
);

async fn failing(fixture: &Fixture, times: u32) {
    let wait = async {
        while fixture.queue.consumer_health().consecutive_failures < times {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), wait).await.unwrap();
}

/// Replaces the file by rename, as an operator restores it.
fn replace(fixture: &Fixture, content: &[u8]) {
    let other = fixture.folder.path().join("other");
    fs::write(&other, content).unwrap();
    fs::rename(&other, fixture.path()).unwrap();
    for file in ["queue.db-wal", "queue.db-shm"] {
        let _ = fs::remove_file(fixture.folder.path().join(file));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_push_into_a_deleted_file_is_refused_and_not_lost() {
    let fixture = Fixture::new(On::Sqlite).await;
    fixture.queue.push(&job(1)).await.unwrap();
    fs::remove_file(fixture.path()).unwrap();
    let refused = fixture.queue.push(&job(2)).await;
    tracing::info!("{:?}", refused.as_ref().map_err(ToString::to_string));
    assert!(refused.is_err());
    assert!(!fixture.path().exists(), "no empty file replaces it");
}

async fn missing_tables_are_reported_and_running_jobs_are_settled_afterwards(on: On) {
    let fixture = Fixture::new(on).await;
    let runs = Runs::default();
    fixture.queue.push(&job(1)).await.unwrap();
    let consumer = fixture.consume(sleeper(&runs, Duration::from_millis(600)), 2);
    fixture.eventually("running", Duration::from_secs(5), |s| s.running == 1).await;
    fixture.run("ALTER TABLE jobs RENAME TO gone").await;
    failing(&fixture, 3).await;
    let health = fixture.queue.consumer_health();
    tracing::info!("{health:?}");
    let error = health.last_error.unwrap();
    assert!(error.contains("no such table") || error.contains("does not exist"), "{error}");
    assert!(!consumer.task.is_finished());
    tokio::time::sleep(Duration::from_millis(500)).await;
    fixture.run("ALTER TABLE gone RENAME TO jobs").await;
    fixture.queue.push(&job(2)).await.unwrap();
    fixture.eventually("both done", Duration::from_secs(10), |s| s.done == 2).await;
    consumer.stop().await;
    assert_eq!(runs.lock().unwrap().len(), 2, "the running job was neither dropped nor run twice");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_overwritten_file_is_reported_and_a_restored_one_is_used() {
    let fixture = Fixture::new(On::Sqlite).await;
    let runs = Runs::default();
    let mut raw = fixture.raw().await;
    fixture.queue.push(&job(1)).await.unwrap();
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut raw).await.unwrap();
    let good = fs::read(fixture.path()).unwrap();
    sqlx::Connection::close(raw).await.unwrap();
    let consumer = fixture.consume(recorder(&runs, |_, _| Ok(())), 2);
    fixture.eventually("done", Duration::from_secs(5), |s| s.done == 1).await;

    replace(&fixture, &vec![0x5a; good.len()]);
    failing(&fixture, 3).await;
    let health = fixture.queue.consumer_health();
    tracing::info!("{health:?}");
    let reported = health.last_error.unwrap();
    assert!(reported.contains("queue.db is damaged") && reported.contains("remove queue.db"), "{reported}");
    assert!(!consumer.task.is_finished());
    let refused = fixture.queue.push(&job(2)).await;
    tracing::info!("{:?}", refused.as_ref().map_err(ToString::to_string));
    assert!(refused.is_err(), "a push into a damaged file is refused, not lost");

    replace(&fixture, &good);
    let push = async {
        while fixture.queue.push(&job(3)).await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), push).await.unwrap();
    // The restored file predates the run of job 1.
    fixture.eventually("both done", Duration::from_secs(10), |s| s.done == 2).await;
    consumer.stop().await;
}

async fn a_closed_pool_is_reported_and_does_not_end_the_consumer(on: On) {
    let fixture = Fixture::new(on).await;
    let consumer = fixture.consume(recorder(&Runs::default(), |_, _| Ok(())), 1);
    tokio::time::sleep(Duration::from_millis(200)).await;
    fixture.queue.close().await;
    failing(&fixture, 3).await;
    tracing::info!("{:?}", fixture.queue.consumer_health());
    assert!(!consumer.task.is_finished());
    consumer.stop().await;
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("queue.db");
    fs::write(&path, "something else entirely, and long enough to be looked at".repeat(100)).unwrap();
    let error = Queue::open(&path).await.unwrap_err().to_string();
    tracing::info!("{error}");
    assert!(error.contains("queue.db") && error.contains("not a database"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_may_create_the_file_at_the_same_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("queue.db");
    let opens = (0..8).map(|_| tokio::spawn(Queue::open(path.clone())));
    for opened in futures::future::join_all(opens).await {
        opened.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_file_that_is_made_beside_vaults_lacks_their_jobs_until_they_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let (data, vaults) = (folder.path(), folder.path().join("vaults"));
    let lacks_jobs = async || {
        let queue = Queue::open_at(None, data, quick()).await.unwrap();
        let lacks = queue.lacks_jobs().await.unwrap();
        queue.close().await;
        lacks
    };
    fs::create_dir(&vaults).unwrap();
    fs::write(vaults.join(".in-use"), "").unwrap();
    assert!(!lacks_jobs().await, "no vault exists yet");
    fs::create_dir(vaults.join("3f")).unwrap();
    assert!(!lacks_jobs().await, "the queue is older than the vault");
    fs::remove_file(data.join("queue.db")).unwrap();
    assert!(lacks_jobs().await && lacks_jobs().await);
    let queue = Queue::open_at(None, data, quick()).await.unwrap();
    queue.note_all_jobs().await.unwrap();
    assert!(!queue.lacks_jobs().await.unwrap() && !lacks_jobs().await);
}
