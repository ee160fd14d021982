//! Makes the tables, one process at a time.
//!
//! So far they have one version. What a second one changes has to come as a step of its own from the first: what makes the
//! first fails where it was made already. apalis notes its migrations in a table of its own, in its schema.

use apalis_postgres::PostgresStorage;
use kimberly_postgres::classes::QUEUE;
use kimberly_postgres::{Lock, execute, extension, name, not_the_owner};
use sqlx::migrate::MigrateError;
use sqlx::postgres::PgConnection;

use super::{EXTENSION, SERVES_FROM, TABLES, VERSION};
use crate::error::QueueError;

/// Held by whoever makes or grants tables.
pub(super) const LOCK: Lock<'_> =
    Lock { class: QUEUE, of: TABLES.schema, doing: "waiting for another process that makes tables" };

/// What the first version adds to apalis's tables; to be run once.
const ADDITIONS: &str = include_str!("additions.sql");

/// Makes the tables; does nothing if they are there.
pub(super) async fn run(conn: &mut PgConnection, role: &str) -> Result<(), QueueError> {
    if is_done(conn).await? {
        return Ok(());
    }
    LOCK.wait(conn).await?;
    let done = under_lock(conn, role).await;
    let left = LOCK.end(conn).await;
    // If the connection broke, both fail, and the first one says at what.
    done?;
    Ok(left?)
}

/// Whether there is nothing to do. Fails if the tables were made by a build that is too new for this one.
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
    // Another process may have done it meanwhile.
    if is_done(conn).await? {
        return Ok(());
    }
    let extension = extension(conn, EXTENSION, role).await?;
    let settings = format!("SET search_path = {}; SET statement_timeout = 0", name(&extension));
    execute(conn, settings).await?;
    tracing::info!("the tables of the queue are made");
    let mut migrations = PostgresStorage::migrations();
    // It has a lock of its own, for which it would wait.
    migrations.set_locking(false);
    // Over this very connection: of `run` the compiler cannot see that it may move between threads.
    let migrated = migrations.run_direct(None, &mut *conn, false).await;
    migrated.map_err(|error| not_the_owner(TABLES.schema, role, cause(error)))?;
    let additions = format!(
        "BEGIN; {ADDITIONS}; \
         CREATE TABLE apalis.kimberly_queue (version integer NOT NULL, serves_from integer NOT NULL); \
         INSERT INTO apalis.kimberly_queue VALUES ({VERSION}, {SERVES_FROM}); COMMIT"
    );
    if let Err(error) = execute(conn, additions).await {
        // This fails only over a connection that broke, with which the transaction ends.
        let _ = execute(conn, "ROLLBACK".to_owned()).await;
        return Err(not_the_owner(TABLES.schema, role, error).into());
    }
    Ok(())
}

/// What the database said to a migration of apalis.
fn cause(error: MigrateError) -> sqlx::Error {
    match error {
        MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _) => source,
        other => other.into(),
    }
}
