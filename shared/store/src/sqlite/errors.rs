//! Converts errors of SQLite and the file system to the domain's error, without any memory text.

use std::io;

use kimberly_core::error::{Error, StorageFailure};

pub(crate) use crate::corrupt;
pub(crate) use crate::keys::failure as key;

const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const NOT_A_DATABASE: i32 = 26;
/// A trigger raised an error.
const RAISED: i32 = 1_811;
/// The message of a purged vault's trigger.
pub(crate) const PURGED: &str = "purged";
/// The shared-memory file could not grow, because the disk is full.
const NO_ROOM_FOR_SHM: i32 = 4_874;
/// Part of the message for files of a newer build.
pub(crate) const NEWER: &str = "written by a newer build";
const NO_MEMORY: i32 = 7;
const IO: i32 = 10;
/// The file is shorter than its pages require.
const SHORT_READ: i32 = 522;
/// The disk failed to read, write, sync, stat, seek or truncate, or for an unknown reason. The last code is what SQLite
/// reports for EIO when it reads a page.
const DISK: [i32; 9] = [10, 266, 778, 1_034, 1_290, 1_546, 1_802, 5_642, UNREADABLE];
const UNREADABLE: i32 = 8_458;
/// Writing, syncing or truncating failed, possibly as a commit's last step.
const IN_COMMIT: [i32; 4] = [778, 1_034, 1_290, 1_546];
/// Busy, locked, out of memory, read-only, interrupted, I/O error, cannot open, locking protocol: possibly temporary.
const MAY_PASS: [i32; 8] = [5, 6, 7, 8, 9, 10, 14, 15];

/// Converts an error of SQLite; `doing` names the operation.
pub(crate) fn sql(doing: &str, error: &rusqlite::Error) -> Error {
    let message = match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        rusqlite::Error::SqliteFailure(code, None) => code.to_string(),
        other => return Error::storage(StorageFailure::Defect, format!("{doing}: {other}")),
    };
    let code = code(error);
    if code == RAISED && message == PURGED {
        return Error::Purging;
    }
    // Error messages of the full-text parser quote the query.
    let message = if message.starts_with("fts5:") { "full-text query refused" } else { &message };
    Error::storage(failure(code), format!("{doing}: SQLite error {code}: {message}"))
}

/// Returns SQLite's extended error code; 1 if there is none.
pub(crate) fn code(error: &rusqlite::Error) -> i32 {
    match error {
        rusqlite::Error::SqliteFailure(error, _) | rusqlite::Error::SqlInputError { error, .. } => error.extended_code,
        _ => 1,
    }
}

/// Reports whether the file is not a database, or not with this key.
pub(crate) fn is_no_database(error: &Error) -> bool {
    told(error).any(|code| code == NOT_A_DATABASE)
}

/// Reports whether pages of the file are malformed or missing.
pub(crate) fn is_malformed(error: &Error) -> bool {
    told(error).any(|code| code & 0xff == CORRUPT || code == SHORT_READ)
}

/// Returns the SQLite codes in the message of a corruption error.
fn told(error: &Error) -> impl Iterator<Item = i32> {
    let detail = match error {
        Error::Storage { failure: StorageFailure::Corrupt, detail } => detail.as_str(),
        _ => "",
    };
    detail.split("SQLite error ").skip(1).filter_map(|rest| rest.split(':').next()?.parse().ok())
}

/// Reports whether the file was written by a newer build, which is not damage.
pub(crate) fn is_newer(error: &Error) -> bool {
    matches!(error, Error::Storage { failure: StorageFailure::Corrupt, detail } if detail.contains(NEWER))
}

/// Converts an error of the file system; `doing` names the operation.
pub(crate) fn io(doing: &str, error: &io::Error) -> Error {
    Error::storage(StorageFailure::of_io(error), format!("{doing}: {error}"))
}

/// Reports whether the failed operation may have been a commit that is in the log nevertheless.
pub(crate) fn may_be_in_log(code: i32) -> bool {
    IN_COMMIT.contains(&code)
}

/// Reports whether SQLite's check found a page that the disk does not give or for which there is no memory, which says
/// nothing about the page's content.
pub(crate) fn is_unreadable(told: &str) -> bool {
    let codes = told.split("error code=").skip(1).filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
    codes
        .filter_map(|code| code.parse().ok())
        .any(|code: i32| code != SHORT_READ && matches!(code & 0xff, NO_MEMORY | IO))
}

fn failure(code: i32) -> StorageFailure {
    match code & 0xff {
        _ if code == NO_ROOM_FOR_SHM => StorageFailure::Full,
        FULL => StorageFailure::Full,
        _ if code == SHORT_READ => StorageFailure::Corrupt,
        CORRUPT | NOT_A_DATABASE => StorageFailure::Corrupt,
        _ if DISK.contains(&code) => StorageFailure::Disk,
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
            (522, StorageFailure::Corrupt),
            (5, StorageFailure::Unavailable),
            (517, StorageFailure::Unavailable),
            (778, StorageFailure::Disk),
            (1_034, StorageFailure::Disk),
            (8_458, StorageFailure::Disk),
            (3_082, StorageFailure::Unavailable),
            (14, StorageFailure::Unavailable),
            (1, StorageFailure::Defect),
            (2_067, StorageFailure::Defect),
        ] {
            assert_eq!(failure(code), expected, "{code}");
        }
    }

    #[tokio::test]
    async fn what_is_no_database_is_distinguished_from_what_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.db");
        std::fs::write(&path, "not a database".repeat(1000)).unwrap();
        let options = crate::SqliteOptions::new(folder.path());
        let how = crate::sqlite::pragmas::reader(&path, &options, None);
        let looked = async {
            let mut conn = crate::sqlite::conn::Conn::open(&how, options.busy_timeout)?;
            conn.run("looking", "SELECT 1 FROM sqlite_schema", crate::sqlite::conn::Args::new()).await
        };
        assert!(is_no_database(&looked.await.unwrap_err()));
        assert!(!is_no_database(&corrupt("looking: SQLite error 11: malformed")));
    }

    #[test]
    fn a_page_that_cannot_be_read_now_is_distinguished_from_a_damaged_one() {
        let told =
            |code: i32| format!("*** in database main ***\nTree 5 page 7: unable to get the page. error code={code}");
        assert!([7, 10, 266, 3_082, UNREADABLE].iter().all(|code| is_unreadable(&told(*code))));
        assert!([11, 26, SHORT_READ].iter().all(|code| !is_unreadable(&told(*code))));
        assert!(!is_unreadable("Page 10: never used"));
    }

    #[test]
    fn a_full_disk_is_reported_by_the_file_system_too() {
        let error = io("writing", &io::Error::from(io::ErrorKind::StorageFull));
        assert!(matches!(error, Error::Storage { failure: StorageFailure::Full, .. }));
    }
}
