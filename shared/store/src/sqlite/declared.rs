//! Implements declared tables for this backend.

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::tables::Table;

use super::conn::{Args, Conn};
use super::filter;
use super::rows::Cells;
use super::schema::late;
use crate::declared::Connection;
use crate::rows::ReadRow;
use crate::sealed::Seals;

impl Connection for Conn {
    type Args = Args;

    const ROWS_OF_USER: &'static str = "true";
    const MEMORIES_OF_USER: &'static str = "true";
    const ROW_BY_ROW: &'static str = "";
    const OF_LIMIT: &'static str = "+";
    const USER: (&'static str, &'static str) = ("", "");

    fn args(&self) -> Args {
        Args::new()
    }

    fn placeholder(_: &Args) -> String {
        "?".to_owned()
    }

    fn seals(&self) -> Option<Arc<Seals>> {
        self.seals.clone()
    }

    fn push_filter(&self, sql: &mut String, args: &mut Args, filter: &MemoryFilter) {
        filter::push_conditions(sql, args, filter, self.seals.as_deref());
    }

    fn erases(&mut self) {
        self.notes.erased = true;
    }

    async fn make_room(&mut self, table: &'static Table) -> Result<()> {
        late::create(self, table.name).await
    }

    async fn run(&mut self, doing: &'static str, sql: String, args: Args) -> Result<u64> {
        Conn::run(self, doing, sql, args).await
    }

    async fn read<T: Send>(
        &mut self,
        doing: &'static str,
        sql: String,
        args: Args,
        mut read: impl FnMut(&mut dyn ReadRow<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        self.rows(doing, sql, args, |row| read(&mut Cells::new(row))).await
    }
}
