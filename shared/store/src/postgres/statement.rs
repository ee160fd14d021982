//! A statement: its values, and how it runs on any connection.

use std::borrow::Cow;

use futures::StreamExt;
use kimberly_core::UserId;
use kimberly_core::error::{Error, Result};
use sqlx::postgres::{PgArguments, PgConnection, PgRow, Postgres};
use sqlx::{Arguments, AssertSqlSafe, Either, SqlSafeStr, SqlStr};

use super::errors;

/// Parameter values of a statement, in order.
#[derive(Default)]
pub(crate) struct Args(PgArguments);

impl Args {
    /// No values: for statements about no user.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// The user as `$1`, which every statement about a vault uses. Without a user it is NULL and matches no rows.
    pub(crate) fn of(user: Option<&UserId>) -> Self {
        Self::none().with(user.map(|user| user.as_str().to_owned()))
    }

    /// Adds a value and returns the arguments.
    pub(crate) fn with<'v, T>(mut self, value: T) -> Self
    where
        T: sqlx::Encode<'v, Postgres> + sqlx::Type<Postgres>,
    {
        self.push(value);
        self
    }

    /// Returns the number of values.
    pub(crate) fn len(&self) -> usize {
        Arguments::len(&self.0)
    }

    /// Adds a value and returns its number: `$2` onwards if the user is `$1`.
    pub(crate) fn push<'v, T>(&mut self, value: T) -> usize
    where
        T: sqlx::Encode<'v, Postgres> + sqlx::Type<Postgres>,
    {
        // Encoding never fails for the types used here; if it did, the statement would lack a value and be refused.
        let added = Arguments::add(&mut self.0, value);
        debug_assert!(added.is_ok());
        Arguments::len(&self.0)
    }
}

/// Why a statement failed.
pub(crate) enum Failure {
    /// An error of Postgres or the connection.
    Sql(sqlx::Error),
    /// The callback failed on a row.
    Taking(Error),
}

impl Failure {
    /// Converts to the domain's error; `doing` names the operation.
    pub(crate) fn into_error(self, doing: &str) -> Error {
        match self {
            Self::Sql(error) => errors::sql(doing, &error),
            Self::Taking(error) => error,
        }
    }
}

/// Runs a statement on any connection.
pub(crate) async fn for_each(
    raw: &mut PgConnection,
    sql: Cow<'static, str>,
    args: Args,
    mut take: impl FnMut(&PgRow) -> Result<bool> + Send,
) -> Result<u64, Failure> {
    let sql: SqlStr = match sql {
        Cow::Borrowed(sql) => sql.into_sql_str(),
        Cow::Owned(sql) => AssertSqlSafe(sql).into_sql_str(),
    };
    let mut changed = 0;
    let mut answers = sqlx::Executor::fetch_many(raw, sqlx::query_with(sql, args.0));
    while let Some(answer) = answers.next().await {
        match answer.map_err(Failure::Sql)? {
            Either::Left(done) => changed = done.rows_affected(),
            Either::Right(row) => {
                if !take(&row).map_err(Failure::Taking)? {
                    break;
                }
            }
        }
    }
    Ok(changed)
}
