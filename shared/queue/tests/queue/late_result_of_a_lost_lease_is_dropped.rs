//! A worker that was silent too long loses its jobs; its late results do not count.

use std::time::Duration;

use crate::common::{Fixture, On, Runs, job, on_both, sleeper};
use kimberly_queue::Backoff;

on_both!(a_late_result_of_a_lost_lease_is_dropped, a_handler_whose_lease_is_lost_is_dropped);

/// The orphan recovery of another process.
const TAKE_OVER: &str = "UPDATE Jobs SET status = 'Pending', lock_by = NULL, lock_at = NULL, \
     attempts = attempts + 1 WHERE status = 'Queued'";

async fn a_late_result_of_a_lost_lease_is_dropped(on: On) {
    let fixture = Fixture::new(on).await;
    let runs = Runs::default();
    fixture.queue.push(&job(1)).await.unwrap();
    let consumer = fixture.consume(sleeper(&runs, Duration::from_millis(800)), 2);
    fixture.eventually("running", Duration::from_secs(5), |s| s.running == 1).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    fixture.run(TAKE_OVER).await;
    // The same worker takes it again, so that only the attempt number distinguishes the claims.
    tokio::time::sleep(Duration::from_millis(600)).await;
    let stats = fixture.queue.stats().await.unwrap();
    assert_eq!((stats.running, stats.done), (1, 0), "the first result is dropped");
    assert_eq!(fixture.queue.consumer_health().lost_leases, 1);
    fixture.eventually("done", Duration::from_secs(5), |s| s.done == 1).await;
    consumer.stop().await;
    assert_eq!(fixture.number("SELECT sum(attempts) FROM jobs").await, 2);
}

async fn a_handler_whose_lease_is_lost_is_dropped(on: On) {
    let fixture = Fixture::new(on).await;
    let runs = Runs::default();
    fixture.queue.push(&job(1)).await.unwrap();
    let consumer = fixture.consume(sleeper(&runs, Duration::from_hours(1)), 1);
    fixture.eventually("running", Duration::from_secs(5), |s| s.running == 1).await;
    fixture.run(TAKE_OVER).await;
    // With one permit, it can start again only after the first run ended.
    let started_again = async {
        while runs.lock().unwrap().len() < 2 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), started_again).await.unwrap();
    assert_eq!(fixture.queue.consumer_health().lost_leases, 1);
    consumer.shutdown.cancel();
    consumer.task.abort();
}

#[test]
fn a_pause_doubles_up_to_its_cap_and_jitter_leaves_at_least_half() {
    let backoff = Backoff::new(Duration::from_secs(2), Duration::from_secs(15));
    let longest: Vec<_> = (1..6).map(|n| backoff.pause(n, 1.0).as_secs()).collect();
    assert_eq!(longest, [2, 4, 8, 15, 15]);
    assert_eq!(backoff.pause(3, 0.0), Duration::from_secs(4));
    assert_eq!(backoff.pause(u32::MAX, 1.0), Duration::from_secs(15));
}
