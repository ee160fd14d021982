//! Prints how long a job waits from the return of `push` to the start of its handler.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::time::{Duration, Instant};

use crate::common::{Fixture, On, Runs, consume, job, on_both, quick, recorder};
use kimberly_queue::Queue;

on_both!(
    a_push_in_the_same_process_starts_within_milliseconds,
    a_push_from_elsewhere_starts_within_the_poll_interval,
    two_consumers_of_one_queue_do_not_stand_still,
    a_push_after_a_quiet_time_starts_within_the_idle_interval,
    throughput_of_empty_jobs
);

const JOBS: usize = 100;

async fn measure(name: &str, from: &Queue, to: &Fixture, gap: Duration) -> Duration {
    let runs = Runs::default();
    let consumer = consume(&to.queue, recorder(&runs, |_, _| Ok(())), 2);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut pushed = Vec::new();
    for n in 0..JOBS {
        from.push(&job(n)).await.unwrap();
        pushed.push(Instant::now());
        tokio::time::sleep(gap).await;
    }
    to.eventually("all done", Duration::from_secs(20), |s| s.done == JOBS as u64).await;
    consumer.stop().await;
    let mut waits: Vec<Duration> = runs
        .lock()
        .unwrap()
        .iter()
        .map(|run| {
            let n: usize = run.job_id.trim_start_matches("job-").parse().unwrap();
            run.at.saturating_duration_since(pushed[n])
        })
        .collect();
    waits.sort();
    let (p50, p99) = (waits[JOBS / 2], waits[JOBS * 99 / 100]);
    tracing::info!("push-to-start, {name}: p50 {p50:?} p99 {p99:?} max {:?}", waits[JOBS - 1]);
    p99
}

async fn a_push_in_the_same_process_starts_within_milliseconds(on: On) {
    let fixture = Fixture::with(on, quick()).await;
    let from = fixture.queue.clone();
    let p99 = measure("same process", &from, &fixture, Duration::from_millis(17)).await;
    assert!(p99 < Duration::from_millis(250), "{p99:?}");
}

async fn a_push_from_elsewhere_starts_within_the_poll_interval(on: On) {
    let fixture = Fixture::with(on, quick()).await;
    let elsewhere = fixture.another(quick()).await;
    let p99 = measure("other handle, busy", &elsewhere, &fixture, Duration::from_millis(40)).await;
    assert!(p99 < Duration::from_millis(500), "{p99:?}");
}

async fn two_consumers_of_one_queue_do_not_stand_still(on: On) {
    let fixture = Fixture::with(on, quick()).await;
    let second = fixture.another(quick()).await;
    let second = consume(&second, recorder(&Runs::default(), |_, _| Ok(())), 2);
    let (mut slowest, mut waits) = (Duration::ZERO, Vec::new());
    let first = fixture.consume(recorder(&Runs::default(), |_, _| Ok(())), 2);
    let from = fixture.another(quick()).await;
    for n in 0..200 {
        from.push(&job(n)).await.unwrap();
        let pushed = Instant::now();
        fixture.eventually("done", Duration::from_secs(5), |s| s.done == n as u64 + 1).await;
        waits.push(pushed.elapsed());
        slowest = slowest.max(pushed.elapsed());
    }
    waits.sort();
    tracing::info!("two consumers: push-to-done p50 {:?} max {slowest:?}", waits[100]);
    first.stop().await;
    second.stop().await;
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
}

async fn a_push_after_a_quiet_time_starts_within_the_idle_interval(on: On) {
    let fixture = Fixture::with(on, quick()).await;
    let runs = Runs::default();
    let elsewhere = fixture.another(quick()).await;
    let consumer = fixture.consume(recorder(&runs, |_, _| Ok(())), 1);
    let mut waits = Vec::new();
    for n in 0..6_usize {
        tokio::time::sleep(Duration::from_millis(2300 + 41 * n as u64)).await;
        elsewhere.push(&job(n)).await.unwrap();
        let pushed = Instant::now();
        tokio::time::sleep(Duration::from_millis(600)).await;
        let started = runs.lock().unwrap().last().unwrap().at;
        waits.push(started.saturating_duration_since(pushed));
    }
    tracing::info!("push-to-start, other handle, after 2 quiet seconds: {waits:?}");
    consumer.stop().await;
    assert_eq!(runs.lock().unwrap().len(), 6);
}

async fn throughput_of_empty_jobs(on: On) {
    let fixture = Fixture::with(on, quick()).await;
    let batch: Vec<_> = (0..1000).map(|n| (job(n), 0)).collect();
    let start = Instant::now();
    fixture.queue.push_batch(&batch).await.unwrap();
    let pushed = start.elapsed();
    let start = Instant::now();
    for n in 1000..1200 {
        fixture.queue.push(&job(n)).await.unwrap();
    }
    tracing::info!("one durable push: {:?}", start.elapsed() / 200);
    let start = Instant::now();
    let consumer = fixture.consume(recorder(&Runs::default(), |_, _| Ok(())), 4);
    fixture.eventually("all done", Duration::from_mins(1), |s| s.done == 1200).await;
    tracing::info!("1000 pushed in one batch {pushed:?}, 1200 empty jobs run in {:?}", start.elapsed());
    consumer.stop().await;
}
