//! What a backend's connection does for declared tables.

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;

use crate::rows::{ReadRow, WriteRow};
use crate::sealed::Seals;

/// A connection within one user's vault.
pub(crate) trait Connection: Send {
    /// Values for the parameters of a statement.
    type Args: WriteRow + Send;

    /// What rows `t` of the user's tables must be held to.
    const ROWS_OF_USER: &'static str;
    /// What memories `m` must be held to.
    const MEMORIES_OF_USER: &'static str;
    /// Stands in front of the place of a limit.
    const OF_LIMIT: &'static str;
    /// The column of the user, in front of others, and its value.
    const USER: (&'static str, &'static str);

    /// The user, where statements name one.
    fn args(&self) -> Self::Args;
    /// What stands for the last of these values.
    fn place(args: &Self::Args) -> String;
    /// What seals and opens words.
    fn seals(&self) -> Option<Arc<Seals>>;
    /// Adds what a filter asks of memories `m`.
    fn push_filter(&self, sql: &mut String, args: &mut Self::Args, filter: &MemoryFilter);
    /// Notes that what stood in a row must leave no trace.
    fn erases(&mut self);
    /// Runs a statement; returns the rows that it changed.
    fn run(&mut self, doing: &'static str, sql: String, args: Self::Args) -> impl Future<Output = Result<u64>> + Send;
    /// Runs a statement; returns its rows.
    fn read<T: Send>(
        &mut self,
        doing: &'static str,
        sql: String,
        args: Self::Args,
        read: impl FnMut(&mut dyn ReadRow<'_>) -> Result<T> + Send,
    ) -> impl Future<Output = Result<Vec<T>>> + Send;
}
