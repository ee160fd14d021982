//! Reads pages of memories.

use kimberly_core::error::Result;
use kimberly_core::memory::{ListOrder, Memory, MemoryFilter};
use kimberly_core::ports::ListKey;

use super::limit as sql_limit;
use crate::page;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter;
use crate::sqlite::rows::{MEMORY_SOURCE, memory};
use crate::tables::memories::memory_columns;

/// Order, start and limits of a page.
pub(super) struct Page {
    pub(super) order: ListOrder,
    pub(super) after: Option<ListKey>,
    pub(super) limit: usize,
    pub(super) max_bytes: usize,
}

pub(super) async fn list(conn: &mut Conn, filter: &MemoryFilter, page: Page) -> Result<Vec<Memory>> {
    let (before, direction) = match page.order {
        ListOrder::NewestFirst => ('<', "DESC"),
        ListOrder::OldestFirst => ('>', "ASC"),
    };
    let mut sql = format!("SELECT {} FROM {MEMORY_SOURCE} WHERE true", memory_columns());
    let mut args = Args::new();
    if let Some(after) = page.after {
        use std::fmt::Write as _;
        let _ = write!(sql, " AND (m.created_at, m.seq) {before} (?, ?)");
        args.push(after.created_at.0);
        args.push(after.seq.0);
    }
    filter::push_conditions(&mut sql, &mut args, filter, conn.seals.as_deref());
    {
        use std::fmt::Write as _;
        let _ = write!(sql, " ORDER BY m.created_at {direction}, m.seq {direction} LIMIT +?");
    }
    args.push(sql_limit(page.limit));
    read_page(conn, sql, args, page.max_bytes).await
}

/// Reads until the page is full, then stops the statement.
async fn read_page(conn: &mut Conn, sql: String, args: Args, max_bytes: usize) -> Result<Vec<Memory>> {
    let (mut page, seals) = (page::Page::new(max_bytes), conn.seals.clone());
    conn.for_each("listing memories", sql, args, |row| {
        let next = memory(row, seals.as_deref())?;
        let bytes = next.size_bytes;
        Ok(page.take(next, bytes))
    })
    .await?;
    Ok(page.items())
}
