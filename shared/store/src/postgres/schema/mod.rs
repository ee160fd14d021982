//! The tables, and how they are made and brought up to date: by whichever process comes first, under a lock, while others
//! go on.

use kimberly_core::error::{Error, Result, StorageFailure};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, Executor};

use super::errors;
use super::options::PgOptions;
use super::pool::{how, name, quoted};

/// Each brings a database from the version before to its own, which is its place in the list.
const MIGRATIONS: [&str; 1] = [include_str!("v1.sql")];

/// The number of the lock, one of Kimberly's own: the first letters of "kimberly".
const LOCK: i64 = 0x6b69_6d62;

/// Makes the schema or brings it up to date, as the owner of the tables.
pub(crate) async fn migrate(options: &PgOptions) -> Result<()> {
    let url = options.owner_url.as_deref().unwrap_or(&options.url);
    let mut conn =
        PgConnection::connect_with(&how(url, options)?).await.map_err(|e| errors::sql("connecting to Postgres", &e))?;
    let done = under_lock(&mut conn, &options.schema).await;
    let _ = conn.close().await;
    done
}

async fn under_lock(conn: &mut PgConnection, schema: &str) -> Result<()> {
    // As long as another process migrates, however long that takes.
    run(conn, "SET lock_timeout = 0; SET statement_timeout = 0".to_owned()).await?;
    run(conn, format!("SELECT pg_advisory_lock({LOCK})")).await?;
    if version(conn, schema).await? == Some(newest()) {
        return run(conn, format!("SELECT pg_advisory_unlock({LOCK})")).await;
    }
    run(conn, format!("CREATE SCHEMA IF NOT EXISTS {}", name(schema))).await?;
    run(conn, "CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)".to_owned()).await?;
    let from = version(conn, schema).await?.unwrap_or_default();
    if from > newest() {
        let detail =
            format!("the database was written by a newer build: its schema is {from}, this build knows {}", newest());
        return Err(Error::storage(StorageFailure::Corrupt, detail));
    }
    for (migration, number) in MIGRATIONS.iter().zip(1_i64..).filter(|(_, number)| *number > from) {
        let sql = format!(
            "BEGIN; {migration}; DELETE FROM schema_version; INSERT INTO schema_version VALUES ({number}); COMMIT"
        );
        run(conn, sql).await?;
    }
    run(conn, format!("SELECT pg_advisory_unlock({LOCK})")).await
}

fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// The version of a schema; `None` if there is none.
async fn version(conn: &mut PgConnection, schema: &str) -> Result<Option<i64>> {
    let table = format!("{}.schema_version", name(schema));
    let there = format!("SELECT to_regclass({}) IS NOT NULL", quoted(&table));
    let there: bool = sqlx::query_scalar(AssertSqlSafe(there))
        .fetch_one(&mut *conn)
        .await
        .map_err(|e| errors::sql("looking for the schema", &e))?;
    if !there {
        return Ok(None);
    }
    sqlx::query_scalar(AssertSqlSafe(format!("SELECT version FROM {table}")))
        .fetch_optional(conn)
        .await
        .map_err(|e| errors::sql("reading the schema's version", &e))
}

async fn run(conn: &mut PgConnection, sql: String) -> Result<()> {
    let done = conn.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await;
    done.map(|_| ()).map_err(|e| {
        tracing::debug!(error = %e, "a migration failed");
        errors::sql("bringing the schema up to date", &e)
    })
}
