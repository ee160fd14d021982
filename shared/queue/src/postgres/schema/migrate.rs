//! Creates the tables, one process at a time.
//!
//! The tables have one version so far. A second version needs a separate step, since the first step fails on existing
//! tables. apalis records its migrations in its own table, in its schema.

use apalis_postgres::PostgresStorage;
use kimberly_postgres::classes::QUEUE;
use kimberly_postgres::{Lock, execute, extension, name, not_the_owner};
use sqlx::migrate::MigrateError;
use sqlx::postgres::PgConnection;

use super::{EXTENSION, SERVES_FROM, TABLES, VERSION};
use crate::error::QueueError;

/// Held to create tables or grant rights.
pub(super) const LOCK: Lock<'_> =
    Lock { class: QUEUE, of: TABLES.schema, doing: "waiting for another process that creates tables" };

/// The first version's additions to apalis's tables; run once.
const ADDITIONS: &str = include_str!("additions.sql");

/// Creates the tables unless they exist.
pub(super) async fn run(conn: &mut PgConnection, role: &str) -> Result<(), QueueError> {
    if is_done(conn).await? {
        return Ok(());
    }
    LOCK.wait(conn).await?;
    let done = under_lock(conn, role).await;
    let left = LOCK.end(conn).await;
    // If the connection broke, both fail, and the first error says where.
    done?;
    Ok(left?)
}

/// Whether the tables exist. Fails if a build made them that is too new for this one.
async fn is_done(conn: &mut PgConnection) -> Result<bool, QueueError> {
    if !TABLES.are_there(conn).await? {
        return Ok(false);
    }
    let read = sqlx::query_as("SELECT version, serves_from FROM apalis.kimberly_queue");
    let Some((version, serves_from)): Option<(i32, i32)> = read.fetch_optional(conn).await? else { return Ok(false) };
    if serves_from > VERSION {
        return Err(QueueError::Refused(format!(
            "the queue in Postgres has version {version}, written by a newer build, and serves builds from {serves_from}; \
             this one is {VERSION}: run the newer build"
        )));
    }
    Ok(version >= VERSION)
}

async fn under_lock(conn: &mut PgConnection, role: &str) -> Result<(), QueueError> {
    // Another process may have created them meanwhile.
    if is_done(conn).await? {
        return Ok(());
    }
    let extension = extension(conn, EXTENSION, role).await?;
    // On Citus the queue stays on the coordinator.
    let settings = format!(
        "SET search_path = {}; SET statement_timeout = 0; SET citus.enable_ddl_propagation = off",
        name(&extension)
    );
    execute(conn, settings).await?;
    tracing::info!("the tables of the queue were created");
    let mut migrations = PostgresStorage::migrations();
    // Its own lock would deadlock with ours.
    migrations.set_locking(false);
    // On this connection; with `run`, the compiler cannot prove that the future is `Send`.
    let migrated = migrations.run_direct(None, &mut *conn, false).await;
    migrated.map_err(|error| not_the_owner(TABLES.schema, role, cause(error)))?;
    let additions = format!(
        "BEGIN; {ADDITIONS}; \
         CREATE TABLE apalis.kimberly_queue (version integer NOT NULL, serves_from integer NOT NULL); \
         INSERT INTO apalis.kimberly_queue VALUES ({VERSION}, {SERVES_FROM}); COMMIT"
    );
    if let Err(error) = execute(conn, additions).await {
        // Fails only if the connection broke, which ends the transaction too.
        let _ = execute(conn, "ROLLBACK".to_owned()).await;
        return Err(not_the_owner(TABLES.schema, role, error).into());
    }
    Ok(())
}

/// The database error of an apalis migration.
fn cause(error: MigrateError) -> sqlx::Error {
    match error {
        MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _) => source,
        other => other.into(),
    }
}
