//! Reads memories with everything stored about them.

use std::fmt::Write as _;

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{MemoryFilter, MemoryRecord};
use rusqlite::Row;

use super::limit as sql_limit;
use crate::page::Page;
use crate::sealed::Seals;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter;
use crate::sqlite::rows::{Cells, MEMORY_SOURCE};
use crate::tables::memories::{record_columns, record_from};

pub(super) async fn export(
    conn: &mut Conn,
    filter: &MemoryFilter,
    after: Option<Seq>,
    (limit, max_bytes): (usize, usize),
) -> Result<Vec<MemoryRecord>> {
    let mut sql = format!("SELECT {} FROM {MEMORY_SOURCE} WHERE m.seq > ?", record_columns());
    let mut args = Args::new().with(after.map_or(0, |seq| seq.0));
    filter::push_conditions(&mut sql, &mut args, filter, conn.seals.as_deref());
    let _ = write!(sql, " ORDER BY m.seq LIMIT +?");
    args.push(sql_limit(limit));
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
    let hex: Vec<_> = ids.iter().map(|id| id.0.simple().to_string()).collect();
    let sql = format!(
        "SELECT {} FROM {MEMORY_SOURCE} \
         WHERE m.id IN (SELECT unhex(value) FROM json_each(?))",
        record_columns()
    );
    let (args, seals) = (Args::new().with(filter::json(&hex)), conn.seals.clone());
    conn.rows("reading records", sql, args, |row| record(row, seals.as_deref())).await
}

fn record(row: &Row<'_>, seals: Option<&Seals>) -> Result<MemoryRecord> {
    record_from(&mut Cells::new(row), seals)
}
