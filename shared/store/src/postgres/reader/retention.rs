//! Reads the data of retention.

use kimberly_core::error::Result;
use kimberly_core::meditation::RetentionItem;

use crate::postgres::conn::Conn;
use crate::postgres::filter::is_storable;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::rows::{RETENTION_COLUMNS, by_tier, lasting, movable, retention_item, tier_bytes};

const SESSION: &str = "SELECT no FROM sessions WHERE user_id = $1 AND id = $2";
const PRUNED: &str = "SELECT bytes FROM pruned WHERE user_id = $1 AND day = $2";

pub(super) async fn items(conn: &mut Conn) -> Result<Vec<RetentionItem>> {
    let args = conn.args();
    let sql = format!(
        "SELECT {RETENTION_COLUMNS} FROM memories WHERE user_id = $1 AND (withheld = 0 OR state = 2) ORDER BY seq"
    );
    conn.rows("reading memories for retention", sql, args, |row| retention_item(&mut Cells::new(row))).await
}

pub(super) async fn movable_bytes(conn: &mut Conn) -> Result<[u64; 3]> {
    bytes(conn, "counting memories that may be archived", movable()).await
}

pub(super) async fn lasting_bytes(conn: &mut Conn) -> Result<[u64; 3]> {
    bytes(conn, "counting lasting memories", lasting()).await
}

async fn bytes(conn: &mut Conn, what: &'static str, which: String) -> Result<[u64; 3]> {
    let args = conn.args();
    let sql = format!("{which} AND user_id = $1 GROUP BY tier");
    conn.rows(what, sql, args, |row| tier_bytes(&mut Cells::new(row))).await.map(by_tier)
}

pub(super) async fn session_number(conn: &mut Conn, session_id: &str) -> Result<Option<i64>> {
    if !is_storable(session_id) {
        return Ok(None);
    }
    let args = conn.args().with(session_id.to_owned());
    conn.row("reading a session", SESSION, args, |row| Cells::new(row).int()).await
}

pub(super) async fn pruned_on(conn: &mut Conn, day: i64) -> Result<u64> {
    let args = conn.args().with(day);
    let found = conn.row("reading the number of erased bytes", PRUNED, args, |row| Cells::new(row).count()).await?;
    Ok(found.unwrap_or_default())
}
