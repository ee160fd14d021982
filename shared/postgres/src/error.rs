//! What can go wrong before anything is kept.

use std::borrow::Cow;

use sqlx::error::DatabaseError;

/// A failure of what is done here.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something is wrong with the address, the server, the database or its roles, in words for whoever runs the service.
    /// Nothing gets better by itself.
    #[error("{0}")]
    Refused(String),
    /// A statement failed, or the connection did.
    #[error("{doing}: {source}")]
    Failed {
        /// What was being done.
        doing: &'static str,
        /// What Postgres said. May quote values: not for logs.
        source: sqlx::Error,
    },
}

/// What is done here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn failed(doing: &'static str) -> impl Fn(sqlx::Error) -> Self + Copy {
        move |source| Self::Failed { doing, source }
    }
}

/// The SQLSTATE of a failure that Postgres tells; empty for others.
pub fn code(error: &sqlx::Error) -> Cow<'_, str> {
    error.as_database_error().and_then(DatabaseError::code).unwrap_or_default()
}
