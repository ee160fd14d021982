//! Memories with everything that is kept about them.

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{MemoryFilter, MemoryRecord};
use kimberly_core::scoring::ScoreRecord;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::limit as sql_limit;
use crate::page::Page;
use crate::postgres::conn::Conn;
use crate::postgres::filter;
use crate::postgres::rows::{Cells, MEMORY_COLUMNS, MEMORY_SOURCE, memory_from};
use crate::sealed::Seals;

const MORE_COLUMNS: &str = "m.helpful, m.unhelpful, m.life, m.score_record";

pub(super) async fn export(
    conn: &mut Conn,
    filter: &MemoryFilter,
    after: Option<Seq>,
    (limit, max_bytes): (usize, usize),
) -> Result<Vec<MemoryRecord>> {
    let mut args = conn.args().with(after.map_or(0, |seq| seq.0)).with(sql_limit(limit));
    let mut sql =
        format!("SELECT {MORE_COLUMNS}, {MEMORY_COLUMNS} FROM {MEMORY_SOURCE} WHERE m.user_id = $1 AND m.seq > $2");
    filter::push_conditions(&mut sql, &mut args, filter);
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
    let sql =
        format!("SELECT {MORE_COLUMNS}, {MEMORY_COLUMNS} FROM {MEMORY_SOURCE} WHERE m.user_id = $1 AND m.id = ANY($2)");
    let (args, seals) = (conn.args().with(ids), conn.seals.clone());
    conn.rows("reading records", sql, args, |row| record(row, seals.as_deref())).await
}

fn record(row: &PgRow, seals: Option<&Seals>) -> Result<MemoryRecord> {
    let c = &mut Cells::new(row);
    let (helpful, unhelpful, life) = (c.count()?, c.count()?, c.int()?);
    let score = c.opt_str()?.map(ScoreRecord::from_compact).transpose()?;
    let (was_archived, was_deleted) = (life & 1 != 0, life & 2 != 0);
    Ok(MemoryRecord { memory: memory_from(c, seals)?, helpful, unhelpful, score, was_archived, was_deleted })
}
