//! One claimed job from payload to outcome: check the attempts, decode, handle, settle.

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use crate::{
    clock,
    handler::{HandlerError, JobHandler},
    job::{Attempt, JobEnvelope, Unreadable},
    options::Backoff,
    queue::Shared,
    settle::{Claim, Outcome, settle},
};

/// Everything a claim needs besides itself.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) shared: Arc<Shared>,
    pub(crate) handler: Arc<dyn JobHandler>,
    /// Drops the running handler and gives its job back.
    pub(crate) cut: CancellationToken,
    /// Stops even the writing of outcomes: the process must end.
    pub(crate) abandon: CancellationToken,
}

impl Desk {
    /// Runs the claim to its end. Never fails: what cannot be written now is written later.
    pub(crate) async fn work(&self, claim: Claim, payload: Vec<u8>, max: u32) {
        let attempt = Attempt { number: u32::try_from(claim.ended_runs.saturating_add(1)).unwrap_or(u32::MAX), max };
        let outcome = tokio::select! {
            biased;
            outcome = self.decide(&payload, attempt) => outcome,
            () = self.cut.cancelled() => Outcome::GivenBack,
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
        if attempt.number > attempt.max {
            return Outcome::Dead {
                error: format!("gave up: {} runs ended without a result", attempt.max),
                ran: false,
            };
        }
        let job = match JobEnvelope::decode(payload) {
            Ok(job) => job,
            Err(Unreadable::Malformed(error)) => return Outcome::Dead { error, ran: false },
            Err(Unreadable::Newer(v)) => {
                let error = HandlerError::retry(format!("payload version {v} is newer than this process"));
                return failed(&error, attempt, self.shared.options.retry);
            }
        };
        // Built inside the guarded future: the call itself may panic too.
        let handler = Arc::clone(&self.handler);
        let guarded = AssertUnwindSafe(async move { handler.handle(job, attempt).await }).catch_unwind();
        match guarded.await {
            Ok(Ok(())) => Outcome::Done,
            Ok(Err(error)) => failed(&error, attempt, self.shared.options.retry),
            // The message of a panic can quote text (slicing does): it is not stored.
            Err(_) => failed(&HandlerError::retry("handler panicked"), attempt, self.shared.options.retry),
        }
    }

    /// Repeats until the outcome is written: no other worker takes the job from a living one.
    async fn write(&self, claim: &Claim, outcome: &Outcome) {
        let mut failures = 0;
        loop {
            match settle(&self.shared.pool, claim, outcome).await {
                Ok(true) => return,
                Ok(false) => {
                    tracing::warn!(task_id = claim.task_id, "lease lost while running, result dropped");
                    self.shared.health.change(|h| h.lost_leases += 1);
                    return;
                }
                Err(error) => {
                    failures += 1;
                    tracing::warn!(task_id = claim.task_id, %error, failures, "cannot write the end of a job yet");
                    self.shared.suspect(&error);
                    tokio::time::sleep(self.shared.options.restart.pause(failures, clock::jitter())).await;
                }
            }
        }
    }
}

fn failed(error: &HandlerError, attempt: Attempt, retry: Backoff) -> Outcome {
    let message = error.to_string();
    if error.is_permanent() || attempt.is_last() {
        return Outcome::Dead { error: message, ran: true };
    }
    Outcome::Retry { error: message, pause: retry.pause(attempt.number, clock::jitter()) }
}
