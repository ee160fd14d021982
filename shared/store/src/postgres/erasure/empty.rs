//! Counts and deletes all rows of a vault.
//!
//! The deleting transaction stores the counts in the vault's row, so they stay the same if the purge is interrupted and
//! repeated. That row hides the vault; it is deleted and created again, so that none of its old contents remain.

use std::collections::BTreeMap;

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::{PurgeId, UserId};
use kimberly_postgres::name;

use crate::postgres::conn::{Args, Conn};
use crate::postgres::errors;
use crate::postgres::registry::overtaken;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::postgres::shared::Shared;

/// Deletion may take as long as it needs.
const NO_HURRY: &str = "SET LOCAL statement_timeout = 0";
const LOOK: &str = "SELECT purging, purged FROM vaults WHERE user_id = $1 FOR UPDATE";
/// Lists the tables with users' rows, except the one that hides the vault. Read from the catalog, so that none is missed.
const TABLES: &str = "SELECT c.relname FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace \
     AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relrowsecurity AND c.relname <> 'vaults' ORDER BY 1";
const MEMORY_BYTES: &str = "SELECT coalesce(sum(size_bytes), 0)::bigint FROM memories WHERE user_id = $1";
const DROP_ROW: &str = "DELETE FROM vaults WHERE user_id = $1";
const NEW_ROW: &str = "INSERT INTO vaults (user_id, purging, purged) VALUES ($1, $2, $3)";

/// The counts of a vault before it was emptied.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// Rows per table.
    pub(super) rows: BTreeMap<String, u64>,
    /// Bytes counted for memories.
    pub(super) memory_bytes: u64,
}

/// Empties a vault that this purge has hidden.
pub(super) async fn empty(shared: &Shared, user: &UserId, purge: PurgeId) -> Result<Held> {
    shared.refuse_closed()?;
    let mut conn = Conn::new(shared.pool.write(user).await?, user.clone());
    let done = within(&mut conn, purge).await;
    conn.end(done).await
}

/// Within the transaction: returns the stored counts of an earlier run, or counts and deletes all rows.
async fn within(conn: &mut Conn, purge: PurgeId) -> Result<Held> {
    let doing = "emptying a vault";
    conn.run(doing, NO_HURRY, Args::none()).await?;
    let args = conn.args();
    let look = |row: &_| {
        let c = &mut Cells::new(row);
        Ok((c.opt_uuid()?, c.opt_text()?))
    };
    let (hidden_by, counts) = conn.row(doing, LOOK, args, look).await?.unwrap_or_default();
    if hidden_by != Some(purge.0) {
        return Err(overtaken());
    }
    if let Some(counts) = counts {
        return read(&counts);
    }
    let tables = conn.rows(doing, TABLES, Args::none(), |row| Cells::new(row).text()).await?;
    let held = count(conn, &tables).await?;
    let written = serde_json::to_string(&(&held.rows, held.memory_bytes))
        .map_err(|_| Error::storage(StorageFailure::Defect, "counts cannot be written as JSON"))?;
    delete(conn, &tables).await?;
    let args = conn.args().with(purge.0).with(written);
    conn.run(doing, NEW_ROW, args).await?;
    Ok(held)
}

/// Deletes all rows of a user, including the vault's own.
pub(crate) async fn delete_rows(conn: &mut Conn) -> Result<()> {
    let tables = conn.rows("listing tables of users", TABLES, Args::none(), |row| Cells::new(row).text()).await?;
    delete(conn, &tables).await
}

async fn delete(conn: &mut Conn, tables: &[String]) -> Result<()> {
    let doing = "emptying a vault";
    for table in tables {
        let args = conn.args();
        conn.run(doing, format!("DELETE FROM {} WHERE user_id = $1", name(table)), args).await?;
    }
    let args = conn.args();
    conn.run(doing, DROP_ROW, args).await.map(drop)
}

/// Runs before anything is deleted, because deletions cascade between tables.
async fn count(conn: &mut Conn, tables: &[String]) -> Result<Held> {
    let doing = "counting the rows of a vault";
    let mut held = Held::default();
    let number = |row: &_| Cells::new(row).count();
    let args = conn.args();
    held.memory_bytes = conn.row(doing, MEMORY_BYTES, args, number).await?.unwrap_or_default();
    for table in tables {
        let (sql, args) = (format!("SELECT count(*) FROM {} WHERE user_id = $1", name(table)), conn.args());
        let rows = conn.row(doing, sql, args, number).await?.unwrap_or_default();
        if rows > 0 {
            held.rows.insert(table.clone(), rows);
        }
    }
    Ok(held)
}

fn read(counts: &str) -> Result<Held> {
    let (rows, memory_bytes) =
        serde_json::from_str(counts).map_err(|_| errors::corrupt("the counts of a purged vault cannot be read"))?;
    Ok(Held { rows, memory_bytes })
}
