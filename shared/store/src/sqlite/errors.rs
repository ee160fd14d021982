//! Turns failures of SQLite and of the file system into the domain's error, without any text of a memory.

use std::io;

use kimberly_core::error::{Error, StorageFailure};

const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const NOT_A_DATABASE: i32 = 26;
/// The shared-memory file could not grow, which takes a full disk.
const NO_ROOM_FOR_SHM: i32 = 4_874;
/// Busy, locked, out of memory, read-only, interrupted, I/O error, cannot open, locking protocol: may pass.
const MAY_PASS: [i32; 8] = [5, 6, 7, 8, 9, 10, 14, 15];

/// A failure of SQLite, with what was being done.
pub(crate) fn sql(doing: &str, error: &sqlx::Error) -> Error {
    match error {
        sqlx::Error::Database(db) => {
            let code = code(error);
            // Messages of the full-text parser quote the query.
            let message = if db.message().starts_with("fts5:") { "full-text query refused" } else { db.message() };
            Error::storage(failure(code), format!("{doing}: SQLite error {code}: {message}"))
        }
        sqlx::Error::Io(e) => io(doing, e),
        sqlx::Error::ColumnDecode { index, .. } => {
            Error::storage(StorageFailure::Corrupt, format!("{doing}: column {index} holds something unexpected"))
        }
        sqlx::Error::WorkerCrashed | sqlx::Error::PoolClosed | sqlx::Error::PoolTimedOut => {
            Error::storage(StorageFailure::Unavailable, format!("{doing}: the connection is gone"))
        }
        other => Error::storage(StorageFailure::Defect, format!("{doing}: {other}")),
    }
}

/// SQLite's extended code; 1 for what it has none for.
pub(crate) fn code(error: &sqlx::Error) -> i32 {
    let sqlx::Error::Database(db) = error else { return 1 };
    db.code().and_then(|code| code.parse().ok()).unwrap_or(1)
}

/// A failure of the file system, with what was being done.
pub(crate) fn io(doing: &str, error: &io::Error) -> Error {
    let failure = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StorageFailure::Full,
        _ => StorageFailure::Unavailable,
    };
    Error::storage(failure, format!("{doing}: {error}"))
}

/// Something stored that this build cannot have written.
pub(crate) fn corrupt(detail: impl Into<String>) -> Error {
    Error::storage(StorageFailure::Corrupt, detail)
}

fn failure(code: i32) -> StorageFailure {
    match code & 0xff {
        _ if code == NO_ROOM_FOR_SHM => StorageFailure::Full,
        FULL => StorageFailure::Full,
        CORRUPT | NOT_A_DATABASE => StorageFailure::Corrupt,
        primary if MAY_PASS.contains(&primary) => StorageFailure::Unavailable,
        _ => StorageFailure::Defect,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_sqlite_tell_full_corrupt_and_passing_failures_apart() {
        for (code, expected) in [
            (13, StorageFailure::Full),
            (4_874, StorageFailure::Full),
            (11, StorageFailure::Corrupt),
            (267, StorageFailure::Corrupt),
            (26, StorageFailure::Corrupt),
            (5, StorageFailure::Unavailable),
            (517, StorageFailure::Unavailable),
            (778, StorageFailure::Unavailable),
            (14, StorageFailure::Unavailable),
            (1, StorageFailure::Defect),
            (2_067, StorageFailure::Defect),
        ] {
            assert_eq!(failure(code), expected, "{code}");
        }
    }

    #[test]
    fn a_full_disk_is_told_by_the_file_system_too() {
        let error = io("writing", &io::Error::from(io::ErrorKind::StorageFull));
        assert!(matches!(error, Error::Storage { failure: StorageFailure::Full, .. }));
    }
}
