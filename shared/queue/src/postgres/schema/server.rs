//! Connecting, and whether the server will do.

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection as _};

use super::refused;
use crate::error::QueueError;
use crate::postgres::options::PgQueueOptions;
use crate::postgres::{errors, pool};

/// The oldest that is supported, as Postgres counts versions.
const OLDEST: i32 = 140_000;

const ABOUT: &str = "SELECT current_setting('server_version_num')::integer, current_setting('server_version')";
const WHERE: &str = "SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace \
     WHERE e.extname = 'hstore'";

/// Connects. Why Postgres lets nobody in is told in its words, which hold no more than names.
pub(super) async fn connect(url: &str, options: &PgQueueOptions) -> Result<PgConnection, QueueError> {
    let how = pool::how(url, options)?;
    Box::pin(PgConnection::connect_with(&how)).await.map_err(|error| match &error {
        sqlx::Error::Database(db) if db.code().is_some_and(|code| code.starts_with("28") || code == "3D000") => {
            refused(format!("Postgres does not let the queue in: {}", db.message()))
        }
        _ => error.into(),
    })
}

/// Ends a connection.
pub(super) async fn close(conn: PgConnection) {
    // It has done what it was for.
    let _ = conn.close().await;
}

/// Refuses a server that is too old.
pub(super) async fn check(conn: &mut PgConnection) -> Result<(), QueueError> {
    let (number, version): (i32, String) = sqlx::query_as(ABOUT).fetch_one(conn).await?;
    if number >= OLDEST {
        return Ok(());
    }
    Err(refused(format!("Postgres {version} is too old: the queue needs Postgres {} or later", OLDEST / 10_000)))
}

/// The schema of the extension that apalis keeps metadata with, if it is there.
pub(super) async fn where_is_hstore(conn: &mut PgConnection) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar(WHERE).fetch_optional(conn).await
}

/// Makes the extension if it is missing, and returns its schema.
pub(super) async fn hstore(conn: &mut PgConnection, role: &str) -> Result<String, QueueError> {
    if let Some(schema) = where_is_hstore(conn).await? {
        return Ok(schema);
    }
    let made = sqlx::raw_sql("CREATE EXTENSION IF NOT EXISTS hstore SCHEMA public").execute(&mut *conn).await;
    match (where_is_hstore(conn).await?, made) {
        // Somebody else may have made it meanwhile.
        (Some(schema), _) => Ok(schema),
        (None, Err(error)) => Err(missing(role, error)),
        (None, Ok(_)) => Err(refused("the extension hstore cannot be made".to_owned())),
    }
}

/// Why the extension cannot be made, and what to do.
fn missing(role: &str, error: sqlx::Error) -> QueueError {
    match errors::code(&error).as_str() {
        // Insufficient privilege.
        "42501" => refused(format!(
            "the extension hstore is missing and the role {role} may not make it: run CREATE EXTENSION hstore SCHEMA public \
             in this database as a superuser or as its owner"
        )),
        // No such file; feature not supported.
        "58P01" | "0A000" => refused(
            "the extension hstore is not installed on the server of Postgres: install its contrib modules \
             (the package postgresql-contrib)"
                .to_owned(),
        ),
        _ => error.into(),
    }
}

/// Runs statements.
pub(super) async fn execute(conn: &mut PgConnection, sql: String) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(conn).await.map(drop)
}
