//! Runs a statement on any connection.

use std::borrow::Cow;

use futures::StreamExt;
use kimberly_core::error::{Error, Result};
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Either, SqlSafeStr, SqlStr};

use super::conn::Args;
use super::errors;

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
