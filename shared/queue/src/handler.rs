//! The contract of whoever does the work.

use futures::future::BoxFuture;
use kimberly_core::error::StorageFailure;

use crate::job::{Attempt, JobEnvelope};

/// What a handler returns.
pub type HandlerFuture = BoxFuture<'static, Result<(), HandlerError>>;

/// Runs one job. Any matching closure is a handler:
/// `Arc::new(|job: JobEnvelope, attempt: Attempt| async move { .. }.boxed())`.
///
/// A handler may be dropped at any await point and run again from the start, also beside a run of
/// the same job in another process that lost its lease. Heavy work belongs on its own threads.
pub trait JobHandler: Send + Sync + 'static {
    /// Runs `job`; a panic counts as a failure.
    fn handle(&self, job: JobEnvelope, attempt: Attempt) -> HandlerFuture;

    /// Told before `job` becomes a dead letter, for whatever `reason`, also when it never came to an end because its
    /// process died each time. May be told more than once. While it fails, the job is tried some more.
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

/// Why a job did not succeed. The message is stored and logged: codes and ids, never memory text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HandlerError {
    message: String,
    permanent: bool,
}

impl HandlerError {
    /// A failure that may pass: the job is tried again later.
    pub fn retry(message: impl Into<String>) -> Self {
        Self { message: message.into(), permanent: false }
    }

    /// A failure that will not pass: the job becomes a dead letter now.
    pub fn permanent(message: impl Into<String>) -> Self {
        Self { message: message.into(), permanent: true }
    }

    /// What a failure of storage means for a job. The message tells no internals: it is kept with the job.
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

    /// Whether trying again is pointless.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        self.permanent
    }
}
