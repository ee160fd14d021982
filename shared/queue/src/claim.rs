//! One claimed job from payload to outcome: check the attempts, decode, handle, settle.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use crate::{
    clock,
    envelope::JobEnvelope,
    handler::{HandlerError, JobHandler},
    job::{Attempt, Unreadable},
    options::Backoff,
    settle::{Claim, Outcome},
    shared::Shared,
};

/// Extra runs after the last attempt, which only call `give_up`.
const BURIALS: u32 = 5;
/// How often a running job checks that it still holds its lease.
const LOOK_AT_LEASE: Duration = Duration::from_secs(1);

/// The dependencies of every claim.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) shared: Arc<Shared>,
    pub(crate) handler: Arc<dyn JobHandler>,
    /// Cancels the running handler and returns its job to the queue.
    pub(crate) cut: CancellationToken,
    /// Stops even the writing of outcomes: the process must exit.
    pub(crate) abandon: CancellationToken,
}

impl Desk {
    /// Runs the claim to its end. Never fails: outcomes that cannot be written are retried.
    pub(crate) async fn work(&self, claim: Claim, payload: Vec<u8>, max: u32) {
        let attempt = Attempt { number: u32::try_from(claim.ended_runs.saturating_add(1)).unwrap_or(u32::MAX), max };
        let outcome = tokio::select! {
            biased;
            outcome = self.decide(&payload, attempt) => outcome,
            () = self.cut.cancelled() => Outcome::GivenBack,
            () = self.taken_over(&claim) => return self.lost(&claim),
        };
        match &outcome {
            Outcome::Retry { error, pause } => {
                tracing::warn!(
                    task_id = claim.task_id,
                    attempt = attempt.number,
                    error,
                    ?pause,
                    "job failed, runs again"
                );
            }
            Outcome::Dead { error, .. } => {
                tracing::error!(task_id = claim.task_id, attempt = attempt.number, error, "job is a dead letter");
            }
            Outcome::Done | Outcome::GivenBack => {}
        }
        tokio::select! {
            () = self.write(&claim, &outcome) => {}
            () = self.abandon.cancelled() => {}
        }
    }

    async fn decide(&self, payload: &[u8], attempt: Attempt) -> Outcome {
        let retry = self.shared.options.retry;
        let job = match JobEnvelope::decode(payload) {
            Ok(job) => job,
            Err(Unreadable::Malformed(error)) => return Outcome::Dead { error, ran: false },
            Err(Unreadable::Newer(v)) => {
                let error = HandlerError::retry(format!("payload version {v} is newer than this process"));
                return failed(&error, attempt, retry);
            }
        };
        let outcome = if attempt.number > attempt.max {
            Outcome::Dead { error: format!("given up: {} runs ended without a result", attempt.max), ran: false }
        } else {
            let (handler, job) = (Arc::clone(&self.handler), job.clone());
            match guarded(async move { handler.handle(job, attempt).await }).await {
                Ok(()) => Outcome::Done,
                Err(error) => failed(&error, attempt, retry),
            }
        };
        match outcome {
            Outcome::Dead { error, ran } => self.bury(job, attempt, error, ran).await,
            other => other,
        }
    }

    /// Calls the handler's `give_up`; if that fails, retries a few times before the job becomes a dead letter.
    async fn bury(&self, job: JobEnvelope, attempt: Attempt, error: String, ran: bool) -> Outcome {
        let (handler, reason) = (Arc::clone(&self.handler), error.clone());
        let Err(refusal) = guarded(async move { handler.give_up(job, &reason).await }).await else {
            return Outcome::Dead { error, ran };
        };
        let error = format!("{error}; giving up failed: {refusal}");
        if attempt.number >= attempt.max.saturating_add(BURIALS) {
            return Outcome::Dead { error, ran };
        }
        Outcome::Retry { error, pause: self.shared.options.retry.pause(attempt.number, clock::jitter()) }
    }

    /// Completes once another worker holds the job, so that this run can stop.
    async fn taken_over(&self, claim: &Claim) {
        loop {
            tokio::time::sleep(LOOK_AT_LEASE).await;
            if let Ok(false) = self.shared.database.holds(claim).await {
                return;
            }
        }
    }

    fn lost(&self, claim: &Claim) {
        tracing::warn!(task_id = claim.task_id, "lease lost while running, result dropped");
        self.shared.health.change(|h| h.lost_leases += 1);
    }

    /// Retries until the outcome is written or the lease is lost; a live worker keeps its lease meanwhile.
    async fn write(&self, claim: &Claim, outcome: &Outcome) {
        let mut failures = 0;
        loop {
            match self.shared.database.settle(claim, outcome).await {
                Ok(true) => return,
                Ok(false) => return self.lost(claim),
                Err(error) => {
                    failures += 1;
                    tracing::warn!(task_id = claim.task_id, %error, failures, "cannot write the result of a job yet");
                    self.shared.database.suspect(&error);
                    tokio::time::sleep(self.shared.options.restart.pause(failures, clock::jitter())).await;
                }
            }
        }
    }
}

/// Runs the handler and turns panics into failures. The call itself may panic too, so it belongs inside `work`.
async fn guarded(work: impl Future<Output = Result<(), HandlerError>>) -> Result<(), HandlerError> {
    // The panic message may quote memory text (slicing does), so it is not stored.
    let panicked = |_| Err(HandlerError::retry("handler panicked"));
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(panicked)
}

fn failed(error: &HandlerError, attempt: Attempt, retry: Backoff) -> Outcome {
    let message = error.to_string();
    if error.is_permanent() || attempt.is_last() {
        return Outcome::Dead { error: message, ran: true };
    }
    Outcome::Retry { error: message, pause: retry.pause(attempt.number, clock::jitter()) }
}
