//! The job `embed`: syncs one user's vectors, and schedules a follow-up for what must wait.

use futures::FutureExt as _;
use kimberly_core::error::{Error, StorageFailure};
use kimberly_core::usecases::App;
use kimberly_core::usecases::embedding::{Synced, VectorUpdater};
use kimberly_core::{Timestamp, UserId};
use kimberly_queue::{Attempt, EMBED, HandlerError, HandlerFuture, JobEnvelope, JobHandler, Queue};
use kimberly_runtime::on_own_thread;
use kimberly_runtime::telemetry::follow;
use tracing::{Instrument as _, info_span};
use uuid::Uuid;

use super::turns::Turns;

/// Microseconds per second.
const SECOND: i64 = 1_000_000;

/// Syncs users. A sync may be interrupted anywhere and repeated.
#[derive(Clone)]
pub struct Embed {
    app: App,
    updater: VectorUpdater,
    queue: Queue,
    turns: Turns,
}

impl Embed {
    /// Creates the handler.
    pub const fn new(app: App, updater: VectorUpdater, queue: Queue, turns: Turns) -> Self {
        Self { app, updater, queue, turns }
    }

    async fn sync(&self, user: &UserId, attempt: u32) -> Result<Synced, Error> {
        let _turn = self.turns.take(user).await?;
        self.app.sync_vectors(&self.updater, user, attempt).await
    }

    /// Schedules a follow-up at a time; repeated requests for that time create one job.
    async fn come_again(&self, user: &UserId, at: Timestamp) -> Result<(), HandlerError> {
        let seconds = u64::try_from(at.0.div_euclid(SECOND) + 1).unwrap_or(0);
        let job = EMBED.job(user.as_str(), "", &once(user, seconds).to_string());
        let pushed = self.queue.push_after(&job, seconds).await;
        pushed.map(drop).map_err(|error| HandlerError::retry(format!("the remaining work cannot be queued: {error}")))
    }
}

impl JobHandler for Embed {
    fn handle(&self, job: JobEnvelope, attempt: Attempt) -> HandlerFuture {
        let this = self.clone();
        async move {
            let user = UserId::parse(&job.user_id).map_err(|_| HandlerError::permanent("the job has an invalid id"))?;
            let span = info_span!("job.embed", job = job.job_id, attempt = attempt.number);
            follow(&span, job.traceparent.as_deref());
            let (syncing, of) = (this.clone(), user.clone());
            let work = async move { syncing.sync(&of, attempt.number).await }.instrument(span);
            let synced = match on_own_thread(work).await {
                // A purged user needs no sync.
                Some(Err(Error::Purging)) => return Ok(()),
                Some(ended) => ended.map_err(|error| judge(&error))?,
                None => return Err(HandlerError::retry("the embedder is stopping")),
            };
            tracing::debug!(computed = synced.computed, failed = synced.failed, "vectors are up to date");
            match synced.next {
                Some(at) => this.come_again(&user, at).await,
                None => Ok(()),
            }
        }
        .boxed()
    }
}

/// A job id derived from the user and the time.
fn once(user: &UserId, seconds: u64) -> Uuid {
    use sha2::Digest as _;
    let mut hasher = sha2::Sha256::new();
    hasher.update(seconds.to_be_bytes());
    hasher.update(user.as_str().as_bytes());
    let digest: [u8; 32] = hasher.finalize().into();
    uuid::Builder::from_custom_bytes(*digest.first_chunk().unwrap_or(&[0; 16])).into_uuid()
}

/// Whether a retry may help. The message is stored with the job; internal details go to the log only.
fn judge(error: &Error) -> HandlerError {
    tracing::warn!(%error, "a sync of vectors failed");
    match error {
        // The damage may be in the index rather than the vault.
        Error::Storage { failure: StorageFailure::Corrupt, .. } => {
            HandlerError::permanent("a file of this user is damaged; the embedder's log names it")
        }
        Error::Storage { failure, .. } => HandlerError::of_storage(*failure),
        _ => HandlerError::permanent("the vectors cannot be updated"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_put_off_job_is_one_for_its_user_and_time() {
        let (ada, bob) = (UserId::parse("ada").unwrap(), UserId::parse("bob").unwrap());
        assert_eq!(once(&ada, 5), once(&ada, 5));
        assert!(once(&ada, 5) != once(&ada, 6) && once(&ada, 5) != once(&bob, 5));
    }
}
