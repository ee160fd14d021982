//! A failed job is retried with growing pauses, then kept as a dead letter; panics are failures.

use std::time::Duration;

use crate::common::{Fixture, On, Runs, job, on_both, quick, recorder};
use kimberly_queue::{Backoff, HandlerError, Pushed, QueueOptions};

on_both!(
    a_failing_job_is_retried_with_back_off_then_dead_lettered,
    a_permanent_failure_is_dead_at_once_and_can_be_revived,
    a_panicking_handler_counts_as_a_failure_and_its_message_is_not_stored
);

fn three_attempts() -> QueueOptions {
    QueueOptions { max_attempts: 3, retry: Backoff::new(Duration::from_secs(2), Duration::from_mins(1)), ..quick() }
}

async fn a_failing_job_is_retried_with_back_off_then_dead_lettered(on: On) {
    let fixture = Fixture::with(on, three_attempts()).await;
    let runs = Runs::default();
    fixture.queue.push(&job(1)).await.unwrap();
    let handler = recorder(&runs, |_, attempt| Err(HandlerError::retry(format!("no luck {}", attempt.number))));
    let consumer = fixture.consume(handler, 2);
    fixture.eventually("dead", Duration::from_secs(15), |s| s.dead == 1).await;
    consumer.stop().await;
    let runs = runs.lock().unwrap().clone();
    assert_eq!(runs.iter().map(|r| r.attempt.number).collect::<Vec<_>>(), [1, 2, 3]);
    let pauses: Vec<_> = runs.windows(2).map(|w| w[1].at - w[0].at).collect();
    tracing::info!("pauses {pauses:?}");
    // 2 s and 4 s minus up to half; the stored resolution of one second only lengthens them.
    assert!(pauses[0] >= Duration::from_millis(500) && pauses[1] >= Duration::from_millis(1500), "{pauses:?}");
    let dead = fixture.queue.dead_letters(10).await.unwrap();
    assert_eq!(dead.len(), 1);
    assert_eq!((dead[0].attempts, dead[0].error.as_str()), (3, "no luck 3"));
    assert_eq!(dead[0].job_id.as_deref(), Some("job-1"));
    assert_eq!(fixture.queue.push(&job(1)).await.unwrap(), Pushed::Duplicate, "a relay does not revive a dead letter");
}

async fn a_permanent_failure_is_dead_at_once_and_can_be_revived(on: On) {
    let fixture = Fixture::new(on).await;
    let runs = Runs::default();
    fixture.queue.push(&job(1)).await.unwrap();
    let fail_once = std::sync::atomic::AtomicBool::new(true);
    let handler = recorder(&runs, move |_, _| {
        if fail_once.swap(false, std::sync::atomic::Ordering::Relaxed) {
            return Err(HandlerError::permanent("no such vault"));
        }
        Ok(())
    });
    let consumer = fixture.consume(handler, 1);
    fixture.eventually("dead", Duration::from_secs(5), |s| s.dead == 1).await;
    let dead = fixture.queue.dead_letters(1).await.unwrap().remove(0);
    assert_eq!((dead.attempts, dead.error.as_str()), (1, "no such vault"));
    assert!(fixture.queue.revive(&dead.task_id).await.unwrap());
    assert!(!fixture.queue.revive(&dead.task_id).await.unwrap());
    fixture.eventually("done", Duration::from_secs(5), |s| s.done == 1).await;
    consumer.stop().await;
}

async fn a_panicking_handler_counts_as_a_failure_and_its_message_is_not_stored(on: On) {
    let fixture = Fixture::with(on, QueueOptions { max_attempts: 1, ..quick() }).await;
    let runs = Runs::default();
    fixture.queue.push(&job(1)).await.unwrap();
    fixture.queue.push(&job(2)).await.unwrap();
    let handler = recorder(&runs, |job, _| {
        assert!(job.job_id != "job-1", "secret memory text");
        Ok(())
    });
    let consumer = fixture.consume(handler, 1);
    // The first panic of a program may resolve its whole backtrace.
    fixture.eventually("one dead, one done", Duration::from_mins(1), |s| s.dead == 1 && s.done == 1).await;
    consumer.stop().await;
    assert_eq!(fixture.queue.dead_letters(1).await.unwrap()[0].error, "handler panicked");
    assert_eq!(fixture.queue.consumer_health().restarts, 0);
}
