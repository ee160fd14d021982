//! Errors before anything is stored.

use std::borrow::Cow;

use sqlx::error::DatabaseError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address, the server, the database or its roles are unsuitable; worded for operators. Retrying does not
    /// help.
    #[error("{0}")]
    Refused(String),
    /// A statement or the connection failed.
    #[error("{doing}: {source}")]
    Failed {
        /// The operation.
        doing: &'static str,
        /// The error of Postgres. May quote values, so it must not be logged.
        source: sqlx::Error,
    },
}

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn failed(doing: &'static str) -> impl Fn(sqlx::Error) -> Self + Copy {
        move |source| Self::Failed { doing, source }
    }
}

/// Returns the SQLSTATE of a Postgres error; empty for other errors.
pub fn code(error: &sqlx::Error) -> Cow<'_, str> {
    error.as_database_error().and_then(DatabaseError::code).unwrap_or_default()
}
