//! Before a job becomes a dead letter, its handler may clean up, whatever the reason.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{Fixture, On, job, on_both, quick};
use kimberly_queue::{Attempt, HandlerError, HandlerFuture, JobEnvelope, JobHandler, QueueOptions};

on_both!(
    a_permanent_failure_is_given_up_once,
    giving_up_is_tried_again_until_it_succeeds,
    a_job_that_can_never_be_given_up_is_a_dead_letter_in_the_end
);

/// Fails every job, and refuses to give it up `refusals` times.
struct Undertaker {
    error: HandlerError,
    refusals: Mutex<u32>,
    calls: Arc<Mutex<Vec<String>>>,
}

impl JobHandler for Undertaker {
    fn handle(&self, _: JobEnvelope, _: Attempt) -> HandlerFuture {
        let error = self.error.clone();
        Box::pin(async move { Err(error) })
    }

    fn give_up(&self, job: JobEnvelope, reason: &str) -> HandlerFuture {
        self.calls.lock().unwrap().push(format!("{}: {reason}", job.job_id));
        let mut refusals = self.refusals.lock().unwrap();
        let refuses = *refusals > 0;
        *refusals = refusals.saturating_sub(1);
        Box::pin(async move { if refuses { Err(HandlerError::retry("vault is busy")) } else { Ok(()) } })
    }
}

async fn calls(fixture: &Fixture, error: HandlerError, refusals: u32) -> Vec<String> {
    let calls = Arc::default();
    let handler = Undertaker { error, refusals: Mutex::new(refusals), calls: Arc::clone(&calls) };
    let consumer = fixture.consume(Arc::new(handler), 1);
    fixture.eventually("dead", Duration::from_secs(20), |s| s.dead == 1).await;
    consumer.stop().await;
    calls.lock().unwrap().clone()
}

async fn a_permanent_failure_is_given_up_once(on: On) {
    let fixture = Fixture::new(on).await;
    fixture.queue.push(&job(1)).await.unwrap();
    assert_eq!(calls(&fixture, HandlerError::permanent("no such vault"), 0).await, ["job-1: no such vault"]);
}

async fn giving_up_is_tried_again_until_it_succeeds(on: On) {
    let fixture = Fixture::with(on, QueueOptions { max_attempts: 1, ..quick() }).await;
    fixture.queue.push(&job(1)).await.unwrap();
    let calls = calls(&fixture, HandlerError::retry("disk full"), 2).await;
    assert_eq!(calls[0], "job-1: disk full");
    assert_eq!(calls.len(), 3, "{calls:?}");
    assert!(calls[2].contains("runs ended without a result"), "{calls:?}");
}

async fn a_job_that_can_never_be_given_up_is_a_dead_letter_in_the_end(on: On) {
    let fixture = Fixture::with(on, QueueOptions { max_attempts: 1, ..quick() }).await;
    fixture.queue.push(&job(1)).await.unwrap();
    let calls = calls(&fixture, HandlerError::retry("disk full"), u32::MAX).await;
    assert_eq!(calls.len(), 6, "{calls:?}");
    let letter = fixture.queue.dead_letters(1).await.unwrap().remove(0);
    assert!(letter.error.contains("giving up failed: vault is busy"), "{}", letter.error);
}
