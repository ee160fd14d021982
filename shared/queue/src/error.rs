//! What can go wrong for a caller of the queue.

use std::path::PathBuf;

use kimberly_core::damage::SharedFile;

/// An error of the queue itself, never of a job.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The file could not be opened or prepared.
    #[error("cannot open the queue at {path}: {source}")]
    Open {
        /// Which file.
        path: PathBuf,
        /// What the database said.
        source: sqlx::Error,
    },
    /// Pages of the file are damaged, it is no database, or its key does not open it.
    #[error(
        "{0} is damaged, not a database, or encrypted with another key than data/keys holds: {advice}",
        advice = SharedFile::Queue.advice()
    )]
    Damaged(PathBuf),
    /// The linked `SQLite` lacks the fix for the WAL-reset corruption, or cannot encrypt.
    #[error("the queue needs {what} {wanted} or later, and this build holds {found}")]
    TooOld {
        /// Of what.
        what: &'static str,
        /// The linked version, or none.
        found: String,
        /// The oldest we accept.
        wanted: &'static str,
    },
    /// A pragma did not take, for example WAL on a network file system.
    #[error("the queue needs {pragma} = {wanted}, but the database answers {found}")]
    Pragma {
        /// Which pragma.
        pragma: &'static str,
        /// What we set.
        wanted: &'static str,
        /// What is in force.
        found: String,
    },
    /// Something is wrong with the Postgres that was named, or with its roles, and does not get better by itself.
    #[error("{0}")]
    Refused(String),
    /// A job that must not be pushed: a field is empty, too long or of another version.
    #[error("the job has an invalid {0}")]
    InvalidJob(&'static str),
    /// Somebody reads for long, so that what was removed still stands in the log.
    #[error("a reader is in the way of emptying the queue's log; try again")]
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
