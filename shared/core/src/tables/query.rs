//! Queries for rows of a table.

use super::{Cell, Table};
use crate::memory::{MemoryFilter, MemoryState};

/// A condition on a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// One of these columns has one of these values.
    Among(Vec<&'static str>, Vec<Cell>),
    /// A column has at least this value.
    From(&'static str, Cell),
    /// A column has a lower value.
    Before(&'static str, Cell),
    /// A column is null.
    Empty(&'static str),
}

/// A query for rows of a table; all conditions must hold.
#[derive(Clone, Debug)]
pub struct RowQuery {
    /// The table.
    pub table: &'static Table,
    /// The conditions.
    pub conditions: Vec<Condition>,
    /// The filter that all memories of a row must pass. By default memories in any state pass, except withheld ones.
    pub memories: MemoryFilter,
    /// The columns to order by; the key if empty.
    pub order: &'static [&'static str],
    /// Whether the order is descending.
    pub descending: bool,
    /// Only rows after these values of the order's columns.
    pub after: Vec<Cell>,
    /// At most this many.
    pub limit: usize,
    /// Columns that are not read: they come as null.
    pub without: &'static [&'static str],
    /// Whether counts include rows beyond the reader's reach: for decisions only, never for answers.
    pub whole: bool,
}

impl RowQuery {
    /// A query for all visible rows of a table.
    pub fn of(table: &'static Table) -> Self {
        Self {
            table,
            conditions: Vec::new(),
            memories: MemoryFilter { states: MemoryState::ALL.to_vec(), ..MemoryFilter::default() },
            order: &[],
            descending: false,
            after: Vec::new(),
            limit: usize::MAX,
            without: &[],
            whole: false,
        }
    }

    /// Requires a column to have a value.
    #[must_use]
    pub fn is(self, column: &'static str, value: impl Into<Cell>) -> Self {
        self.among(&[column], [value])
    }

    /// Requires one of these columns to have one of these values.
    #[must_use]
    pub fn among<T: Into<Cell>>(self, columns: &[&'static str], values: impl IntoIterator<Item = T>) -> Self {
        self.that(Condition::Among(columns.to_vec(), values.into_iter().map(Into::into).collect()))
    }

    /// Adds a condition.
    #[must_use]
    pub fn that(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// Orders by columns.
    #[must_use]
    pub fn by(self, order: &'static [&'static str]) -> Self {
        Self { order, ..self }
    }

    /// Reverses the order.
    #[must_use]
    pub fn descending(self) -> Self {
        Self { descending: true, ..self }
    }

    /// Starts after these values of the order's columns.
    #[must_use]
    pub fn behind(self, after: Vec<Cell>) -> Self {
        Self { after, ..self }
    }

    /// Limits the number of rows.
    #[must_use]
    pub fn at_most(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Does not read some columns.
    #[must_use]
    pub fn without(self, without: &'static [&'static str]) -> Self {
        Self { without, ..self }
    }

    /// Includes rows about memories withheld because their consent was retracted: for exports and for counts that
    /// decide on a limit.
    #[must_use]
    pub fn with_withheld(mut self) -> Self {
        self.memories.withheld = true;
        self
    }

    /// Counts rows beyond the reader's reach too: for decisions, never for answers.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { whole: true, ..self }
    }

    /// Also includes rows about memories that will be erased: for data that is erased with them.
    #[must_use]
    pub fn with_doomed(mut self) -> Self {
        self.memories.doomed = true;
        self.with_withheld()
    }
}

/// The result of counting rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCount {
    /// Number of rows.
    pub rows: u64,
    /// Sum of the requested integer column; 0 if none was requested.
    pub sum: i64,
}
