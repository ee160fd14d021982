//! Reads pages of memories.

use std::fmt::Write as _;

use kimberly_core::error::Result;
use kimberly_core::memory::{Memory, MemoryFilter};

use super::limit as sql_limit;
use crate::page::{Listing, Page};
use crate::postgres::conn::Conn;
use crate::postgres::filter;
use crate::postgres::rows::{MEMORY_SOURCE, memory};
use crate::tables::memories::memory_columns;

pub(super) async fn list(conn: &mut Conn, filter: &MemoryFilter, page: Listing) -> Result<Vec<Memory>> {
    let (before, direction) = page.order_sql();
    let mut sql = format!("SELECT {} FROM {MEMORY_SOURCE} WHERE m.user_id = $1", memory_columns());
    let mut args = conn.args();
    if let Some(after) = page.after {
        let (created_at, seq) = (args.push(after.created_at.0), args.push(after.seq.0));
        let _ = write!(sql, " AND (m.created_at, m.seq) {before} (${created_at}, ${seq})");
    }
    filter::push_conditions(&mut sql, &mut args, filter, conn.seals.as_deref());
    let limit = args.push(sql_limit(page.limit));
    let _ = write!(sql, " ORDER BY m.created_at {direction}, m.seq {direction} LIMIT ${limit}");
    let (mut read, seals) = (Page::new(page.max_bytes), conn.seals.clone());
    conn.for_each("listing memories", sql, args, |row| {
        let next = memory(row, seals.as_deref())?;
        let bytes = next.size_bytes;
        Ok(read.take(next, bytes))
    })
    .await?;
    Ok(read.items())
}
