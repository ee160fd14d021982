//! The contract of job handlers.

use futures::future::BoxFuture;
use kimberly_core::error::StorageFailure;

use crate::envelope::JobEnvelope;
use crate::job::Attempt;

/// The result of a handler.
pub type HandlerFuture = BoxFuture<'static, Result<(), HandlerError>>;

/// Runs one job. Any matching closure is a handler: `Arc::new(|job: JobEnvelope, attempt: Attempt| async move { ..
/// }.boxed())`.
///
/// A handler may be dropped at any await point and run again from the start, possibly beside a run of the same job in
/// another process that lost its lease. Heavy work belongs on its own threads.
pub trait JobHandler: Send + Sync + 'static {
    /// Runs `job`; a panic counts as a failure.
    fn handle(&self, job: JobEnvelope, attempt: Attempt) -> HandlerFuture;

    /// Called before `job` becomes a dead letter for `reason`, which includes processes that died during each run.
    /// May be called more than once. If it fails, the job gets a few more runs.
    fn give_up(&self, job: JobEnvelope, reason: &str) -> HandlerFuture {
        let _ = (job, reason);
        Box::pin(std::future::ready(Ok(())))
    }
}

impl<F> JobHandler for F
where
    F: Fn(JobEnvelope, Attempt) -> HandlerFuture + Send + Sync + 'static,
{
    fn handle(&self, job: JobEnvelope, attempt: Attempt) -> HandlerFuture {
        self(job, attempt)
    }
}

/// Why a job failed. The message is stored and logged, so it holds codes and ids, never memory text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HandlerError {
    message: String,
    permanent: bool,
}

impl HandlerError {
    /// A transient failure: the job is retried later.
    pub fn retry(message: impl Into<String>) -> Self {
        Self { message: message.into(), permanent: false }
    }

    /// A permanent failure: the job becomes a dead letter now.
    pub fn permanent(message: impl Into<String>) -> Self {
        Self { message: message.into(), permanent: true }
    }

    /// Maps a storage failure to a job failure. The message holds no internals, since it is stored with the job.
    #[must_use]
    pub fn of_storage(failure: StorageFailure) -> Self {
        match failure {
            StorageFailure::Unavailable => Self::retry("storage was busy or unavailable"),
            StorageFailure::Full => Self::retry("the disk is full"),
            StorageFailure::Disk | StorageFailure::InDoubt => Self::retry("the disk failed (an I/O error)"),
            StorageFailure::Defect => Self::retry("storage failed in an unexpected way"),
            StorageFailure::Corrupt => Self::permanent("the memory store of this user is damaged"),
        }
    }

    /// Whether retrying is pointless.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        self.permanent
    }
}
