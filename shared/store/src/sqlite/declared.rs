//! Implements declared tables for this backend.

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::tables::Table;

use super::conn::{Args, Conn};
use super::filter;
use super::rows::Cells;
use super::schema::late;
use crate::declared::{Connection, NOTHING};
use crate::rows::ReadRow;
use crate::sealed::Seals;

impl Connection for Conn {
    type Args = Args;

    const ROWS_OF_USER: &'static str = "true";
    const MEMORIES_OF_USER: &'static str = "true";
    const ROW_BY_ROW: &'static str = "";
    const LISTS_MEMORIES: bool = true;
    const OF_LIMIT: &'static str = "+";
    const USER: (&'static str, &'static str) = ("", "");

    fn args(&self) -> Args {
        Args::new()
    }

    fn placeholder(_: &Args) -> String {
        "?".to_owned()
    }

    fn seals(&self) -> Option<Arc<Seals>> {
        self.seals.clone()
    }

    fn push_filter(&self, sql: &mut String, args: &mut Args, filter: &MemoryFilter) {
        filter::push_conditions(sql, args, filter, self.seals.as_deref());
    }

    fn erases(&mut self) {
        self.notes.erased = true;
    }

    fn evidence_changed(&mut self) {
        self.notes.put_off.evidence_changed = true;
    }

    async fn make_room(&mut self, table: &'static Table) -> Result<()> {
        late::create(self, table.name).await
    }

    async fn run(&mut self, doing: &'static str, sql: String, args: Args) -> Result<u64> {
        Conn::run(self, doing, sql, args).await
    }

    async fn upsert(&mut self, insert: &str, (of_key, update): (&str, &str), rows: usize, args: Args) -> Result<()> {
        // Most rows are new, and emptying the log costs more than a second statement for the others.
        let added = self.run("storing new rows", format!("{insert} {of_key} {NOTHING}"), args.clone()).await?;
        if added < rows as u64 && update != NOTHING {
            self.run("replacing rows", format!("{insert} {of_key} {update}"), args).await?;
            self.erases();
        }
        Ok(())
    }

    async fn read<T: Send>(
        &mut self,
        doing: &'static str,
        sql: String,
        args: Args,
        mut read: impl FnMut(&mut dyn ReadRow<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        self.rows(doing, sql, args, |row| read(&mut Cells::new(row))).await
    }
}

#[cfg(test)]
mod tests {
    use kimberly_core::entities::{Mention, ReadMark, Tie};
    use kimberly_core::tables::{RowQuery, TableRow as _};

    use super::*;
    use crate::conformance::fixtures::memory_id;
    use crate::declared::{delete, put};
    use crate::sqlite::options::SqliteOptions;
    use crate::sqlite::pragmas;
    use crate::sqlite::schema::VAULT;

    #[tokio::test]
    async fn only_rows_that_replace_or_remove_others_count_as_erased() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path());
        let how = pragmas::maker(&folder.path().join("some.db"), &options, None);
        let mut conn = Conn::open(&how, options.busy_timeout).unwrap();
        VAULT.migrate(&mut conn).await.unwrap();
        conn.run("testing", "PRAGMA foreign_keys = OFF", Args::new()).await.unwrap();
        let mark = |memory, rules| {
            let memory = memory_id(memory);
            ReadMark { step: "entities".to_owned(), memory, rules }.to_row()
        };
        let table = ReadMark::TABLE;
        let new: Vec<_> = (1..=100).map(|n| mark(n, 1)).collect();
        put(&mut conn, table, &new).await.unwrap();
        let gone = ReadMark::query().is("memory_id", memory_id(500));
        delete(&mut conn, &gone).await.unwrap();
        assert!(!conn.notes.erased, "nothing was there before");
        put(&mut conn, table, &[mark(101, 1), mark(7, 2)]).await.unwrap();
        assert!(std::mem::take(&mut conn.notes.erased), "one was replaced");
        let (stored, two) = ("SELECT count(*), sum(rules) FROM read_marks", Args::new());
        let found = conn.rows("counting", stored, two, |row| {
            let c = &mut Cells::new(row);
            Ok((c.int()?, c.int()?))
        });
        assert_eq!(found.await.unwrap(), [(101, 102)]);
        conn.close().await.unwrap();
    }

    /// Returns the steps of the plan by which a query's rows are found.
    async fn plan(conn: &mut Conn, query: &RowQuery) -> String {
        let head = format!("EXPLAIN QUERY PLAN SELECT 1 FROM {} t", query.table.name);
        let (sql, args) = crate::declared::found_by(conn, &head, query).unwrap();
        let step = |row: &rusqlite::Row<'_>| {
            let c = &mut Cells::new(row);
            for _ in ["id", "parent", "notused"] {
                c.int()?;
            }
            c.text()
        };
        conn.rows("explaining", sql, args, step).await.unwrap().join("; ")
    }

    #[tokio::test]
    async fn all_rows_are_read_without_looking_up_a_memory_for_each() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path());
        let how = pragmas::maker(&folder.path().join("some.db"), &options, None);
        let mut conn = Conn::open(&how, options.busy_timeout).unwrap();
        VAULT.migrate(&mut conn).await.unwrap();
        late::create(&mut conn, "mentions").await.unwrap();
        for query in [Mention::query(), Tie::query()] {
            let plan = plan(&mut conn, &query).await;
            assert!(plan.contains("SCAN m") && !plan.contains("SEARCH m "), "{plan}");
        }
        let some = uuid::Uuid::nil();
        let page = Mention::query().at_most(10);
        for query in [Mention::query().is("name_id", some), Mention::query().is("memory_id", some), page] {
            let plan = plan(&mut conn, &query).await;
            assert!(plan.contains("SEARCH m ") && !plan.contains("SCAN m"), "{plan}");
        }
        conn.close().await.unwrap();
    }
}
