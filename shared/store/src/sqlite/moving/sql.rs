//! SQL of a move, generated from the list of tables, and conversion of values.

use kimberly_core::error::Result;

use crate::moving::cell::{Cell, Row, row_from};
use crate::moving::side::PAGE;
use crate::slots::INDEXED;
use crate::sqlite::conn::Args;
use crate::sqlite::rows::Cells;
use crate::tables::{Lies, Table};

const HEAD: &str = "SELECT settings, settings_revision, audit_pruned, audit_pruned_hash, \
     (SELECT coalesce(max(no), 0) FROM changes), \
     coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'outbox'), 0), (SELECT asked_at FROM embedding) FROM vault";
const LOG: &str = "SELECT name, last FROM audit_log";

/// Selects the first page of a table, or the page after a key given as parameters. Tables that are not stored as plain
/// rows are selected at once.
pub(super) fn select(table: &Table, behind: bool) -> String {
    match table.lies {
        Lies::Head => return HEAD.to_owned(),
        Lies::Counters => {
            return format!("SELECT slot, items, bytes FROM counters WHERE slot < {INDEXED} ORDER BY slot");
        }
        Lies::Log => return LOG.to_owned(),
        Lies::Alike => {}
    }
    let columns: Vec<_> = table.columns.iter().map(|column| format!("t.{}", column.files)).collect();
    let key = columns.iter().take(table.keys).cloned().collect::<Vec<_>>().join(", ");
    let placeholders = vec!["?"; table.keys].join(", ");
    let condition = if behind { format!(" WHERE ({key}) > ({placeholders})") } else { String::new() };
    format!("SELECT {} FROM {} t{condition} ORDER BY {key} LIMIT {PAGE}", columns.join(", "), table.files)
}

/// Inserts this many rows.
pub(super) fn insert(table: &Table, rows: usize) -> String {
    let columns: Vec<_> = table.columns.iter().map(|column| column.files).collect();
    let row = format!("({})", vec!["?"; columns.len()].join(", "));
    format!("INSERT INTO {} ({}) VALUES {}", table.files, columns.join(", "), vec![row; rows].join(", "))
}

/// Reads a row of [`select`].
pub(super) fn read(table: &Table, row: &rusqlite::Row<'_>) -> Result<Row> {
    row_from(&mut Cells::new(row), table)
}

/// Adds a value.
pub(super) fn push(args: &mut Args, cell: &Cell) {
    match cell {
        Cell::Null => args.push(None::<i64>),
        Cell::Int(number) => args.push(*number),
        Cell::Real(number) => args.push(*number),
        Cell::Text(text) => args.push(text.clone()),
        Cell::Bytes(bytes) => args.push(bytes.clone()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::rows::ReadRow as _;
    use crate::sqlite::conn::Conn;
    use crate::sqlite::options::SqliteOptions;
    use crate::sqlite::pragmas;
    use crate::sqlite::schema::{SYSTEM, Schema, VAULT};
    use crate::tables::{Dialect, OF_ALL, of_user};

    /// Key columns count as NOT NULL, although SQLite does not report all of them so.
    const COLUMNS: &str = "SELECT m.name, p.name, p.type, p.\"notnull\" = 0 AND p.pk = 0 FROM sqlite_master m JOIN pragma_table_info(m.name) p \
         WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'search%' ORDER BY 1, 2";

    async fn columns(schema: &Schema) -> BTreeMap<String, Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path());
        let how = pragmas::maker(&folder.path().join("some.db"), &options, None);
        let mut conn = Conn::open(&how, options.busy_timeout).unwrap();
        schema.migrate(&mut conn).await.unwrap();
        let take = |row: &rusqlite::Row<'_>| {
            let c = &mut Cells::new(row);
            let (table, name, kind) = (c.text()?, c.str()?, c.str()?);
            Ok((table, format!("{name} {kind}{}", if c.flag()? { "" } else { " NOT NULL" })))
        };
        let mut found = BTreeMap::<String, Vec<String>>::new();
        for (table, column) in conn.rows("listing columns", COLUMNS, Args::new(), take).await.unwrap() {
            found.entry(table).or_default().push(column);
        }
        conn.close().await.unwrap();
        found
    }

    /// Asserts that all columns of tables with equal layout are moved, and that every other table is known.
    async fn assert_all_are_moved(schema: &Schema, moved: &[Table], others: &[&str]) {
        for (table, found) in columns(schema).await {
            if others.contains(&table.as_str()) {
                continue;
            }
            let known = moved.iter().find(|known| known.files == table && known.lies == Lies::Alike);
            let known = known.unwrap_or_else(|| panic!("the table {table} is not moved"));
            let declared: BTreeSet<_> = known.columns.iter().map(|column| Dialect::Files.column(column)).collect();
            assert_eq!(declared, found.into_iter().collect(), "{table}");
        }
    }

    #[tokio::test]
    async fn no_table_and_no_column_is_forgotten() {
        // Moved as single values and counters; the state of embeddings is derived again.
        assert_all_are_moved(&VAULT, of_user(), &["vault", "counters", "embedding"]).await;
        // Name and last number are moved separately; vaults in quarantine are refused, and the search for damage starts
        // over.
        assert_all_are_moved(&SYSTEM, OF_ALL, &["audit_log", "quarantine", "scrub"]).await;
    }
}
