//! A user with many waiting jobs gets an equal share and does not delay users with few.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::time::Duration;

use crate::common::{Fixture, On, Runs, on_both, recorder};
use kimberly_queue::{HandlerError, JobEnvelope, MEDITATE, Queue};

on_both!(
    one_job_comes_before_a_hundred_thousand_of_another_user,
    of_several_who_have_many_each_has_the_same_share,
    jobs_that_fail_again_and_again_hold_up_no_other_user,
    a_user_who_comes_late_is_served_now,
);

const SOON: Duration = Duration::from_mins(1);

fn job(user: &str, n: usize) -> JobEnvelope {
    MEDITATE.job(user, &format!("m-{n}"), &format!("{user}-{n}"))
}

async fn push_many(queue: &Queue, user: &str, count: usize) {
    for first in (0..count).step_by(5000) {
        let batch: Vec<_> = (first..count.min(first + 5000)).map(|n| (job(user, n), 0)).collect();
        assert_eq!(queue.push_batch(&batch).await.unwrap(), batch.len());
    }
}

/// Waits for `count` runs and returns their users.
async fn first_runs(runs: &Runs, count: usize) -> Vec<String> {
    let wait = async {
        while runs.lock().unwrap().len() < count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(SOON, wait).await.unwrap();
    let user = |job_id: &str| job_id.split('-').next().unwrap().to_owned();
    runs.lock().unwrap().iter().map(|run| user(&run.job_id)).collect()
}

fn count_of(user: &str, runs: &[String]) -> usize {
    runs.iter().filter(|of| *of == user).count()
}

async fn one_job_comes_before_a_hundred_thousand_of_another_user(on: On) {
    let fixture = Fixture::new(on).await;
    push_many(&fixture.queue, "many", 100_000).await;
    fixture.queue.push(&job("few", 1)).await.unwrap();
    let runs = Runs::default();
    let consumer = fixture.consume(recorder(&runs, |_, _| Ok(())), 1);
    let first = first_runs(&runs, 5).await;
    consumer.stop().await;
    assert_eq!(count_of("few", &first[..3]), 1, "{first:?}");
}

async fn of_several_who_have_many_each_has_the_same_share(on: On) {
    let fixture = Fixture::new(on).await;
    for (user, count) in [("ada", 300), ("bob", 40), ("eve", 30)] {
        push_many(&fixture.queue, user, count).await;
    }
    let runs = Runs::default();
    let consumer = fixture.consume(recorder(&runs, |_, _| Ok(())), 1);
    let first = first_runs(&runs, 60).await;
    consumer.stop().await;
    let shares = ["ada", "bob", "eve"].map(|user| count_of(user, &first[..60]));
    assert_eq!(shares, [20, 20, 20], "{first:?}");
}

async fn jobs_that_fail_again_and_again_hold_up_no_other_user(on: On) {
    let fixture = Fixture::new(on).await;
    push_many(&fixture.queue, "fails", 2000).await;
    let runs = Runs::default();
    let handler =
        recorder(&runs, |job, _| if job.user_id == "fails" { Err(HandlerError::retry("no")) } else { Ok(()) });
    let consumer = fixture.consume(handler, 1);
    // Long enough for the first failures to be due again.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let before = runs.lock().unwrap().len();
    for n in 0..3 {
        fixture.queue.push(&job("few", n)).await.unwrap();
    }
    let pushed = runs.lock().unwrap().len();
    let after = first_runs(&runs, pushed + 12).await;
    consumer.stop().await;
    assert!(before > 3, "{before}");
    assert_eq!(count_of("few", &after[before..pushed + 12]), 3, "{:?}", &after[before..]);
}

async fn a_user_who_comes_late_is_served_now(on: On) {
    let fixture = Fixture::new(on).await;
    push_many(&fixture.queue, "many", 2000).await;
    let runs = Runs::default();
    let consumer = fixture.consume(recorder(&runs, |_, _| Ok(())), 2);
    first_runs(&runs, 50).await;
    let before = runs.lock().unwrap().len();
    push_many(&fixture.queue, "few", 4).await;
    let pushed = runs.lock().unwrap().len();
    let after = first_runs(&runs, pushed + 16).await;
    consumer.stop().await;
    assert_eq!(count_of("few", &after[before..pushed + 16]), 4, "{:?}", &after[before..]);
}
