//! What a declaration consists of.

use super::cells::{Cells, Row};
use super::query::RowQuery;
use crate::error::Result;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer, a time or a boolean.
    Int,
    /// A double; never null.
    Real,
    /// A name from a closed set of Kimberly's, or a label that SQL filters by. Never encrypted, so that a row about a
    /// sensitive memory must not put words of it here. Without NUL.
    Text,
    /// An id that is not a memory's, or of a memory that the row outlives.
    Id,
    /// A memory that the row is about: the row is erased and hidden with it.
    Memory,
    /// Text of a user or model, compressed, and encrypted where a memory of the row is sensitive.
    Words {
        /// The associated data of the encrypted form, as `TABLE.COLUMN`; never changes.
        sealed_as: &'static str,
    },
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name on both backends.
    pub name: &'static str,
    /// Type of the column.
    pub kind: Kind,
    /// Whether it may be null.
    pub nullable: bool,
}

impl Column {
    const fn of(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, nullable: false }
    }

    /// An integer, a time or a boolean.
    pub const fn int(name: &'static str) -> Self {
        Self::of(name, Kind::Int)
    }

    /// A double.
    pub const fn real(name: &'static str) -> Self {
        Self::of(name, Kind::Real)
    }

    /// A name from a closed set.
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

    /// Words, encrypted with this associated data.
    pub const fn words(name: &'static str, sealed_as: &'static str) -> Self {
        Self::of(name, Kind::Words { sealed_as })
    }

    /// Makes the column nullable.
    #[must_use]
    pub const fn or_null(self) -> Self {
        Self { nullable: true, ..self }
    }
}

/// A declared table.
#[derive(Debug)]
pub struct Table {
    /// Name on both backends.
    pub name: &'static str,
    /// Number of leading columns that form the key, which also defines the order of rows.
    pub keys: usize,
    /// The columns; a memory's comes before the first of words.
    pub columns: &'static [Column],
    /// Sets of columns to index, in this order. Columns of memories are always indexed.
    pub indices: &'static [&'static [&'static str]],
}

impl Table {
    /// The columns of the key.
    pub fn key(&self) -> &'static [Column] {
        self.columns.split_at(self.keys.min(self.columns.len())).0
    }

    /// Returns the column with a name.
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

    /// Reports whether it has a column of words.
    pub fn has_words(&self) -> bool {
        self.columns.iter().any(|column| matches!(column.kind, Kind::Words { .. }))
    }
}

/// The content of a row of a table.
pub trait TableRow: Sized + Send + Sync {
    /// The declared table.
    const TABLE: &'static Table;

    /// The values of all columns, in order.
    fn to_row(&self) -> Row;

    /// Reads the type from a row.
    fn from_row(cells: &mut Cells) -> Result<Self>;

    /// A query for all visible rows.
    fn query() -> RowQuery {
        RowQuery::of(Self::TABLE)
    }
}
