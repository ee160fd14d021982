//! Makes the tables, one process at a time.
//!
//! So far they have one version. What a second one changes has to come as a step of its own from the first: what makes the
//! first fails where it was made already.
//!
//! The lock ends with its connection; it is tried again and again, as somebody who waits for it within Postgres would be in
//! the way of an index that is made beside writers. apalis notes its migrations in a table of its own, in its schema.

use std::time::Duration;

use apalis_postgres::PostgresStorage;
use sqlx::migrate::MigrateError;
use sqlx::postgres::PgConnection;

use super::{SERVES_FROM, VERSION, refused, server};
use crate::error::QueueError;
use crate::postgres::{errors, pool::name};

/// The lock: the class is that of the store's migrations and two more.
const TRY_LOCK: &str = "SELECT pg_try_advisory_lock(1802071396, 0)";
const UNLOCK: &str = "SELECT pg_advisory_unlock(1802071396, 0)";
/// How often another process is asked whether it is done.
const BETWEEN: Duration = Duration::from_millis(50);

const IS_THERE: &str = "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE n.nspname = 'apalis' AND c.relname = 'kimberly_queue')";
/// What the first version adds to apalis's tables; to be run once.
const ADDITIONS: &str = include_str!("additions.sql");

/// Makes the tables; does nothing if they are there.
pub(super) async fn run(conn: &mut PgConnection, role: &str) -> Result<(), QueueError> {
    if is_done(conn).await? {
        return Ok(());
    }
    alone(conn).await?;
    let done = under_lock(conn, role).await;
    let left = not_alone(conn).await;
    // If the connection broke, both fail, and the first one says at what.
    done?;
    Ok(left?)
}

/// Whether there is nothing to do. Fails if the tables were made by a build that is too new for this one.
async fn is_done(conn: &mut PgConnection) -> Result<bool, QueueError> {
    let is_there: bool = sqlx::query_scalar(IS_THERE).fetch_one(&mut *conn).await?;
    if !is_there {
        return Ok(false);
    }
    let read = sqlx::query_as("SELECT version, serves_from FROM apalis.kimberly_queue");
    let Some((version, serves_from)): Option<(i32, i32)> = read.fetch_optional(conn).await? else { return Ok(false) };
    if serves_from > VERSION {
        return Err(refused(format!(
            "the queue in Postgres was written by a newer build: its tables are of version {version} and serve builds that \
             know {serves_from} or more, this one knows {VERSION}; run the newer build"
        )));
    }
    Ok(version >= VERSION)
}

async fn under_lock(conn: &mut PgConnection, role: &str) -> Result<(), QueueError> {
    // Another process may have done it meanwhile.
    if is_done(conn).await? {
        return Ok(());
    }
    let extension = server::hstore(conn, role).await?;
    let settings = format!("SET search_path = {}; SET statement_timeout = 0", name(&extension));
    server::execute(conn, settings).await?;
    tracing::info!("the tables of the queue are made");
    let mut migrations = PostgresStorage::migrations();
    // It has a lock of its own, for which it would wait.
    migrations.set_locking(false);
    // Over this very connection: of `run` the compiler cannot see that it may move between threads.
    let migrated = migrations.run_direct(None, &mut *conn, false).await;
    migrated.map_err(|error| not_the_owner(role, cause(error)))?;
    let additions = format!(
        "BEGIN; {ADDITIONS}; \
         CREATE TABLE apalis.kimberly_queue (version integer NOT NULL, serves_from integer NOT NULL); \
         INSERT INTO apalis.kimberly_queue VALUES ({VERSION}, {SERVES_FROM}); COMMIT"
    );
    if let Err(error) = server::execute(conn, additions).await {
        // This fails only over a connection that broke, with which the transaction ends.
        let _ = server::execute(conn, "ROLLBACK".to_owned()).await;
        return Err(not_the_owner(role, error));
    }
    Ok(())
}

/// Waits until no other process migrates.
pub(super) async fn alone(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    while !sqlx::query_scalar::<_, bool>(TRY_LOCK).fetch_one(&mut *conn).await? {
        tokio::time::sleep(BETWEEN).await;
    }
    Ok(())
}

/// Lets others migrate.
pub(super) async fn not_alone(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query(UNLOCK).execute(conn).await.map(drop)
}

/// What the database said to a migration of apalis.
fn cause(error: MigrateError) -> sqlx::Error {
    match error {
        MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _) => source,
        other => other.into(),
    }
}

/// Why the tables cannot be made. What Postgres says of a migration holds names of tables and no data.
fn not_the_owner(role: &str, error: sqlx::Error) -> QueueError {
    match (errors::code(&error).as_str(), error.as_database_error()) {
        // Insufficient privilege.
        ("42501", Some(db)) => refused(format!(
            "the role {role} may not make or change the schema apalis ({}): name its owner, too, or have this build started \
             once with an address of Postgres that is the owner's",
            db.message()
        )),
        _ => error.into(),
    }
}
