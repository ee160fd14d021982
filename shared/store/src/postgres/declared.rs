//! Implements declared tables for this backend.

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;

use super::conn::{Args, Conn};
use super::filter;
use super::rows::Cells;
use crate::declared::Connection;
use crate::rows::ReadRow;
use crate::sealed::Seals;
use crate::slots;

impl Connection for Conn {
    type Args = Args;

    const ROWS_OF_USER: &'static str = "t.user_id = $1";
    const MEMORIES_OF_USER: &'static str = "m.user_id = $1";
    // See `reader::memories`.
    const ROW_BY_ROW: &'static str = " OFFSET 0";
    const LISTS_MEMORIES: bool = false;
    const OF_LIMIT: &'static str = "";
    const USER: (&'static str, &'static str) = ("user_id, ", "$1, ");

    fn args(&self) -> Args {
        Conn::args(self)
    }

    fn placeholder(args: &Args) -> String {
        format!("${}", args.len())
    }

    fn seals(&self) -> Option<Arc<Seals>> {
        self.seals.clone()
    }

    fn push_filter(&self, sql: &mut String, args: &mut Args, filter: &MemoryFilter) {
        filter::push_conditions(sql, args, filter, self.seals.as_deref());
    }

    fn erases(&mut self) {}

    fn evidence_changed(&mut self) {
        self.head.add(slots::RECALL, 0, 1);
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
