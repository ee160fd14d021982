//! Tables of a vault whose rows hang on memories, each said once.
//!
//! **How to add one.** Write a type for its rows and implement [`TableRow`] for it: the [`Table`] (its columns, its key, its
//! indices), what goes into a row and what comes out. Name the table in [`ALL`]. That is all: both backends then create,
//! read, write and move it, rows go with the memories that they are about, are hidden with them from callers who do not reach
//! them or while they are withheld, and [`Kind::Words`] is sealed where a memory is sensitive. [`find`], [`count`], [`put`]
//! and [`delete`] are what use cases call. The conformance suite holds every declared table to this.
//!
//! Nothing here knows SQL, and the store knows no type of a row. What is found by more than its columns (words, nearness)
//! is a port of its own.

mod cells;
mod query;
#[cfg(test)]
mod tests;

pub use cells::{Cell, Cells, Row};
pub use query::{Condition, RowCount, RowQuery};

use crate::beliefs::ClaimRow;
use crate::context::HandedOut;
use crate::documents::Passage;
use crate::entities::{Mention, ReadMark, Ruling, Tie};
use crate::error::Result;
use crate::extraction::{StatementRow, UnreadTurn};
use crate::links::{Ending, Link};
use crate::meditation::Fingerprint;
use crate::ports::{VaultReader, VaultTransaction};
use crate::retention::{NotedTemperature, Recalibration};
use crate::reviews::Decision;
use crate::tagging::AutoTag;
use crate::versions::Version;

/// All of them, in the order in which they are filled.
pub const ALL: &[&Table] = &[
    Link::TABLE,
    HandedOut::TABLE,
    Ending::TABLE,
    Version::TABLE,
    UnreadTurn::TABLE,
    StatementRow::TABLE,
    Mention::TABLE,
    Tie::TABLE,
    ReadMark::TABLE,
    Ruling::TABLE,
    Decision::TABLE,
    ClaimRow::TABLE,
    Recalibration::TABLE,
    Passage::TABLE,
    AutoTag::TABLE,
    NotedTemperature::TABLE,
    Fingerprint::TABLE,
];

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number, a time, yes or no.
    Int,
    /// A double; never nothing.
    Real,
    /// A name of ours, of a closed set, or a label that SQL filters by: never sealed, so that no row about a sensitive memory may
    /// hold words of it here. Without NUL.
    Text,
    /// An id of no memory, or of one that the row outlives.
    Id,
    /// A memory that the row is about: the row goes with it and is hidden with it.
    Memory,
    /// Text of a user or of a model, packed, and sealed where a memory of the row is sensitive.
    Words {
        /// What the sealed form is bound to, as `TABLE.COLUMN`; never changes.
        sealed_as: &'static str,
    },
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, on both backends.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it may hold nothing.
    pub nullable: bool,
}

impl Column {
    const fn of(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, nullable: false }
    }

    /// A whole number, a time, yes or no.
    pub const fn int(name: &'static str) -> Self {
        Self::of(name, Kind::Int)
    }

    /// A double.
    pub const fn real(name: &'static str) -> Self {
        Self::of(name, Kind::Real)
    }

    /// A name of ours.
    pub const fn text(name: &'static str) -> Self {
        Self::of(name, Kind::Text)
    }

    /// An id.
    pub const fn id(name: &'static str) -> Self {
        Self::of(name, Kind::Id)
    }

    /// A memory that the row is about.
    pub const fn memory(name: &'static str) -> Self {
        Self::of(name, Kind::Memory)
    }

    /// Words, sealed under a name.
    pub const fn words(name: &'static str, sealed_as: &'static str) -> Self {
        Self::of(name, Kind::Words { sealed_as })
    }

    /// The same, which may hold nothing.
    #[must_use]
    pub const fn or_null(self) -> Self {
        Self { nullable: true, ..self }
    }
}

/// A table.
#[derive(Debug)]
pub struct Table {
    /// Its name, on both backends.
    pub name: &'static str,
    /// How many of its first columns are its key, in whose order rows come.
    pub keys: usize,
    /// Its columns; one of a memory stands before the first of words.
    pub columns: &'static [Column],
    /// Columns that are looked for together, in this order. Columns of memories have an index anyway.
    pub indices: &'static [&'static [&'static str]],
}

impl Table {
    /// The columns of its key.
    pub fn key(&self) -> &'static [Column] {
        self.columns.split_at(self.keys.min(self.columns.len())).0
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> Option<&'static Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The columns of memories.
    pub fn memories(&self) -> impl Iterator<Item = &'static Column> + use<> {
        self.columns.iter().filter(|column| column.kind == Kind::Memory)
    }

    /// The memories that a row is about.
    pub fn memories_of<'r>(&self, row: &'r Row) -> impl Iterator<Item = uuid::Uuid> + use<'r> {
        let columns = self.columns;
        row.iter().zip(columns).filter(|(_, column)| column.kind == Kind::Memory).filter_map(|(cell, _)| cell.id())
    }

    /// Whether it has words.
    pub fn has_words(&self) -> bool {
        self.columns.iter().any(|column| matches!(column.kind, Kind::Words { .. }))
    }
}

/// What lies in a row of a table.
pub trait TableRow: Sized + Send + Sync {
    /// Where.
    const TABLE: &'static Table;

    /// The values of all columns, in their order.
    fn to_row(&self) -> Row;

    /// The same, read back.
    fn from_row(cells: &mut Cells) -> Result<Self>;

    /// All rows that may be seen.
    fn query() -> RowQuery {
        RowQuery::of(Self::TABLE)
    }
}

/// What a query finds, in its order.
pub async fn find<T: TableRow>(reader: &mut dyn VaultReader, query: &RowQuery) -> Result<Vec<T>> {
    let rows = reader.rows(query).await?;
    rows.into_iter().map(|row| T::from_row(&mut Cells::new(row))).collect()
}

/// How many rows a query finds.
pub async fn count(reader: &mut dyn VaultReader, query: &RowQuery) -> Result<u64> {
    Ok(reader.count_rows(query, None).await?.rows)
}

/// Inserts rows, each in the place of one with the same key. The memories that they are about must be there.
pub async fn put<T: TableRow>(tx: &mut dyn VaultTransaction, items: &[T]) -> Result<()> {
    let rows: Vec<Row> = items.iter().map(TableRow::to_row).collect();
    tx.put_rows(T::TABLE, &rows).await
}

/// Removes the rows that a query finds, whatever its limit; returns how many.
pub async fn delete(tx: &mut dyn VaultTransaction, query: &RowQuery) -> Result<u64> {
    tx.delete_rows(query).await
}
