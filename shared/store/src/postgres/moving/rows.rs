//! A snapshot of the database.

use async_trait::async_trait;
use kimberly_core::error::Result;

use super::sql;
use crate::moving::cell::Row;
use crate::moving::side::{Page, Rows};
use crate::postgres::conn::{Args, Conn};
use crate::tables::{Lies, Table};

/// A read transaction.
pub(super) struct DatabaseRows {
    pub(super) conn: Conn,
    /// Whether it reads one user's rows.
    pub(super) of_user: bool,
}

#[async_trait]
impl Rows for DatabaseRows {
    async fn page(&mut self, table: &'static Table, after: Option<&Row>) -> Result<Vec<Row>> {
        if table.lies != Lies::Alike && after.is_some() {
            return Ok(Vec::new());
        }
        let mut args = if self.of_user { self.conn.args() } else { Args::none() };
        for (column, cell) in table.columns.iter().zip(after.into_iter().flatten()).take(table.keys) {
            sql::push_key(&mut args, column.kind, cell);
        }
        let mut page = Page::default();
        let take = |row: &_| Ok(page.add(sql::read(table, row)?));
        let statement = sql::select(table, self.of_user, after.is_some());
        self.conn.for_each("reading rows", statement, args, take).await?;
        Ok(page.rows)
    }

    async fn end(self: Box<Self>) {
        self.conn.roll_back().await;
    }
}
