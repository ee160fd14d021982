//! The operations that declared tables need from a backend's connection.

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::tables::Table;

use crate::rows::{ReadRow, WriteRow};
use crate::sealed::Seals;

/// The update that leaves rows as they are.
pub(crate) const NOTHING: &str = "NOTHING";

/// A connection to one user's vault.
pub(crate) trait Connection: Send {
    /// Values for the parameters of a statement.
    type Args: WriteRow + Send;

    /// SQL condition that limits rows `t` to the user.
    const ROWS_OF_USER: &'static str;
    /// SQL condition that limits memories `m` to the user.
    const MEMORIES_OF_USER: &'static str;
    /// SQL that ends a subquery on memories, so that the planner looks up one memory for each row.
    const ROW_BY_ROW: &'static str;
    /// Whether a query of most rows of a table first lists the memories that pass its filter: for a planner that would
    /// otherwise look up a memory for each row, each time in another page.
    const LISTS_MEMORIES: bool;
    /// SQL that precedes the placeholder of a limit.
    const OF_LIMIT: &'static str;
    /// The user column and its value as SQL prefixes, for keys and inserts; empty without a user column.
    const USER: (&'static str, &'static str);

    /// Returns arguments that hold the user, if statements bind it.
    fn args(&self) -> Self::Args;
    /// Returns the placeholder of the last value in `args`.
    fn placeholder(args: &Self::Args) -> String;
    /// Returns the seals that seal and open texts.
    fn seals(&self) -> Option<Arc<Seals>>;
    /// Appends the conditions of a filter on memories `m`.
    fn push_filter(&self, sql: &mut String, args: &mut Self::Args, filter: &MemoryFilter);
    /// Notes that the old contents of rows must be scrubbed from storage.
    fn erases(&mut self);
    /// Notes that rows changed that graphs of entities are built from.
    fn evidence_changed(&mut self);
    /// Prepares a table for rows, before any is written.
    fn make_room(&mut self, _table: &'static Table) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }
    /// Runs a statement; returns the number of changed rows.
    fn run(&mut self, doing: &'static str, sql: String, args: Self::Args) -> impl Future<Output = Result<u64>> + Send;
    /// Inserts rows; with those `of_key` does `update`, and notes whether old contents must be scrubbed then.
    fn upsert(
        &mut self,
        insert: &str,
        (of_key, update): (&str, &str),
        _rows: usize,
        args: Self::Args,
    ) -> impl Future<Output = Result<()>> + Send {
        let sql = format!("{insert} {of_key} {update}");
        async move { self.run("storing rows", sql, args).await.map(drop) }
    }
    /// Runs a query; returns its rows.
    fn read<T: Send>(
        &mut self,
        doing: &'static str,
        sql: String,
        args: Self::Args,
        read: impl FnMut(&mut dyn ReadRow<'_>) -> Result<T> + Send,
    ) -> impl Future<Output = Result<Vec<T>>> + Send;
}
