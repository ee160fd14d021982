//! Which rows of a table are asked for.

use super::{Cell, Table};
use crate::memory::{MemoryFilter, MemoryState};

/// What must hold of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// One of these columns has one of these values.
    Among(Vec<&'static str>, Vec<Cell>),
    /// A column has this value or a higher one.
    From(&'static str, Cell),
    /// A column has a lower value.
    Before(&'static str, Cell),
    /// A column holds nothing.
    Empty(&'static str),
}

/// Rows of a table, joined with "and".
#[derive(Clone, Debug)]
pub struct RowQuery {
    /// Of this table.
    pub table: &'static Table,
    /// That hold to these.
    pub conditions: Vec<Condition>,
    /// Whose memories pass, all of them. Memories in any state do, but none that is withheld.
    pub memories: MemoryFilter,
    /// In the order of these columns; of the key, if there are none.
    pub order: &'static [&'static str],
    /// From the last one back.
    pub descending: bool,
    /// Behind these values of the columns of the order.
    pub after: Vec<Cell>,
    /// At most this many.
    pub limit: usize,
    /// Columns that are not read: they come as nothing.
    pub without: &'static [&'static str],
    /// Whether rows are counted that the reader does not reach, too: for what is decided by their number and never answered.
    pub whole: bool,
}

impl RowQuery {
    /// All rows that may be seen.
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

    /// Where a column has a value.
    #[must_use]
    pub fn is(self, column: &'static str, value: impl Into<Cell>) -> Self {
        self.among(&[column], [value])
    }

    /// Where one of these columns has one of these values.
    #[must_use]
    pub fn among<T: Into<Cell>>(self, columns: &[&'static str], values: impl IntoIterator<Item = T>) -> Self {
        self.that(Condition::Among(columns.to_vec(), values.into_iter().map(Into::into).collect()))
    }

    /// Where something holds.
    #[must_use]
    pub fn that(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// In the order of columns.
    #[must_use]
    pub fn by(self, order: &'static [&'static str]) -> Self {
        Self { order, ..self }
    }

    /// From the last one back.
    #[must_use]
    pub fn descending(self) -> Self {
        Self { descending: true, ..self }
    }

    /// Behind the values of the columns of the order.
    #[must_use]
    pub fn behind(self, after: Vec<Cell>) -> Self {
        Self { after, ..self }
    }

    /// At most so many.
    #[must_use]
    pub fn at_most(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Without reading some columns.
    #[must_use]
    pub fn without(self, without: &'static [&'static str]) -> Self {
        Self { without, ..self }
    }

    /// Also rows about memories that are withheld because their consent was retracted: for exports and for counts that
    /// decide a bound.
    #[must_use]
    pub fn with_withheld(mut self) -> Self {
        self.memories.withheld = true;
        self
    }

    /// Counted whatever the reader reaches: to decide, and never to answer.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { whole: true, ..self }
    }

    /// And rows about those of them that are about to be erased: for what goes with them.
    #[must_use]
    pub fn with_doomed(mut self) -> Self {
        self.memories.doomed = true;
        self.with_withheld()
    }
}

/// How many rows there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCount {
    /// How many.
    pub rows: u64,
    /// What a column of whole numbers sums to over them; 0 if none was asked for.
    pub sum: i64,
}
