//! Counts and deletes all rows of a vault, and empties its write-ahead log.
//!
//! The deleting transaction stores the counts in the vault, so they stay the same if the purge is interrupted and
//! repeated. It also creates a trigger that refuses every later commit of any process: all acknowledged commits came
//! before it.

use std::collections::BTreeMap;

use kimberly_core::error::{Error, Result, StorageFailure};
use rusqlite::Row;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors::{self, PURGED};
use crate::sqlite::file::{DbFile, Use};
use crate::sqlite::options::SqliteOptions;
use crate::sqlite::rows::{Cells, ReadRow as _};
use crate::sqlite::schema::VAULT;

/// The table `purged` exists if the vault was emptied, and holds its counts.
const IS_EMPTY: &str = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'purged')";
const STORED_COUNTS: &str = "SELECT counts FROM purged";
/// Tables to empty. Tables with a fixed number of rows are reset instead.
const TABLES: &str = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
     AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT IN ('vault', 'counters', 'embedding') ORDER BY name";
/// Full-text tables, those of a rebuild included; their vocabularies hold nothing of their own.
const INDICES_OF_TEXT: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%USING fts5%' \
     AND sql NOT LIKE '%USING fts5vocab%'";
const TRIGGERS: &str = "SELECT name FROM sqlite_schema WHERE type = 'trigger'";
const MEMORY_BYTES: &str = "SELECT coalesce(sum(size_bytes), 0) FROM memories";
/// Counters that signal changes are not reset but incremented.
const SET_BACK: &str = "UPDATE counters SET items = 0, bytes = 0 WHERE slot NOT IN (12, 13, 14); \
     UPDATE counters SET items = items + 1 WHERE slot IN (12, 13, 14); \
     UPDATE embedding SET waiting = 0, rebuild = 0, asked_at = NULL, synced_at = NULL, needed = 0, missing = 0, failed = 0; \
     UPDATE vault SET user_id = NULL, settings = NULL, settings_revision = 0, audit_pruned = NULL, \
     audit_pruned_hash = NULL; \
     CREATE TABLE purged (counts TEXT NOT NULL) STRICT";
/// All rows of all tables go, so none is left that refers to another. With checks, SQLite would delete row by row and look
/// up each one in all tables that may refer to it, instead of emptying a table at once.
const UNCHECKED: &str = "PRAGMA foreign_keys = OFF";
const STORE_COUNTS: &str = "INSERT INTO purged (counts) VALUES (?)";
const EMPTY_LOG: &str = "PRAGMA wal_checkpoint(TRUNCATE)";

/// The counts of a vault before it was emptied.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// Rows per table.
    pub(super) rows: BTreeMap<String, u64>,
    /// Bytes counted for memories.
    pub(super) memory_bytes: u64,
}

/// Empties a vault; `None` if it cannot be read at all.
pub(super) async fn empty(file: &DbFile, options: &SqliteOptions) -> Result<Option<Held>> {
    match whole(file, options).await {
        Ok(held) => Ok(Some(held)),
        Err(Error::Storage { failure: StorageFailure::Corrupt, detail }) => {
            tracing::warn!(detail, "a vault to purge cannot be read; its key and files are removed all the same");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

async fn whole(file: &DbFile, options: &SqliteOptions) -> Result<Held> {
    let (mut conn, _) = file.open(Use::Write, options).await?;
    let done = async {
        VAULT.migrate(&mut conn).await?;
        begin(&mut conn).await?;
        let held = within(&mut conn).await;
        let end = if held.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = conn.run("emptying a vault", end, Args::new()).await;
        let held = held?;
        ended?;
        empty_log(&mut conn).await?;
        Ok(held)
    };
    let done = done.await;
    // The first error is the one to report.
    let _ = conn.close().await;
    done
}

/// Begins the transaction. Foreign keys cannot be turned off within it.
async fn begin(conn: &mut Conn) -> Result<()> {
    conn.run("emptying a vault", UNCHECKED, Args::new()).await?;
    conn.run("emptying a vault", "BEGIN IMMEDIATE", Args::new()).await?;
    Ok(())
}

/// Within the transaction: returns the stored counts of an earlier run, or counts and deletes all rows.
async fn within(conn: &mut Conn) -> Result<Held> {
    let doing = "emptying a vault";
    if conn.row(doing, IS_EMPTY, Args::new(), |row| Cells::new(row).flag()).await? == Some(true) {
        let counts =
            conn.row(doing, STORED_COUNTS, Args::new(), |row| Cells::new(row).text()).await?.unwrap_or_default();
        return read(&counts);
    }
    let held = count(conn).await?;
    let written = serde_json::to_string(&(&held.rows, held.memory_bytes))
        .map_err(|_| Error::storage(StorageFailure::Defect, "counts cannot be written as JSON"))?;
    // Triggers are dropped first, because they would remove every row from the index one by one.
    for (list, statement) in [
        (TRIGGERS, "DROP TRIGGER \"%\""),
        (INDICES_OF_TEXT, "INSERT INTO \"%\" (\"%\") VALUES ('delete-all')"),
        (TABLES, "DELETE FROM \"%\""),
    ] {
        for name in names(conn, list).await? {
            conn.run(doing, statement.replace('%', &name), Args::new()).await?;
        }
    }
    conn.run(doing, SET_BACK, Args::new()).await?;
    conn.run(doing, STORE_COUNTS, Args::new().with(written)).await?;
    let refuse =
        format!("CREATE TRIGGER purged_refuses BEFORE UPDATE ON counters BEGIN SELECT RAISE(ABORT, '{PURGED}'); END");
    conn.define(doing, &refuse).await?;
    Ok(held)
}

async fn count(conn: &mut Conn) -> Result<Held> {
    let doing = "counting the rows of a vault";
    let mut held = Held::default();
    let number = |row: &Row<'_>| Cells::new(row).count();
    held.memory_bytes = conn.row(doing, MEMORY_BYTES, Args::new(), number).await?.unwrap_or_default();
    for table in names(conn, TABLES).await? {
        let sql = format!("SELECT count(*) FROM \"{table}\"");
        let rows = conn.row(doing, sql, Args::new(), number).await?.unwrap_or_default();
        if rows > 0 {
            held.rows.insert(table, rows);
        }
    }
    Ok(held)
}

/// Reads names from the schema; they must not contain quotes.
async fn names(conn: &mut Conn, sql: &'static str) -> Result<Vec<String>> {
    let names = conn.rows("reading a vault's schema", sql, Args::new(), |row| Cells::new(row).text()).await?;
    match names.iter().find(|name| name.contains('"')) {
        Some(_) => Err(errors::corrupt("a name in the vault's schema holds a quote")),
        None => Ok(names),
    }
}

fn read(counts: &str) -> Result<Held> {
    let (rows, memory_bytes) =
        serde_json::from_str(counts).map_err(|_| errors::corrupt("the counts of a purged vault cannot be read"))?;
    Ok(Held { rows, memory_bytes })
}

/// Waits for running readers up to the busy timeout.
async fn empty_log(conn: &mut Conn) -> Result<()> {
    let busy = conn
        .row("truncating the write-ahead log of a vault", EMPTY_LOG, Args::new(), |row| Cells::new(row).flag())
        .await?;
    match busy {
        Some(false) => Ok(()),
        _ => Err(Error::storage(
            StorageFailure::Unavailable,
            "a reader blocks truncating the write-ahead log of a vault",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declared;
    use crate::sqlite::pragmas;

    /// Returns the operations of a statement.
    async fn operations(conn: &mut Conn, sql: &str) -> Vec<String> {
        let operation = |row: &Row<'_>| {
            let c = &mut Cells::new(row);
            c.int()?;
            c.text()
        };
        conn.rows("explaining", format!("EXPLAIN {sql}"), Args::new(), operation).await.unwrap()
    }

    async fn run(conn: &mut Conn, sql: &'static str) {
        conn.run("testing", sql, Args::new()).await.unwrap();
    }

    #[tokio::test]
    async fn no_word_stays_in_a_full_text_index_or_in_one_that_replaces_it() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path());
        let path = folder.path().join("some.db");
        let mut conn = Conn::open(&pragmas::maker(&path, &options, None), options.busy_timeout).unwrap();
        VAULT.migrate(&mut conn).await.unwrap();
        run(&mut conn, "CREATE VIRTUAL TABLE search_next USING fts5 (content, content = 'searchable')").await;
        run(&mut conn, "INSERT INTO search (rowid, content) VALUES (1, 'heron')").await;
        run(&mut conn, "INSERT INTO search_next (rowid, content) VALUES (1, 'heron')").await;
        run(&mut conn, EMPTY_LOG).await;
        let is_on_disk = || std::fs::read(&path).unwrap().windows(5).any(|bytes| bytes == b"heron");
        assert!(is_on_disk());
        begin(&mut conn).await.unwrap();
        within(&mut conn).await.unwrap();
        run(&mut conn, "COMMIT").await;
        run(&mut conn, EMPTY_LOG).await;
        assert!(!is_on_disk());
        conn.close().await.unwrap();
    }

    #[tokio::test]
    async fn each_table_of_a_purged_vault_is_emptied_at_once_and_not_row_by_row() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path());
        let how = pragmas::maker(&folder.path().join("some.db"), &options, None);
        let mut conn = Conn::open(&how, options.busy_timeout).unwrap();
        VAULT.migrate(&mut conn).await.unwrap();
        for table in kimberly_core::tables::ALL {
            conn.run("indexing", declared::late_indices(table.name).unwrap(), Args::new()).await.unwrap();
        }
        begin(&mut conn).await.unwrap();
        for name in names(&mut conn, TRIGGERS).await.unwrap() {
            conn.run("dropping", format!("DROP TRIGGER \"{name}\""), Args::new()).await.unwrap();
        }
        let tables = names(&mut conn, TABLES).await.unwrap();
        assert!(tables.len() > 20, "{tables:?}");
        for table in tables {
            let operations = operations(&mut conn, &format!("DELETE FROM \"{table}\"")).await;
            let has = |name: &str| operations.iter().any(|operation| operation == name);
            assert!(has("Clear") && !has("Delete") && !has("Next"), "{table}: {operations:?}");
        }
        conn.close().await.unwrap();
    }
}
