//! Tests migrations with made-up schemas.

use rusqlite::Row;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::*;
use crate::sqlite::options::SqliteOptions;
use crate::sqlite::pragmas;

const FIRST: &str = "PRAGMA application_id = 7; CREATE TABLE things (a INTEGER); INSERT INTO things VALUES (1)";
const SECOND: &str = "ALTER TABLE things ADD COLUMN b INTEGER; UPDATE things SET b = a + 1";
const FAILS: &str = "ALTER TABLE things ADD COLUMN b INTEGER; UPDATE things SET b = no_such_column";
/// Runs for minutes, and writes more than the page cache holds.
const LONG: &str = "ALTER TABLE things ADD COLUMN b INTEGER; \
     INSERT INTO things WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000) \
     SELECT i, i FROM n";

const OLD: Schema = of(&[FIRST]);
const NEW: Schema = of(&[FIRST, SECOND]);
const FAILING: Schema = of(&[FIRST, FAILS]);
const KILLED: Schema = of(&[FIRST, LONG]);

const PATH: &str = "KIMBERLY_TEST_STEPS";

const fn of(steps: &'static [&'static str]) -> Schema {
    Schema { what: "a file of things", application_id: 7, steps }
}

fn open(path: &Path) -> Conn {
    let options = SqliteOptions::new(path);
    Conn::open(&pragmas::maker(path, &options, None), options.busy_timeout).unwrap()
}

async fn migrate(schema: &Schema, path: &Path) -> Result<()> {
    let mut conn = open(path);
    let done = schema.migrate(&mut conn).await;
    conn.close().await.unwrap();
    done
}

/// Returns the file's version, its column names and the sum of its rows.
async fn state(path: &Path) -> (i64, String, i64) {
    let mut conn = open(path);
    let version = NEW.check(&mut conn).await.unwrap();
    let sql = "SELECT (SELECT group_concat(name) FROM pragma_table_info('things')), (SELECT sum(a) FROM things)";
    let read = |row: &Row<'_>| {
        let c = &mut Cells::new(row);
        Ok((c.text()?, c.int()?))
    };
    let (columns, sum) = conn.row("looking", sql, Args::new(), read).await.unwrap().unwrap();
    conn.close().await.unwrap();
    (version, columns, sum)
}

#[tokio::test]
async fn a_file_is_stepped_up_once_and_a_build_of_before_refuses_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("things.db");
    migrate(&OLD, &path).await.unwrap();
    assert_eq!(state(&path).await, (1, "a".to_owned(), 1));
    for _ in 0..2 {
        migrate(&NEW, &path).await.unwrap();
        assert_eq!(state(&path).await, (2, "a,b".to_owned(), 1));
    }
    let told = migrate(&OLD, &path).await.unwrap_err().to_string();
    assert!(told.contains("a file of things of schema version 2") && told.contains("up to version 1"), "{told}");
}

#[tokio::test]
async fn a_step_that_fails_leaves_the_version_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("things.db");
    migrate(&OLD, &path).await.unwrap();
    migrate(&FAILING, &path).await.unwrap_err();
    assert_eq!(state(&path).await, (1, "a".to_owned(), 1));
    migrate(&NEW, &path).await.unwrap();
    assert_eq!(state(&path).await, (2, "a,b".to_owned(), 1));
}

/// The process that is killed: this test binary again.
#[tokio::test]
async fn another_process_makes_a_long_step() {
    let Some(path) = std::env::var_os(PATH).map(PathBuf::from) else { return };
    migrate(&KILLED, &path).await.unwrap();
}

#[tokio::test]
async fn a_step_that_is_killed_leaves_the_version_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("things.db");
    migrate(&OLD, &path).await.unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sqlite::schema::tests::another_process_makes_a_long_step", "--test-threads=1"])
        .env(PATH, &path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Part of the step is in the log.
    let log = path.with_extension("db-wal");
    while std::fs::metadata(&log).map_or(0, |log| log.len()) < 1 << 20 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(state(&path).await, (1, "a".to_owned(), 1));
    migrate(&NEW, &path).await.unwrap();
    assert_eq!(state(&path).await, (2, "a,b".to_owned(), 1));
}
