//! A database's record of a move, and the lock that separates working processes from a move away.

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_postgres::name;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Row as _};

use crate::moving::side::{MoveRecord, State};
use crate::moving::{half_filled, left_for, refused};
use crate::postgres::errors;
use crate::postgres::pool::in_use;

/// Refuses a database that was moved away, is incomplete, or is being moved away right now.
pub(crate) async fn refuse_moved(conn: &mut PgConnection, schema: &str) -> Result<()> {
    match read(conn, schema).await? {
        Some(MoveRecord { state: State::Left, other, .. }) => {
            let side = format!("the schema {schema} of this database");
            return Err(refused(left_for(&side, &other, &undo(schema))));
        }
        Some(MoveRecord { state: State::Filling, other, .. }) => {
            return Err(refused(half_filled(&format!("the schema {schema} of this database"), &other)));
        }
        Some(MoveRecord { state: State::Arrived, .. }) | None => {}
    }
    let lock = in_use(schema);
    if lock.try_share(conn).await.map_err(errors::of)? {
        return lock.end_share(conn).await.map_err(errors::of);
    }
    Err(Error::storage(
        StorageFailure::Unavailable,
        "`kimberly migrate` is working on this database: start again when it is done",
    ))
}

/// How to start again on a database that was moved away.
pub(super) fn undo(schema: &str) -> String {
    format!("run DELETE FROM {}.moves in it", name(schema))
}

/// Reads the record.
pub(super) async fn read(conn: &mut PgConnection, schema: &str) -> Result<Option<MoveRecord>> {
    let failed = |e: sqlx::Error| errors::sql("checking whether the database was migrated", &e);
    let sql = format!("SELECT state, installation, other FROM {}.moves", name(schema));
    let row = sqlx::query(AssertSqlSafe(sql)).fetch_optional(conn).await.map_err(failed)?;
    row.map(|row| {
        let state: String = row.try_get(0).map_err(failed)?;
        let state = State::parse(&state).ok_or_else(|| errors::corrupt("the table moves holds another state"))?;
        Ok(MoveRecord { state, installation: row.try_get(1).map_err(failed)?, other: row.try_get(2).map_err(failed)? })
    })
    .transpose()
}

/// Tries to take the exclusive lock, which ends with the connection.
pub(super) async fn alone(conn: &mut PgConnection, schema: &str) -> Result<bool> {
    in_use(schema).try_take(conn).await.map_err(errors::of)
}

/// Releases the lock.
pub(super) async fn others_may_come(conn: &mut PgConnection) -> Result<()> {
    let ended = sqlx::query("SELECT pg_advisory_unlock_all()").execute(conn).await;
    ended.map(drop).map_err(|e| errors::sql("unlocking the database after a migration", &e))
}
