//! The `job_id` is the idempotency key, before and after the job ran, until it is pruned.

use std::time::Duration;

use crate::common::{Fixture, On, Runs, job, now_ms, on_both, recorder};
use kimberly_queue::{Pushed, QueueError, Retention};

on_both!(
    pushed_twice_runs_once,
    pruning_frees_the_job_id_and_removes_dead_workers,
    a_job_pushed_for_later_waits,
    a_job_with_text_where_an_id_belongs_is_refused
);

const SOON: Duration = Duration::from_secs(5);

async fn pushed_twice_runs_once(on: On) {
    let fixture = Fixture::new(on).await;
    let runs = Runs::default();
    assert_eq!(fixture.queue.push(&job(1)).await.unwrap(), Pushed::New);
    assert_eq!(fixture.queue.push(&job(1)).await.unwrap(), Pushed::Duplicate);
    let consumer = fixture.consume(recorder(&runs, |_, _| Ok(())), 2);
    fixture.eventually("done", SOON, |s| s.done == 1).await;
    assert_eq!(fixture.queue.push(&job(1)).await.unwrap(), Pushed::Duplicate);
    tokio::time::sleep(Duration::from_millis(600)).await;
    consumer.stop().await;
    assert_eq!(runs.lock().unwrap().len(), 1);
}

async fn pruning_frees_the_job_id_and_removes_dead_workers(on: On) {
    let fixture = Fixture::new(on).await;
    let runs = Runs::default();
    let batch: Vec<_> = (0..25).map(|n| (job(n), 0)).collect();
    assert_eq!(fixture.queue.push_batch(&batch).await.unwrap(), 25);
    assert_eq!(fixture.queue.push_batch(&batch).await.unwrap(), 0);
    let consumer = fixture.consume(recorder(&runs, |_, _| Ok(())), 4);
    fixture.eventually("all done", SOON, |s| s.done == 25).await;
    consumer.stop().await;
    let (queue, long_ago) = (fixture.job_type(), if fixture.database.is_some() { "to_timestamp(1)" } else { "1" });
    let gone = "INSERT INTO workers (id, worker_type, storage_name, last_seen) VALUES ";
    fixture.run(&format!("{gone} ('gone', '{queue}', 's', {long_ago})")).await;
    let keep_all = fixture.queue.prune(&Retention::default()).await.unwrap();
    assert_eq!((keep_all.done, keep_all.workers), (0, 1));
    let keep_none = Retention { done: Duration::ZERO, batch: 10, ..Retention::default() };
    assert_eq!(fixture.queue.prune(&keep_none).await.unwrap().done, 25);
    assert_eq!(fixture.queue.push(&job(1)).await.unwrap(), Pushed::New);
    assert_eq!(fixture.number("SELECT count(*) FROM workers").await, 0, "a stopped consumer leaves no row");
}

async fn a_job_pushed_for_later_waits(on: On) {
    let fixture = Fixture::new(on).await;
    let runs = Runs::default();
    let now = u64::try_from(now_ms()).unwrap() / 1000;
    fixture.queue.push_after(&job(1), now + 2).await.unwrap();
    let consumer = fixture.consume(recorder(&runs, |_, _| Ok(())), 1);
    tokio::time::sleep(Duration::from_millis(700)).await;
    let stats = fixture.queue.stats().await.unwrap();
    assert_eq!((stats.delayed, stats.pending, stats.oldest_pending_secs), (1, 0, None));
    fixture.eventually("done", SOON, |s| s.done == 1).await;
    consumer.stop().await;
}

async fn a_job_with_text_where_an_id_belongs_is_refused(on: On) {
    let fixture = Fixture::new(on).await;
    let mut wrong = job(1);
    wrong.subject_id = "text ".repeat(100);
    let refused = fixture.queue.push(&wrong).await;
    assert!(matches!(refused, Err(QueueError::InvalidJob("subject_id"))), "{refused:?}");
}
