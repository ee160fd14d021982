//! A snapshot of one file.

use async_trait::async_trait;
use kimberly_core::error::Result;

use super::sql;
use crate::moving::cell::Row;
use crate::moving::side::{Page, Rows};
use crate::sqlite::conn::{Args, Conn};
use crate::tables::{Lies, Table};

/// A connection in a read transaction.
pub(super) struct FileRows(pub(super) Conn);

impl FileRows {
    /// Opens a snapshot with the next statement.
    pub(super) fn new(mut conn: Conn) -> Self {
        conn.send_ahead("BEGIN;");
        Self(conn)
    }
}

#[async_trait]
impl Rows for FileRows {
    async fn page(&mut self, table: &'static Table, after: Option<&Row>) -> Result<Vec<Row>> {
        if table.lies != Lies::Alike && after.is_some() {
            return Ok(Vec::new());
        }
        let mut args = Args::new();
        for cell in after.into_iter().flatten().take(table.keys) {
            sql::push(&mut args, cell);
        }
        let mut page = Page::default();
        let take = |row: &rusqlite::Row<'_>| Ok(page.add(sql::read(table, row)?));
        self.0.for_each("reading rows", sql::select(table, after.is_some()), args, take).await?;
        Ok(page.rows)
    }

    async fn end(mut self: Box<Self>) {
        self.0.end_read();
        if let Err(error) = self.0.close().await {
            tracing::debug!(%error, "a file that was read did not close cleanly");
        }
    }
}
