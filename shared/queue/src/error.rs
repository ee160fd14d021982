//! Errors for callers of the queue.

use std::path::PathBuf;

use kimberly_core::damage::SharedFile;

/// An error of the queue itself, never of a job.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The file could not be opened or prepared.
    #[error("cannot open the queue at {path}: {source}")]
    Open {
        /// The file.
        path: PathBuf,
        /// The error of the database.
        source: sqlx::Error,
    },
    /// The file has damaged pages, is not a database, or its key does not open it.
    #[error(
        "{0} is damaged, not a database, or encrypted with another key than data/keys holds: {advice}",
        advice = SharedFile::Queue.advice()
    )]
    Damaged(PathBuf),
    /// The linked `SQLite` lacks the fix for the WAL-reset corruption, or encryption.
    #[error("the queue needs {what} {wanted} or later, and this build holds {found}")]
    TooOld {
        /// The library.
        what: &'static str,
        /// The linked version, or "none".
        found: String,
        /// The oldest accepted version.
        wanted: &'static str,
    },
    /// A pragma did not take effect, for example WAL on a network file system.
    #[error("the queue needs {pragma} = {wanted}, but the database answers {found}")]
    Pragma {
        /// The pragma.
        pragma: &'static str,
        /// The requested value.
        wanted: &'static str,
        /// The effective value.
        found: String,
    },
    /// The configured Postgres or its roles are unsuitable; retrying does not help.
    #[error("{0}")]
    Refused(String),
    /// An invalid job: a field is empty or too long, or the version is wrong.
    #[error("the job has an invalid {0}")]
    InvalidJob(&'static str),
    /// A long-running reader prevents truncating the log, which still holds removed rows.
    #[error("a reader blocks truncating the queue's write-ahead log; retry")]
    Busy,
    /// A database call failed.
    #[error("queue database: {0}")]
    Database(#[from] sqlx::Error),
}

impl From<kimberly_postgres::Error> for QueueError {
    fn from(error: kimberly_postgres::Error) -> Self {
        match error {
            kimberly_postgres::Error::Refused(problem) => Self::Refused(problem),
            kimberly_postgres::Error::Failed { source, .. } => Self::Database(source),
        }
    }
}
