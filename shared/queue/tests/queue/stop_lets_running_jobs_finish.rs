//! A stop lets jobs finish up to its bound, renews their leases meanwhile, and returns the rest.

use std::time::{Duration, Instant};

use crate::common::{Fixture, On, Runs, consume, job, on_both, quick, sleeper};
use kimberly_queue::QueueOptions;

on_both!(
    a_draining_consumer_renews_its_lease_and_finishes_its_job,
    a_job_beyond_the_bound_is_cut_and_given_back_uncounted,
    an_idle_consumer_stops_at_once,
    never_more_than_the_given_number_run_at_once
);

async fn a_draining_consumer_renews_its_lease_and_finishes_its_job(on: On) {
    // The lease is 4 s, the job needs 7: without our renewal a second consumer would take it.
    let fixture = Fixture::with(on, QueueOptions { stop_bound: Duration::from_secs(15), ..quick() }).await;
    let other = fixture.another(quick()).await;
    let (runs, stolen) = (Runs::default(), Runs::default());
    fixture.queue.push(&job(1)).await.unwrap();
    let first = fixture.consume(sleeper(&runs, Duration::from_secs(7)), 1);
    fixture.eventually("running", Duration::from_secs(5), |s| s.running == 1).await;
    let second = consume(&other, sleeper(&stolen, Duration::ZERO), 1);
    let stopped = first.stop().await;
    assert_eq!(stopped.cut, 0);
    second.stop().await;
    assert!(stolen.lock().unwrap().is_empty());
    assert_eq!(fixture.queue.stats().await.unwrap().done, 1);
}

async fn a_job_beyond_the_bound_is_cut_and_given_back_uncounted(on: On) {
    let fixture = Fixture::with(on, QueueOptions { stop_bound: Duration::from_millis(300), ..quick() }).await;
    let runs = Runs::default();
    fixture.queue.push(&job(1)).await.unwrap();
    let consumer = fixture.consume(sleeper(&runs, Duration::from_mins(10)), 3);
    fixture.eventually("running", Duration::from_secs(5), |s| s.running == 1).await;
    let asked = Instant::now();
    assert_eq!(consumer.stop().await.cut, 1);
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    assert_eq!(fixture.queue.stats().await.unwrap().pending, 1);
    let again = fixture.consume(sleeper(&runs, Duration::ZERO), 1);
    fixture.eventually("done", Duration::from_secs(5), |s| s.done == 1).await;
    again.stop().await;
    let attempts: Vec<_> = runs.lock().unwrap().iter().map(|r| r.attempt.number).collect();
    assert_eq!(attempts, [1, 1]);
}

async fn an_idle_consumer_stops_at_once(on: On) {
    let fixture = Fixture::new(on).await;
    let consumer = fixture.consume(sleeper(&Runs::default(), Duration::ZERO), 2);
    tokio::time::sleep(Duration::from_millis(300)).await;
    // A consumer that waited for a job would never stop here.
    assert!(tokio::time::timeout(Duration::from_secs(10), consumer.stop()).await.is_ok());
}

async fn never_more_than_the_given_number_run_at_once(on: On) {
    let fixture = Fixture::new(on).await;
    let runs = Runs::default();
    let batch: Vec<_> = (0..8).map(|n| (job(n), 0)).collect();
    fixture.queue.push_batch(&batch).await.unwrap();
    let consumer = fixture.consume(sleeper(&runs, Duration::from_millis(400)), 2);
    let mut most = 0;
    while fixture.queue.stats().await.unwrap().done < 8 {
        most = most.max(fixture.queue.stats().await.unwrap().running);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    consumer.stop().await;
    assert_eq!(most, 2);
}
