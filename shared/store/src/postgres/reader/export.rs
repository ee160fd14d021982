//! Reads memories with everything stored about them.

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{MemoryFilter, MemoryRecord};
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::limit as sql_limit;
use crate::page::Page;
use crate::postgres::conn::Conn;
use crate::postgres::filter;
use crate::postgres::rows::{Cells, MEMORY_SOURCE};
use crate::sealed::Seals;
use crate::tables::memories::{record_columns, record_from};

pub(super) async fn export(
    conn: &mut Conn,
    filter: &MemoryFilter,
    after: Option<Seq>,
    (limit, max_bytes): (usize, usize),
) -> Result<Vec<MemoryRecord>> {
    let mut args = conn.args().with(after.map_or(0, |seq| seq.0)).with(sql_limit(limit));
    let mut sql = format!("SELECT {} FROM {MEMORY_SOURCE} WHERE m.user_id = $1 AND m.seq > $2", record_columns());
    filter::push_conditions(&mut sql, &mut args, filter, conn.seals.as_deref());
    sql.push_str(" ORDER BY m.seq LIMIT $3");
    let (mut page, seals) = (Page::new(max_bytes), conn.seals.clone());
    conn.for_each("exporting memories", sql, args, |row| {
        let next = record(row, seals.as_deref())?;
        let bytes = next.memory.size_bytes;
        Ok(page.take(next, bytes))
    })
    .await?;
    Ok(page.items())
}

pub(super) async fn records(conn: &mut Conn, ids: &[MemoryId]) -> Result<Vec<MemoryRecord>> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let sql = format!("SELECT {} FROM {MEMORY_SOURCE} WHERE m.user_id = $1 AND m.id = ANY($2)", record_columns());
    let (args, seals) = (conn.args().with(ids), conn.seals.clone());
    conn.rows("reading records", sql, args, |row| record(row, seals.as_deref())).await
}

fn record(row: &PgRow, seals: Option<&Seals>) -> Result<MemoryRecord> {
    record_from(&mut Cells::new(row), seals)
}
