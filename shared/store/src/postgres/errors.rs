//! Converts errors of Postgres to the domain's error, without any memory text.

use kimberly_core::error::{Error, StorageFailure};
use kimberly_postgres::code;

pub(crate) use crate::corrupt;

/// SQLSTATE classes and codes of possibly temporary errors: connection lost; serialization failure or deadlock;
/// insufficient resources; server starting or stopping; lock or statement timeout; read-only standby; idle transaction
/// timeout, as when the whole process was suspended.
const MAY_PASS: [&str; 8] = ["08", "40", "53", "57", "58", "55P03", "25006", "25P03"];
/// SQLSTATE classes and codes of a lost connection, including one that the server terminated.
const GONE: [&str; 5] = ["08", "25P03", "57P01", "57P02", "57P05"];
/// The server's disk is full.
const FULL: &str = "53100";
/// Damaged server files: a table's page, or an index. Other codes of class XX are defects of Postgres or an extension.
const CORRUPT: [&str; 2] = ["XX001", "XX002"];
const INTERNAL: &str = "XX000";

/// Converts an error of the shared Postgres crate.
pub(crate) fn of(error: kimberly_postgres::Error) -> Error {
    match error {
        kimberly_postgres::Error::Refused(problem) => Error::storage(StorageFailure::Defect, problem),
        kimberly_postgres::Error::Failed { doing, source } => sql(doing, &source),
    }
}

/// Converts an error of Postgres; `doing` names the operation. Omits the detail, which quotes values of rows.
pub(crate) fn sql(doing: &str, error: &sqlx::Error) -> Error {
    match error {
        sqlx::Error::Database(db) => {
            let code = db.code().unwrap_or_default();
            Error::storage(failure(&code), format!("{doing}: Postgres error {code}"))
        }
        sqlx::Error::Io(e) => Error::storage(StorageFailure::Unavailable, format!("{doing}: {e}")),
        sqlx::Error::Tls(_) => Error::storage(StorageFailure::Unavailable, format!("{doing}: TLS failed")),
        sqlx::Error::ColumnDecode { index, .. } => {
            corrupt(format!("{doing}: column {index} holds something unexpected"))
        }
        sqlx::Error::WorkerCrashed
        | sqlx::Error::PoolClosed
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::BeginFailed
        | sqlx::Error::Protocol(_) => {
            Error::storage(StorageFailure::Unavailable, format!("{doing}: no connection to Postgres"))
        }
        other => Error::storage(StorageFailure::Defect, format!("{doing}: {other}")),
    }
}

/// Reports whether work that failed before its commit may be repeated: it lost a conflict, or its connection.
pub(crate) fn may_be_done_again(error: &sqlx::Error) -> bool {
    lost_a_race(error) || lost_the_way(error)
}

/// Reports whether Postgres rolled back because of a conflict with another transaction.
pub(crate) fn lost_a_race(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(db) = error else { return false };
    db.code().is_some_and(|code| code == "40001" || code == "40P01")
}

/// Reports whether the connection was lost, so that the outcome of the last request is unknown.
pub(crate) fn lost_the_way(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(db) => db.code().is_some_and(|code| GONE.iter().any(|gone| code.starts_with(gone))),
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => true,
        _ => false,
    }
}

/// Converts an error of COMMIT.
pub(crate) fn committing(error: &sqlx::Error) -> Error {
    if code(error) == INTERNAL {
        let detail = "committing: Postgres error XX000, so whether it succeeded is unknown";
        return Error::storage(StorageFailure::Unavailable, detail);
    }
    sql("committing", error)
}

/// Reports whether a COMMIT that failed like this may have succeeded. Citus reports a node that died meanwhile as an
/// internal error.
pub(crate) fn leaves_open(error: &sqlx::Error) -> bool {
    lost_the_way(error) || code(error) == INTERNAL
}

fn failure(code: &str) -> StorageFailure {
    match code {
        FULL => StorageFailure::Full,
        _ if CORRUPT.contains(&code) => StorageFailure::Corrupt,
        _ if MAY_PASS.iter().any(|may_pass| code.starts_with(may_pass)) => StorageFailure::Unavailable,
        _ => StorageFailure::Defect,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_postgres_tell_full_corrupt_and_passing_failures_apart() {
        for (code, expected) in [
            ("53100", StorageFailure::Full),
            ("53300", StorageFailure::Unavailable),
            ("08006", StorageFailure::Unavailable),
            ("40001", StorageFailure::Unavailable),
            ("57P01", StorageFailure::Unavailable),
            ("55P03", StorageFailure::Unavailable),
            ("25006", StorageFailure::Unavailable),
            ("25P03", StorageFailure::Unavailable),
            ("XX001", StorageFailure::Corrupt),
            ("XX002", StorageFailure::Corrupt),
            ("XX000", StorageFailure::Defect),
            ("XX003", StorageFailure::Defect),
            ("23505", StorageFailure::Defect),
            ("42601", StorageFailure::Defect),
        ] {
            assert_eq!(failure(code), expected, "{code}");
        }
    }
}
