//! Creates and migrates the schema.
//!
//! One process at a time migrates, under a lock that ends with its connection. Each migration is one transaction,
//! applied completely or not at all. It waits only briefly for a lock, because everybody queues behind a statement that
//! waits for a table; then it is rolled back and retried.

use std::time::Duration;

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_postgres::classes::MIGRATING;
use kimberly_postgres::{Lock, code, execute, extension, name, not_the_owner};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Row as _};

use super::roles::tables;
use crate::postgres::errors;
use crate::tables::Dialect;

/// Longest wait of a migration for a lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
/// Attempts of a migration whose tables are in use, and the pause between them.
const TRIES: u32 = 150;
const AFTER: Duration = Duration::from_secs(1);

/// Required extensions; both come with Postgres.
const EXTENSIONS: [&str; 2] = ["btree_gin", "pg_trgm"];

const SCHEMA_IS_THERE: &str = "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)";

/// A migration of the schema.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// Statements, run as one transaction.
    pub sql: &'static str,
    /// The oldest schema version whose builds still work after this migration; unchanged by mere additions.
    pub serves_from: i64,
}

/// The schema version that a database records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    /// Number of the last migration.
    is: i64,
    /// The oldest version whose builds can work with it.
    serves_from: i64,
}

/// Held while tables are created or granted.
pub(super) fn lock(schema: &str) -> Lock<'_> {
    Lock { class: MIGRATING, of: schema, doing: "waiting for another process that migrates" }
}

/// Creates or migrates the schema; does nothing if it is current.
pub(super) async fn run(conn: &mut PgConnection, schema: &str, role: &str, migrations: &[Migration]) -> Result<()> {
    if is_done(conn, schema, migrations).await? {
        return Ok(());
    }
    let lock = lock(schema);
    lock.wait(conn).await.map_err(errors::of)?;
    let done = under_lock(conn, schema, role, migrations).await;
    let left = lock.end(conn).await.map_err(errors::of);
    // If the connection broke, both fail, and the first error says where.
    done.and(left)
}

/// Reports whether there is nothing to do. Fails if a build too new for this one has written the database.
async fn is_done(conn: &mut PgConnection, schema: &str, migrations: &[Migration]) -> Result<bool> {
    let newest = i64::try_from(migrations.len()).unwrap_or(i64::MAX);
    let Some(version) = version(conn, schema).await? else { return Ok(false) };
    if version.serves_from > newest {
        let detail = format!(
            "the database was written by a newer build: its schema is {} and serves builds that know {} or more, this one \
             knows {newest}; run the newer build",
            version.is, version.serves_from
        );
        return Err(Error::storage(StorageFailure::Corrupt, detail));
    }
    Ok(version.is >= newest)
}

async fn under_lock(conn: &mut PgConnection, schema: &str, role: &str, migrations: &[Migration]) -> Result<()> {
    // Another process may have migrated it meanwhile.
    if is_done(conn, schema, migrations).await? {
        return Ok(());
    }
    let may_not = |e: sqlx::Error| failed(schema, role, e);
    let found = sqlx::query_scalar(SCHEMA_IS_THERE).bind(schema).fetch_one(&mut *conn).await;
    let is_there: bool = found.map_err(|e| errors::sql("checking for the schema", &e))?;
    // An existing schema is used even if the role may not create one.
    if !is_there {
        execute(conn, format!("CREATE SCHEMA {}", name(schema))).await.map_err(may_not)?;
    }
    let mut path = vec![name(schema)];
    for needed in EXTENSIONS {
        path.push(name(&extension(conn, needed, role).await.map_err(errors::of)?));
    }
    let setting = format!(
        "SET search_path = {}; SET lock_timeout = {}; SET statement_timeout = 0",
        path.join(", "),
        LOCK_TIMEOUT.as_millis()
    );
    execute(conn, setting).await.map_err(|e| errors::sql("preparing a migration", &e))?;
    let from = version(conn, schema).await?.map_or(0, |version| version.is);
    for (migration, number) in migrations.iter().zip(1_i64..).filter(|(_, number)| *number > from) {
        tracing::info!(version = number, "migrating the schema");
        one(conn, schema, role, migration, number).await?;
    }
    Ok(())
}

/// Runs one migration, retrying while its tables are in use.
async fn one(conn: &mut PgConnection, schema: &str, role: &str, migration: &Migration, number: i64) -> Result<()> {
    let sql = format!(
        "BEGIN; {}; CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL, serves_from bigint NOT NULL); \
         DELETE FROM schema_version; INSERT INTO schema_version VALUES ({number}, {}); COMMIT",
        Dialect::Database.filled(migration.sql),
        migration.serves_from
    );
    for _ in 0..TRIES {
        let Err(error) = execute(conn, sql.clone()).await else { return Ok(()) };
        // Fails only if the connection broke, which ends the transaction.
        let _ = execute(conn, "ROLLBACK".to_owned()).await;
        // Lock timeout or deadlock.
        if !["55P03", "40P01"].contains(&code(&error).as_ref()) {
            return Err(failed(schema, role, error));
        }
        tracing::info!(version = number, "tables are in use; the migration is retried");
        tokio::time::sleep(AFTER).await;
    }
    Err(Error::storage(StorageFailure::Unavailable, "the schema cannot be migrated: its tables are in use"))
}

/// Converts an error of a migration. Postgres' message, which contains names of tables but no data, is logged.
fn failed(schema: &str, role: &str, error: sqlx::Error) -> Error {
    let said = error.as_database_error().map(|db| db.message().to_owned());
    let error = not_the_owner(schema, role, error);
    if let (kimberly_postgres::Error::Failed { .. }, Some(said)) = (&error, said) {
        tracing::warn!(error = said, "a migration failed");
    }
    errors::of(error)
}

/// Returns the version of a schema; `None` if it does not exist.
async fn version(conn: &mut PgConnection, schema: &str) -> Result<Option<Version>> {
    let failed = |e: sqlx::Error| errors::sql("reading the schema's version", &e);
    if !tables(schema).are_there(conn).await.map_err(errors::of)? {
        return Ok(None);
    }
    let sql = format!("SELECT version, serves_from FROM {}.schema_version", name(schema));
    let row = sqlx::query(AssertSqlSafe(sql)).fetch_optional(conn).await.map_err(failed)?;
    row.map(|row| {
        let (is, serves_from) = (row.try_get(0).map_err(failed)?, row.try_get(1).map_err(failed)?);
        Ok(Version { is, serves_from })
    })
    .transpose()
}
