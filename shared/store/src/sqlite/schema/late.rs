//! Indices that a vault gets with the first row of a table: an empty index takes a page, too, and most vaults never fill most
//! tables. Vaults of earlier builds have all of them.

use kimberly_core::error::Result;

use crate::declared;
use crate::rows::lasting_index;
use crate::sqlite::conn::{Args, Conn};

/// Indices of tables that are not declared, by the first table to get a row.
const LATE: &[(&str, &str)] = &[
    (
        "blobs",
        "CREATE INDEX IF NOT EXISTS blobs_pending ON blobs (state, staged_at) WHERE state <> 1; \
         CREATE INDEX IF NOT EXISTS attachments_blob ON attachments (blob); \
         CREATE INDEX IF NOT EXISTS attachments_created ON attachments (created_at, id); \
         CREATE INDEX IF NOT EXISTS attachments_waiting ON attachments (created_at) WHERE hung = 0; \
         CREATE INDEX IF NOT EXISTS attached_attachment ON attached (attachment)",
    ),
    (
        "consents",
        "CREATE INDEX IF NOT EXISTS memories_consent ON memories (consent_no) WHERE consent_no IS NOT NULL; \
         CREATE INDEX IF NOT EXISTS memories_to_erase ON memories (withheld) WHERE withheld = 2",
    ),
];

/// The table whose index is created with the first memory that lasts.
pub(crate) const LASTING: &str = "memories";

/// Creates those of a table that are missing. Call it before rows are inserted.
pub(crate) async fn create(conn: &mut Conn, table: &str) -> Result<()> {
    let other = || LATE.iter().find(|(first, _)| *first == table).map(|(_, sql)| (*sql).to_owned());
    let lasting = || (table == LASTING).then(lasting_index);
    match declared::late_indices(table).or_else(other).or_else(lasting) {
        Some(sql) => conn.run("creating indices", sql, Args::new()).await.map(drop),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::options::SqliteOptions;
    use crate::sqlite::pragmas;
    use crate::sqlite::rows::{Cells, ReadRow as _};
    use crate::sqlite::schema::VAULT;
    use kimberly_core::tables::ALL;

    const PAGES: &str = "SELECT (SELECT page_count FROM pragma_page_count), (SELECT count(*) FROM sqlite_schema WHERE \
         type = 'index' AND name NOT LIKE 'sqlite_%')";

    async fn pages_and_indices(conn: &mut Conn) -> (i64, i64) {
        let read = |row: &rusqlite::Row<'_>| {
            let c = &mut Cells::new(row);
            Ok((c.int()?, c.int()?))
        };
        conn.row("counting pages", PAGES, Args::new(), read).await.unwrap().unwrap()
    }

    #[tokio::test]
    async fn an_empty_vault_is_small_and_gets_each_late_index_once() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path());
        let how = pragmas::maker(&folder.path().join("some.db"), &options, None);
        let mut conn = Conn::open(&how, options.busy_timeout).unwrap();
        VAULT.migrate(&mut conn).await.unwrap();
        let (pages, before) = pages_and_indices(&mut conn).await;
        assert!(pages * 4_096 <= 300_000, "{pages} pages");
        let tables = || ALL.iter().map(|table| table.name).chain(LATE.iter().map(|(table, _)| *table));
        let declared = tables().filter_map(declared::late_indices).map(|sql| sql.matches("CREATE INDEX").count());
        let others = LATE.iter().map(|(_, sql)| sql.matches("CREATE INDEX").count());
        let late = i64::try_from(declared.chain(others).sum::<usize>()).unwrap();
        for _ in 0..2 {
            for table in tables() {
                create(&mut conn, table).await.unwrap();
            }
            assert_eq!(pages_and_indices(&mut conn).await.1, before + late);
        }
        conn.close().await.unwrap();
    }

    #[tokio::test]
    async fn bytes_of_lasting_memories_are_counted_without_reading_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path());
        let how = pragmas::maker(&folder.path().join("some.db"), &options, None);
        let mut conn = Conn::open(&how, options.busy_timeout).unwrap();
        VAULT.migrate(&mut conn).await.unwrap();
        create(&mut conn, LASTING).await.unwrap();
        let sql = format!("EXPLAIN QUERY PLAN {} GROUP BY tier", crate::rows::lasting());
        let step =
            |row: &rusqlite::Row<'_>| row.get::<_, String>(3).map_err(|_| crate::sqlite::errors::corrupt("no plan"));
        let plan = conn.rows("explaining", sql, Args::new(), step).await.unwrap().join("; ");
        assert_eq!(plan, "SCAN memories USING COVERING INDEX memories_lasting");
        conn.close().await.unwrap();
    }
}
