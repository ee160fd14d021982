//! Reads the data of retention.

use kimberly_core::error::Result;
use kimberly_core::meditation::RetentionItem;

use crate::rows::{RETENTION_COLUMNS, by_tier, lasting, movable, retention_item, tier_bytes};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{Cells, ReadRow as _};

pub(super) async fn items(conn: &mut Conn) -> Result<Vec<RetentionItem>> {
    let sql = format!("SELECT {RETENTION_COLUMNS} FROM memories WHERE withheld = 0 OR state = 2 ORDER BY seq");
    conn.rows("reading memories for retention", sql, Args::new(), |row| retention_item(&mut Cells::new(row))).await
}

pub(super) async fn movable_bytes(conn: &mut Conn) -> Result<[u64; 3]> {
    bytes(conn, "counting memories that may be archived", movable()).await
}

pub(super) async fn lasting_bytes(conn: &mut Conn) -> Result<[u64; 3]> {
    bytes(conn, "counting lasting memories", lasting()).await
}

async fn bytes(conn: &mut Conn, what: &'static str, which: String) -> Result<[u64; 3]> {
    let (sql, args) = (format!("{which} GROUP BY tier"), Args::new());
    conn.rows(what, sql, args, |row| tier_bytes(&mut Cells::new(row))).await.map(by_tier)
}

pub(super) async fn session_number(conn: &mut Conn, session_id: &str) -> Result<Option<i64>> {
    let args = Args::new().with(session_id.to_owned());
    conn.row("reading a session", "SELECT no FROM sessions WHERE id = ?", args, |row| Cells::new(row).int()).await
}

pub(super) async fn pruned_on(conn: &mut Conn, day: i64) -> Result<u64> {
    let sql = "SELECT bytes FROM pruned WHERE day = ?";
    let found = conn
        .row("reading the number of erased bytes", sql, Args::new().with(day), |row| Cells::new(row).count())
        .await?;
    Ok(found.unwrap_or_default())
}
